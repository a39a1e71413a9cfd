package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"time"

	"rao/internal/decisionrecord"
	"rao/internal/format/ndarray"
	"rao/internal/format/table"
	"rao/internal/text"
	"rao/model"
)

// blockBytes is the size of the buffer for reading a body, and the limit for the size of a sample.
const blockBytes = 64 << 10

var errPushing = &httpError{http.StatusConflict,
	"another request is sending samples to this stream; send one request at a time"}

// pushSamples passes samples to the decoder of a stream until the body ends. A sample is a line of numbers as in JSON
// or CSV, or a sequence of binary numbers. It contains one value for each channel.
func (s *Server) pushSamples(w http.ResponseWriter, r *http.Request) error {
	st, err := s.streams.find(r.PathValue("id"))
	if err != nil {
		return err
	}
	if !st.pushing.TryLock() {
		return errPushing
	}
	defer st.pushing.Unlock()
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return badRequest("Content-Type: %v; send application/x-f64, application/x-f32 or application/x-ndjson", err)
	}
	size := map[string]int{"application/x-f64": 8, "application/x-f32": 4, "application/x-ndjson": 0, "text/csv": 0}
	elem, ok := size[kind]
	if !ok {
		return &httpError{http.StatusUnsupportedMediaType, "Content-Type " + kind + "; send application/x-f64, " +
			"application/x-f32 or application/x-ndjson"}
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return &httpError{http.StatusUnsupportedMediaType,
			"samples are sent without compression; leave out Content-Encoding"}
	}
	before := st.samples
	err = s.pump(w, r, st, elem)
	if rec, ok := w.(*recorder); ok {
		rec.rows += int(st.samples - before)
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusAccepted, map[string]int64{"samples": st.samples - before})
}

// pump reads the body in pieces and decodes complete samples as they arrive.
func (s *Server) pump(w http.ResponseWriter, r *http.Request, st *stream, elem int) error {
	buf := make([]byte, 0, blockBytes)
	control := http.NewResponseController(w)
	var values []float64
	for {
		if len(buf) == cap(buf) {
			return badRequest("a sample is longer than the limit of %d bytes", cap(buf))
		}
		control.SetReadDeadline(time.Now().Add(s.opt.Idle)) // a source may pause
		n, err := r.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		st.took = time.Now()
		done := errors.Is(err, io.EOF)
		if err != nil && !done {
			return err
		}
		var used int
		var bad error
		if elem == 0 {
			values, used, bad = parseLines(values[:0], buf, st.width, done, st.samples)
		} else {
			values, used = parseBinary(values[:0], buf, elem, st.width)
		}
		if err := s.decode(r.Context(), st, values); err != nil {
			return err
		}
		if bad != nil {
			return bad
		}
		buf = buf[:copy(buf, buf[used:])]
		if !done {
			continue
		}
		if len(buf) > 0 {
			return badRequest("the body ends within a sample: %s are left, but a sample of %s needs %s",
				text.Plural(len(buf), "byte", "bytes"), text.Plural(st.width, "value", "values"),
				text.Plural(st.width*elem, "byte", "bytes"))
		}
		return nil
	}
}

// decode passes the samples to the decoder when it is the turn of the stream.
func (s *Server) decode(ctx context.Context, st *stream, values []float64) error {
	if len(values) == 0 {
		return nil
	}
	leave, err := s.gate.join(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := st.touch(true); err != nil {
		return err
	}
	st.samples += int64(len(values) / st.width)
	emit := func(d model.Decision) error {
		took := time.Since(st.took)
		r := decisionrecord.Of(&d, st.entry.model.Classes, took)
		r.Posterior = make([]float64, len(d.LogPosterior))
		for i, v := range d.LogPosterior {
			r.Posterior[i] = math.Exp(v)
		}
		st.add(r)
		s.metrics.streamed(st.entry.name, took)
		return nil
	}
	if !st.complete {
		return st.decoder.Push(ctx, values, emit)
	}
	for ; len(values) > 0; values = values[st.width:] { // complete observations are classified directly
		d, err := st.decoder.Observe(values[:st.width])
		if err != nil {
			return err
		}
		if err := emit(d); err != nil {
			return err
		}
	}
	return nil
}

// parseBinary appends the complete samples in buf to dst and returns the number of bytes used.
func parseBinary(dst []float64, buf []byte, elem, width int) ([]float64, int) {
	n := len(buf) / (elem * width) * width
	dst = append(dst, make([]float64, n)...)
	ndarray.Elem{Kind: 'f', Size: elem}.DecodeFloat64(dst[len(dst)-n:], buf)
	return dst, n * elem
}

// parseLines appends the samples of the complete lines in buf to dst and returns the number of bytes used. If done is
// true, the last line needs no line break. sample is the number of the first sample, for messages.
func parseLines(dst []float64, buf []byte, width int, done bool, sample int64) ([]float64, int, error) {
	used := 0
	for used < len(buf) {
		line, rest, whole := bytes.Cut(buf[used:], []byte{'\n'})
		if !whole && !done {
			break
		}
		used = len(buf) - len(rest)
		if line = trimLine(line); len(line) == 0 {
			continue
		}
		before := len(dst)
		for field := range table.Fields(line, ',') {
			v, ok := table.ParseFloat(field)
			if !ok || len(field) == 0 {
				return dst[:before], used, badRequest("sample %d, value %d: %q is not a number; send a number",
					sample, len(dst)-before, field)
			}
			dst = append(dst, v)
		}
		if len(dst)-before != width {
			return dst[:before], used, badRequest("sample %d has %s, but the stream needs %d", sample,
				text.Plural(len(dst)-before, "value", "values"), width)
		}
		sample++
	}
	return dst, used, nil
}

// trimLine removes spaces and the brackets of a JSON array.
func trimLine(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if len(line) >= 2 && line[0] == '[' && line[len(line)-1] == ']' {
		line = bytes.TrimSpace(line[1 : len(line)-1])
	}
	return line
}
