package data_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/provenance"
	"rao/internal/testkit"
	"rao/model"
)

// written writes lines to a file in a new folder.
func written(t *testing.T, name string, lines ...string) string {
	t.Helper()
	return testkit.TempFile(t, name, strings.Join(lines, "\n")+"\n")
}

// refused runs the tool, which must fail with a message that has the words.
func refused(t *testing.T, line []string, words ...string) {
	t.Helper()
	status, _, said := tooltest.Run(t, line...)
	if status == 0 {
		t.Errorf("%q was done", line)
	}
	for _, w := range words {
		testkit.Contains(t, said, w, line)
	}
}

// tableOf returns csv text: a header, and rows of the given classes with different numbers.
func tableOf(header string, classes ...string) []string {
	lines := []string{header}
	for i, c := range classes {
		lines = append(lines, fmt.Sprintf("%d.25,%d.5,%s", i*i, 7*i%11, c))
	}
	return lines
}

// Rows of classes below --min-count leave neither hashes nor numbers in the file.
func TestMinCountLeavesNoTrace(t *testing.T) {
	common := []string{"a", "a", "a", "a", "b", "b", "b", "b", "b"}
	out := filepath.Join(t.TempDir(), "s.npz")
	var files [2]string
	for i, data := range []string{
		written(t, "with.csv", tableOf("x,y,label", append(common, "rare")...)...),
		written(t, "without.csv", tableOf("x,y,label", common...)...),
	} {
		tooltest.Succeeds(t, "stats", "--data", data, "--y", "label", "--min-count", "2", "--out", out)
		files[i] = testkit.Text(t, out)
	}
	testkit.Equal(t, files[0], files[1], "the file depends on the row of a class that was left out")
	if s := statisticsOf(t, out); s.Parts[0].Rows != 9 || !provenance.Hashed(s.Parts[0]) {
		t.Errorf("the parts are %v", s.Parts)
	}
	all := filepath.Join(t.TempDir(), "all.npz")
	data := written(t, "d.csv", tableOf("x,y,label", append(common, "rare", "rare")...)...)
	tooltest.Succeeds(t, "stats", "--data", data, "--y", "label", "--out", out)
	tooltest.Succeeds(t, "stats", "merge", out, out, "--allow-overlap", "--min-count", "3", "--out", all)
	for _, p := range statisticsOf(t, all).Parts {
		if provenance.Hashed(p) || p.Rows != 9 {
			t.Errorf("the merge keeps %v of rows that were left out", p)
		}
	}
}

