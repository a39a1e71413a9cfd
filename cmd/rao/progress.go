package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"rao"
)

// bar draws the progress of a run on one line of a terminal. On anything else it
// draws nothing.
type bar struct {
	mu    sync.Mutex
	out   *os.File
	drawn time.Time
	stage string // of the last event
	width int    // characters on the line now
}

// progress returns the callback of a long run and the function that clears its
// line when the run is over.
func (a *app) progress(label string) (rao.Progress, func()) {
	f, ok := a.err.(*os.File)
	if !ok || a.quiet || !isTerminal(f) {
		return nil, func() {}
	}
	b := &bar{out: f}
	return func(e rao.Event) { b.draw(label, e) }, b.clear
}

func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}

func (b *bar) draw(label string, e rao.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.Stage == b.stage && time.Since(b.drawn) < 50*time.Millisecond {
		return // but a new stage may last, and is shown at once
	}
	b.drawn, b.stage = time.Now(), e.Stage
	var s strings.Builder
	fmt.Fprintf(&s, "%s  %s", label, e.Stage)
	const cells = 24
	if e.Total > 0 {
		full := min(cells, e.Done*cells/e.Total)
		fmt.Fprintf(&s, "  [%s%s] %d/%d", strings.Repeat("=", full), strings.Repeat(" ", cells-full), e.Done, e.Total)
	} else {
		fmt.Fprintf(&s, "  %d", e.Done)
	}
	if e.Objective != 0 {
		fmt.Fprintf(&s, "  %.6g", e.Objective)
	}
	line := s.String()
	pad := max(0, b.width-len(line))
	fmt.Fprintf(b.out, "\r%s%s", line, strings.Repeat(" ", pad))
	b.width = len(line)
}

func (b *bar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.width > 0 {
		fmt.Fprintf(b.out, "\r%s\r", strings.Repeat(" ", b.width))
		b.width = 0
	}
}
