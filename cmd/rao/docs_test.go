package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/internal/testkit"
	"rao/method"
)

// pages returns the pages that show commands.
func pages(t *testing.T) []string {
	t.Helper()
	list := []string{"../../README.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/*/*.md"} {
		more := testkit.Must(filepath.Glob(pattern))(t)
		list = append(list, more...)
	}
	for i, p := range list {
		list[i] = testkit.Must(filepath.Abs(p))(t)
	}
	return list
}

// Every command on a page is valid: its verb, its flags and their values exist.
func TestShownCommandsAreCommands(t *testing.T) {
	seen := 0
	wingless := testkit.WithoutWing(t, "../..")
	root := (&app.App{Out: io.Discard, Err: io.Discard}).Root()
	for _, page := range pages(t) {
		for _, line := range testkit.ShownLines(t, page) {
			args := testkit.ShellWords(line)
			if len(args) == 0 || args[0] != "rao" {
				continue
			}
			seen++
			if err := parseCommand(root, args[1:]); err != nil && !wingless { // without a wing, its verbs are unknown
				t.Errorf("%s: %s: %v", filepath.Base(page), line, err)
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d commands are shown", seen)
	}
}

// parseCommand returns an error if the verb, the flags or the arguments of a command are unknown.
func parseCommand(root *cobra.Command, args []string) error {
	cmd, rest, err := root.Find(app.Completed(args))
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil || strings.ContainsAny(strings.Join(args, " "), "*?") {
		return err // the shell replaces a pattern by any number of arguments
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// usesDeletedWing reports whether a wing was deleted and one of the lines is a command that needs it.
func usesDeletedWing(t *testing.T, lines []string) bool {
	t.Helper()
	if !testkit.WithoutWing(t, "../..") {
		return false
	}
	root := (&app.App{Out: io.Discard, Err: io.Discard}).Root()
	return slices.ContainsFunc(lines, func(line string) bool {
		args := testkit.ShellWords(line)
		if len(args) < 2 || args[0] != "rao" {
			return false
		}
		if parseCommand(root, args[1:]) != nil {
			return true
		}
		_, err := method.Lookup(args[min(2, len(args)-1)])
		return err != nil && slices.Contains([]string{"fit", "tune"}, args[1])
	})
}

// otherPrograms lists the beginnings of shown lines that are not commands of rao, with the test that runs them or the
// reason why none does.
var otherPrograms = []struct{ begin, why string }{
	{"go run ./cmd/rao demo", "testdata/script/demo.txtar"},
	{"go run ./serve/load", "takes a minute; serve/load has tests"},
	{"go mod", "TestUseFromAnotherModule"},
	{"go run .", "TestUseFromAnotherModule"},
	{"cd rao-demo-eeg", "TestShownCommandsRun starts there"},
	{"cd beam", ".ci/run beam"},
	{"beam/cluster.sh", ".ci/full beam"},
	{"rao-beam", ".ci/run beam"},
	{"pip install", ".ci/full python"},
	{"python python/backend.py", ".ci/full python"},
	{"python docs/report/", "needs Chromium"},
	{"python internal/paper/peers/study.py", "needs torch; TestNetworksOfAStudy"},
	{"docker", "needs Docker; .ci/full serving runs the steps of the Dockerfile"},
	{"curl", "cmd/rao/serve asks a server the same"},
	{"producer |", "cmd/rao/serve asks a server the same"},
	{"mkdir", "TestShownCommandsRun has the folder"},
	{"cp docs/deploy", "TestShownCommandsRun has the folder"},
	{"openssl", "needs OpenSSL"},
	{"parallel", "needs GNU parallel"},
	{"sbatch", "needs Slurm"},
	{"RAO_STUDY=noise go test", ".ci/full slow"},
	{"RAO_STUDY=doubts go test", ".ci/full slow"},
	{"awk", "needs a data set to download"},
	{"{ s = NR", "goes on from the line before"},
	{"for s in", "needs a data set to download"},
	{"done", "goes on from the line before"},
	{"wait", "waits for the line before, which runs in the background"},
	{"#", "a comment"},
}

// otherLanguages says which test runs the blocks of other languages on a page, or why none does.
var otherLanguages = map[string]string{
	"docs/architecture.md go":                 "parts of declarations",
	"docs/extending.md go":                    "module_test.go builds the program; extend_test.go has the other parts",
	"docs/guide-go.md go":                     "TestUseFromAnotherModule",
	"docs/files-recordings.md python":         "single lines on the reader's own data; test_mne_moabb.py has them",
	"docs/files-results.md python":            "lines on the reader's own model",
	"docs/formats/model.md python":            "test_formats.py",
	"docs/formats/statistics.md python":       "test_formats.py",
	"docs/formats/predictor.md python":        "test_predictor.py",
	"docs/formats/predictor.md r":             "test_predictor.py",
	"docs/formats/predictor.md matlab":        "test_predictor.py",
	"docs/formats/predictor.md javascript":    "test_predictor.py",
	"docs/guide-filters-scaling.md python":    "a single line on the reader's own model",
	"docs/guide-python.md python":             "test_guide.py",
	"docs/guide-python-files.md python":       "test_guide.py",
	"docs/migration-pyriemann.md python":      "test_migration.py",
	"docs/migration-sqfa.md python":           "test_migration.py",
	"docs/guide-serve.md js":                  "needs a browser and a headset; serve/stream_test.go has the messages",
	"docs/guide-serve.md python":              "e2e/clients.py",
	"docs/guide-statistics.md python":         "test_guide.py has the query; the other needs Spark",
	"docs/guide-statistics-cluster.md python": "needs Spark",
	"docs/guide-tables.md python":             "test_guide.py",
	"docs/guide-tuning.md toml":               "study/methods_test.go reads such a file",
}

// Every block of a page is output, is run by a test, or has the reason why it is not.
func TestEveryBlockHasATestOrAReason(t *testing.T) {
	root := testkit.Must(filepath.Abs("../.."))(t)
	for _, page := range pages(t) {
		name := testkit.Must(filepath.Rel(root, page))(t)
		name = filepath.ToSlash(name)
		for _, line := range testkit.ShownLines(t, page) {
			known := strings.HasPrefix(line, "rao ") // TestShownCommandsAreCommands, and elsewhere and wanting
			for _, o := range otherPrograms {
				known = known || strings.HasPrefix(line, o.begin)
			}
			if !known {
				t.Errorf("%s: no test runs %q, and otherPrograms has no reason", name, line)
			}
		}
		text := testkit.Must(os.ReadFile(page))(t)
		for _, m := range regexp.MustCompile("(?m)^```([a-z]+)$").FindAllStringSubmatch(string(text), -1) {
			if m[1] != "sh" && m[1] != "text" && !strings.HasPrefix(name, "docs/gallery/") &&
				otherLanguages[name+" "+m[1]] == "" {
				t.Errorf("%s: no test runs its blocks of %s, and otherLanguages has no reason", name, m[1])
			}
		}
	}
}

// elsewhere lists commands by their beginning, with the test that runs them or the reason why TestShownCommandsRun does
// not.
var elsewhere = []struct{ begin, why string }{
	{"rao serve", "answers until it is stopped; cmd/rao/serve asks one"},
	{"rao export", "is of a wing; cmd/rao/serve runs it"},
	{"rao eeg play", "plays until the end of a recording; live.txtar"},
	{"rao eeg lsl", "waits for streams; live.txtar"},
	{"rao eeg calibrate", "waits for a person; live.txtar"},
	{"rao eeg stream", "wants recordings; recordings.txtar, live.txtar"},
	{"rao eeg cov", "wants recordings; recordings.txtar"},
	{"rao spd images", "wants photographs; matrices.txtar"},
	{"rao paper bench", "takes minutes"},
	{"rao demo", "TestDemo"},
	{"rao data deskew", "wants MNIST; deskew.txtar"},
	{"rao data get", "wants a network; TestTrialsOfAKnownSetOfRecordings imports"},
	{"rao eeg clean", "wants recordings; TestCleanTakesBlinksOut"},
	{"rao stats sign", "wants keys; TestSignedStatistics"},
}

// wanting lists data that only some machines have, and files that are written by commands which do not run here.
var wanting = []string{"mnist", "cifar10", "A01.mat", "bci-iv-2a", "eth80", "lmnn", "G.npz", "Z.npz", "live.npz",
	"plrsq.rao", "parquet", "parts", "big.csv", "rows.npy", "site.csv", "site-*", "site-?", "optdigits", "$",
	"eleventh", "embeddings", "small.npz", "S.npz", "s/*", "--groups object", "T.npz", "hz.rao", "--fields",
	"2a.npz", "s07", "visits.csv", "fraud.npz", "hands.rao", "--signed-by",
	"imagery.npz", "ssvep.npz", "p300.npz", "bnci2014-009", "second.npz"} // the last is refused by a budget

// notRun returns the reason why a command is not run here, or an empty text.
func notRun(line string) string {
	for _, e := range elsewhere {
		if strings.HasPrefix(line, e.begin) {
			return e.why
		}
	}
	for _, w := range wanting {
		if strings.Contains(line, w) {
			return "wants " + w
		}
	}
	return ""
}

// runsHere reports whether TestShownCommandsRun runs a command.
func runsHere(line string) bool {
	args := testkit.ShellWords(line)
	return len(args) > 0 && args[0] == "rao" && notRun(line) == ""
}

// Every command of the pages that needs only the files in this repository runs, in the order of its page and with the
// file names of the page. A second run of the page works too: its outputs replace those of the first.
func TestShownCommandsRun(t *testing.T) {
	testkit.SkipShort(t, "takes some seconds a page")
	for _, page := range pages(t) {
		name := strings.TrimSuffix(filepath.Base(page), ".md")
		if filepath.Base(filepath.Dir(page)) == "gallery" || // TestGallery runs its commands
			!slices.ContainsFunc(testkit.ShownLines(t, page), runsHere) ||
			usesDeletedWing(t, testkit.ShownLines(t, page)) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Chdir(shelf(t, name))
			for _, run := range []string{"first", "second"} {
				for _, line := range testkit.ShownLines(t, page) {
					if !runsHere(line) || run == "second" && strings.Contains(line, "--ledger") { // which remembers
						continue
					}
					status, out, said := tooltest.Run(t, testkit.ShellWords(line)[1:]...)
					if status != 0 {
						t.Errorf("%s run of %s: status %d: %s", run, line, status, said)
					}
					for row := range strings.SplitSeq(out, "\n") {
						n := utf8.RuneCountInString(row)
						if n > 100 && strings.Contains(row, "  ") { // no prose or JSON
							t.Errorf("%s prints a table of %d columns: %s", line, n, row)
						}
					}
				}
			}
		})
	}
}

// shelf creates a folder with small files under the names that a page uses.
func shelf(t *testing.T, page string) string {
	t.Helper()
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 5))
	rows := []string{"train", "test", "site-a", "site-b"}
	if page != "README" { // which makes files of these names
		rows = append(rows, "a", "b")
	}
	matrices := []string{"P", "P2", "new", "tuesday", "wide"}
	if page == "tutorial-eeg" {
		rows, matrices = nil, append(matrices, "train", "test")
	}
	for _, name := range rows {
		tooltest.Write(t, filepath.Join(dir, name+".npz"), vectorsOf(rng, 240))
	}
	tooltest.Write(t, filepath.Join(dir, "trials.npz"), trialsOf(rng, 48))
	tooltest.Write(t, filepath.Join(dir, "rho.npz"), trialsOf(rng, 48))
	for _, name := range matrices {
		tooltest.Write(t, filepath.Join(dir, name+".npz"), tooltest.Matrices(rng, 96))
	}
	var table strings.Builder
	table.WriteString("patient,age,smoker,outcome\n")
	for i := range 40 {
		age := fmt.Sprint(30 + i%2*20 + rng.IntN(9))
		if i%9 == 0 {
			age = ""
		}
		fmt.Fprintf(&table, "p%d,%s,%s,%s\n", i, age, []string{"yes", "no"}[rng.IntN(2)], []string{"well", "ill"}[i%2])
	}
	for _, name := range []string{"patients.csv", "new.csv"} {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(table.String()), 0o644))
	}
	for _, name := range []string{"results", "repository/digits/1"} {
		testkit.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	for _, line := range []string{"fit pca --data digits:train --filters 2 --out digits.rao",
		"fit plrsq --data P.npz --epochs 2 --calibration 0 --out monday.rao"} {
		args := strings.Fields(strings.ReplaceAll(line, "P.npz", filepath.Join(dir, "P.npz")))
		args[len(args)-1] = filepath.Join(dir, args[len(args)-1])
		tooltest.Succeeds(t, args...)
	}
	return dir
}