// --hashes none stores only the number of rows, also in a model. With a key, only people who have the key can find
// rows.
func TestHashesOfRows(t *testing.T) {
	at := testkit.Folder(t)
	a := written(t, "a.csv", tableOf("x,y,label", "a", "a", "a", "b", "b", "b")...)
	key, wrong := written(t, "site.key", strings.Repeat("0f", 32)), written(t, "wrong.key", strings.Repeat("1f", 32))
	read := []string{"--data", a, "--y", "label"}
	stats := func(name string, more ...string) string {
		tooltest.Succeeds(t, append(append([]string{"stats", "--out", at(name)}, read...), more...)...)
		return at(name)
	}
	none, keyed := stats("none.npz", "--hashes", "none"), stats("keyed.npz", "--hashes", key)
	again, plain := stats("again.npz", "--hashes", key), stats("plain.npz")
	for path, want := range map[string]string{none: "no row hashes", keyed: "row hashes with a key",
		plain: "with column names, row hashes without a key"} {
		testkit.Contains(t, tooltest.Output(t, "verify", path), want)
	}
	for path, want := range map[string]provenance.Part{none: {Rows: 6}} {
		if p := statisticsOf(t, path).Parts; len(p) != 1 || p[0] != want {
			t.Errorf("%s: the parts are %v", path, p)
		}
	}
	if p := statisticsOf(t, keyed).Parts[0]; p.Key == "" || p.Digest == statisticsOf(t, plain).Parts[0].Digest {
		t.Errorf("the part of a key is %v", p)
	}
	merge := []string{"stats", "merge", none, plain, "--hashes", "none", "--out", at("m.npz")}
	refused(t, merge, "the same counts and means")
	tooltest.Succeeds(t, append(merge, "--allow-overlap")...)
	if p := statisticsOf(t, at("m.npz")).Parts; len(p) != 1 || p[0] != (provenance.Part{Rows: 12}) {
		t.Errorf("the merge without hashes has the parts %v", p)
	}
	refused(t, []string{"stats", "merge", keyed, again, "--out", at("m.npz")}, "100 % of the rows")
	refused(t, append([]string{"stats", "--out", at("x.npz"), "--hashes", written(t, "k", "short")}, read...),
		"can be guessed")
	refused(t, append([]string{"stats", "--out", at("x.npz"), "--hashes", at("absent.key")}, read...),
		"--hashes: "+at("absent.key")+": no such file or folder; make a key with openssl rand -hex 32")
	refused(t, append([]string{"stats", "--force", "--out", key, "--hashes", key}, read...), "must not be an input")

	fit := []string{"fit", "qda-raw", "--out", at("m.rao")}
	for _, c := range []struct {
		more   []string
		hashed bool
	}{{append(read, "--hashes", "none"), false}, {[]string{"--stats", none}, false},
		{append(read, "--hashes", key), true}} {
		tooltest.Succeeds(t, append(fit, c.more...)...)
		m := testkit.Must(model.Load(at("m.rao")))(t)
		if p := m.Training.Parts; len(p) != 1 || provenance.Hashed(p[0]) != c.hashed || p[0].Rows != 6 {
			t.Errorf("%q: the model has the parts %v", c.more, p)
		}
	}
	judge := append([]string{"evaluate", "--model", at("m.rao")}, read...)
	testkit.Contains(t, tooltest.Succeeds(t, append(judge, "--hashes", key)...), "100 % of these observations",
		"with the key the rows are not found")
	testkit.Contains(t, tooltest.Succeeds(t, append(judge, "--hashes", wrong)...), "recorded with a key",
		"with another key nothing is said")
}

// A class with one row is an error unless it is confirmed, and a class with no more rows than columns gives a note.
func TestSmallClasses(t *testing.T) {
	out := filepath.Join(t.TempDir(), "s.npz")
	for kind, names := range map[string]string{"full": "a, b and one", "diagonal": "", "pooled": ""} {
		data := written(t, "d.csv", tableOf("x,y,label", "a", "a", "b", "b", "c", "c", "c", "one")...)
		line := []string{"stats", "--kind", kind, "--data", data, "--y", "label", "--out", out}
		refused(t, line, "class one has one row", "--allow-single")
		testkit.Fails(t, testkit.ErrorOf(os.Stat(out)), kind, "the file was written")
		said := tooltest.Succeeds(t, append(line, "--allow-single")...)
		testkit.Equal(t, strings.Contains(said, "no more rows than the 2 columns: "+names), (names != ""), kind, said)
		testkit.NoError(t, os.Remove(out))
	}
}

// swapped returns a table with its first two columns exchanged.
func swapped(lines []string) []string {
	var out []string
	for _, line := range lines {
		f := strings.Split(line, ",")
		out = append(out, strings.Join(append([]string{f[1], f[0]}, f[2:]...), ","))
	}
	return out
}

