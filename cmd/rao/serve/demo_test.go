package serve

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/demo"
	"rao/internal/study"
	"rao/internal/testkit"
	"rao/model"
)

// heard calls f with the first line of output.
type heard struct {
	line string
	f    func(line string)
}

func (h *heard) Write(p []byte) (int, error) {
	done := strings.Contains(h.line, "\n")
	if h.line += string(p); !done && strings.Contains(h.line, "\n") {
		go h.f(h.line)
	}
	return len(p), nil
}

// rao demo --serve serves the models and results of the demo, and the signals of wings.
func TestDemoIsServed(t *testing.T) {
	dir := t.TempDir()
	fit(t, "pca", "digits:train", filepath.Join(dir, "digits.rao"))
	m := testkit.Must(model.Load(filepath.Join(dir, "digits.rao")))(t)
	demo.AddSignal(func(_ context.Context, folder string) (string, error) {
		path := filepath.Join(folder, "signal.csv")
		return path, os.WriteFile(path, []byte("a,b\n1,2\n"), 0o644)
	})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	results, replays := "", ""
	get := func(url string) string {
		resp, err := http.Get(url)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return string(b)
	}
	asked := make(chan struct{})
	a := &app.App{Out: io.Discard, Err: &heard{f: func(line string) {
		_, url, _ := strings.Cut(strings.TrimSpace(line), " on ")
		results, replays = get(url+"/v1/results"), get(url+"/v1/replays")
		close(asked)
		stop()
	}}}
	cmd := &cobra.Command{}
	part := serveDemo(a, cmd)
	testkit.NoError(t, cmd.ParseFlags([]string{"--serve", "--addr", "127.0.0.1:0"}))
	testkit.NoError(t, part.Check())
	rows := &study.Rows{Train: "digits:train", Rows: []*study.Row{{Method: "mdm", Model: m}}}
	testkit.NoError(t, part.Run(ctx, dir, &demo.Result{Digits: rows, Matrices: rows, Textures: rows}))
	<-asked
	if !strings.Contains(results, "digits:train") || !strings.Contains(replays, "signal") {
		t.Errorf("results %s, replays %s", results, replays)
	}
}

func TestDemoAddressIsOfServing(t *testing.T) {
	cmd := &cobra.Command{}
	part := serveDemo(&app.App{}, cmd)
	testkit.NoError(t, cmd.ParseFlags([]string{"--addr", "127.0.0.1:0"}))
	testkit.ErrorContains(t, part.Check(), "--serve")
	testkit.NoError(t, part.Run(t.Context(), "", nil), "without --serve")
}
