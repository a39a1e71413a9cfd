//go:build linux

package eeg

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rao/internal/testkit"
)

// The commands of the page on a study run one after the other, from recordings to symbols that are spelled live. With
// RAO_STUDY they run unchanged, and otherwise with two people.
func TestPageOfStudy(t *testing.T) {
	testkit.SkipShort(t, "half a minute, in a shell")
	page := testkit.Must(os.ReadFile(filepath.Join("..", "..", "..", "docs", "guide-eeg-study.md")))(t)
	script := "set -e\n"
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		script += block[1]
	}
	if os.Getenv("RAO_STUDY") == "" {
		script = strings.NewReplacer("--subject-count 5", "--subject-count 2", "01 02 03 04 05", "01 02",
			"127.0.0.1:8090", "127.0.0.1:0").Replace(script)
	}
	for _, stream := range []string{"hands", "copy", "speller"} { // other runs on this machine have streams too
		own := fmt.Sprint(stream, "-", os.Getpid())
		script = strings.NewReplacer("--publish "+stream+" ", "--publish "+own+" ",
			"name='"+stream+"'", "name='"+own+"'",
			"name='"+stream+"-markers'", "name='"+own+"-markers'").Replace(script)
	}
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	defer func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }() // players that nobody listened to
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		if strings.Contains(said.String(), "operation not permitted") {
			t.Skip("sockets on the loopback are refused here")
		}
		t.Fatalf("%v: %s", err, said.String())
	}
	var spelled []string
	for _, line := range strings.Split(string(out), "\n") {
		if strings.HasSuffix(line, " flashes") {
			spelled = append(spelled, line)
		}
	}
	attended := attendedSymbols(opened(t, filepath.Join(dir,
		"study/sub-01/ses-02/eeg/sub-01_ses-02_task-p300_eeg.vhdr")))
	if len(spelled) != 2*len(attended) || !slices.Equal(spelled[:len(attended)], spelled[len(attended):]) {
		t.Fatalf("live and then on the log: %q", spelled)
	}
	for i, symbol := range attended {
		testkit.Contains(t, spelled[i], "\t"+symbol+"\t", "was spelled for", symbol)
	}
	for _, file := range []string{"matrices/index.html", "evoked/index.html", "imagery-01.html", "ssvep-02.html",
		"p300-02.html", "hands.rao", "hands.xdf"} {
		testkit.NoError(t, testkit.ErrorOf(os.Stat(filepath.Join(dir, file))))
	}
}
