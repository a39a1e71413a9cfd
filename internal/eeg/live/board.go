package live

import (
	"context"
	"slices"

	"rao/internal/eeg/brainflow"
	"rao/internal/lsl"
)

// Board describes what a BrainFlow board sends.
type Board struct {
	Addr    string
	Rows    int      // number of rows in a package
	Counter int      // row that counts packages; -1 if there is none
	Pick    []int    // rows with the signal
	Names   []string // names of the channels in these rows; nil if unknown
	Rate    float64
}

// Open starts receiving from the board.
func (b Board) Open() (Signal, *Info, error) {
	r, err := brainflow.Listen(b.Addr, brainflow.Options{Rows: b.Rows, Counter: b.Counter})
	if err != nil {
		return nil, nil, err
	}
	return &brainflowSignal{receiver: r, pick: b.Pick, rows: b.Rows, rate: b.Rate},
		&Info{Name: "BrainFlow " + b.Addr, Channels: b.Names, Width: len(b.Pick), Rate: b.Rate,
			Units: slices.Repeat([]string{"uV"}, len(b.Pick))}, nil // BrainFlow sends EEG in microvolts
}

// brainflowSignal is the signal in selected rows of a board.
type brainflowSignal struct {
	receiver *brainflow.Receiver
	pick     []int
	rows     int
	rate     float64
	values   []float64
	times    []float64
}

// Next implements [Signal]. The time of a sample is the time of its arrival.
func (s *brainflowSignal) Next(ctx context.Context) (Piece, error) {
	packages, lost, err := s.receiver.Read(ctx)
	if err != nil {
		return Piece{}, err
	}
	n := len(packages) / s.rows
	s.values, s.times = s.values[:0], s.times[:0]
	now := lsl.Clock()
	for k := range n {
		for _, c := range s.pick {
			s.values = append(s.values, packages[k*s.rows+c])
		}
		s.times = append(s.times, now-float64(n-1-k)/s.rate)
	}
	return Piece{Values: s.values, Times: s.times, Begins: lost > 0, Lost: int64(lost)}, nil
}

// Close implements [Signal].
func (s *brainflowSignal) Close() error { return s.receiver.Close() }
