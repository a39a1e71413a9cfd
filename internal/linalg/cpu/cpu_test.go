package cpu

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		best Path
		want string
		path Path
		err  string
	}{
		{AVX512, "", AVX512, ""},
		{Portable, "", Portable, ""},
		{AVX512, "portable", Portable, ""},
		{AVX512, "avx2", AVX2, ""},
		{AVX512, "avx512", AVX512, ""},
		{AVX2, "avx2", AVX2, ""},
		{AVX2, "avx512", AVX2, "RAO_KERNEL=avx512: this processor offers only avx2"},
		{Portable, "avx2", Portable, "RAO_KERNEL=avx2: this processor offers only portable"},
		{AVX512, "AVX2", AVX512, "RAO_KERNEL=AVX2: want portable, avx2 or avx512"},
		{AVX2, "sse", AVX2, "RAO_KERNEL=sse: want portable, avx2 or avx512"},
	} {
		path, err := choose(c.best, c.want)
		message := ""
		if err != nil {
			message = err.Error()
		}
		if path != c.path || message != c.err {
			t.Errorf("best %v, RAO_KERNEL=%q: %v and %q, want %v and %q", c.best, c.want, path, message, c.path, c.err)
		}
	}
}

func TestAvailableIsOrderedAndHoldsTheOneInUse(t *testing.T) {
	paths := Available()
	for i, p := range paths {
		if p != Path(i) {
			t.Fatalf("available paths %v are not in order", paths)
		}
	}
	if Use() > paths[len(paths)-1] {
		t.Errorf("%v is in use, available are %v", Use(), paths)
	}
	if runtime.GOARCH != "amd64" && len(paths) != 1 {
		t.Errorf("%s offers %v, want portable alone", runtime.GOARCH, paths)
	}
}

// TestEnvironment runs itself again with RAO_KERNEL set: the choice is made once
// in a process.
func TestEnvironment(t *testing.T) {
	if os.Getenv("RAO_CPU_TEST") != "" {
		path, err := Selected()
		if path != Use() {
			t.Errorf("Selected returns %v, Use %v", path, Use())
		}
		t.Logf("in use: %v, error: %v", path, err)
		return
	}
	for want, text := range map[string]string{
		"portable": "in use: portable, error: <nil>",
		"fast":     "error: RAO_KERNEL=fast: want portable, avx2 or avx512",
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestEnvironment$", "-test.v")
		cmd.Env = append(os.Environ(), "RAO_CPU_TEST=1", "RAO_KERNEL="+want)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), text) {
			t.Errorf("RAO_KERNEL=%s: %v\n%s", want, err, out)
		}
	}
}