// vectorsOf returns n rows of three classes.
func vectorsOf(rng *rand.Rand, n int) *dataset.Data {
	const dim = 12
	x := make([]float64, n*dim)
	d := &dataset.Data{X: dataset.NewTable(n, dim, x), Labels: make([]int, n), Classes: []string{"a", "b", "c"}}
	for i := range n {
		d.Labels[i] = i % 3
		for j := range dim {
			x[i*dim+j] = float64(2*(i%3)*(j%2)) + rng.NormFloat64()*(1+float64(i%3*(j%3))/4)
		}
	}
	return d
}

// trialsOf returns n trials of two recordings, with a response to targets.
func trialsOf(rng *rand.Rand, n int) *dataset.Data {
	const channels, samples = 3, 16
	x := make([]float64, n*channels*samples)
	d := &dataset.Data{X: dataset.NewTable(n, channels*samples, x), Image: [3]int{channels, samples, 1},
		Labels: make([]int, n), Classes: []string{"other", "target"},
		Vars: map[string]*dataset.Array{"recording": {Shape: []int{n}, Int64: make([]int64, n)}}}
	for k := range n {
		d.Labels[k] = k % 2
		d.Vars["recording"].Int64[k] = int64(2 * k / n)
		for i := range channels * samples {
			x[k*channels*samples+i] = rng.NormFloat64() + float64(k%2*(i%samples))/8
		}
	}
	return d
}

// The page on JSON output names every field that a verb declares.
func TestJSONFieldsAreOnThePage(t *testing.T) {
	page := testkit.Must(os.ReadFile("../../docs/json.md"))(t)
	named, tag := map[string]bool{}, regexp.MustCompile("`json:\"([a-z0-9_]+)[,\"]")
	for _, span := range regexp.MustCompile("`[^`]+`").FindAllString(strings.ReplaceAll(string(page), "```", ""), -1) {
		for _, word := range regexp.MustCompile("[a-z0-9_]+").FindAllString(span, -1) {
			named[word] = true
		}
	}
	for _, pattern := range []string{"*/*.go", "internal/app/*.go"} {
		files := testkit.Must(filepath.Glob(pattern))(t)
		for _, path := range files {
			for _, m := range tag.FindAllStringSubmatch(testkit.Text(t, path), -1) {
				if !named[m[1]] && !strings.HasSuffix(path, "_test.go") {
					t.Errorf("%s: docs/json.md has no field %s", path, m[1])
				}
			}
		}
	}
}
