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
	"rao/internal/par"
	"rao/internal/study"
)

// bar shows what the command does on the last line of a terminal. The line is drawn again every half second, so a
// command that computes for long without an event shows its name and how long it has run.
type bar struct {
	mu      sync.Mutex
	out     *os.File
	command string        // shown between tasks; empty for a command that runs until it is stopped
	stop    chan struct{} // closed when the command has ended
	ignore  func()        // ends the counting of parallel loops

	label string // the running task; empty between tasks
	event rao.Event
	known time.Time // when the event came
	since time.Time // when the stage started, or the last task ended
	drawn time.Time
	width int // number of characters on the line
}

// pause is the time between two drawings without an event. A command without a task is shown after at least this time.
const pause = 500 * time.Millisecond

// showCommand shows the progress of a command on the terminal until hideBar is called. Nothing is shown with --quiet,
// or if standard error is not a terminal.
func (a *App) showCommand(cmd *cobra.Command) {
	f, ok := a.Err.(*os.File)
	if !ok || a.Quiet || !isTerminal(f) {
		return
	}
	b := &bar{out: f, stop: make(chan struct{}), since: time.Now(), ignore: par.Watch()}
	if cmd.Annotations[Live] == "" {
		b.command = cmd.CommandPath()
	}
	a.bar.Store(b)
	go b.repeat()
}

// Live is the annotation of commands that run until they are stopped and print as they go.
const Live = "live"

// hideBar removes the bar when the command has ended.
func (a *App) hideBar() {
	if b := a.bar.Swap(nil); b != nil {
		close(b.stop)
		b.ignore()
		b.over(func() { b.out = nil })
	}
}

// Progress shows the label of a task on the terminal. It returns a callback for the progress of the task, and a
// function to call when the task has ended.
func (a *App) Progress(label string) (rao.Progress, func()) {
	b := a.bar.Load()
	if b == nil {
		return nil, func() {}
	}
	b.begin(label) // the first event may come minutes later
	return func(e rao.Event) { b.send(label, e) }, b.end
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

// aboveBar runs write, which prints above the bar.
func (a *App) aboveBar(write func()) {
	if b := a.bar.Load(); b != nil {
		b.over(write)
		return
	}
	write()
}

func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}

// repeat draws the line until the command ends.
func (b *bar) repeat() {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-b.stop:
			return
		case now := <-tick.C:
			b.mu.Lock()
			if b.label != "" && now.Sub(b.drawn) >= pause/2 || b.command != "" && now.Sub(b.since) >= pause {
				b.draw(now)
			}
			b.mu.Unlock()
		}
	}
}

// begin shows the start of a task.
func (b *bar) begin(label string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.label, b.event, b.known, b.since = label, rao.Event{}, now, now
	b.draw(now)
}

// send shows an event of a task, but at most twenty in a second. A new stage is shown at once, because it may take
// long.
func (b *bar) send(label string, e rao.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	fresh := e.Stage != b.event.Stage || label != b.label
	if fresh {
		b.since = now
	}
	b.label, b.event, b.known = label, e, now
	if fresh || now.Sub(b.drawn) >= 50*time.Millisecond {
		b.draw(now)
	}
}

// end removes the line of a task.
func (b *bar) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.erase()
	b.label, b.since = "", time.Now()
}

// over erases the line and runs write.
func (b *bar) over(write func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.erase()
	write()
}

func (b *bar) draw(now time.Time) {
	if b.out == nil {
		return
	}
	columns := terminalWidth(b.out)
	if columns <= 0 {
		columns = helpWidth
	}
	label, e, since, known := b.label, b.event, b.since, b.known
	if label == "" {
		label, e, known = b.command, rao.Event{}, now
	}
	if e.Done == 0 && e.Total == 0 && e.Limit == 0 { // show a parallel loop that has run for long
		done, total, began := par.Running()
		if total > 0 && now.Sub(began) >= 2*pause {
			e.Done, e.Total, since, known = done, total, began, now
		}
	}
	line := progressLine(label, e, known.Sub(since), now.Sub(known), columns)
	n := utf8.RuneCountInString(line)
	fmt.Fprintf(b.out, "\r%s%s", line, strings.Repeat(" ", max(0, min(b.width, columns-1)-n)))
	b.width, b.drawn = n, now
}

func (b *bar) erase() {
	if b.width > 0 && b.out != nil {
		fmt.Fprintf(b.out, "\r%s\r", strings.Repeat(" ", b.width))
	}
	b.width = 0
}

// fewestCells and mostCells limit the number of cells of a bar. A bar that would have fewer cells is not drawn.
const fewestCells, mostCells = 8, 40

// progressLine returns the text of the progress line: the label, a bar if it fits, the count, the objective and the
// time left, or the time of the stage so far. elapsed is the time from the start of the stage to the event, and waited
// the time since the event. The text is shorter than the width of the terminal.
func progressLine(label string, e rao.Event, elapsed, waited time.Duration, columns int) string {
	head := label
	if e.Stage != "" {
		head += "  " + e.Stage
	}
	var tail strings.Builder
	switch {
	case e.Total > 0:
		fmt.Fprintf(&tail, "  %d/%d", e.Done, e.Total)
	case e.Limit > 0:
		fmt.Fprintf(&tail, "  %d of at most %d", e.Done, e.Limit)
	case e.Done > 0:
		fmt.Fprintf(&tail, "  %d", e.Done)
	}
	if e.Objective != 0 {
		fmt.Fprintf(&tail, "  %.6g", e.Objective)
	}
	switch left := timeLeft(e, elapsed, waited); {
	case left != "":
		tail.WriteString("  " + left)
	case elapsed+waited >= time.Second:
		tail.WriteString("  " + duration(elapsed+waited) + " so far")
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

// timeLeft estimates the time to the end of the stage at the rate from its start to the last event. It returns "" if it
// is too early for an estimate.
func timeLeft(e rao.Event, elapsed, waited time.Duration) string {
	total, prefix := e.Total, ""
	if total == 0 {
		total, prefix = e.Limit, "at most "
	}
	if e.Done <= 0 || e.Done >= total || elapsed < pause || elapsed+waited < 4*pause {
		return ""
	}
	left := time.Duration(float64(elapsed)/float64(e.Done)*float64(total-e.Done)) - waited
	return prefix + duration(left) + " left"
}

// duration rounds a time for people: at least a second.
func duration(t time.Duration) string {
	switch {
	case t < 90*time.Second:
		return fmt.Sprintf("%d s", int(max(0, t.Seconds())+1))
	case t < 90*time.Minute:
		return fmt.Sprintf("%d min", int(t.Minutes()+0.5))
	}
	return fmt.Sprintf("%.1f h", t.Hours())
}
