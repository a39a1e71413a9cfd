//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A model goes from rao fit to an endpoint that answers, and a signal ends it cleanly.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	if status, _, said := runTool(t, "fit", "pca", "--data", "digits:train", "--filters", "3", "--out",
		filepath.Join(dir, "d.rao")); status != 0 {
		t.Fatal(said)
	}
	cmd := exec.Command("rao", "serve", "--models", dir, "--addr", "127.0.0.1:0")
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	lines := bufio.NewReader(said)
	first, err := lines.ReadString('\n')
	_, url, found := strings.Cut(strings.TrimSpace(first), " on ")
	if err != nil || !found {
		t.Fatalf("%q, %v", first, err)
	}
	body := strings.Repeat("0,", 63) + "0\n"
	resp, err := http.Post(url+"/v1/models/d/predict", "text/csv", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != 200 || !strings.Contains(string(b), `"label"`) {
		t.Errorf("status %d: %s", resp.StatusCode, b)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, lines)
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 143 {
		t.Errorf("ended with %v", err)
	}
}

func TestServeRefuses(t *testing.T) {
	for _, c := range []struct {
		args, says string
		status     int
	}{
		{"serve", "--models", 2},
		{"serve --models nowhere", "nowhere", 1},
		{"serve --models x --tls-cert c.pem", "come together", 2},
	} {
		status, _, said := runTool(t, strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(said, c.says) {
			t.Errorf("%s: status %d: %s", c.args, status, said)
		}
	}
}

func TestBenchServe(t *testing.T) {
	status, out, said := runTool(t, "bench", "serve", "--seconds", "0.05", "--clients", "2", "--json")
	var cases []serveCase
	if err := json.Unmarshal([]byte(out), &cases); err != nil || status != 0 || len(cases) != 4 {
		t.Fatalf("status %d, %v: %s%s", status, err, out, said)
	}
	for _, c := range cases {
		if c.Errors > 0 {
			t.Errorf("%s: %d errors", c.Name, c.Errors)
		}
	}
}
