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

// The program of docs/guide-go.md builds in a module of its own that requires this one by a replace line, and prints
// what the page says. The classifier and the learner of extend_test.go are added
// from there too.
func TestUseFromAnotherModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	text := testkit.Must(os.ReadFile("docs/guide-go.md"))(t)
	program := regexp.MustCompile("(?s)```go\n(package main\n.*?)```").FindSubmatch(text)
	printed := regexp.MustCompile("It prints `([^`]*)`").FindSubmatch(text)
	if program == nil || printed == nil {
		t.Fatal("the page has no program, or does not say what it prints")
	}
	checkout := testkit.Must(filepath.Abs("."))(t)
	sums := testkit.Must(os.ReadFile("go.sum"))(t)
	extensions := testkit.Must(os.ReadFile("extend_test.go"))(t)
	dir, module := t.TempDir(), modulePath(t)
	for name, content := range map[string]string{
		"main.go":        string(program[1]),
		"go.sum":         string(sums),
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
	for name, content := range map[string]string{"main.go": string(tool[1]), "nearest/nearest.go": methods} {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
	}
	for _, line := range []string{"run . fit test-center --data digits:train --out m.rao",
		"run . evaluate --model m.rao --data digits:test", "run . compare --data digits:train --test digits:test " +
			"--methods pca,test-center --options filters=4"} {
		if out, err := command(strings.Fields(line)...); err != nil {
			t.Errorf("go %s: %v\n%s", line, err, out)
		}
	}
}
