package dataset

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"rao/internal/testkit"
)

// numbered returns a source of the rows 0 to n-1 with one value each. Every read first calls asked with the number of
// the next row.
func numbered(n int, asked func(row int) error) source {
	return &numbers{columnSource: &columnSource{rowInfo: rowInfo{source: "numbers", cols: 1, kind: float64s}}, n: n,
		asked: asked}
}

type numbers struct {
	*columnSource
	n, at int
	asked func(row int) error
}

func (s *numbers) read(_ context.Context, b *rowBlock) error {
	if err := s.asked(s.at); err != nil {
		return err
	}
	for ; b.filled < b.size; b.filled++ {
		if s.at == s.n {
			return io.EOF
		}
		b.x.f64[b.filled] = float64(s.at)
		s.at++
	}
	return nil
}

// The next block is read while a block is in use, and the first use of the next block waits for it.
func TestOneBlockIsReadAhead(t *testing.T) {
	second := make(chan struct{})
	s := numbered(10, func(row int) error {
		if row == 4 {
			close(second)
		}
		return nil
	})
	var got []float64
	testkit.NoError(t, handOut(context.Background(), s, nil, 4, func(b *rowBlock) error {
		if len(got) == 0 {
			select {
			case <-second:
			case <-time.After(10 * time.Second):
				return errors.New("the second block is not read while the first is in use")
			}
		}
		for i := range b.filled {
			got = append(got, b.x.At(i, 0))
		}
		return nil
	}))
	testkit.EqualSlices(t, got, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, "rows")
}

// At most one block is read ahead, and no block is read after an error of the caller or after Stream has returned.
func TestReadingStopsWithItsUser(t *testing.T) {
	last, returned := 0, false
	s := numbered(1000, func(row int) error {
		if returned {
			t.Error("rows are read after the end")
		}
		last = row
		return nil
	})
	wrong := errors.New("wrong")
	calls := 0
	err := handOut(context.Background(), s, nil, 4, func(b *rowBlock) error {
		if calls++; calls == 3 {
			return wrong
		}
		return nil
	})
	returned = true
	if err != wrong || calls != 3 || last > 12 {
		t.Errorf("%v after %d calls, row %d read last; want the error of the third call and no row after 12",
			err, calls, last)
	}
}

// The complete blocks before an error are returned, and a panic occurs where the caller can recover it.
func TestFaultsComeInTheirOrder(t *testing.T) {
	fault := errors.New("fault")
	for _, panics := range []bool{false, true} {
		s := numbered(1000, func(row int) error {
			if panics && row == 8 {
				panic(fault)
			}
			if row == 8 {
				return fault
			}
			return nil
		})
		calls := 0
		err := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = p.(error)
				}
			}()
			return handOut(context.Background(), s, nil, 4, func(*rowBlock) error {
				calls++
				return nil
			})
		}()
		if !errors.Is(err, fault) || calls != 2 {
			t.Errorf("%v after %d calls, want the fault after two", err, calls)
		}
	}
}
