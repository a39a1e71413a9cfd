package rao_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// README's program builds in a module of its own that requires this one by a replace line,
// and prints what README says. The classifier and the learner of extend_test.go are added
// from there too.
func TestUseFromAnotherModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile("(?s)```go\n(package main\n.*?)```").FindSubmatch(readme)
	printed := regexp.MustCompile("It prints `([^`]*)`").FindSubmatch(readme)
	if program == nil || printed == nil {
		t.Fatal("README has no program, or does not say what it prints")
	}
	checkout, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	extensions, err := os.ReadFile("extend_test.go")
	if err != nil {
		t.Fatal(err)
	}
	dir, module := t.TempDir(), modulePath(t)
	for name, text := range map[string]string{
		"main.go":        string(program[1]),
		"go.sum":         string(sums),
		"extend_test.go": strings.Replace(string(extensions), "package rao_test", "package main", 1),
		"go.mod": "module example.org/digits\n\ngo 1.26.0\n\nrequire " + module + " v0.0.0\n\nreplace " + module +
			" => " + checkout + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
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
		t.Errorf("README's program: %v\n%s\nREADME says %q", err, got, printed[1])
	}
	if out, err := command("test", "-run", "TestAnotherModule", "."); err != nil {
		t.Errorf("extensions from another module: %v\n%s", err, out)
	}
}
