package brainvision

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"rao/internal/eeg/format/signal"
	"rao/internal/format/archive"
)

// Mark is a comment that identifies headers written by [Write].
const Mark = "; written by rao"

// Content is a recording to write.
type Content struct {
	Channels, Units []string // Units may be nil or contain empty strings
	Rate            float64
	Samples         int
	Read            func(dst []float64, first, count int) error // reads samples × channels
	Events          []signal.Event
	Breaks          []int // samples at which a new segment begins
}

// Write writes a recording as three files: samples as 32-bit floats, markers, and the header. path is the name of the
// header, which ends in .vhdr. The header is written last. If it exists, the other two files are complete.
func Write(path string, c Content) error {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	if err := archive.WriteFile(stem+".eeg", c.samples); err != nil {
		return err
	}
	name := filepath.Base(stem)
	if err := archive.WriteFile(stem+".vmrk", text(c.markers(name))); err != nil {
		return err
	}
	return archive.WriteFile(path, text(c.header(name)))
}

func text(lines []string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(lines, "\r\n")+"\r\n")
		return err
	}
}

// field escapes commas as the format requires, and replaces line ends by spaces.
func field(s string) string {
	return strings.NewReplacer(",", `\1`, "\r", " ", "\n", " ").Replace(s)
}

func (c *Content) header(name string) []string {
	lines := []string{"Brain Vision Data Exchange Header File Version 1.0", Mark, "[Common Infos]", "Codepage=UTF-8",
		"DataFile=" + name + ".eeg", "MarkerFile=" + name + ".vmrk", "DataFormat=BINARY",
		"DataOrientation=MULTIPLEXED", fmt.Sprintf("NumberOfChannels=%d", len(c.Channels)),
		fmt.Sprintf("SamplingInterval=%.17g", 1e6/c.Rate), "[Binary Infos]", "BinaryFormat=IEEE_FLOAT_32",
		"[Channel Infos]"}
	for i, channel := range c.Channels {
		unit := ""
		if c.Units != nil {
			unit = c.Units[i]
		}
		lines = append(lines, fmt.Sprintf("Ch%d=%s,,1,%s", i+1, field(channel), field(unit)))
	}
	return lines
}

func (c *Content) markers(name string) []string {
	lines := []string{"Brain Vision Data Exchange Marker File, Version 1.0", "[Common Infos]", "Codepage=UTF-8",
		"DataFile=" + name + ".eeg", "[Marker Infos]", "Mk1=New Segment,,1,1,0"}
	add := func(kind, label string, sample, duration int) {
		lines = append(lines, fmt.Sprintf("Mk%d=%s,%s,%d,%d,0", len(lines)-4, kind, field(label), sample+1,
			max(1, duration)))
	}
	breaks := slices.Clone(c.Breaks)
	for _, e := range c.Events {
		for len(breaks) > 0 && breaks[0] <= e.Sample {
			add("New Segment", "", breaks[0], 1)
			breaks = breaks[1:]
		}
		label := e.Label
		if label == "" {
			label = fmt.Sprint(e.Code)
		}
		add("Stimulus", label, e.Sample, e.Duration)
	}
	for _, b := range breaks {
		add("New Segment", "", b, 1)
	}
	return lines
}

func (c *Content) samples(w io.Writer) error {
	const block = 4096
	out := bufio.NewWriter(w)
	n := len(c.Channels)
	values, bytes := make([]float64, block*n), make([]byte, 4)
	for first := 0; first < c.Samples; first += block {
		count := min(block, c.Samples-first)
		if err := c.Read(values[:count*n], first, count); err != nil {
			return err
		}
		for _, v := range values[:count*n] {
			binary.LittleEndian.PutUint32(bytes, math.Float32bits(float32(v)))
			if _, err := out.Write(bytes); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}
