package dataset

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"
)

// numbered is a source of rows 0, 1, ... of one value; asked is told of every reading.
func numbered(n int, asked func(row int)) *rowSource {
	at := 0
	return &rowSource{source: "numbers", n: n, cols: 1, read64: func(dst []float64) (int, error) {
		asked(at)
		if at == n {
			return 0, io.EOF
		}
		m := min(len(dst), n-at)
		for i := range m {
			dst[i] = float64(at + i)
		}
		at += m
		return m, nil
	}}
}

// The block after the one in use is read meanwhile: the first use waits for it.
func TestOneBlockIsReadAhead(t *testing.T) {
	second := make(chan struct{})
	s := numbered(10, func(row int) {
		if row == 4 {
			close(second)
		}
	})
	var got []float64
	err := s.hand(context.Background(), nil, 4, func(x *Table, _ []int, _ []string) error {
		if len(got) == 0 {
			select {
			case <-second:
			case <-time.After(10 * time.Second):
				return errors.New("the second block is not read while the first is in use")
			}
		}
		n, _ := x.Dims()
		for i := range n {
			got = append(got, x.At(i, 0))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}; !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
}

// No more than one block is read ahead, and nothing after an error of the user or when
// Stream has returned.
func TestReadingStopsWithItsUser(t *testing.T) {
	last, returned := 0, false
	s := numbered(1000, func(row int) {
		if returned {
			t.Error("rows are read after the end")
		}
		last = row
	})
	wrong := errors.New("wrong")
	calls := 0
	err := s.hand(context.Background(), nil, 4, func(x *Table, _ []int, _ []string) error {
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

// What comes before a fault is handed out, whole blocks of it, and a panic comes where the
// caller can see it.
func TestFaultsComeInTheirOrder(t *testing.T) {
	fault := errors.New("fault")
	for _, panics := range []bool{false, true} {
		s := numbered(1000, func(row int) {
			if panics && row == 8 {
				panic(fault)
			}
		})
		read := s.read64
		rows := 0
		s.read64 = func(dst []float64) (int, error) {
			if rows += len(dst); rows > 8 && !panics {
				return 0, fault
			}
			return read(dst)
		}
		calls := 0
		err := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = p.(error)
				}
			}()
			return s.hand(context.Background(), nil, 4, func(*Table, []int, []string) error {
				calls++
				return nil
			})
		}()
		if !errors.Is(err, fault) || calls != 2 {
			t.Errorf("%v after %d calls, want the fault after two", err, calls)
		}
	}
}
