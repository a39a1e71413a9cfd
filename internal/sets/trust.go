package sets

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rao/internal/format/archive"
)

// sumsFile is the file in a set's folder with the digests of files without published digests, as computed at the first
// download. Later downloads must have the same digests. It has the format of sha256sum -c.
const sumsFile = "SHA256SUMS.txt"

// sums maps the names of files to their digests.
type sums map[string]string

// TrustsFirst reports whether the digests of a set's files are unpublished. The digests of the first download are then
// stored and used to verify later downloads.
func TrustsFirst(name string) bool {
	s := findSet(name)
	return s != nil && s.subjects != nil && s.files[0].unknown()
}

func readSums(dir string) (sums, error) {
	path := filepath.Join(dir, sumsFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return sums{}, nil
	}
	if err != nil {
		return nil, err
	}
	out := sums{}
	if len(strings.TrimSpace(string(b))) == 0 {
		return out, nil
	}
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		digest, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		raw, err := hex.DecodeString(digest)
		if !ok || err != nil || len(raw) != 32 {
			return nil, fmt.Errorf("%s: line %d is not a digest and a file name; remove the line and the file of "+
				"the data set, and download the file again", path, i+1)
		}
		out[name] = digest
	}
	return out, nil
}

// add stores the digest of a file, or compares it with the stored one.
func (s sums) add(dir, name, digest string) error {
	switch known := s[name]; known {
	case digest:
		return nil
	case "":
	default:
		return fmt.Errorf("%s: its SHA-256 %s differs from the first download (%s); to trust the new file, remove the "+
			"line of %[1]s from %[4]s", name, digest, known, filepath.Join(dir, sumsFile))
	}
	s[name] = digest
	return archive.WriteFile(filepath.Join(dir, sumsFile), func(w io.Writer) error {
		for _, name := range slices.Sorted(maps.Keys(s)) {
			if _, err := fmt.Fprintf(w, "%s  %s\n", s[name], name); err != nil {
				return err
			}
		}
		return nil
	})
}
