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
	// smallRequest is the memory up to which a request may use all of the server's. Larger
	// ones leave it an eighth, so that they cannot keep out requests of a few rows.
	smallRequest = 1 << 20
	// firstRead is the most memory that a body has before its first bytes are there.
	firstRead = 16 << 10
)

// memory is what all requests hold together: bodies, decoded numbers and answers.
type memory struct {
	held atomic.Int64
	most int64
}

// share is what one request holds of the memory. It belongs to one goroutine. A nil share is
// unbounded.
type share struct {
	of   *memory
	held int64
}

// shareOf is the share of the request that w answers.
func shareOf(w http.ResponseWriter) *share {
	if r, ok := w.(*recorder); ok {
		return &r.share
	}
	return nil
}

// take adds n bytes to the share. It is an error of status 413 if n can never fit, and of
// status 503 if it does not fit now.
func (s *share) take(n int64) error {
	if s == nil || s.of == nil || n <= 0 {
		return nil
	}
	limit := s.of.most
	if s.held > smallRequest-n {
		limit -= limit / 8
	}
	if n > limit-s.held {
		return &httpError{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request needs more than %d MiB of "+
			"memory with its numbers and its answer; send fewer observations at a time", limit>>20)}
	}
	if s.of.held.Add(n) > limit {
		s.of.held.Add(-n)
		return &httpError{http.StatusServiceUnavailable, "too many large requests are under way; try again in a second"}
	}
	s.held += n
	return nil
}

// takeEach is take for count times size bytes.
func (s *share) takeEach(count, size int) error {
	if size > 0 && int64(count) > math.MaxInt64/int64(size) {
		return s.take(math.MaxInt64)
	}
	return s.take(int64(count) * int64(size))
}

// give returns n bytes that are not used anymore.
func (s *share) give(n int64) {
	if s != nil && s.of != nil {
		s.held -= n
		s.of.held.Add(-n)
	}
}

// release returns all.
func (s *share) release() { s.give(s.held) }

// grow returns the numbers with room for another one: for hint numbers if there were none,
// else for half as many again.
func (s *share) grow(numbers []float64, hint int) ([]float64, error) {
	size := cap(numbers) + max(cap(numbers)/2, 64)
	if cap(numbers) == 0 {
		size = max(hint, 4)
	}
	if err := s.takeEach(size, 8); err != nil {
		return numbers, err
	}
	larger := append(make([]float64, 0, size), numbers...)
	s.give(8 * int64(cap(numbers)))
	return larger, nil
}

// room returns the numbers with room for n more.
func (s *share) room(numbers []float64, n int) (_ []float64, err error) {
	for cap(numbers)-len(numbers) < n && err == nil {
		numbers, err = s.grow(numbers, n)
	}
	return numbers, err
}

// readBody reads a body. Its memory grows with what has come, whatever length the client
// announced. A client whose body finds no memory may send the rest of it and gets the error then.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	own := shareOf(w)
	plain, length, end, err := s.plainBody(w, r)
	if err != nil {
		return nil, err
	}
	body, err := readGrowing(plain, length, own)
	end()
	short := errors.As(err, new(*httpError)) && statusOf(err) != http.StatusBadRequest // of memory
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
		http.NewResponseController(w).SetReadDeadline(time.Time{}) // what follows may take its time
	}
	return body, err
}

// readGrowing reads all of r, of the given length unless that is negative.
func readGrowing(r io.Reader, length int, own *share) ([]byte, error) {
	size := firstRead
	if length >= 0 {
		size = min(length+1, size) // the end is seen without another step
	}
	var body []byte
	for {
		if err := own.take(int64(size)); err != nil {
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
			size *= 16 // most bodies then have their length, and are copied once
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

// forget gives back the memory of a body that has been read.
func (s *share) forget(body []byte) { s.give(int64(cap(body))) }

// lineMemory is what it takes at most to cut the lines of delimited text into fields.
func lineMemory(text []byte) int64 {
	most := 0
	for line := range bytes.Lines(text) {
		fields := len(line) // of a short line no count is worth its time
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

// sinkFrom is the length from which an answer goes out in pieces.
const sinkFrom = 64 << 10

// sink is an answer on its way. One that is short is sent at once; a longer one goes out in
// pieces, and never lies in memory in full.
type sink struct {
	w    io.Writer
	b    []byte
	sent int
	err  error // of the writer; nothing is written after it
}

// spill sends what there is if it is enough of it, and reports whether to go on.
func (s *sink) spill() bool {
	if len(s.b) >= sinkFrom {
		s.flush()
	}
	return s.err == nil
}

func (s *sink) flush() error {
	if s.err == nil {
		_, s.err = s.w.Write(s.b)
		s.sent += len(s.b)
	}
	s.b = s.b[:0]
	return s.err
}
