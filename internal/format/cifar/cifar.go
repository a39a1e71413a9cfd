// Package cifar reads the binary form of CIFAR-10: records of 3073 bytes, one label and the 3072 bytes of a 32×32
// image. All red values come first, then green, then blue, each row by row. Files may be gzip-compressed.
package cifar

import (
	"fmt"
	"io"

	"rao/internal/faults"
)

const (
	// Side is the number of rows and of columns of an image.
	Side = 32
	// Pixels is the number of values of an image.
	Pixels = 3 * Side * Side
	// Record is the size of a label and its image in bytes.
	Record = 1 + Pixels
	// Classes is the number of classes.
	Classes = 10
)

// Names are the names of the classes in the order of their labels.
var Names = [Classes]string{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"}

// Reader reads records one by one.
type Reader struct {
	r   io.Reader
	buf [Record]byte
	n   int
}

// NewReader returns a reader of the records in r, which must not be compressed.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Next reads one record and returns its label. If dst is not nil, it writes the image to dst in the order row, column,
// color. It returns io.EOF after the last record, and panics if dst is shorter than Pixels.
func (r *Reader) Next(dst []float32) (label int, err error) {
	m, err := io.ReadFull(r.r, r.buf[:])
	switch {
	case err == io.EOF:
		return 0, io.EOF
	case err == io.ErrUnexpectedEOF:
		return 0, faults.Also(fmt.Errorf("record %d has %d of %d bytes; the file is truncated or not in CIFAR-10's "+
			"binary format, so download it again", r.n, m, Record), io.ErrUnexpectedEOF)
	case err != nil:
		return 0, err
	case r.buf[0] >= Classes:
		return 0, fmt.Errorf("record %d has the label %d, but labels are 0 to 9; the file is corrupt or not in "+
			"CIFAR-10's binary format, so download it again", r.n, r.buf[0])
	}
	r.n++
	if dst != nil {
		red, green, blue := r.buf[1:1+Side*Side], r.buf[1+Side*Side:1+2*Side*Side], r.buf[1+2*Side*Side:]
		dst = dst[:Pixels]
		for i, v := range red {
			dst[3*i] = float32(v)
			dst[3*i+1] = float32(green[i])
			dst[3*i+2] = float32(blue[i])
		}
	}
	return int(r.buf[0]), nil
}
