package rao_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// ownMetric is a metric of SPD matrices as another module adds it: Euclidean between square roots.
const ownMetric = `package nearest

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/spd"
)

func init() {
	spd.RegisterMetric(spd.Geometry{Name: "rooteuclid", Scaled: true, Embed: root, Restore: square})
}

func root(dst, x *mat.SymDense) error {
	var e mat.EigenSym
	if !e.Factorize(x, true) {
		return errors.New("no eigenvalues")
	}
	var v, scaled, out mat.Dense
	e.VectorsTo(&v)
	scaled.Apply(func(_, j int, a float64) float64 { return a * math.Sqrt(e.RawValues()[j]) }, &v)
	out.Mul(&scaled, v.T())
	dst.CopySym(mat.NewSymDense(x.SymmetricDim(), out.RawMatrix().Data))
	return nil
}

func square(dst, x *mat.SymDense) error {
	var out mat.Dense
	out.Mul(x, x)
	dst.CopySym(mat.NewSymDense(x.SymmetricDim(), out.RawMatrix().Data))
	return nil
}
`

// The program of docs/guide-go.md builds in a separate module that requires this one by a replace line, and prints the
// output shown on the page. It also contains the classifier and the learner of extend_test.go.
func TestUseFromAnotherModule(t *testing.T) {
	testkit.SkipShort(t, "builds a program")
	text := testkit.Must(os.ReadFile("docs/guide-go.md"))(t)
	program := regexp.MustCompile("(?s)```go\n(package main\n.*?)```").FindSubmatch(text)
	printed := regexp.MustCompile("(?s)go run \\.\n```\n\n```\n(.*?)\n```").FindSubmatch(text)
	if program == nil || printed == nil {
		t.Fatal("the page has no program, or does not say what it prints")
	}
	checkout := testkit.Must(filepath.Abs("."))(t)
	extensions := testkit.Must(os.ReadFile("extend_test.go"))(t)
	dir, module := t.TempDir(), modulePath(t)
	for name, content := range map[string]string{
		"main.go":        string(program[1]),
		"go.sum":         testkit.Text(t, "go.sum"),
		"extend_test.go": strings.Replace(string(extensions), "package rao_test", "package main", 1),
		"go.mod": "module example.org/digits\n\ngo 1.26.0\n\nrequire " + module + " v0.0.0\n\nreplace " + module +
			" => " + checkout + "\n",
	} {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
	}
	command := func(args ...string) ([]byte, error) {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		return cmd.CombinedOutput()
	}
	out, err := command("run", ".")
	if err != nil && strings.Contains(string(out), "module lookup disabled by GOPROXY=off") {
		t.Skipf("the module cache lacks what the program needs: %s", out)
	}
	if got := strings.TrimSpace(string(out)); err != nil || got != string(printed[1]) {
		t.Errorf("the program: %v\n%s\nthe page says %q", err, got, printed[1])
	}
	if out, err := command("test", "-run", "TestAnotherModule", "."); err != nil {
		t.Errorf("extensions from another module: %v\n%s", err, out)
	}
	// The program of docs/extending.md is the complete tool with those methods.
	text = testkit.Must(os.ReadFile("docs/extending.md"))(t)
	tool := regexp.MustCompile("(?s)```go\n(package main\n.*?cli\\.Main\\(\\).*?)```").FindSubmatch(text)
	if tool == nil {
		t.Fatal("docs/extending.md has no program that calls cli.Main")
	}
	methods := strings.Replace(string(extensions), "package rao_test", "package nearest", 1)
	testkit.NoError(t, os.Mkdir(filepath.Join(dir, "nearest"), 0o777))
	for name, content := range map[string]string{"main.go": string(tool[1]), "nearest/nearest.go": methods,
		"nearest/metric.go": ownMetric} {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
	}
	if out, err := command("build", "-o", "rao.exe", "."); err != nil {
		t.Fatalf("the tool: %v\n%s", err, out)
	}
	for _, c := range []struct{ line, prints string }{
		{"methods", "test-center +rows +nearest mean"},
		{"methods test-center", "--spread number +squared"},
		{"fit --help", "test-center"},
		{"fit test-center --help", "--spread"},
		{"fit test-center --data digits:train --spread 4 --out m.rao", "written to m.rao"},
		{"show m.rao", "test-center"},
		{"predict --model m.rao --data digits:test --out y.csv", ""},
		{"evaluate --model m.rao --data digits:test", "accuracy"},
		{"tune test-center --data digits:train --cv 3 --search spread=1,4", "spread"},
		{"compare --data digits:train --test digits:test --methods pca,test-center --options filters=4", "test-center"},
		{"compare --data digits:train --test digits:test --methods pca:filters=4:classifier=test-center", "pca"},
		{"data make syn1 --per-class 20 --out p.npz", ""},
		{"fit mdm --data p.npz --metric rooteuclid --out mdm.rao", "written to mdm.rao"},
		{"fit test-matrices --data p.npz --adapt center --out mat.rao", "written to mat.rao"},
		{"predict --model mdm.rao --data p.npz --out z.csv", ""},
		{"compare --data p.npz --test p.npz --allow-overlap --methods mdm,mdm:metric=rooteuclid,test-matrices",
			"mdm:metric=rooteuclid  98"},
		{"spd mean --data p.npz --metric rooteuclid --out mean.npy", ""},
		{"spd distance --data p.npz --metric rooteuclid", ""},
		{"fit mdm --help", "harmonic,\\s+rooteuclid"},
		{"methods mdm --json", `"harmonic","rooteuclid"`},
		{"methods --json", `"name":"test-center"`},
		{"__complete fit test-c", "test-center"},
		{"__complete methods test-c", "test-center"},
		{"__complete compare --methods test-c", "test-center"},
		{"__complete fit pca --classifier test-c", "test-center"},
		{"__complete fit mdm --metric root", "rooteuclid"},
		{"__complete spd mean --metric root", "rooteuclid"},
	} {
		cmd := exec.Command(filepath.Join(dir, "rao.exe"), strings.Fields(c.line)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil || !regexp.MustCompile(c.prints).Match(out) {
			t.Errorf("rao %s: %v, want %q\n%s", c.line, err, c.prints, out)
		}
	}
}
