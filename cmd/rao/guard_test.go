package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/internal/testkit"
	"rao/synth"
)

// verbs walks the command tree. The tests of this file check every command that it finds, so they cover new commands
// automatically.
func verbs(cmd *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	if cmd.Runnable() && cmd.Name() != "completion" {
		all = append(all, cmd)
	}
	for _, c := range cmd.Commands() {
		all = append(all, verbs(c)...)
	}
	return all
}

func allVerbs(t *testing.T) []*cobra.Command {
	t.Helper()
	a := &app.App{Out: io.Discard, Err: io.Discard}
	all := verbs(a.Root())
	if len(all) < 40 {
		t.Fatalf("%d verbs found: the walk looks in the wrong place", len(all))
	}
	return all
}

// outputFlags lists the flags of a verb that name what it writes.
func outputFlags(cmd *cobra.Command) []*pflag.Flag {
	var list []*pflag.Flag
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[app.OutputAnnotation] != nil {
			list = append(list, f)
		}
	})
	return list
}

// writers calls f for every command and every output that is a file.
func writers(t *testing.T, f func(t *testing.T, w writer)) {
	seen := map[string]bool{}
	for _, cmd := range allVerbs(t) {
		for _, flag := range outputFlags(cmd) {
			if app.OutputKind(flag.Annotations[app.OutputAnnotation][0]).Folder() {
				continue
			}
			seen[cmd.CommandPath()] = true
			w := writer{cmd, strings.Fields(cmd.CommandPath())[1:], flag}
			t.Run(strings.Join(w.verb, " ")+" --"+flag.Name, func(t *testing.T) { f(t, w) })
			if err := flag.Value.Set(flag.DefValue); err != nil { // the next output has the verb to itself
				t.Fatal(err)
			}
		}
	}
	if len(seen) < 12 {
		t.Errorf("only %d verbs write", len(seen))
	}
}

// writer is a verb with one of its outputs.
type writer struct {
	cmd  *cobra.Command
	verb []string
	out  *pflag.Flag
}

// guard examines a command line of the verb, without running it.
func (w writer) guard(t *testing.T, line ...string) error {
	t.Helper()
	testkit.NoError(t, w.cmd.ParseFlags(line))
	return (&app.App{Err: io.Discard}).Guard(w.cmd, w.cmd.Flags().Args())
}

// arguments returns as many arguments as the verb takes.
func (w writer) arguments(value string) []string {
	var args []string
	for range 3 {
		if w.cmd.Args == nil || w.cmd.Args(w.cmd, args) == nil && strings.Contains(w.cmd.Use, " ") == (args != nil) {
			return args
		}
		args = append(args, value)
	}
	return nil
}

// shared reports whether another method of the same verb has the same implementation.
func (w writer) shared() bool {
	return len(w.verb) == 2 && (w.verb[0] == "fit" || w.verb[0] == "tune") && w.verb[1] != "pca"
}

// Every flag that names an output file is checked by guard, and the tool writes files only through
// internal/format/archive.
func TestEveryOutputIsGuarded(t *testing.T) {
	for _, cmd := range allVerbs(t) {
		if cmd.PersistentPreRun != nil || cmd.PreRunE != nil || cmd.PersistentPreRunE != nil && cmd.HasParent() {
			t.Errorf("%s has a hook of its own: guard may not run", cmd.CommandPath())
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Annotations[app.OutputAnnotation] != nil || f.Value.Type() == "bool" {
				return
			}
			says := strings.Contains(f.Usage, "to write") || strings.Contains(f.Usage, "folder for") ||
				strings.Contains(f.Usage, "file for the")
			if says || slices.Contains([]string{"out", "output", "html", "markdown", "svg", "png", "pdf"}, f.Name) {
				t.Errorf("%s --%s is not registered with app.OutputFlag", cmd.CommandPath(), f.Name)
			}
		})
	}
	files := 0
	testkit.NoError(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		test := strings.HasSuffix(name, "_test.go") || strings.Contains(name, "tooltest")
		if test || !strings.HasSuffix(name, ".go") {
			return err
		}
		files++
		src := testkit.Must(os.ReadFile(name))(t)
		for _, call := range []string{"os.Create(", "os.WriteFile(", "os.OpenFile(", "os.Rename(", "ioutil."} {
			if strings.Contains(string(src), call) {
				t.Errorf("%s calls %s: write through rao/internal/format/archive", name, strings.TrimSuffix(call, "("))
			}
		}
		return err
	}))
	if files < 50 {
		t.Errorf("only %d files of the tool were found", files)
	}
}

