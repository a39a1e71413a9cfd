package data_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/internal/format/archive"
	"rao/internal/privacy"
	"rao/internal/testkit"
	"rao/model"
)

// privateLine returns a command for private statistics of the embedded digits.
func privateLine(out string, more ...string) []string {
	return append([]string{"stats", "--data", "digits:train", "--private", "3,1e-6", "--classes", "0-9", "--out", out},
		more...)
}

// A model fitted to private statistics contains the guarantee and is accurate.
func TestPrivateStatisticsServeAFit(t *testing.T) {
	dir := t.TempDir()
	stats, fitted := filepath.Join(dir, "s.npz"), filepath.Join(dir, "m.rao")
	tooltest.Output(t, privateLine(stats, "--range", "0,16")...)
	testkit.Contains(t, tooltest.Output(t, "verify", stats), "ε 3 at δ 1e-06", "verify")
	for _, method := range []string{"sqfa", "pca", "lda"} {
		tooltest.Output(t, "fit", method, "--stats", stats, "--filters", "8", "--out", fitted, "--force")
		m := testkit.Must(model.Load(fitted))(t)
		if g := m.Training.Privacy; g == nil || g.Epsilon > 3*(1+1e-9) || g.Delta != 1e-6 {
			t.Errorf("%s: the model has the guarantee %v", method, g)
		}
		if len(m.Training.Parts) > 0 || m.Training.Digest != "" {
			t.Errorf("%s: the model knows its rows by hashes, or by a digest", method)
		}
		testkit.Contains(t, tooltest.Output(t, "show", fitted), "ε 3 at δ 1e-06 for each row", method,
			"show prints no guarantee")
	}
	refused(t, []string{"update", "--model", fitted, "--data", "digits:test", "--out", filepath.Join(dir, "u.rao")},
		"private")

	pooled := filepath.Join(dir, "p.npz")
	tooltest.Output(t, privateLine(pooled, "--range", "0,16", "--kind", "pooled")...)
	tooltest.Output(t, "fit", "lda", "--stats", pooled, "--out", fitted, "--force")
	var scores struct {
		Accuracy float64 `json:"accuracy"`
	}
	tooltest.Decode(t, &scores, "evaluate", "--model", fitted, "--data", "digits:test")
	if scores.Accuracy < 0.6 {
		t.Errorf("accuracy %.3f at ε 3 with 120 rows per class", scores.Accuracy)
	}
}

// Private statistics of new classes extend a private model, whose guarantee then covers both. Statistics without noise
// cannot extend it, and a model without a guarantee remains one.
func TestPrivateStatisticsExtendAModel(t *testing.T) {
	at := testkit.Folder(t)
	for k, classes := range []string{"ab", "cd"} {
		lines := []string{"u,v,w,label"}
		for i := range 900 {
			class := 2*k + i%2
			lines = append(lines, fmt.Sprintf("%g,%g,%g,%c", float64(class)/4+float64(i%7)/40, float64(i%11)/11,
				float64(3-class)/5+float64(i%5)/30, classes[i%2]))
		}
		data := written(t, classes+".csv", lines...)
		tooltest.Output(t, "stats", "--data", data, "--private", "3,1e-6", "--range", "0,1", "--kind", "pooled",
			"--classes",
			strings.Join(strings.Split(classes, ""), ","), "--out", at(classes+".npz"))
		tooltest.Output(t, "stats", "--data", data, "--out", at(classes+"-plain.npz"))
	}
	extended := func(model, stats string) []string {
		return []string{"update", "--model", at(model), "--stats", at(stats), "--out", at("more.rao"), "--force"}
	}
	for _, c := range []struct {
		name, stats string
		private     bool
	}{{"private.rao", "ab.npz", true}, {"plain.rao", "ab-plain.npz", false}} {
		tooltest.Output(t, "fit", "pca", "--stats", at(c.stats), "--filters", "2", "--classifier", "qda", "--out",
			at(c.name))
		tooltest.Output(t, extended(c.name, "cd.npz")...)
		m := testkit.Must(model.Load(at("more.rao")))(t)
		g := m.Training.Privacy
		if len(m.Classes) != 4 || (g != nil) != c.private || g != nil && (g.Epsilon < 3.5 || g.Epsilon > 5) {
			t.Errorf("%s: %d classes, guarantee %v", c.name, len(m.Classes), g)
		}
	}
	refused(t, extended("private.rao", "cd-plain.npz"), "break that guarantee")
	tooltest.Exits(t, 0, "no longer has a privacy guarantee",
		append(extended("private.rao", "cd-plain.npz"), "--not-private")...)
	m := testkit.Must(model.Load(at("more.rao")))(t)
	testkit.Equal(t, m.Training.Privacy == nil, true, "the guarantee is given up")
}

