package lsl

import (
	"context"
	"sync"
)

// queue buffers the received samples until they are pulled. If the queue is full, it drops the oldest sample. One
// goroutine pushes and another pulls.
type queue struct {
	channels int
	limit    int // maximum number of samples
	text     bool
	ready    chan struct{} // capacity 1; signals a change

	mu     sync.Mutex
	marks  []mark // ring buffer of samples; values and texts have channels entries for each
	values []float64
	texts  []string
	first  int
	count  int
	err    error // why the stream ended
	total  int64 // number of samples lost
	away   bool  // the stream was lost and pull has not reported it yet
}

// mark describes a sample without its values.
type mark struct {
	at     float64
	lost   int64 // number of samples lost before it
	begins bool  // it is not contiguous with the previous sample
}

func newQueue(channels, limit int, text bool) *queue {
	return &queue{channels: channels, limit: limit, text: text, ready: make(chan struct{}, 1)}
}

// push appends a sample. If the queue is full, it drops the oldest sample.
func (q *queue) push(m mark, values []float64, texts []string) {
	q.mu.Lock()
	q.total += m.lost
	if q.count == len(q.marks) {
		if q.count < q.limit {
			q.grow()
		} else {
			q.drop()
		}
	}
	at := (q.first + q.count) % len(q.marks)
	q.marks[at] = m
	if q.text {
		copy(q.texts[at*q.channels:], texts)
	} else {
		copy(q.values[at*q.channels:], values)
	}
	q.count++
	q.mu.Unlock()
	q.signal()
}

// drop drops the oldest sample and marks a break after it.
func (q *queue) drop() {
	lost := q.marks[q.first].lost + 1
	q.first = (q.first + 1) % len(q.marks)
	q.count--
	q.total++
	if q.count > 0 {
		next := &q.marks[q.first]
		next.lost, next.begins = next.lost+lost, true
	}
}

// grow doubles the capacity, up to the limit.
func (q *queue) grow() {
	size := min(max(64, 2*len(q.marks)), q.limit)
	marks := make([]mark, size)
	var values []float64
	var texts []string
	if q.text {
		texts = make([]string, size*q.channels)
	} else {
		values = make([]float64, size*q.channels)
	}
	for k := range q.count {
		at := (q.first + k) % len(q.marks)
		marks[k] = q.marks[at]
		if q.text {
			copy(texts[k*q.channels:], q.texts[at*q.channels:(at+1)*q.channels])
		} else {
			copy(values[k*q.channels:], q.values[at*q.channels:(at+1)*q.channels])
		}
	}
	q.marks, q.values, q.texts, q.first = marks, values, texts, 0
}

// leave records that the stream was lost, possibly only for a while.
func (q *queue) leave() {
	q.mu.Lock()
	q.away = true
	q.mu.Unlock()
	q.signal()
}

// end records that no more samples will arrive.
func (q *queue) end(err error) {
	q.mu.Lock()
	if q.err == nil {
		q.err = err
	}
	q.mu.Unlock()
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// pull moves the available samples, up to the next break, into c. If none is available, it waits until a sample
// arrives, the stream is lost or the stream ends.
func (q *queue) pull(ctx context.Context, c *Chunk) error {
	for {
		q.mu.Lock()
		if q.count > 0 {
			q.fill(c)
			q.mu.Unlock()
			return nil
		}
		err, away := q.err, q.away
		q.away = false
		q.mu.Unlock()
		switch {
		case err != nil:
			return err
		case away:
			*c = Chunk{Times: c.Times[:0], Values: c.Values[:0], Texts: c.Texts[:0], Away: true}
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-q.ready:
		}
	}
}

func (q *queue) fill(c *Chunk) {
	c.Times, c.Values, c.Texts = c.Times[:0], c.Values[:0], c.Texts[:0]
	m := q.marks[q.first]
	c.Begins, c.Lost, c.Away = m.begins, m.lost, false
	for k := 0; q.count > 0; k++ {
		m := q.marks[q.first]
		if k > 0 && m.begins {
			break
		}
		c.Times = append(c.Times, m.at)
		if q.text {
			c.Texts = append(c.Texts, q.texts[q.first*q.channels:(q.first+1)*q.channels]...)
		} else {
			c.Values = append(c.Values, q.values[q.first*q.channels:(q.first+1)*q.channels]...)
		}
		q.first = (q.first + 1) % len(q.marks)
		q.count--
	}
}
