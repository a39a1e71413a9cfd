//go:build unix

package paper

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"rao/internal/testkit"
)

// The cases on large files write gigabytes to the folder for temporary files. A signal leaves nothing there.
func TestInterruptedBenchLeavesNoFiles(t *testing.T) {
	testkit.SkipShort(t, "some seconds")
	dir := t.TempDir()
	cmd := exec.Command("rao", "paper", "bench", "--cases", "by AMA: 10 million")
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	testkit.NoError(t, cmd.Start())
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		files := testkit.Must(filepath.Glob(filepath.Join(dir, "*", "*")))(t)
		if len(files) > 0 {
			break
		}
		if time.Now().After(deadline) {
			cmd.Process.Kill()
			t.Fatal("no file was written in a minute")
		}
	}
	testkit.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 143 {
		t.Errorf("%v, want exit status 143", err)
	}
	if left := testkit.Must(os.ReadDir(dir))(t); len(left) > 0 {
		t.Errorf("%s remains", left[0].Name())
	}
}