// Two sites take part in all rounds, and each spends its own budget.
func TestPrivateRoundsOfSites(t *testing.T) {
	file := testkit.Folder(t)
	merged := ""
	for _, round := range []string{"start", "pooled", "classes"} {
		for _, site := range []string{"train", "test"} {
			line := []string{"stats", "--data", "digits:" + site, "--private", "3,1e-6", "--classes", "0-9",
				"--out", file(site + round), "--ledger", file(site + ".json")}
			if round == "start" {
				line = append(line, "--range", "0,16", "--round", "start", "--budget", "3,1e-6")
			} else {
				line = append(line, "--after", merged)
			}
			tooltest.Output(t, line...)
		}
		merged = file(round)
		tooltest.Output(t, "stats", "merge", file("train"+round), file("test"+round), "--out", merged)
	}
	r := testkit.Must(privacy.ReadFile(merged))(t)
	if g := r.Guarantee(); len(r.Sites) != 2 || g.Epsilon > 3*(1+1e-9) || g.Epsilon < 2.99 {
		t.Errorf("%d sites with the guarantee %v, want two with ε 3", len(r.Sites), g)
	}
	tooltest.Output(t, "fit", "sqfa", "--stats", merged, "--filters", "6", "--out", file("m.rao"))
	refused(t, []string{"fit", "sqfa", "--stats", file("pooled"), "--out", file("n.rao")}, "incomplete")
	refused(t, []string{"stats", "merge", merged, file("trainclasses"), "--out", file("x")}, "contain the same release")
	refused(t, privateLine(file("y"), "--range", "0,16", "--ledger", file("train.json")), "budget",
		"nothing was released")
	tooltest.Output(t, "stats", "--data", "digits:train", "--out", file("plain.npz"))
	refused(t, []string{"stats", "merge", merged, file("plain.npz"), "--out", file("x")}, "plain")
}

// Options that would break the guarantee are rejected before the data are read.
func TestPrivateStatisticsRefuse(t *testing.T) {
	out := filepath.Join(t.TempDir(), "s.npz")
	for _, c := range []struct{ flags, want string }{
		{"", "--range or --clip"},
		{"--range 0,16 --clip 3", "either"},
		{"--range 16,0", "range"},
		{"--clip -1", "--clip"},
		{"--range 0,16 --seed 3", "--seed"},
		{"--range 0,16 --moments", "--moments"},
		{"--range 0,16 --subclasses 4", "--subclasses"},
		{"--range 0,16 --kind diagonal", "--kind"},
		{"--range 0,16 --precision single", "--precision"},
		{"--range 0,16 --min-count 5", "--min-count"},
		{"--range 0,16 --hashes none", "--hashes"},
		{"--range 0,16 --missing median", "--missing"},
		{"--range 0,16 --missing mean", "--missing"},
		{"--range 0,16 --categories auto", "--categories"},
		{"--range 0,16 --basis b.npz", "--public"},
		{"--range 0,16 --public", "give --basis too"},
		{"--range 0,16 --budget 3,1e-6", "--ledger"},
		{"--range 0,16 --round pooled", "--after"},
	} {
		refused(t, privateLine(out, strings.Fields(c.flags)...), c.want)
	}
	for _, c := range []struct{ private, classes, want string }{
		{"0,1e-6", "0-9", "epsilon"},
		{"17,1e-6", "0-9", "--private: epsilon is 17"},
		{"1,0.1", "0-9", "delta"},
		{"1", "0-9", "two numbers"},
		{"1,1e-6", "9-0", "--classes"},
		{"1,1e-6", "classes.txt", "--classes names only classes.txt"},
	} {
		refused(t, []string{"stats", "--data", "digits:train", "--range", "0,16", "--out", out, "--private", c.private,
			"--classes", c.classes}, c.want)
	}
	refused(t, []string{"stats", "--data", "digits:train", "--private", "1,1e-6", "--range", "0,16", "--out", out},
		"--classes")
	refused(t, []string{"stats", "--data", "digits:train", "--range", "0,16", "--out", out}, "--private")
	matrices := filepath.Join(t.TempDir(), "m.npz")
	tooltest.Output(t, "data", "make", "syn1", "--per-class", "20", "--out", matrices)
	refused(t, []string{"stats", "--data", matrices, "--private", "1,1e-6", "--range", "0,16", "--classes", "0-3",
		"--out", out}, "matrices")
	testkit.Fails(t, testkit.ErrorOf(os.Stat(out)), "a refused command left a file")
}

