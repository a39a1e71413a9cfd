package serve

import (
	"bytes"
	"iter"
)

// cutLine splits b after the first line. whole is false if b does not contain the end of the line.
func cutLine(b []byte) (line, rest []byte, whole bool) { return bytes.Cut(b, []byte{'\n'}) }

// trimLine removes spaces and the brackets of a JSON array.
func trimLine(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if len(line) >= 2 && line[0] == '[' && line[len(line)-1] == ']' {
		line = bytes.TrimSpace(line[1 : len(line)-1])
	}
	return line
}

// splitFields yields the fields of a comma-separated line.
func splitFields(line []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			field, rest, more := bytes.Cut(line, []byte{','})
			if !yield(bytes.TrimSpace(field)) || !more {
				return
			}
			line = rest
		}
	}
}