// inputs returns arguments that set every unset text flag of the verb to value, except flags of outputs.
func (w writer) inputs(value string) (line []string) {
	w.cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[app.OutputAnnotation] == nil && f.Value.Type() == "string" && f.Value.String() == "" {
			line = append(line, "--"+f.Name, value)
		}
	})
	return line
}

// No verb overwrites its input, whichever path names the input, even with --force.
func TestOutputsAreNotInputs(t *testing.T) {
	at := testkit.Folder(t)
	for _, err := range []error{os.WriteFile(at("V.npz"), []byte("the only copy"), 0o644), os.Mkdir(at("sub"), 0o755),
		os.Symlink("V.npz", at("link")), os.Link(at("V.npz"), at("hard"))} {
		testkit.NoError(t, err)
	}
	writers(t, func(t *testing.T, w writer) {
		line := append(w.inputs(at("V.npz")), w.arguments(at("V.npz"))...)
		if len(line) == 0 {
			t.Skip("takes no text")
		}
		for _, name := range []string{"V.npz", "link", "hard", "sub/../V.npz", "./V.npz"} {
			full := append(slices.Clone(line), "--"+w.out.Name, at(name))
			testkit.ErrorContains(t, w.guard(t, full...), "an output must not be an input", "--", w.out.Name, name)
			testkit.ErrorContains(t, w.guard(t, append(full, "--force")...), "an output must not be an input", "--",
				w.out.Name, name, "--force")
			if w.shared() || testing.Short() && name != "link" {
				continue
			}
			tooltest.Exits(t, 2, "an output must not be an input", append(slices.Clone(w.verb), full...)...)
			if now, err := os.ReadFile(at("V.npz")); err != nil || string(now) != "the only copy" {
				t.Fatalf("--%s %s: the input was lost", w.out.Name, name)
			}
		}
	})
}

// Files that rao did not write, and read-only files, are replaced only with --force.
func TestForeignFilesNeedForce(t *testing.T) {
	dir := t.TempDir()
	writers(t, func(t *testing.T, w writer) {
		path := filepath.Join(dir, "precious"+app.Formats[app.OutputKind(w.out.Annotations[app.OutputAnnotation][0])].
			Extensions[0])
		for _, c := range []struct {
			mode os.FileMode
			want string
		}{{0o644, "is a file that is not"}, {0o444, "is read-only"}} {
			os.Remove(path)
			testkit.NoError(t, os.WriteFile(path, []byte("the only copy"), c.mode))
			line := append(w.arguments("x"), "--"+w.out.Name, path)
			if err := w.guard(t, line...); err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), "--force") {
				t.Errorf("mode %v: %v", c.mode, err)
			}
			testkit.NoError(t, w.guard(t, append(line, "--force")...), "mode", c.mode, "--force")
			if now, err := os.ReadFile(path); err != nil || string(now) != "the only copy" {
				t.Errorf("the file was lost without any work")
			}
			testkit.NoError(t, w.cmd.ParseFlags([]string{"--force=false"}))
			if w.shared() || testing.Short() && c.mode == 0o444 {
				continue
			}
			tooltest.Exits(t, 1, c.want, append(slices.Clone(w.verb), line...)...)
		}
	})
}