// The file and the printed result contain no exact count, hash, digest, time or file name.
func TestPrivateFilesHoldNothingElse(t *testing.T) {
	out := filepath.Join(t.TempDir(), "s.npz")
	printed := tooltest.Output(t, privateLine(out, "--range", "0,16", "--json")...)
	for _, word := range []string{"rows", "digest", "seconds", "parts", "hash"} {
		if strings.Contains(printed, `"`+word) {
			t.Errorf("--json has %q: %s", word, printed)
		}
	}
	var meta map[string]any
	arrays := testkit.Must(archive.Read(out, &meta))(t)
	for _, key := range []string{"parts", "digest", "time", "seed", "file"} {
		if _, ok := meta[key]; ok {
			t.Errorf("the file has %q", key)
		}
	}
	for _, a := range arrays {
		switch a.Name {
		case "names", "counts", "sums", "squares", "low", "high", "center", "mapping", "variances":
		default:
			t.Errorf("the file has the array %s", a.Name)
		}
	}
}

// All releases on one ledger count as releases of the same site: when they are merged, their ε add up.
func TestReleasesOfALedgerAreOfOneSite(t *testing.T) {
	file := testkit.Folder(t)
	for _, name := range []string{"a", "b"} {
		tooltest.Output(t, privateLine(file(name), "--range", "0,16", "--round", "start", "--ledger", file("l.json"),
			"--budget", "9,1e-6")...)
	}
	tooltest.Output(t, "stats", "merge", file("a"), file("b"), "--out", file("ab"))
	one := testkit.Must(privacy.ReadFile(file("a")))(t)
	both := testkit.Must(privacy.ReadFile(file("ab")))(t)
	if len(both.Sites) != 1 || both.Guarantee().Epsilon < 1.3*one.Guarantee().Epsilon {
		t.Errorf("%d sites with ε %g, one release has ε %g", len(both.Sites), both.Guarantee().Epsilon,
			one.Guarantee().Epsilon)
	}
}

// A first row that looks like a header is not published, and --json contains no exact numbers of rows or classes.
func TestPrivateTables(t *testing.T) {
	lines := []string{"u,v,label"}
	for i := range 60 {
		class := []string{"yes", "no", "hidden"}[i%3]
		lines = append(lines, fmt.Sprintf("%g,%g,%s", float64(i%7)/7, float64(i%5)/5, class))
	}
	line := []string{"stats", "--private", "3,1e-6", "--classes", "yes,no", "--range", "0,1", "--json"}
	dir := t.TempDir()
	out := tooltest.Output(t, append(line, "--data", written(t, "t.csv", lines...), "--out", filepath.Join(dir,
		"s.npz"))...)
	if strings.Contains(out, `"rows"`) || strings.Contains(out, `"classes":3`) {
		t.Errorf("--json shows exact numbers: %s", out)
	}
	refused(t, append(line, "--data", written(t, "n.csv", lines[2:]...), "--header", "yes", "--out",
		filepath.Join(dir, "n.npz")), "looks like a value")

	lacking := append(line, "--data", written(t, "m.csv", append(lines, ",0.5,yes", "0.5,,no")...), "--out",
		filepath.Join(dir, "m.npz"))
	refused(t, lacking, "no value")
	tooltest.Output(t, append(lacking, "--missing", "drop")...)
}

