package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// smallRequest is the size up to which a request can use all of the server's memory. Larger requests must leave an
	// eighth of it free, so requests of a few rows can still be answered.
	smallRequest = 1 << 20
	// firstRead is the largest number of bytes allocated for a body before its first bytes arrive.
	firstRead = 16 << 10
)

// memory counts the memory of all requests: bodies, decoded numbers and answers.
type memory struct {
	used atomic.Int64
	most int64
}

// share is the part of the memory that one request uses. It belongs to one goroutine. A nil share is unlimited.
type share struct {
	of   *memory
	used int64
}

// shareOf returns the share of the request that w answers.
func shareOf(w http.ResponseWriter) *share {
	if r, ok := w.(*recorder); ok {
		return &r.share
	}
	return nil
}

// reserve adds n bytes to the share. The error has status 413 if n exceeds the total memory, and status 503 if too
// little is free at present.
func (s *share) reserve(n int64) error {
	if s == nil || s.of == nil || n <= 0 {
		return nil
	}
	limit := s.of.most
	if s.used > smallRequest-n {
		limit -= limit / 8
	}
	if n > limit-s.used {
		return &httpError{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request needs more than %d MiB of "+
			"memory with its numbers and its answer; send fewer observations at a time", limit>>20)}
	}
	if s.of.used.Add(n) > limit {
		s.of.used.Add(-n)
		return &httpError{http.StatusServiceUnavailable,
			"too many large requests are in progress; try again in a second"}
	}
	s.used += n
	return nil
}

func (s *share) reserveEach(count, size int) error {
	if size > 0 && int64(count) > math.MaxInt64/int64(size) {
		return s.reserve(math.MaxInt64)
	}
	return s.reserve(int64(count) * int64(size))
}

// give returns n unused bytes to the memory.
func (s *share) give(n int64) {
	if s != nil && s.of != nil {
		s.used -= n
		s.of.used.Add(-n)
	}
}

// release returns all bytes of the share.
func (s *share) release() { s.give(s.used) }

// grow returns a copy of numbers with a larger capacity. The new capacity is hint, but at least 4, if the old capacity
// is 0. Otherwise it is one and a half times the old capacity, but at least 64 more.
func (s *share) grow(numbers []float64, hint int) ([]float64, error) {
	size := cap(numbers) + max(cap(numbers)/2, 64)
	if cap(numbers) == 0 {
		size = max(hint, 4)
	}
	if err := s.reserveEach(size, 8); err != nil {
		return numbers, err
	}
	larger := append(make([]float64, 0, size), numbers...)
	s.give(8 * int64(cap(numbers)))
	return larger, nil
}

// room returns numbers with capacity for n more.
func (s *share) room(numbers []float64, n int) (_ []float64, err error) {
	for cap(numbers)-len(numbers) < n && err == nil {
		numbers, err = s.grow(numbers, n)
	}
	return numbers, err
}

// readBody reads a body. The memory that it uses grows with the received bytes and does not depend on the announced
// length. If there is too little memory, it discards the rest of the body before it returns an error.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	own := shareOf(w)
	plain, length, end, err := s.plainBody(w, r)
	if err != nil {
		return nil, err
	}
	body, err := readGrowing(plain, length, own)
	end()
	short := errors.As(err, new(*httpError)) && statusOf(err) != http.StatusBadRequest // there is too little memory
	if short {
		if _, late := io.Copy(io.Discard, r.Body); late != nil {
			return nil, late
		}
	} else if err != nil {
		return nil, err
	}
	if rec, ok := w.(*recorder); ok {
		rec.unread = false
	}
	if r.Body != http.NoBody {
		http.NewResponseController(w).SetReadDeadline(time.Time{}) // reading is not limited from here on
	}
	return body, err
}

// readGrowing reads all of r. length is the expected length, or negative if unknown.
func readGrowing(r io.Reader, length int, own *share) ([]byte, error) {
	size := firstRead
	if length >= 0 {
		size = min(length+1, size) // one more byte, which detects the end
	}
	var body []byte
	for {
		if err := own.reserve(int64(size)); err != nil {
			return nil, err
		}
		larger := append(make([]byte, 0, size), body...)
		own.give(int64(cap(body)))
		body = larger
		for len(body) < cap(body) {
			n, err := r.Read(body[len(body):cap(body)])
			body = body[:len(body)+n]
			if err == io.EOF {
				return body, nil
			}
			if err != nil {
				return nil, err
			}
		}
		switch {
		case size == firstRead && length >= 0:
			size *= 16 // large enough for most bodies, so they are copied once
		case size < 1<<20:
			size *= 4
		default:
			size += size / 2
		}
		if length >= len(body) {
			size = min(size, length+1)
		}
	}
}

// forget returns the memory of a body that is not needed after this call.
func (s *share) forget(body []byte) { s.give(int64(cap(body))) }

// lineMemory returns an upper bound of the memory needed to split the lines of delimited text into fields.
func lineMemory(text []byte) int64 {
	most := 0
	for line := range bytes.Lines(text) {
		fields := len(line) // an upper bound, because counting is too slow for short lines
		if fields > 4096 {
			fields = 1
			for _, delimiter := range []string{",", "\t", ";", " "} {
				fields += bytes.Count(line, []byte(delimiter))
			}
		}
		most = max(most, 3*len(line)+128*fields)
	}
	return int64(most)
}

// sinkFrom is the length above which an answer is sent in pieces.
const sinkFrom = 64 << 10

// sink buffers an answer. A short answer is sent at once. A longer answer is sent in pieces, so it is never in memory
// in full.
type sink struct {
	w    io.Writer
	b    []byte
	sent int
	err  error // first error of the writer; nothing is written after it
}

// spill sends the buffer if it is large enough. It returns false after an error.
func (s *sink) spill() bool {
	if len(s.b) >= sinkFrom {
		s.flush()
	}
	return s.err == nil
}

// list appends a JSON array of n elements. It ends early after an error of the writer.
func (s *sink) list(n int, add func(dst []byte, i int) []byte) {
	s.b = append(s.b, '[')
	for i := range n {
		if i > 0 {
			s.b = append(s.b, ',')
		}
		if s.b = add(s.b, i); !s.spill() {
			return
		}
	}
	s.b = append(s.b, ']')
}

func (s *sink) flush() error {
	if s.err == nil {
		_, s.err = s.w.Write(s.b)
		s.sent += len(s.b)
	}
	s.b = s.b[:0]
	return s.err
}
