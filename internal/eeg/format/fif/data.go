package fif

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"rao/internal/eeg/format/signal"
	"rao/internal/linalg/vec"
)

func (p *part) samplesTag(t tag) (err error) {
	switch t.kind {
	case tagFirst:
		if p.buffers == nil {
			p.first, err = p.integer(t)
		}
	case tagSkip:
		p.skip, err = p.integer(t)
	case tagSkipSamples:
		p.skipped, err = p.integer(t)
	case tagBuffer:
		return p.buffer(t)
	}
	return err
}

// maxGap limits the number of samples that are skipped between two buffers. Skipped samples use memory, although the
// file does not contain them.
const maxGap = 1 << 22

// buffer adds a run of samples, preceded by any samples that were skipped.
func (p *part) buffer(t tag) error {
	e, known := types[t.typ]
	n, width := int64(len(p.gain)), int64(e.Size)
	switch {
	case !known:
		return fmt.Errorf("samples of type %d are not supported; rao reads short, int, float and double", t.typ)
	case n == 0:
		return errors.New("the samples precede the description of the channels; the file is corrupt, so copy it again")
	case t.size%(n*width) != 0 || t.size > maxBuffer:
		return fmt.Errorf("a block of samples has %d bytes for %d channels; the file is corrupt, so copy it again",
			t.size, n)
	}
	samples := int(t.size / n / width)
	if gap := int64(p.skip)*int64(samples) + int64(p.skipped); gap != 0 {
		if gap < 0 || gap > maxGap {
			return fmt.Errorf("the file skips %d samples, which is impossible or too many; copy the file again, or "+
				"save its parts separately", gap)
		}
		if p.buffers == nil {
			p.first += int(gap)
		} else {
			p.run(buffer{samples: int(gap)})
		}
		p.skip, p.skipped = 0, 0
	}
	if samples == 0 {
		return nil
	}
	if p.samples > math.MaxInt32-samples {
		return fmt.Errorf("the recording has more than %d samples, the limit; split the recording", math.MaxInt32)
	}
	p.run(buffer{samples: samples, r: p.r, at: t.at, elem: e})
	return nil
}

func (p *part) run(b buffer) {
	b.first = p.samples
	p.buffers = append(p.buffers, b)
	p.samples += b.samples
}

// epochTag processes the tags with the samples and the limits of epochs.
func (p *part) epochTag(t tag) (err error) {
	switch t.kind {
	case tagFirst:
		p.epoch[0], err = p.integer(t)
	case tagLast:
		p.epoch[1], err = p.integer(t)
	case tagEpochs:
		p.epochs = t
	}
	return err
}

// cutEpochs adds each epoch as a run of samples with an event.
func (p *part) cutEpochs() error {
	p.epochs.typ &^= typeMatrix
	e := types[p.epochs.typ]
	if e.Size < 4 {
		return fmt.Errorf("epochs of type %d are not supported; rao reads float and double", p.epochs.typ)
	}
	length, count := int64(p.epoch[1])-int64(p.epoch[0])+1, int64(len(p.codes))
	each := length * int64(len(p.gain)) * int64(e.Size)
	switch {
	case length < 1 || each > maxBuffer || length > math.MaxInt32:
		return fmt.Errorf("an epoch is from sample %d to sample %d; the file is corrupt, so copy it again",
			p.epoch[0], p.epoch[1])
	case p.epochs.size-16 != each*count || count*length > math.MaxInt32:
		return fmt.Errorf("%d epochs of %d channels × %d samples need %d bytes, but have %d; the file is truncated "+
			"or corrupt, so copy it again", count, len(p.gain), length, each*count, p.epochs.size-16)
	}
	for k, c := range p.codes {
		p.info.Events = append(p.info.Events,
			signal.Event{Sample: p.samples - p.epoch[0], Code: c[2], Label: p.names[c[2]]})
		p.run(buffer{samples: int(length), r: p.r, at: p.epochs.at + int64(k)*each, elem: e, planar: true})
	}
	p.info.Format = fmt.Sprintf("FIF, %d epochs", count)
	return nil
}

