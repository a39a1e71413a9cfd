package signal

import (
	"fmt"
	"io"

	"rao/internal/format/regular"
)

// MaxRecord is the size in bytes of the largest record that is accepted. It limits the memory that a corrupt header
// can make a reader allocate.
const MaxRecord = 1 << 28

// Layout is the position of the samples of one channel in each record.
type Layout struct {
	Offset int // bytes from the start of the record
	Size   int // bytes per sample
	Decode func([]byte) float64
	Gain   float64 // physical = Gain·digital + Bias
	Bias   float64
}

// Records reads recordings with samples in records of equal length, in which each channel's samples are contiguous
// (EDF, BDF, GDF).
type Records struct {
	R         io.ReaderAt
	Start     int64 // offset of the first record
	Bytes     int   // bytes per record
	PerRecord int   // samples per record of each selected channel
	Layout    []Layout
	closer    io.Closer
	buf       []byte
	cached    int // number of the record in buf; −1 if there is none
	info      *Info
}

// NewRecords returns a reader of the records that r describes. It does not copy info.
func NewRecords(r Records, info *Info) *Records {
	r.info, r.cached = info, -1
	return &r
}

// Info implements [Reader].
func (r *Records) Info() *Info { return r.info }

// Close implements [Reader].
func (r *Records) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// Load reads record k. The slice is valid until the next call.
func (r *Records) Load(k int) ([]byte, error) {
	if r.buf == nil {
		r.buf = make([]byte, r.Bytes)
	}
	if k == r.cached {
		return r.buf, nil
	}
	r.cached = -1
	n, err := r.R.ReadAt(r.buf, r.Start+int64(k)*int64(r.Bytes))
	if n < len(r.buf) {
		return nil, fmt.Errorf("record %d cannot be read (%w); copy the file again", k, err)
	}
	r.cached = k
	return r.buf, nil
}

// ReadSamples implements [Reader]. It is not safe for concurrent use.
func (r *Records) ReadSamples(dst []float64, first, count int) error {
	if err := r.info.CheckRange(dst, first, count); err != nil {
		return err
	}
	c := len(r.Layout)
	for done := 0; done < count; {
		record, from := (first+done)/r.PerRecord, (first+done)%r.PerRecord
		buf, err := r.Load(record)
		if err != nil {
			return err
		}
		n := min(r.PerRecord-from, count-done)
		for j, l := range r.Layout {
			p := l.Offset + from*l.Size
			for k := range n {
				dst[(done+k)*c+j] = l.Gain*l.Decode(buf[p:p+l.Size]) + l.Bias
				p += l.Size
			}
		}
		done += n
	}
	return nil
}

// OpenFile opens the file at path and passes it to parse. It closes the file if parse fails; otherwise the reader's
// Close closes it. Errors name the file.
func OpenFile(path string, parse func(r io.ReaderAt, size int64) (*Records, error)) (Reader, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil {
		var r *Records
		if r, err = parse(f, st.Size()); err == nil {
			r.closer = f
			return r, nil
		}
	}
	f.Close()
	return nil, fmt.Errorf("%s: %w", path, err)
}
