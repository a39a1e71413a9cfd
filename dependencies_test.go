package rao_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// The library adds only these five modules to a program. Readers and writers that need more are in separate packages,
// which a program imports if it needs them.
func TestDependenciesOfTheLibrary(t *testing.T) {
	allowed := []string{"github.com/cespare/xxhash/v2", "github.com/dchest/siphash", "github.com/klauspost/compress",
		"golang.org/x/sys", "gonum.org/v1/gonum"}
	more := []string{"dataset/parquet", "report", "internal/paper/experiment", "internal/paper/eeg",
		"internal/paper/bench"}
	args := []string{"list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}"}
	face := len(layers) - 1
	for pkg := range imports(t) {
		l := layerOf(pkg)
		if l >= 0 && l < face && !slices.Contains(more, pkg) && !strings.Contains("/"+pkg, "/internal/") {
			args = append(args, "./"+pkg)
		}
	}
	if len(args) < 20 {
		t.Fatalf("found only %d packages", len(args)-4)
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Skip("go list: ", err)
	}
	module := modulePath(t)
	found := strings.Fields(string(out))
	slices.Sort(found)
	for _, path := range slices.Compact(found) {
		if path != module && !slices.Contains(allowed, path) {
			t.Errorf("the library depends on %s", path)
		}
	}
}

// A program that imports a package of the core links nothing of a wing.
func TestCoreLinksNoWing(t *testing.T) {
	core := []string{".", "./sqfa", "./spd", "./model"}
	out, err := exec.Command("go", append([]string{"list", "-deps"}, core...)...).Output()
	if err != nil {
		t.Skip("go list: ", err)
	}
	module, wings := modulePath(t)+"/", testkit.ReadWings(t, ".")
	own := 0
	for dep := range strings.FieldsSeq(string(out)) {
		if dep, ok := strings.CutPrefix(dep, module); ok {
			own++
			for _, of := range testkit.WingsOf(wings, dep) {
				t.Errorf("one of %q links %s of the wing %s", core, dep, of.Name)
			}
		}
	}
	if own < 10 {
		t.Errorf("%d packages of the module are linked", own)
	}
}
