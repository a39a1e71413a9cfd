package cpu

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rao/internal/testkit"
)

func TestChoose(t *testing.T) {
	portable, avx2, avx512 := []Path{Portable}, []Path{Portable, AVX2}, []Path{Portable, AVX2, AVX512}
	neon := []Path{Portable, NEON}
	for _, c := range []struct {
		available []Path
		want      string
		path      Path
		err       string
	}{
		{avx512, "", AVX512, ""},
		{portable, "", Portable, ""},
		{neon, "", NEON, ""},
		{avx512, "portable", Portable, ""},
		{avx512, "avx2", AVX2, ""},
		{avx512, "avx512", AVX512, ""},
		{neon, "portable", Portable, ""},
		{neon, "neon", NEON, ""},
		{avx2, "avx512", AVX2, "RAO_KERNEL=avx512 is not supported by this processor; use avx2"},
		{avx512, "neon", AVX512, "RAO_KERNEL=neon is not supported by this processor; use avx512"},
		{neon, "avx2", NEON, "RAO_KERNEL=avx2 is not supported by this processor; use neon"},
		{portable, "avx2", Portable,
			"RAO_KERNEL=avx2 is not supported by this processor; use portable"},
		{avx512, "AVX2", AVX512, "RAO_KERNEL=AVX2 is unknown; use portable, avx2, avx512 or neon"},
		{avx2, "sse", AVX2, "RAO_KERNEL=sse is unknown; use portable, avx2, avx512 or neon"},
	} {
		path, err := choose(c.available, c.want)
		message := ""
		if err != nil {
			message = err.Error()
		}
		testkit.Equal(t, path, c.path, fmt.Sprintf("available %v, RAO_KERNEL=%q", c.available, c.want))
		testkit.Equal(t, message, c.err, fmt.Sprintf("available %v, RAO_KERNEL=%q", c.available, c.want))
	}
}

func TestAvailableIsOrderedAndHoldsTheOneInUse(t *testing.T) {
	paths := Available()
	if paths[0] != Portable || !slices.IsSorted(paths) {
		t.Errorf("available paths %v are not in order", paths)
	}
	if !slices.Contains(paths, Use()) {
		t.Errorf("%v is in use, available are %v", Use(), paths)
	}
	switch best := paths[len(paths)-1]; {
	case runtime.GOARCH == "arm64" && best != NEON:
		t.Errorf("arm64 offers %v, want neon as well", paths)
	case runtime.GOARCH != "arm64" && runtime.GOARCH != "amd64" && best != Portable:
		t.Errorf("%s offers %v, want portable alone", runtime.GOARCH, paths)
	}
}

// TestEnvironment runs itself in new processes with RAO_KERNEL set, because a process chooses its kernels only once.
func TestEnvironment(t *testing.T) {
	if os.Getenv("RAO_CPU_TEST") != "" {
		path, err := Selected()
		testkit.Equal(t, path, Use(), "Selected")
		t.Logf("in use: %v, error: %v", path, err)
		return
	}
	for want, text := range map[string]string{
		"portable": "in use: portable, error: <nil>",
		"fast":     "error: RAO_KERNEL=fast is unknown; use portable, avx2, avx512 or neon",
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestEnvironment$", "-test.v")
		cmd.Env = append(os.Environ(), "RAO_CPU_TEST=1", "RAO_KERNEL="+want)
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("under an emulator, which starts no other programs")
		}
		if err != nil || !strings.Contains(string(out), text) {
			t.Errorf("RAO_KERNEL=%s: %v\n%s", want, err, out)
		}
	}
}
