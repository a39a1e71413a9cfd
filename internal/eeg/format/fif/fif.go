// Package fif reads recordings in MNE's FIF files: continuous or epoched, split over several files, and gzip-compressed
// (.fif.gz).
//
// Annotations become events. There is also an event wherever the code in a stimulus channel increases, as in
// mne.find_events. The events of epochs are read from the list of events in the file. The samples of epochs are
// concatenated, with a break between epochs. Samples that the recorder skipped are NaN. Projections and compensations
// in a file are not applied. If a file requests the average reference but its samples are stored without it,
// Info.AverageDue is true.
package fif

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"rao/internal/eeg/format/signal"
	"rao/internal/format/gunzip"
	"rao/internal/format/ndarray"
	"rao/internal/format/regular"
)

const (
	maxParts    = 1000
	maxInflated = 1 << 32 // bytes of a compressed file after decompression in memory
)

// Is reports whether head is the start of a FIF file.
func Is(head []byte) bool {
	return len(head) >= 12 && string(head[:12]) == "\x00\x00\x00\x64\x00\x00\x00\x1f\x00\x00\x00\x14"
}

// Open opens a recording and its continuation files; the caller closes it.
func Open(path string) (signal.Reader, error) {
	r := new(Reader)
	seen := map[string]bool{}
	for next := path; next != ""; {
		if seen[next] || len(seen) == maxParts {
			r.Close()
			return nil, fmt.Errorf("%s: the recording has more than %[2]d parts, or its parts refer to each other in "+
				"a loop; save the recording again", path, maxParts)
		}
		seen[next] = true
		data, size, err := r.openPart(next)
		if err == nil {
			var name string
			if name, err = r.add(data, size); err == nil && name != "" {
				if !signal.IsFileName(name) {
					err = fmt.Errorf("the recording continues in %q, which is not a file name; save the recording "+
						"again", name)
				}
				name = filepath.Join(filepath.Dir(path), name)
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", next, err)
			} else {
				next = name
				continue
			}
		} else if next != path {
			err = fmt.Errorf("%s continues in a file that cannot be opened: %w; put all parts of a recording in one "+
				"folder", path, err)
		}
		r.Close()
		return nil, err
	}
	if err := r.finish(); err != nil {
		r.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// openPart opens a file. A compressed file is decompressed in memory.
func (r *Reader) openPart(path string) (io.ReaderAt, int64, error) {
	z, err := gunzip.Open(path)
	if err != nil {
		return nil, 0, err
	}
	if z.Compressed {
		defer z.Close()
		b, err := io.ReadAll(io.LimitReader(z, maxInflated+1))
		if err == nil && int64(len(b)) > maxInflated {
			err = fmt.Errorf("the file has more than %d bytes after decompression; decompress it with gunzip",
				int64(maxInflated))
		}
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", path, err)
		}
		return bytes.NewReader(b), int64(len(b)), nil
	}
	z.Close()
	f, err := regular.Open(path)
	if err != nil {
		return nil, 0, err
	}
	r.files = append(r.files, f)
	return f, z.Size, nil
}

// Reader is an open recording. It implements [signal.Reader] and is not safe for concurrent use.
type Reader struct {
	info    signal.Info
	gain    []float64
	buffers []buffer
	files   []io.Closer
	stim    []int     // indexes of the stimulus channels
	raw     []byte    // bytes of the buffer read last
	values  []float64 // values of the buffer read last, samples×channels
	cached  int       // number of the buffer read last, plus one
}

type buffer struct {
	first, samples int
	r              io.ReaderAt // nil for samples that were not recorded
	at             int64
	elem           ndarray.Elem
	planar         bool // stored channel by channel, as epochs are
}

// Info implements [signal.Reader].
func (r *Reader) Info() *signal.Info { return &r.info }

// Close implements [signal.Reader].
func (r *Reader) Close() error {
	var errs []error
	for _, f := range r.files {
		errs = append(errs, f.Close())
	}
	r.files = nil
	return errors.Join(errs...)
}
