package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"rao"
	"rao/internal/testkit"
)

// A bar is drawn at most a few times a second, but the start of a stage is shown at once, because the stage may be
// long.
func TestBarShowsEveryStage(t *testing.T) {
	f := testkit.Must(os.Create(filepath.Join(t.TempDir(), "terminal")))(t)
	defer f.Close()
	b := &bar{out: f}
	for _, stage := range []string{"fit", "calibrate"} {
		for i := range 1000 {
			b.draw("rao fit plrsq", rao.Event{Stage: stage, Done: i, Total: 1000})
		}
	}
	b.clear()
	drawn := testkit.Must(os.ReadFile(f.Name()))(t)
	if s := string(drawn); strings.Count(s, "fit  [") < 1 || strings.Count(s, "calibrate  [") < 1 ||
		strings.Count(s, "\r") > 20 {
		t.Errorf("drawn: %q", s)
	}
}

// A line of progress fits its terminal. It shows what is running if there is room, and drops the bar before the count.
func TestProgressFitsTheTerminal(t *testing.T) {
	label, e := "rao fit sqfa", rao.Event{Stage: "refine", Done: 3, Total: 20, Objective: -1.23456}
	for columns := 2; columns <= 240; columns++ {
		line := progressLine(label, e, 6*time.Second, columns)
		if n := utf8.RuneCountInString(line); n >= columns {
			t.Errorf("%d characters in %d columns: %q", n, columns, line)
		}
		if columns >= 55 && !strings.Contains(line, "3/20  -1.23456  35 s left") {
			t.Errorf("in %d columns: %q", columns, line)
		}
		testkit.Equal(t, strings.Contains(line, "["), (columns >= 60), "in", columns, "columns", line)
	}
	testkit.Equal(t, progressLine("reading größer.csv", rao.Event{}, 0, 80), "reading größer.csv",
		"before anything is known")
}

func TestTimeLeft(t *testing.T) {
	for _, c := range []struct {
		done, total int
		elapsed     time.Duration
		want        string
	}{
		{0, 10, time.Minute, ""},
		{5, 10, time.Second, ""},
		{10, 10, time.Minute, ""},
		{5, 0, time.Minute, ""},
		{5, 10, 10 * time.Second, "11 s left"},
		{1, 10, 20 * time.Second, "3 min left"},
		{1, 100, 4 * time.Minute, "6.6 h left"},
	} {
		testkit.Equal(t, timeLeft(rao.Event{Done: c.done, Total: c.total}, c.elapsed), c.want, c.done, "of", c.total,
			"after", c.elapsed)
	}
}
