package ndarray

import (
	"fmt"
	"io"
	"strings"
)

// MaxSection is the largest number of bytes that ReadSection reads.
const MaxSection = 1 << 28

// ReadSection returns length bytes at offset of a file of the given size. If the file is too short, it allocates
// nothing and returns an error that includes what.
func ReadSection(r io.ReaderAt, size, offset, length int64, what string) ([]byte, error) {
	if offset < 0 || length < 0 || length > MaxSection || offset > size-length {
		return nil, fmt.Errorf("the file ends within %s (%d bytes, %d needed), so it is truncated or its header is "+
			"wrong; copy or save it again", what, size, offset+max(length, 0))
	}
	b := make([]byte, length)
	if n, err := r.ReadAt(b, offset); n < len(b) {
		return nil, fmt.Errorf("%s cannot be read: %w", what, err)
	}
	return b, nil
}

// Text returns a text field of a header without padding. The text ends at the first NUL, and spaces around it are
// removed.
func Text(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return strings.TrimSpace(DecodeText(s))
}