// finish checks the complete recording and reads the events in the stimulus channels.
func (r *Reader) finish() error {
	if r.info.Samples == 0 {
		return errors.New("the file has no samples, so it is not a recording; name another file")
	}
	for _, name := range []string{"STI101", "STI 014"} {
		for i, c := range r.info.Channels {
			if c == name && r.stim == nil {
				r.stim = []int{i}
			}
		}
	}
	for i, kind := range r.info.Types {
		if kind == "stim" && (len(r.stim) == 0 || r.info.Channels[r.stim[0]] != "STI101" &&
			r.info.Channels[r.stim[0]] != "STI 014") {
			r.stim = append(r.stim, i)
		}
	}
	if len(r.stim) > 0 && len(r.info.Breaks) == 0 && !r.buffers[0].planar {
		if err := r.codes(); err != nil {
			return err
		}
	}
	signal.Sort(&r.info)
	return nil
}

// codes adds an event wherever the code in a stimulus channel increases.
func (r *Reader) codes() error {
	c := len(r.gain)
	last := make([]int64, len(r.stim))
	for k, b := range r.buffers {
		if b.r == nil {
			continue // not recorded
		}
		x, err := r.load(k)
		if err != nil {
			return err
		}
		for s := range b.samples {
			for j, ch := range r.stim {
				v := x[s*c+ch]
				if !(math.Abs(v) <= math.MaxInt32) {
					return fmt.Errorf("the stimulus channel %s has the value %g; event codes must be numbers of "+
						"at most %d in magnitude; correct the channel in MNE", r.info.Channels[ch], v, math.MaxInt32)
				}
				code := int64(math.Abs(v))
				if code > last[j] && b.first+s > 0 {
					r.info.Events = append(r.info.Events, signal.Event{Sample: b.first + s, Code: int(code)})
				}
				last[j] = code
			}
		}
	}
	return nil
}

// load reads buffer k as samples×channels. The slice is valid until the next call.
func (r *Reader) load(k int) ([]float64, error) {
	if r.cached == k+1 {
		return r.values, nil
	}
	r.cached = 0
	b, c := r.buffers[k], len(r.gain)
	raw, x := vec.Room(&r.raw, b.samples*c*b.elem.Size), vec.Room(&r.values, b.samples*c)
	if m, err := b.r.ReadAt(raw, b.at); m < len(raw) {
		return nil, fmt.Errorf("the samples cannot be read: %w", err)
	}
	if !b.planar {
		b.elem.DecodeFloat64(x, raw)
		for i := range x {
			x[i] *= r.gain[i%c]
		}
	} else {
		line := make([]float64, b.samples)
		for ch := range c {
			b.elem.DecodeFloat64(line, raw[ch*b.samples*b.elem.Size:])
			for k, v := range line {
				x[k*c+ch] = v * r.gain[ch]
			}
		}
	}
	r.cached = k + 1
	return x, nil
}

// ReadSamples implements [signal.Reader].
func (r *Reader) ReadSamples(dst []float64, first, count int) error {
	if err := r.info.CheckRange(dst, first, count); err != nil {
		return err
	}
	c := len(r.gain)
	for k := r.find(first); len(dst) > 0; k++ {
		b := r.buffers[k]
		n := min(b.first+b.samples-first, len(dst)/c)
		if b.r == nil { // not recorded
			for i := range n * c {
				dst[i] = math.NaN()
			}
		} else {
			x, err := r.load(k)
			if err != nil {
				return err
			}
			copy(dst[:n*c], x[(first-b.first)*c:])
		}
		dst, first = dst[n*c:], first+n
	}
	return nil
}

// find returns the index of the buffer that contains a sample.
func (r *Reader) find(sample int) int {
	return sort.Search(len(r.buffers), func(k int) bool { return r.buffers[k].first > sample }) - 1
}