// A wrong name, a wrong option or a table that cannot be read costs nothing, and its error shows no value.
func TestPrivateMistakesCostAndShowNothing(t *testing.T) {
	file := testkit.Folder(t)
	lines := []string{"u,v,label"}
	for i := range 60 {
		lines = append(lines, fmt.Sprintf("%g,%g,%s", float64(i%7)/7, float64(i%5)/5, []string{"yes", "no"}[i%2]))
	}
	line := func(data string, more ...string) []string {
		return append([]string{"stats", "--private", "3,1e-6", "--classes", "yes,no", "--data", data, "--out",
			file("s.npz"), "--ledger", file("l.json"), "--budget", "3,1e-6"}, more...)
	}
	with := func(name, row string) string { return written(t, name, slices.Insert(slices.Clone(lines), 20, row)...) }
	for _, c := range []struct {
		data, want string
		more       []string
	}{
		{file("absent.csv"), "no such file", []string{"--range", "0,1"}},
		{with("text.csv", "0.25,0.7712x,yes"), `line 21, column "v": (not shown) is not a number`,
			[]string{"--range", "0,1"}},
		{with("short.csv", "0.25"), "line 21", []string{"--range", "0,1"}},
		{with("where.csv", "0.25,0.7712,yes"), "--where", []string{"--range", "0,1", "--where", "u=9"}},
		{written(t, "names.csv", append([]string{"0.7712,0.7712,yes"}, lines[1:]...)...), "(not shown)",
			[]string{"--range", "0,1", "--header", "yes"}},
		{with("range.csv", "0.25,0.7712,yes"), "the data have 2 columns",
			[]string{"--range", written(t, "r", "0,1", "0,1", "0,1")}},
	} {
		status, _, said := tooltest.Run(t, line(c.data, c.more...)...)
		if status == 0 || !strings.Contains(said, c.want) || strings.Contains(said, "0.7712") {
			t.Errorf("%s: %d, %s", filepath.Base(c.data), status, said)
		}
		testkit.Fails(t, testkit.ErrorOf(os.Stat(file("l.json"))), filepath.Base(c.data), "was charged")
	}
}

// The round after a file keeps the kind of the file. Requesting another kind is an error in either direction.
func TestPrivateKindIsThatOfTheFile(t *testing.T) {
	dir := t.TempDir()
	for kind, other := range map[string]string{"pooled": "full", "full": "pooled"} {
		start := filepath.Join(dir, kind)
		tooltest.Output(t, privateLine(start, "--range", "0,16", "--kind", kind, "--round", "start")...)
		after := privateLine(filepath.Join(dir, "next"), "--after", start, "--force")
		refused(t, append(after, "--kind", other), "--kind")
		tooltest.Output(t, append(after, "--kind", kind)...)
	}
}

