//go:build unix

package serve

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/study"
	"rao/internal/testkit"
	"rao/serve"
)

// The server loads a model from its file and answers requests. A signal ends it cleanly.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	fit(t, "pca", "digits:train", filepath.Join(dir, "d.rao"))
	cmd := exec.Command("rao", "serve", "--model", dir, "--addr", "127.0.0.1:0", "--drain", "0")
	said := testkit.Must(cmd.StderrPipe())(t)
	testkit.NoError(t, cmd.Start())
	defer cmd.Process.Kill()
	lines := bufio.NewReader(said)
	first, err := lines.ReadString('\n')
	_, url, found := strings.Cut(strings.TrimSpace(first), " on ")
	if err != nil || !found {
		t.Fatalf("%q, %v", first, err)
	}
	body := strings.Repeat("0,", 63) + "0\n"
	resp := testkit.Must(http.Post(url+"/v1/models/d/predict", "text/csv", strings.NewReader(body)))(t)
	b, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != 200 || !strings.Contains(string(b), `"label"`) {
		t.Errorf("status %d: %s", resp.StatusCode, b)
	}
	testkit.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	go io.Copy(io.Discard, lines)
	testkit.NoError(t, cmd.Wait(), "ended with")
}

func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "\n", "blank": "two words\n"} {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, c := range []struct {
		args, says string
		status     int
	}{
		{"serve", "--model", 2},
		{"serve model.rao", "did you mean --model model.rao?", 2},
		{"serve --model nope.rao", "rao: nope.rao: no such file or folder; name model files", 1},
		{"export onn --model m.rao --out m.onnx", "did you mean rao export onnx?\nrao export --help", 2},
		{"serve --model x --tls-cert c.pem", "must be given together", 2},
		{"serve --model x --token-file " + filepath.Join(dir, "empty"), "no token", 1},
		{"serve --model x --token-file " + filepath.Join(dir, "blank"), "printable ASCII", 1},
		{"serve --model x --find-streams there", "choose from local, network", 2},
		{"serve --model x --lsl local", "did you mean --find-streams?", 2},
	} {
		tooltest.Exits(t, c.status, c.says, strings.Fields(c.args)...)
	}
}

// The page of rao serve shows the results that rao compare writes.
func TestServeShowsComparisons(t *testing.T) {
	out := tooltest.Output(t, "compare", "--data", "digits:train", "--test", "digits:test", "--methods", "pca,lda",
		"--options", "filters=2", "--neighbors", "5", "--json")
	dir := t.TempDir()
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "c.json"), []byte(out), 0o644))
	fit(t, "pca", "digits:train", filepath.Join(dir, "d.rao"))
	models := testkit.Must(serve.Open([]string{dir}, serve.OpenOptions{}))(t)
	w, server := httptest.NewRecorder(), serve.New(models, serve.Options{Results: []string{dir}})
	server.ServeHTTP(w, httptest.NewRequest("GET", "/v1/results", nil))
	var wrote study.Rows
	var shown struct{ Results []study.Rows }
	if err := errors.Join(json.Unmarshal([]byte(out), &wrote), json.Unmarshal(w.Body.Bytes(), &shown)); err != nil ||
		len(shown.Results) != 1 || len(shown.Results[0].Rows) != 2 || *shown.Results[0].Rows[1].KNNAccuracy == 0 ||
		shown.Results[0].Rows[1].Accuracy != wrote.Rows[1].Accuracy || shown.Results[0].Train != "digits:train" {
		t.Errorf("%v: %s", err, w.Body)
	}
}
