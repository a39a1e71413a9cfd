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
			b.send("rao fit plrsq", rao.Event{Stage: stage, Done: i, Total: 1000})
		}
	}
	b.end()
	drawn := testkit.Must(os.ReadFile(f.Name()))(t)
	if s := string(drawn); strings.Count(s, "fit  [") < 1 || strings.Count(s, "calibrate  [") < 1 ||
		strings.Count(s, "\r") > 20 {
		t.Errorf("drawn: %q", s)
	}
}

// A command that sends no event is shown after a second, with the time that it has run. Messages are printed above.
func TestCommandsWithoutEventsAreShown(t *testing.T) {
	f := testkit.Must(os.Create(filepath.Join(t.TempDir(), "terminal")))(t)
	defer f.Close()
	b := &bar{out: f, command: "rao spd manova", stop: make(chan struct{}), since: time.Now(), ignore: func() {}}
	a := &App{}
	a.bar.Store(b)
	go b.repeat()
	shown := func(want string) {
		t.Helper()
		for range 1000 {
			if drawn := testkit.Must(os.ReadFile(f.Name()))(t); strings.Contains(string(drawn), want) {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Errorf("%q is not shown", want)
	}
	shown("\rrao spd manova  2 s so far")
	a.aboveBar(func() { f.WriteString("a message\n") })
	shown(" \ra message\n\rrao spd manova  ")
	show, done := a.Progress("reading")
	shown("\rreading ") // at once
	show(rao.Event{Total: 9})
	shown("0/9  2 s so far")
	done()
	shown(" \r\rrao spd manova")
	a.hideBar()
	if drawn := testkit.Must(os.ReadFile(f.Name()))(t); !strings.HasSuffix(string(drawn), " \r") {
		t.Errorf("the line remains: %q", drawn)
	}
}

// A line of progress fits its terminal. It shows what is running if there is room, and drops the bar before the count.
func TestProgressFitsTheTerminal(t *testing.T) {
	label, e := "rao fit sqfa", rao.Event{Stage: "refine", Done: 3, Total: 20, Objective: -1.23456}
	for columns := 2; columns <= 240; columns++ {
		line := progressLine(label, e, 6*time.Second, 0, columns)
		if n := utf8.RuneCountInString(line); n >= columns {
			t.Errorf("%d characters in %d columns: %q", n, columns, line)
		}
		if columns >= 55 && !strings.Contains(line, "3/20  -1.23456  35 s left") {
			t.Errorf("in %d columns: %q", columns, line)
		}
		testkit.Equal(t, strings.Contains(line, "["), (columns >= 60), "in", columns, "columns", line)
	}
	testkit.Equal(t, progressLine("reading größer.csv", rao.Event{}, 0, 0, 80), "reading größer.csv",
		"before anything is known")
}

func TestTimeLeft(t *testing.T) {
	for _, c := range []struct {
		done, total, limit int
		elapsed, waited    time.Duration
		want               string
	}{
		{0, 10, 0, time.Minute, 0, ""},
		{5, 10, 0, time.Second, 0, ""},
		{5, 10, 0, time.Millisecond, time.Minute, ""},
		{10, 10, 0, time.Minute, 0, ""},
		{5, 0, 0, time.Minute, 0, ""},
		{5, 10, 0, 10 * time.Second, 0, "11 s left"},
		{5, 10, 0, 10 * time.Second, 4 * time.Second, "7 s left"},
		{5, 10, 0, 10 * time.Second, time.Minute, "1 s left"},
		{5, 0, 10, 10 * time.Second, 0, "at most 11 s left"},
		{1, 10, 0, 20 * time.Second, 0, "3 min left"},
		{1, 100, 0, 4 * time.Minute, 0, "6.6 h left"},
	} {
		e := rao.Event{Done: c.done, Total: c.total, Limit: c.limit}
		testkit.Equal(t, timeLeft(e, c.elapsed, c.waited), c.want, e, "after", c.elapsed, c.waited)
	}
}