// Every verb fails at once if an output cannot be written.
func TestUnwritableOutputsFailFirst(t *testing.T) {
	dir := t.TempDir()
	writers(t, func(t *testing.T, w writer) {
		for path, want := range map[string]string{
			dir: "it is a folder", filepath.Join(dir, "absent", "x"): "create it first",
			filepath.Join(dir, strings.Repeat("n", 300)): "cannot write",
		} {
			testkit.ErrorContains(t, w.guard(t, "--"+w.out.Name, path), want, path)
		}
	})
}

// An npy file in another form than rao writes counts as a file that rao did not write.
func TestArraysOfOtherFormsNeedForce(t *testing.T) {
	dir := t.TempDir()
	spd, out := tooltest.Generated(t, dir, "syn1", 6, 1), filepath.Join(dir, "whole.npy")
	form := "\x93NUMPY\x01\x00\x36\x00{'descr': '<i8', 'fortran_order': False, 'shape': (1,)}\n"
	testkit.NoError(t, os.WriteFile(out, []byte(form+"\x01\x00\x00\x00\x00\x00\x00\x00"), 0o600))
	line := []string{"spd", "mean", "--data", spd, "--out", out}
	tooltest.Exits(t, 1, "is not an npy array of numbers", line...)
	for _, more := range [][]string{{"--force"}, nil} {
		tooltest.Succeeds(t, append(line, more...)...)
	}
}

// A table of one column named cluster is a table of rao spd cluster only if it counts clusters from 0.
func TestTablesOfClustersNeedForce(t *testing.T) {
	dir := t.TempDir()
	spd, out := tooltest.Generated(t, dir, "syn1", 6, 1), filepath.Join(dir, "clusters.csv")
	line := []string{"spd", "cluster", "--data", spd, "--clusters", "2", "--out", out}
	for text, want := range map[string]int{"cluster\n0\n1\n0\n": 0, "cluster\n": 1, "cluster\ncontrol\npatient\n": 1,
		"cluster\n7\n3\n": 1, "cluster\n-1\n0\n": 1, "cluster\n0,1\n": 1, "cluster,age\n0,3\n": 1} {
		testkit.NoError(t, os.WriteFile(out, []byte(text), 0o600))
		tooltest.Exits(t, want, "", line...)
	}
}