// With a unit all rows of one person are protected: from a table and from arrays, through sites, ledger, model and what
// the tool prints.
func TestPrivateUnits(t *testing.T) {
	at := testkit.Folder(t)
	var b strings.Builder
	b.WriteString("person,a,b,c,label\n")
	for i := range 3000 {
		k := i / 3 % 2
		fmt.Fprintf(&b, "p%d,%d,%d,%d,%s\n", i/3, 3*k+i%5, 2+i%7, k+i%3, []string{"no", "yes"}[k])
	}
	testkit.NoError(t, os.WriteFile(at("t.csv"), []byte(b.String()), 0o600))
	line := func(out string, more ...string) []string {
		return append([]string{"stats", "--data", at("t.csv"), "--private", "3,1e-6", "--classes", "no,yes", "--unit",
			"person", "--out", at(out)}, more...)
	}
	tooltest.Output(t, line("s.npz", "--range", "0,16", "--ledger", at("l.json"), "--budget", "4,1e-6")...)
	r := testkit.Must(privacy.ReadFile(at("s.npz")))(t)
	if r.Plan.Unit != "person" || r.Plan.UnitRows != 1 || len(r.Plan.Center) != 3 {
		t.Errorf("the file protects %q, %d rows of %d columns", r.Plan.Unit, r.Plan.UnitRows, len(r.Plan.Center))
	}
	if n := r.Total(); n < 800 || n > 1200 {
		t.Errorf("about %d rows of 1000 persons", n)
	}
	testkit.Contains(t, tooltest.Output(t, "verify", at("s.npz")), "for each person, of which one row is used",
		"verify")
	tooltest.Output(t, "fit", "pca", "--stats", at("s.npz"), "--filters", "1", "--out", at("m.rao"))
	testkit.Contains(t, tooltest.Output(t, "show", at("m.rao")), "ε 3 at δ 1e-06 for each person", "show")
	refused(t, append(privateLine(at("row.npz"), "--range", "0,16"), "--ledger", at("l.json")), "each person")
	testkit.NoError(t, os.WriteFile(at("later.json"), []byte(`{"later":1}`), 0o600))
	refused(t, line("y.npz", "--range", "0,16", "--ledger", at("later.json")), "field later is unknown to this")

	tooltest.Output(t, line("a.npz", "--range", "0,16", "--round", "start", "--unit-rows", "2")...)
	tooltest.Output(t, line("b.npz", "--range", "0,16", "--round", "start", "--unit-rows", "2")...)
	tooltest.Output(t, line("c.npz", "--range", "0,16", "--round", "start")...)
	tooltest.Output(t, "stats", "merge", at("a.npz"), at("b.npz"), "--out", at("ab.npz"))
	refused(t, []string{"stats", "merge", at("a.npz"), at("c.npz"), "--out", at("ac.npz")}, "number of rows per unit")
	tooltest.Output(t, line("a2.npz", "--after", at("ab.npz"))...)
	refused(t, line("x.npz", "--after", at("ab.npz"), "--unit-rows", "3"), "at most 2 rows")
	refused(t, []string{"stats", "--data", at("t.csv"), "--private", "3,1e-6", "--classes", "no,yes", "--after",
		at("ab.npz"), "--drop", "person", "--out", at("x.npz")}, "protects each person")

	d := testkit.Must(dataset.Open(t.Context(), at("t.csv"), dataset.OpenOptions{Table: dataset.TableOptions{
		Variables: []string{"person"}}}))(t)
	testkit.NoError(t, dataset.WriteFile(at("t.npz"), d))
	tooltest.Output(t, "stats", "--data", at("t.npz"), "--private", "3,1e-6", "--classes", "no,yes", "--unit", "person",
		"--range", "0,16", "--out", at("arrays.npz"))
	if r, err := privacy.ReadFile(at("arrays.npz")); err != nil || r.Total() > 1200 {
		t.Errorf("units of arrays: about %d rows, %v", r.Total(), err)
	}
	gaps := strings.Replace(b.String(), "p7,", ",", 1)
	testkit.NoError(t, os.WriteFile(at("gaps.csv"), []byte(gaps), 0o600))
	refused(t, []string{"stats", "--data", at("gaps.csv"), "--private", "3,1e-6", "--classes", "no,yes", "--unit",
		"person", "--range", "0,16", "--ledger", at("new.json"), "--budget", "3,1e-6", "--out", at("x.npz")},
		"a row has no group")
	refused(t, []string{"stats", "--data", at("t.csv"), "--unit", "person", "--out", at("x.npz")},
		"--unit needs --private")
	refused(t, append(privateLine(at("x.npz"), "--range", "0,16"), "--unit-rows", "2"), "--unit-rows needs --unit")
	refused(t, append(privateLine(at("x.npz"), "--range", "0,16"), "--unit", "person"), "person")
}
