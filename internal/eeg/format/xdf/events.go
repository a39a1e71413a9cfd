package xdf

import (
	"fmt"
	"math"
	"strings"

	"rao/internal/eeg/format/signal"
	"rao/internal/linalg/vec"
	"rao/internal/text"
)

// recording returns a stream of signals as a recording. The events of the recording are the markers of the other
// streams.
func (f *file) recording(name string) (signal.Reader, error) {
	s, err := f.choose(name)
	if err != nil {
		return nil, err
	}
	if len(s.times) < 2 {
		return nil, fmt.Errorf("the stream %q has %s, but a signal needs at least two; choose another stream",
			s.head.Name, text.Plural(len(s.times), "sample", "samples"))
	}
	s.synchronize()
	s.dejitter()
	rate := 1 / s.interval()
	if !(math.Abs(rate/s.head.Rate-1) <= 0.1) {
		return nil, fmt.Errorf("the stream %q has %.4g samples per second by its time stamps, but %g by its header; "+
			"record the stream again without losing samples", s.head.Name, rate, s.head.Rate)
	}
	info := s.describe()
	for _, p := range s.pieces[1:] {
		info.Breaks = append(info.Breaks, p[0])
	}
	for _, m := range f.streams {
		if m != s && m.head.Rate == 0 && (m.elem.Size == 0 || strings.EqualFold(m.head.Type, "markers")) {
			m.synchronize()
			info.Events = append(info.Events, m.events(s)...)
		}
	}
	if f.cut {
		info.Skipped = append(info.Skipped, "the incomplete last chunk")
	}
	signal.Sort(info)
	return signal.NewMemory(info, s.values), nil
}

// describe returns the names, kinds, units and positions of the channels.
func (s *stream) describe() *signal.Info {
	n := s.head.Channels
	info := &signal.Info{Format: "XDF", Rate: s.head.Rate, Samples: len(s.times), Channels: make([]string, n),
		Units: make([]string, n), Reference: strings.TrimSpace(s.head.Reference)}
	for i := range n {
		info.Channels[i] = fmt.Sprintf("ch%d", i+1)
	}
	if len(s.head.Labels) != n {
		return info
	}
	info.Types, info.Positions = make([]string, n), make([][3]float64, n)
	for i, l := range s.head.Labels {
		if name := strings.TrimSpace(l.Label); name != "" {
			info.Channels[i] = name
		}
		info.Types[i] = strings.ToLower(strings.TrimSpace(l.Type))
		info.Units[i] = unit(strings.TrimSpace(l.Unit))
		if strings.EqualFold(strings.TrimSpace(l.Status), "bad") {
			info.Bad = append(info.Bad, info.Channels[i])
		}
		var p [3]float64
		if _, err := fmt.Sscan(l.Location.X+" "+l.Location.Y+" "+l.Location.Z, &p[0], &p[1], &p[2]); err == nil &&
			vec.Finite(p[0]+p[1]+p[2]) {
			info.Positions[i] = p
		}
	}
	return info
}

// unit converts spelled-out units to their symbols.
func unit(s string) string {
	switch strings.ToLower(s) {
	case "microvolts", "microvolt", "µv", "μv", "uv":
		return "uV"
	case "millivolts", "millivolt", "mv":
		return "mV"
	case "volts", "volt", "v":
		return "V"
	}
	return s
}

// events converts the markers of stream m to events at samples of stream s.
func (m *stream) events(s *stream) []signal.Event {
	var out []signal.Event
	for k, t := range m.times {
		e := signal.Event{Sample: s.sampleAt(t)}
		if m.elem.Size == 0 {
			e.Label = strings.TrimSpace(m.texts[k*m.head.Channels])
			e.Code = signal.Code(e.Label)
		} else if v := m.values[k*m.head.Channels]; v == math.Trunc(v) && math.Abs(v) <= math.MaxInt32 {
			e.Code = int(v)
		} else {
			e.Label = fmt.Sprintf("%g", v)
		}
		if e.Label != "" || e.Code != 0 {
			out = append(out, e)
		}
	}
	return out
}

// sampleAt returns the sample nearest to a time. It may be before the first or after the last sample.
func (s *stream) sampleAt(t float64) int {
	best, away := 0, math.Inf(1)
	for i, p := range s.pieces {
		lo, hi := s.times[p[0]], s.times[p[1]]
		k := float64(p[0])
		if hi > lo {
			k += (t - lo) / (hi - lo) * float64(p[1]-p[0])
		}
		if i > 0 {
			k = math.Max(k, float64(p[0]))
		}
		if i < len(s.pieces)-1 {
			k = math.Min(k, float64(p[1]))
		}
		distance := math.Max(0, math.Max(lo-t, t-hi))
		if distance < away {
			best, away = int(math.RoundToEven(math.Max(math.MinInt32, math.Min(math.MaxInt32, k)))), distance
		}
	}
	return best
}