// Statistics of tables with the same columns in another order are merged by name. A model fitted to any kind of
// statistics predicts tables with the columns in any order.
func TestColumnsByName(t *testing.T) {
	at := testkit.Folder(t)
	var classes []string
	for i := range 120 {
		classes = append(classes, []string{"a", "b"}[i%2])
	}
	lines := tableOf("x,y,label", classes...)
	for i, line := range lines[1:] { // classes differ in their spread along x, and in y
		f := strings.Split(line, ",")
		lines[i+1] = fmt.Sprintf("%d.5,%d.25,%s", (i*7919%97)*(1+3*(i%2)), 10*(i%2)+i*31%13, f[2])
	}
	head := lines[:1]
	first, second := written(t, "a.csv", lines[:61]...), append(head[:1:1], lines[61:]...)
	same, other := written(t, "b.csv", second...), written(t, "c.csv", swapped(second)...)
	whole, turned := written(t, "t.csv", lines...), written(t, "u.csv", swapped(lines)...)
	for _, kind := range [][]string{{"--kind", "full"}, {"--kind", "diagonal"}, {"--kind", "pooled"},
		{"--precision", "single"}, {"--subclasses", "1", "--basis", at("basis.npz")}} {
		if kind[0] == "--subclasses" {
			tooltest.Succeeds(t, "stats", "basis", "--data", first, "--y", "label", "--components", "2",
				"--out",
				at("basis.npz"))
		}
		for name, data := range map[string]string{"a": first, "b": same, "c": other} {
			tooltest.Succeeds(t, append([]string{"stats", "--data", data, "--y", "label", "--out",
				at(name + ".npz")},
				kind...)...)
		}
		var accuracy [4]string
		for i, second := range []string{"b.npz", "c.npz"} {
			tooltest.Succeeds(t, "stats", "merge", at("a.npz"), at(second), "--out", at("all.npz"))
			method := "qda-raw"
			if kind[0] == "--subclasses" {
				method = "sqfa"
			}
			tooltest.Succeeds(t, "fit", method, "--stats", at("all.npz"), "--out", at("m.rao"))
			for k, test := range []string{whole, turned} {
				tooltest.Succeeds(t, "predict", "--model", at("m.rao"), "--data", test, "--out", at("p.csv"))
				accuracy[2*i+k] = testkit.Text(t, at("p.csv"))
			}
		}
		for _, p := range accuracy[1:] {
			testkit.Equal(t, p, accuracy[0], kind, "predictions depend on the order of the columns")
		}
	}
}

// A suspicious merge needs confirmation. The message names the files and the flag.
func TestDoubtfulMerges(t *testing.T) {
	at := testkit.Folder(t)
	for name, table := range map[string][]string{
		"digits":   tableOf("x,y,label", "0", "0", "0", "1", "1", "1"),
		"words":    {"x,y,label", "7.5,1,no", "3,8.5,no", "4,4.5,no", "1.5,1,yes", "9,2,yes", "2,5.5,yes"},
		"nameless": {"7.75,1,0", "3,8.75,0", "4,4.75,0", "1.75,1,1", "9,2.75,1", "2,5.75,1"},
		"others":   {"x,z,label", "7.25,1,0", "3,8.25,0", "4,4.25,0", "1.25,1,1", "9,2.25,1", "2,5.25,1"},
	} {
		column, header := "label", "yes"
		if name == "nameless" {
			column, header = "2", "no"
		}
		tooltest.Succeeds(t, "stats", "--data", written(t, name+".csv", table...), "--y", column,
			"--header", header,
			"--out", at(name+".npz"))
	}
	merge := func(a, b string, more ...string) []string {
		return append([]string{"stats", "merge", at(a), at(b), "--out", at("out.npz")}, more...)
	}
	refused(t, merge("digits.npz", "words.npz"), "digits.npz", "words.npz", "--confirm classes")
	refused(t, merge("digits.npz", "words.npz", "--confirm", "manifest,counts"), "--confirm classes")
	tooltest.Succeeds(t, merge("digits.npz", "words.npz", "--confirm", "classes")...)
	refused(t, merge("digits.npz", "nameless.npz"), "nameless.npz does not", "--confirm columns")
	tooltest.Succeeds(t, merge("digits.npz", "nameless.npz", "--confirm", "columns")...)
	refused(t, merge("digits.npz", "others.npz", "--confirm", "columns"), "missing: y", "unexpected: z", "others.npz")
	refused(t, merge("digits.npz", "words.npz", "--confirm", "rows"), "not one of manifest")
	tooltest.Exits(t, 2, "", merge("digits.npz", "words.npz", "--confirm", "rows")...)
}
