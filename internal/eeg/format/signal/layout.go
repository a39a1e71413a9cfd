package signal

import (
	"fmt"
	"io"
	"math"

	"rao/internal/linalg/vec"
)

// RecordFile describes a file of records (EDF, BDF, GDF), as read from its header. Each record contains some samples of
// every channel.
type RecordFile struct {
	Format   string
	Size     int64   // size of the file in bytes
	Header   int64   // length of the header in bytes, which is the offset of the first record
	Records  int64   // number of records; -1 if the recorder did not know it
	Bytes    int     // bytes per record
	Duration float64 // seconds per record
	Channels []RecordChannel
}

// RecordChannel is a channel of a [RecordFile].
type RecordChannel struct {
	Label, Unit                      string
	PhysMin, PhysMax, DigMin, DigMax float64
	PerRecord, Offset, Size          int // samples per record; offset in the record and size of a sample in bytes
	Decode                           func([]byte) float64
	Annotations, Triggers            bool // contains texts, or event codes, instead of a signal
}

// Layout checks the length of the file and returns a reader of the channels with the most common rate. It leaves out
// the other channels.
func (f *RecordFile) Layout(r io.ReaderAt) (*Records, error) {
	if f.Bytes == 0 {
		return nil, fmt.Errorf("the header declares records without samples; copy or export the file again")
	}
	have := (f.Size - f.Header) / int64(f.Bytes)
	if f.Records == -1 { // the recording was interrupted
		f.Records = have
	}
	if f.Records < 0 || f.Records > have {
		return nil, fmt.Errorf("the header has %d records but the file has only %d, so it is truncated; copy it again",
			f.Records, have)
	}
	if !vec.Positive(f.Duration) {
		return nil, fmt.Errorf("the header has records of %g seconds, but the duration must be positive; copy or "+
			"export the file again", f.Duration)
	}
	per := make([]int, len(f.Channels))
	for i, c := range f.Channels {
		if !c.Annotations {
			per[i] = c.PerRecord
		}
	}
	common := CommonRate(per)
	info := &Info{Format: f.Format, Rate: float64(common) / f.Duration}
	out := Records{R: r, Start: f.Header, Bytes: f.Bytes, PerRecord: common}
	for i, c := range f.Channels {
		switch {
		case c.Annotations:
		case per[i] != common || c.Triggers:
			info.Skipped = append(info.Skipped, c.Label)
		default:
			gain := (c.PhysMax - c.PhysMin) / (c.DigMax - c.DigMin)
			out.Layout = append(out.Layout, Layout{Offset: c.Offset, Size: c.Size, Decode: c.Decode, Gain: gain,
				Bias: c.PhysMin - gain*c.DigMin})
			info.Channels, info.Units = append(info.Channels, c.Label), append(info.Units, c.Unit)
		}
	}
	if common == 0 || len(info.Channels) == 0 {
		return nil, fmt.Errorf("the file has annotations but no signals; use a file with signals")
	}
	if f.Records > math.MaxInt32/int64(common) {
		return nil, fmt.Errorf("the recording has %d records of %d samples per channel, but the limit is %d samples; "+
			"split the recording", f.Records, common, math.MaxInt32)
	}
	info.Samples = int(f.Records) * common
	return NewRecords(out, info), nil
}
