//go:build unix

package eeg

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"

	"rao/eeg"
)

// A log contains the signal however the session ends. It has its final name from the first second, and later sessions
// do not overwrite it.
func TestLogsAreNeverLost(t *testing.T) {
	testkit.SkipShort(t, "some seconds")
	dir := t.TempDir()
	rec := liveRecording(t, dir)
	m := liveModel(t, dir, rec)
	for _, end := range []struct {
		name    string
		signals []syscall.Signal
		status  int
	}{{"killed", []syscall.Signal{syscall.SIGKILL}, -1}, {"terminal closed", []syscall.Signal{syscall.SIGHUP}, 129},
		{"give either --lsl", []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}, 0}} {
		t.Run(end.name, func(t *testing.T) {
			if end.signals[0] == syscall.SIGHUP && signal.Ignored(syscall.SIGHUP) {
				t.Skip("the tests run under nohup, and so does the tool")
			}
			log, stream := filepath.Join(dir, end.name+".xdf"), name(t)
			player := aside(t, "eeg", "play", rec, "--publish", stream, "--local", "--speed", "5")
			cmd := exec.Command("rao", "eeg", "stream", "--model", m, "--lsl", "name='"+stream+"'", "--local",
				"--lost", "0",
				"--wait", "60", "--step", "0.5", "--log", log)
			var said bytes.Buffer
			cmd.Stderr = &said
			testkit.NoError(t, cmd.Start())
			holds := awaitLog(log, 400)
			for _, s := range end.signals {
				_ = cmd.Process.Signal(s)
			}
			err := cmd.Wait()
			player()
			var exit *exec.ExitError
			if errors.As(err, &exit); exit == nil || end.status != 0 && exit.ExitCode() != end.status {
				t.Errorf("ended with %v: %s", err, said.String())
			}
			if holds < 400 {
				t.Fatalf("the log held %d samples while the session ran: %s", holds, said.String())
			}
			before := testkit.Must(os.ReadFile(log))(t)
			status, _, again := tooltest.Run(t, "eeg", "stream", "--model", m, "--lsl", "name='nobody'", "--local",
				"--wait",
				"0.01", "--log", log)
			if after, err := os.ReadFile(log); err != nil || !bytes.Equal(before, after) || status == 0 ||
				!strings.Contains(again, "another") {
				t.Errorf("a later session: status %d, %d bytes of %d, %v: %s", status, len(after), len(before), err,
					again)
			}
			if list, _ := filepath.Glob(filepath.Join(dir, ".rao-*")); len(list) > 0 {
				t.Errorf("left: %q", list)
			}
		})
	}
}

// awaitLog waits up to 20 s until a log contains the given number of samples, and returns the number in the log.
func awaitLog(path string, samples int) (n int) {
	for begin := time.Now(); n < samples && time.Since(begin) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
		if r, err := eeg.OpenRecording(path, eeg.RecordingOptions{}); err == nil {
			n = r.Samples()
			r.Close()
		}
	}
	return n
}
