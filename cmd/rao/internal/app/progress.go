package app

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"rao"
	"rao/internal/study"
)

// bar shows the progress of a run on one line of a terminal.
type bar struct {
	mu    sync.Mutex
	out   *os.File
	drawn time.Time
	stage string    // stage of the last event
	since time.Time // when the stage started
	width int       // number of characters on the line
}

// Progress shows the label on the terminal. It returns a callback for a long run, and a function that clears the line
// after the run. Nothing is shown with --quiet, or if standard error is not a terminal.
func (a *App) Progress(label string) (rao.Progress, func()) {
	f, ok := a.Err.(*os.File)
	if !ok || a.Quiet || !isTerminal(f) {
		return nil, func() {}
	}
	b := &bar{out: f}
	a.bar.Store(b)
	b.draw(label, rao.Event{}) // the first event may come minutes later
	return func(e rao.Event) { b.draw(label, e) }, b.clear
}

// Monitor shows the progress of a study and prints its messages. In errors, options of the command are written as
// flags, and options of methods as in --methods.
func (a *App) Monitor(cmd *cobra.Command) study.Monitor {
	spell := func(option, value string) string {
		switch {
		case cmd.Flags().Lookup(option) != nil:
			return flagOfOption(option, value)
		case value == "":
			return option
		}
		return option + "=" + value
	}
	return study.Monitor{Abandon: true, Progress: a.Progress, Note: func(message string) { a.Note("%s", message) },
		Message: func(err error) string { return withRemedy(rao.Spell(err, spell), err) }}
}

// clearBar removes the bar before a message is printed.
func (a *App) clearBar() {
	if b := a.bar.Load(); b != nil {
		b.clear()
	}
}

func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}

func (b *bar) draw(label string, e rao.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if e.Stage == b.stage && now.Sub(b.drawn) < 50*time.Millisecond {
		return // a new stage is shown at once, because it may take long
	}
	if e.Stage != b.stage || b.drawn.IsZero() {
		b.since = now
	}
	b.drawn, b.stage = now, e.Stage
	columns := terminalWidth(b.out)
	if columns <= 0 {
		columns = helpWidth
	}
	line := progressLine(label, e, now.Sub(b.since), columns)
	n := utf8.RuneCountInString(line)
	fmt.Fprintf(b.out, "\r%s%s", line, strings.Repeat(" ", max(0, min(b.width, columns-1)-n)))
	b.width = n
}

// fewestCells and mostCells limit the number of cells of a bar. A bar that would have fewer cells is not drawn.
const fewestCells, mostCells = 8, 40

// progressLine returns the text of the progress line: the label, a bar if it fits, the count, the objective and the
// time left. The text is shorter than the width of the terminal.
func progressLine(label string, e rao.Event, elapsed time.Duration, columns int) string {
	head := label
	if e.Stage != "" {
		head += "  " + e.Stage
	}
	var tail strings.Builder
	switch {
	case e.Total > 0:
		fmt.Fprintf(&tail, "  %d/%d", e.Done, e.Total)
	case e.Done > 0:
		fmt.Fprintf(&tail, "  %d", e.Done)
	}
	if e.Objective != 0 {
		fmt.Fprintf(&tail, "  %.6g", e.Objective)
	}
	if s := timeLeft(e, elapsed); s != "" {
		tail.WriteString("  " + s)
	}
	used := utf8.RuneCountInString(head) + tail.Len()
	if cells := min(mostCells, columns-1-used-len("  []")); e.Total > 0 && cells >= fewestCells {
		full := max(0, min(cells, int(float64(e.Done)/float64(e.Total)*float64(cells))))
		head += "  [" + strings.Repeat("=", full) + strings.Repeat(" ", cells-full) + "]"
	}
	line := []rune(head + tail.String())
	if len(line) >= columns {
		line = append(line[:max(0, columns-2)], '…')
	}
	return string(line)
}

// timeLeft estimates the time to the end of the stage at the current rate. It returns "" if it is too early for an
// estimate.
func timeLeft(e rao.Event, elapsed time.Duration) string {
	if e.Done <= 0 || e.Done >= e.Total || elapsed < 2*time.Second {
		return ""
	}
	left := time.Duration(float64(elapsed) / float64(e.Done) * float64(e.Total-e.Done))
	switch {
	case left < 90*time.Second:
		return fmt.Sprintf("%d s left", int(left.Seconds()+1))
	case left < 90*time.Minute:
		return fmt.Sprintf("%d min left", int(left.Minutes()+0.5))
	default:
		return fmt.Sprintf("%.1f h left", left.Hours())
	}
}

func (b *bar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.width > 0 {
		fmt.Fprintf(b.out, "\r%s\r", strings.Repeat(" ", b.width))
		b.width = 0
	}
}
