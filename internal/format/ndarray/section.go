package ndarray

import (
	"fmt"
	"io"
	"strings"
)

// MaxSection bounds the bytes that ReadSection reads at a time.
const MaxSection = 1 << 28

// ReadSection returns length bytes from offset of a file of the given size. A part that
// does not exist is an error with what in it, and nothing is allocated for it.
func ReadSection(r io.ReaderAt, size, offset, length int64, what string) ([]byte, error) {
	if offset < 0 || length < 0 || length > MaxSection || offset > size-length {
		return nil, fmt.Errorf("the file ends within %s (%d bytes, %d needed): it is truncated or its header is "+
			"wrong",
			what, size, offset+max(length, 0))
	}
	b := make([]byte, length)
	if n, err := r.ReadAt(b, offset); n < len(b) {
		return nil, fmt.Errorf("%s cannot be read: %w", what, err)
	}
	return b, nil
}

// Text returns a field of a header without padding: up to the first NUL, spaces cut.
func Text(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return strings.TrimSpace(DecodeText(s))
}
