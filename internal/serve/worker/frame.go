package worker

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

const (
	magic     = "RAOW"
	prefixLen = 16
	maxHeader = 64 << 20 // includes the names of classes and columns
	maxBody   = 1 << 40
	growth    = 64 << 20 // memory allocated for a frame at a time, before its bytes arrive
	bodyAlign = 8
)

// errFrame means that a stream does not follow the protocol. The worker cannot recover from it.
var errFrame = errors.New("not a frame of this protocol")

// readFrame reads the header and the body of one frame. It allocates memory only as bytes arrive, whatever length the
// prefix claims. io.EOF means that the stream ended between frames.
func readFrame(r io.Reader) (head, body []byte, err error) {
	var prefix [prefixLen]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, nil, err
	}
	if string(prefix[:4]) != magic {
		return nil, nil, fmt.Errorf("%w: it begins with %q, not %q", errFrame, prefix[:4], magic)
	}
	h, b := binary.LittleEndian.Uint32(prefix[4:]), binary.LittleEndian.Uint64(prefix[8:])
	if h > maxHeader || b > maxBody {
		return nil, nil, fmt.Errorf("%w: its header of %d bytes or its body of %d bytes is too long", errFrame, h, b)
	}
	if head, err = readGrowing(r, int64(h)); err != nil {
		return nil, nil, err
	}
	body, err = readGrowing(r, int64(b))
	return head, body, err
}

// readGrowing reads n bytes of r. It allocates memory only as bytes arrive.
func readGrowing(r io.Reader, n int64) ([]byte, error) {
	var dst []byte
	for n > 0 {
		step := int(min(n, growth))
		dst = slices.Grow(dst, step)
		at := len(dst)
		dst = dst[:at+step]
		if _, err := io.ReadFull(r, dst[at:]); err != nil {
			return nil, fmt.Errorf("%w: the stream ended in the middle of the frame", errFrame)
		}
		n -= int64(step)
	}
	return dst, nil
}

type frameWriter struct {
	w   io.Writer
	buf []byte
}

// small is the largest body that is sent with its header in one write.
const small = 1 << 16

// write writes a frame with the header as JSON and the arrays of the body, which has the given length.
func (f *frameWriter) write(header any, body []Array, length int) error {
	head, err := json.Marshal(header)
	if err != nil {
		return err
	}
	f.buf = append(f.buf[:0], magic...)
	f.buf = binary.LittleEndian.AppendUint32(f.buf, uint32(len(head)))
	f.buf = binary.LittleEndian.AppendUint64(f.buf, uint64(length))
	f.buf = append(f.buf, head...)
	if length <= small {
		for _, a := range body {
			f.buf = append(f.buf, a.Data...)
			f.buf = append(f.buf, make([]byte, padding(len(a.Data)))...)
		}
		_, err = f.w.Write(f.buf)
		return err
	}
	if _, err := f.w.Write(f.buf); err != nil {
		return err
	}
	var zero [bodyAlign]byte
	for _, a := range body {
		if _, err := f.w.Write(a.Data); err != nil {
			return err
		}
		if n := padding(len(a.Data)); n > 0 {
			if _, err := f.w.Write(zero[:n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// padding returns the number of bytes from n to the next multiple of bodyAlign.
func padding(n int) int { return (bodyAlign - n%bodyAlign) % bodyAlign }

// bodyLen returns the length of the arrays with their padding.
func bodyLen(arrays []Array) int {
	n := 0
	for _, a := range arrays {
		n += len(a.Data) + padding(len(a.Data))
	}
	return n
}
