// Package brainvision reads EEG recordings in BrainVision format: a text header (.vhdr), a file of samples (.eeg,
// .dat) and a file of markers (.vmrk) in the same folder.
//
// Samples can be INT_16, UINT_16, INT_32 or IEEE_FLOAT_32, and multiplexed (all channels of one sample together) or
// vectorized (all samples of one channel together). Markers become events. The label of an event is the description
// of the marker, and its code is the number in the description ("S 12" has the code 12). A marker "New Segment" after
// the first sample becomes a break.
package brainvision

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rao/internal/eeg/format/signal"
	"rao/internal/format/ndarray"
	"rao/internal/format/regular"
	"rao/internal/linalg/vec"
)

// maxText limits the size in bytes of header and marker files.
const maxText = 1 << 26

// Header is the contents of a .vhdr file.
type Header struct {
	DataFile, MarkerFile string
	Info                 signal.Info // without Samples and Events
	Resolution           []float64   // physical units per digital step, for each channel
	Vectorized           bool
	Binary               string // binary format, such as INT_16
}

// Open opens the recording of a .vhdr file; the caller closes it.
func Open(path string) (signal.Reader, error) {
	text, err := readText(path)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	h, err := ParseHeader(text, base)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	dir := filepath.Dir(path)
	f, err := regular.Open(filepath.Join(dir, h.DataFile))
	if err != nil {
		return nil, fmt.Errorf("%s names a file of samples that cannot be opened: %w; put the three files of a "+
			"recording in one folder", path, err)
	}
	r, err := open(h, f, dir)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func open(h *Header, f *os.File, dir string) (*signal.Values, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r, err := NewReader(h, f, st.Size())
	if err != nil {
		return nil, err
	}
	r.Closer = f
	if h.MarkerFile != "" {
		text, err := readText(filepath.Join(dir, h.MarkerFile))
		if err != nil {
			return nil, fmt.Errorf("the header names a file of markers that cannot be read: %w; put the three files "+
				"of a recording in one folder", err)
		}
		if r.Of.Events, r.Of.Breaks, err = ParseMarkers(text); err != nil {
			return nil, fmt.Errorf("%s: %w", h.MarkerFile, err)
		}
		r.Of.Breaks = slices.DeleteFunc(r.Of.Breaks, func(b int) bool { return b >= r.Of.Samples })
		signal.Sort(r.Of)
	}
	return r, nil
}

func readText(path string) (string, error) {
	f, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err == nil && len(b) > maxText {
		err = fmt.Errorf("%s: the file is longer than %d bytes, the limit for text files of BrainVision; copy or "+
			"export it again", path, maxText)
	}
	return ndarray.DecodeText(string(b)), err
}

// formats are the supported binary formats.
var formats = map[string]ndarray.Elem{"INT_16": {Kind: 'i', Size: 2}, "UINT_16": {Kind: 'u', Size: 2},
	"INT_32": {Kind: 'i', Size: 4}, "IEEE_FLOAT_32": {Kind: 'f', Size: 4}}

// NewReader returns a reader of samples, as described by a header from [ParseHeader]. size is the length of data in
// bytes.
func NewReader(h *Header, data io.ReaderAt, size int64) (*signal.Values, error) {
	elem, ok := formats[h.Binary]
	if !ok {
		return nil,
			fmt.Errorf("samples of format %q are not supported; rao reads INT_16, UINT_16, INT_32 and IEEE_FLOAT_32",
				h.Binary)
	}
	info := h.Info
	per := int64(elem.Size * len(info.Channels))
	if size%per != 0 {
		return nil, fmt.Errorf("the file of samples has %d bytes, not a multiple of %d (%d channels of %s), so it is "+
			"truncated or the header is wrong; copy or export it again", size, per, len(info.Channels), h.Binary)
	}
	if size/per > math.MaxInt32 {
		return nil, fmt.Errorf("the recording has %d samples, but the limit is %d; split the recording", size/per,
			math.MaxInt32)
	}
	info.Samples = int(size / per)
	return &signal.Values{R: data, Elem: elem, Gain: h.Resolution, Vectorized: h.Vectorized, Of: &info}, nil
}

// ParseHeader parses a .vhdr file. base replaces $b in file names.
func ParseHeader(text, base string) (*Header, error) {
	ini, err := parse(text, "header")
	if err != nil {
		return nil, err
	}
	get := func(key string) string { return ini.value("Common Infos", key) }
	if f := get("DataFormat"); !strings.EqualFold(f, "BINARY") {
		return nil, fmt.Errorf("DataFormat=%s is not supported; export the recording as BINARY", f)
	}
	h := &Header{Binary: strings.ToUpper(ini.value("Binary Infos", "BinaryFormat")),
		Info: signal.Info{Format: "BrainVision"}}
	switch o := strings.ToUpper(get("DataOrientation")); o {
	case "MULTIPLEXED":
	case "VECTORIZED":
		h.Vectorized = true
	default:
		return nil, fmt.Errorf("DataOrientation=%s is unknown; it must be MULTIPLEXED or VECTORIZED", o)
	}
	if h.DataFile, err = local(get("DataFile"), base); err != nil || h.DataFile == "" {
		return nil, fmt.Errorf("DataFile=%s is not a plain file name; put the files in one folder and name them "+
			"without a path", get("DataFile"))
	}
	if h.MarkerFile, err = local(get("MarkerFile"), base); err != nil {
		return nil, fmt.Errorf("MarkerFile=%s is not a plain file name; put the files in one folder and name them "+
			"without a path", get("MarkerFile"))
	}
	interval, err := strconv.ParseFloat(get("SamplingInterval"), 64)
	if err != nil || !vec.Positive(interval) {
		return nil, fmt.Errorf("SamplingInterval=%s is not a positive number of microseconds; correct the header",
			get("SamplingInterval"))
	}
	h.Info.Rate = 1e6 / interval
	n, err := strconv.Atoi(get("NumberOfChannels"))
	if err != nil || n < 1 || n > 1<<16 {
		return nil, fmt.Errorf("NumberOfChannels=%s is not an integer from 1 to 65536; correct the header",
			get("NumberOfChannels"))
	}
	return h, h.readChannels(ini, n)
}

func (h *Header) readChannels(ini sections, n int) error {
	references := make([]string, 0, n)
	for i := range n {
		key := "Ch" + strconv.Itoa(i+1)
		entry := ini.value("Channel Infos", key)
		if entry == "" {
			return fmt.Errorf("the header declares %d channels but has no entry %s; export the recording again", n, key)
		}
		field := strings.Split(entry, ",")
		for len(field) < 4 {
			field = append(field, "")
		}
		gain := 1.0
		if r := strings.TrimSpace(field[2]); r != "" {
			var err error
			if gain, err = strconv.ParseFloat(r, 64); err != nil || gain == 0 || !vec.Finite(gain) {
				return fmt.Errorf("the resolution %q of channel %s must be a number other than 0", r, key)
			}
		}
		unit := strings.TrimSpace(field[3])
		switch unit {
		case "", "µV", "μV":
			unit = "uV" // the default unit of the format, and other spellings of it
		}
		h.Info.Channels = append(h.Info.Channels, strings.ReplaceAll(field[0], `\1`, ","))
		h.Info.Units = append(h.Info.Units, unit)
		references = append(references, strings.TrimSpace(strings.ReplaceAll(field[1], `\1`, ",")))
		h.Resolution = append(h.Resolution, gain)
	}
	if references = slices.Compact(references); len(references) == 1 {
		h.Info.Reference = references[0]
	}
	return nil
}

// local returns a file name from the header. It returns an error if the file would not be in the header's folder.
func local(name, base string) (string, error) {
	name = strings.ReplaceAll(name, "$b", base)
	if name != "" && !signal.IsFileName(name) {
		return "", fmt.Errorf("%q is not a plain file name; put the files in one folder and name them without a "+
			"path", name)
	}
	return name, nil
}
