package live

import (
	"context"
	"fmt"
	"io"
	"testing"

	"rao/internal/testkit"
)

// pieces is a live signal that is already complete.
type pieces []Piece

func (p *pieces) Next(context.Context) (Piece, error) {
	if len(*p) == 0 {
		return Piece{}, io.EOF
	}
	next := (*p)[0]
	*p = (*p)[1:]
	return next, nil
}

func (p *pieces) Close() error { return nil }

// brokenSignal returns the signal of testkit.BrokenSignal.
func brokenSignal() (p pieces, info *Info) {
	testkit.BrokenSignal(func(times, values []float64, lost int64) {
		p = append(p, Piece{Times: times, Values: values, Begins: lost > 0, Lost: lost})
	})
	return p, &Info{Name: "broken", Channels: []string{"C3", "Pz", "C4"}, Width: 3, Rate: 100, Exact32: true}
}

// Markers find the sample nearest to their time, even if they arrive late or early. For markers in a gap, samples are
// counted back from its end.
func TestMarkersFindTheirSamples(t *testing.T) {
	signal, info := brokenSignal()
	m := &markedLive{signal: &signal, width: 3, rate: info.Rate, late: 0.5, coming: make(chan marker, 10)}
	for _, at := range []float64{1000.504, 999.5, 1006.3, 1006.4} {
		m.coming <- marker{at, fmt.Sprint(at)}
	}
	got := map[string]int{}
	var values []float64
	for k := 0; ; k++ {
		p, err := m.Next(context.Background())
		if err == io.EOF {
			break
		}
		testkit.NoError(t, err)
		if p.Begins != (len(values) == 3*630) || p.Begins && p.Lost != 7 {
			t.Errorf("begins %v at sample %d, %d lost", p.Begins, len(values)/3, p.Lost)
		}
		for _, e := range p.Events {
			got[e.Label] = e.Sample
		}
		values = append(values, p.Values...)
	}
	want := map[string]int{"1000.504": 50, "999.5": -50, "1006.3": 623, "1006.4": 633}
	testkit.Equal(t, fmt.Sprint(got), fmt.Sprint(want), got, "want", want)
	testkit.Equal(t, len(values), 3*1200, "values")
}

// A break in a recording loses no samples, so the note does not count them.
func TestNoteOnRestart(t *testing.T) {
	for lost, want := range map[int64]string{0: "after a break", 1: "after 1 lost sample", 2: "after 2 lost samples"} {
		testkit.Equal(t, restarts(lost), "the signal restarts "+want, "note")
	}
}
