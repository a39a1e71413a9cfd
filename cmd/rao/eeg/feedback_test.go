package eeg

import (
	"context"
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// While a recording is played, a browser shows the participant the decisions that the tool prints.
func TestParticipantSeesAPlayedRecording(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if testing.Short() || err != nil {
		t.Skip("needs chromium and half a minute")
	}
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	addr := port.Addr().String()
	_ = port.Close()
	dir := t.TempDir()
	recording := liveRecording(t, dir)
	decisions := aside(t, "eeg", "stream", "--model", liveModel(t, dir, recording), recording, "--step",
		"0.5", "--real-time", "--feedback", addr)
	ctx, cancel := context.WithTimeout(t.Context(), liveTrials*liveSeconds*time.Second)
	defer cancel()
	shown := regexp.MustCompile(`class="decided">(left|right)<`)
	seen := map[string]bool{}
	for ctx.Err() == nil && len(seen) < 2 {
		out, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--timeout=1500",
			"--user-data-dir="+filepath.Join(dir, "browser"), "--dump-dom", "http://"+addr+"/feedback").Output()
		if err != nil && ctx.Err() == nil {
			t.Skip("the browser does not run here: ", err)
		}
		if m := shown.FindSubmatch(out); m != nil {
			seen[string(m[1])] = true
		}
	}
	printed := decisions()
	if !seen["left"] || !seen["right"] || !strings.Contains(printed, "left") || !strings.Contains(printed, "right") {
		t.Errorf("the page showed %v, the tool printed\n%s", seen, printed)
	}
}
