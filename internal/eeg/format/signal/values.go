package signal

import (
	"fmt"
	"io"

	"rao/internal/format/ndarray"
	"rao/internal/linalg/vec"
)

// Values is a [Reader] of a file that contains nothing but values (BrainVision, and .fdt files of EEGLAB). It is not
// safe for concurrent use.
type Values struct {
	R          io.ReaderAt
	Closer     io.Closer // may be nil
	Elem       ndarray.Elem
	Gain       []float64 // physical units per digital step, for each channel; nil: 1
	Vectorized bool      // all samples of a channel are together, not all channels of a sample
	Of         *Info
	buf        []byte
	line       []float64
}

// Info implements [Reader].
func (r *Values) Info() *Info { return r.Of }

// Close implements [Reader].
func (r *Values) Close() error {
	if r.Closer == nil {
		return nil
	}
	return r.Closer.Close()
}

// ReadSamples implements [Reader].
func (r *Values) ReadSamples(dst []float64, first, count int) error {
	if err := r.Of.CheckRange(dst, first, count); err != nil {
		return err
	}
	c := len(r.Of.Channels)
	if !r.Vectorized {
		err := r.read(dst, int64(first)*int64(c))
		for i := range dst {
			if r.Gain != nil {
				dst[i] *= r.Gain[i%c]
			}
		}
		return err
	}
	for j := range c {
		line := vec.Room(&r.line, count)
		if err := r.read(line, int64(j)*int64(r.Of.Samples)+int64(first)); err != nil {
			return err
		}
		for k, v := range line {
			dst[k*c+j] = r.Gain[j] * v
		}
	}
	return nil
}

// read reads consecutive values, starting at index first of the file.
func (r *Values) read(dst []float64, first int64) error {
	const block = 1 << 14
	for lo := 0; lo < len(dst); lo += block {
		part := dst[lo:min(lo+block, len(dst))]
		if r.buf == nil {
			r.buf = make([]byte, block*r.Elem.Size)
		}
		b := r.buf[:len(part)*r.Elem.Size]
		if k, err := r.R.ReadAt(b, (first+int64(lo))*int64(r.Elem.Size)); k < len(b) {
			return fmt.Errorf("the samples cannot be read: %w", err)
		}
		r.Elem.DecodeFloat64(part, b)
	}
	return nil
}
