package compare_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/cli"
	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
	"rao/method"
)

// shown is what the method slow waits for before its first event.
var shown func()

type slowOptions struct {
	Pace float64 `opt:"pace" default:"1" min:"0" max:"9" help:"unused"`
}

func init() {
	method.Register(method.New("slow", "for tests", method.Traits{},
		func(ctx context.Context, j *method.Job, _ *slowOptions) error {
			shown()
			lda, err := method.Lookup("lda")
			if err == nil {
				j.Model, err = lda.Fit(ctx, j.Source, nil, j.Progress)
			}
			return err
		}))
}

// Every command that fits a method shows on a terminal what is running before the method reports progress.
func TestProgressIsShownAtOnce(t *testing.T) {
	var table strings.Builder
	table.WriteString("a,b,label\n")
	for i := range 40 {
		fmt.Fprintf(&table, "%d,%d,c%d\n", i*i%7, i%5+i%2, i%2)
	}
	dir := t.TempDir()
	data, out := filepath.Join(dir, "data.csv"), filepath.Join(dir, "out")
	testkit.NoError(t, os.WriteFile(data, []byte(table.String()), 0o644))
	for _, line := range [][]string{
		{"fit", "slow", "--data", data, "--out", out + ".rao"},
		{"tune", "slow", "--data", data, "--cv", "2", "--search", "pace=1,2"},
		{"compare", "--data", data, "--test", data, "--allow-overlap", "--methods", "slow"},
		{"compare", "--data", data, "--groups", "b", "--methods", "slow"},
		{"study", "--set", "two=" + data, "--evaluations", "within-session", "--methods", "slow", "--out", out},
	} {
		t.Run(line[0], func(t *testing.T) {
			screen, terminal := tooltest.Terminal(t)
			shown = func() {
				if !screen.Shows("slow") {
					t.Error("nothing is shown")
				}
			}
			testkit.Equal(t, cli.Run(line, nil, &bytes.Buffer{}, terminal), 0, "exit status", screen.String())
		})
	}
}
