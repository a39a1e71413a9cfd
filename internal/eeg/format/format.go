// Package format lists the file formats of EEG recordings. To add a format, write a package that parses it and add an
// entry to the list.
package format

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"rao/internal/eeg/format/brainvision"
	"rao/internal/eeg/format/edf"
	"rao/internal/eeg/format/fif"
	"rao/internal/eeg/format/gdf"
	"rao/internal/eeg/format/signal"
	"rao/internal/eeg/format/xdf"
)

// Format is a file format of recordings.
type Format struct {
	name string   // for messages
	ends []string // ends of the names of recordings, in lower case
	// disguised is true if a file can be taken for data, because it is text or starts like a MAT or gzip file. Verify
	// then decides by its name.
	disguised bool
	data      bool // most files of this format are not recordings
	// is reports whether a file has this format, from its first bytes and its name in lower case. It is nil for the
	// formats that package eeg detects.
	is func(head, name string) bool
	// Open opens a recording. stream selects a stream of a file with several.
	Open func(path, stream string) (signal.Reader, error)
	// others returns the names of the other files of a recording, from its name without extension. nil: there are none.
	others func(stem string) []string
	parts  []string // ends of the names of these files, by which a user may name the recording
}

var formats = []Format{
	{name: "EDF, BDF", ends: []string{".edf", ".bdf"}, is: begins(edf.Is), Open: alone(edf.Open)},
	{name: "GDF", ends: []string{".gdf"}, is: begins(gdf.Is), Open: alone(gdf.Open)},
	{name: "BrainVision .vhdr", ends: []string{".vhdr"}, Open: alone(brainvision.Open),
		is:     func(_, name string) bool { return strings.HasSuffix(name, ".vhdr") },
		others: func(stem string) []string { return []string{stem + ".eeg", stem + ".vmrk", stem + ".dat"} },
		parts:  []string{".vmrk", ".eeg"}},
	{name: "EEGLAB .set", ends: []string{".set"}, disguised: true, // package eeg opens it, as a MAT-file
		others: func(stem string) []string { return []string{stem + ".fdt"} }, parts: []string{".fdt"}},
	{name: "FIF", ends: []string{".fif", ".fif.gz"}, disguised: true, Open: alone(fif.Open), others: splitFIF,
		is: func(head, name string) bool { return fif.Is([]byte(head)) || gzipped(head, name, ".fif.gz") }},
	{name: "XDF", ends: []string{".xdf", ".xdfz", ".xdf.gz"}, disguised: true, Open: xdf.Open,
		is: func(head, name string) bool { return xdf.Is([]byte(head)) || gzipped(head, name, ".xdfz", ".xdf.gz") }},
	{name: "MAT", ends: []string{".mat"}, data: true},
	{name: "npy", ends: []string{".npy"}, data: true,
		others: func(stem string) []string { return []string{strings.TrimSuffix(stem, "_raw") + "_events.csv"} }},
}

func begins(is func([]byte) bool) func(head, name string) bool {
	return func(head, _ string) bool { return is([]byte(head)) }
}

func alone(open func(string) (signal.Reader, error)) func(path, stream string) (signal.Reader, error) {
	return func(path, _ string) (signal.Reader, error) { return open(path) }
}

func gzipped(head, name string, ends ...string) bool {
	return strings.HasPrefix(head, "\x1f\x8b") && hasEnd(name, ends)
}

func hasEnd(name string, ends []string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
}

// splitFIF returns the names of the parts of a large recording.
func splitFIF(stem string) (parts []string) {
	for k := range 20 {
		parts = append(parts, fmt.Sprintf("%s-%d.fif", stem, k+1))
	}
	return parts
}

// Names lists the formats for messages.
func Names() string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

// Of returns the format of a file from its first bytes and its name, or nil if it is none that this package opens.
func Of(head []byte, path string) *Format {
	for i := range formats {
		if f := &formats[i]; f.is != nil && f.is(string(head), strings.ToLower(path)) {
			return f
		}
	}
	return nil
}

// Disguised reports whether path names a recording that can be taken for data.
func Disguised(path string) bool {
	return slices.ContainsFunc(formats, func(f Format) bool {
		return f.disguised && hasEnd(strings.ToLower(path), f.ends)
	})
}

// Named reports whether path has the name of a recording, or of another file of a recording. MAT and npy files are
// recordings only by their content.
func Named(path string) bool {
	return slices.ContainsFunc(formats, func(f Format) bool {
		return !f.data && hasEnd(strings.ToLower(path), slices.Concat(f.ends, f.parts))
	})
}

// Others returns the names of the files that are read together with path, if a recording may have several files.
func Others(path string) []string {
	ext := filepath.Ext(path)
	for _, f := range formats {
		if f.others != nil && slices.Contains(f.ends, strings.ToLower(ext)) {
			return f.others(strings.TrimSuffix(path, ext))
		}
	}
	return nil
}