// For one output of each extension, the first run writes the file and the second replaces it and keeps its mode. A file
// with the same extension that rao did not write is not replaced.
func TestOwnFilesAreReplaced(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	spd := at("P.npz")
	d := testkit.Must(synth.Generate("syn1", synth.GenerateOptions{PerClass: 6, Seed: 1}))(t)
	testkit.NoError(t, dataset.WriteFile(spd, d))
	others := map[string]string{".csv": "label,age\ncat,3\n", ".html": "<!doctype html><title>mine</title>",
		".npz": "PK\x05\x06" + strings.Repeat("\x00", 18), ".npy": "\x93NUMPY\x01\x00{'descr': '<f4'}",
		".svg": `<svg xmlns="http://www.w3.org/2000/svg"/>`, ".png": "\x89PNG\r\n\x1a\n\x00\x00\x00\x00IEND",
		".pdf": "%PDF-1.4\n1 0 obj\n<< /Producer (other) >>", ".rao": "mine"}
	tried := map[string]bool{}
	covariances := []string{"spd", "artifacts", "--data", spd}
	for i, line := range [][]string{
		{"fit", "pca", "--data", "testdata/flag.csv", "--filters", "1", "--out", at("m.rao")},
		{"predict", "--model", at("m.rao"), "--data", "testdata/flag.csv", "--out", at("y.csv")},
		{"evaluate", "--model", at("m.rao"), "--data", "testdata/flag.csv", "--html", at("e.html")},
		{"stats", "--data", "testdata/flag.csv", "--out", at("s.npz")},
		{"spd", "check", "--data", spd, "--out", at("c.npz")},
		{"spd", "mean", "--data", spd, "--out", at("mean.npy")},
		{"data", "make", "syn1", "--per-class", "6", "--out", at("d.npz")},
		append(slices.Clone(covariances), "--scores", at("z.csv")),
		append(slices.Clone(covariances), "--figure", at("f.svg")),
		append(slices.Clone(covariances), "--figure", at("f.png")),
		append(slices.Clone(covariances), "--figure", at("f.pdf")),
		{"spd", "cluster", "--data", spd, "--clusters", "2", "--out", at("g.csv")},
		{"fit", "pca", "--data", "testdata/flag.csv", "--filters", "1", "--out", at("n.rao")},
		{"fit", "pca", "--data", "testdata/flag.csv", "--filters", "1", "--out", "/dev/null"},
	} {
		for range 2 {
			tooltest.Succeeds(t, line...)
			out := line[len(line)-1]
			if out == "/dev/null" {
				continue
			}
			st := testkit.Must(os.Stat(out))(t)
			if i%2 == 1 && st.Mode().Perm() != 0o600 {
				testkit.NoError(t, os.Chmod(out, 0o600))
				tooltest.Succeeds(t, line...)
				if st, err := os.Stat(out); err != nil || st.Mode().Perm() != 0o600 {
					t.Errorf("%q: mode 0600 became %v", line, st.Mode())
				}
			}
		}
		out := line[len(line)-1]
		other := others[filepath.Ext(out)]
		if other == "" || out == at("m.rao") { // the others need it
			continue
		}
		testkit.NoError(t, os.WriteFile(out, []byte(other), 0o600))
		tooltest.Exits(t, 1, "that is not", line...)
		tried[filepath.Ext(out)] = true
	}
	list := testkit.Must(os.ReadDir(dir))(t)
	testkit.Equal(t, len(tried), len(others), "of the extensions, only", tried, "were tried")
	for _, e := range list {
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

// rao writes to a folder that it did not create only with --force.
func TestFoldersOfOthers(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "index.html")
	testkit.NoError(t, os.WriteFile(page, []byte("<!doctype html><title>mine</title>"), 0o644))
	tooltest.Exits(t, 1, "is not a folder that is empty or was made by rao; use --force to write to it", "demo",
		"--out", dir)
}

// If two outputs have the same name, one would overwrite the other.
func TestOutputsDiffer(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x")
	cmd := &cobra.Command{Use: "two"}
	var one, two string
	app.OutputFlag(cmd, &one, "out", app.ModelOutput, "")
	app.OutputFlag(cmd, &two, "html", app.PageOutput, "")
	testkit.NoError(t, cmd.ParseFlags([]string{"--out", out, "--html", filepath.Dir(out) + "/./x"}))
	testkit.ErrorContains(t, new(app.App).Guard(cmd, nil), "name the same file")
}

// A command does not overwrite a file in a folder of images that it reads.
func TestOutputsInInputFolders(t *testing.T) {
	dir := t.TempDir()
	image := filepath.Join(dir, "cat", "1.png")
	testkit.WriteFile(t, image, "x")
	tooltest.Exits(t, 2, "is a file of the folder", "spd", "images", "--data", dir, "--out", image, "--force")
}

// No command writes a format under the file extension of another format.
func TestOutputsBearTheExtensionOfTheirFormat(t *testing.T) {
	dir := t.TempDir()
	writers(t, func(t *testing.T, w writer) {
		kind := app.OutputKind(w.out.Annotations[app.OutputAnnotation][0])
		for _, ext := range []string{".parquet", ".xlsx", ".json", ".csv.gz", ".PARQUET", ".mat", ".foo"} {
			if slices.Contains(app.Formats[kind].Extensions, strings.ToLower(ext)) {
				continue
			}
			path := filepath.Join(dir, "out"+ext)
			err := w.guard(t, "--"+w.out.Name, path)
			testkit.ErrorContains(t, err, "name it ", "--", w.out.Name, "out", ext)
		}
		if own := filepath.Join(dir, "out"+app.Formats[kind].Extensions[0]); kind != app.LogOutput {
			testkit.NoError(t, w.guard(t, "--"+w.out.Name, own), "--"+w.out.Name, filepath.Base(own))
		}
	})
}
