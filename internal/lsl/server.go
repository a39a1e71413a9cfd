package lsl

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"
)

// requestTimeout is the time limit for receiving a request.
const requestTimeout = 10 * time.Second

// maxConns limits the number of connections to an outlet.
const maxConns = 256

// answer replies to the datagrams of a socket: queries for streams and, if clock is true, questions about the time.
func (o *Outlet) answer(conn *net.UDPConn, clock bool) {
	defer o.done.Done()
	buf := make([]byte, 1<<14)
	for {
		n, from, err := conn.ReadFromUDPAddrPort(buf)
		came := Clock()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		method, rest, _ := strings.Cut(string(buf[:n]), "\n")
		switch strings.TrimSpace(method) {
		case "LSL:shortinfo":
			if reply, port := o.shortReply(rest); reply != nil {
				from = netip.AddrPortFrom(from.Addr(), port)
				_, _ = conn.WriteToUDPAddrPort(reply, from) // the sender repeats its query if this is lost
			}
		case "LSL:timedata":
			if reply := timeReply([]byte(rest), came); clock && reply != nil {
				_, _ = conn.WriteToUDPAddrPort(reply, from)
			}
		}
	}
}

// shortReply returns the reply to a query for streams, or nil if it is not a query or does not match.
func (o *Outlet) shortReply(question string) (reply []byte, port uint16) {
	text, rest, _ := strings.Cut(question, "\n")
	words := strings.Fields(rest)
	if len(words) < 2 {
		return nil, 0
	}
	back, err := strconv.ParseUint(words[0], 10, 16)
	if err != nil || back == 0 || !o.chosen(text) {
		return nil, 0
	}
	return append([]byte(words[1]+"\r\n"), o.info.short()...), uint16(back)
}

// chosen reports whether a query selects this stream. A query that cannot be parsed selects no stream.
func (o *Outlet) chosen(text string) bool {
	q, err := ParseQuery(text)
	return err == nil && q.Match(&o.info)
}

func (o *Outlet) accept() {
	defer o.done.Done()
	for {
		conn, err := o.listen.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // possibly no file descriptors are left
			continue
		}
		o.mu.Lock()
		if o.closed || len(o.conns) >= maxConns {
			o.mu.Unlock()
			conn.Close()
			continue
		}
		o.conns[conn] = true
		o.done.Add(1)
		o.mu.Unlock()
		go func() {
			defer o.done.Done()
			defer func() {
				conn.Close()
				o.mu.Lock()
				delete(o.conns, conn)
				o.mu.Unlock()
			}()
			o.request(conn)
		}()
	}
}

func (o *Outlet) request(conn net.Conn) {
	if conn.SetDeadline(time.Now().Add(requestTimeout)) != nil {
		return
	}
	r := bufio.NewReader(io.LimitReader(conn, 1<<20)) // limits the request; consumers send nothing after it
	line, err := readLine(r)
	if err != nil {
		return
	}
	method, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch {
	case method == "LSL:shortinfo":
		if line, err = readLine(r); err == nil && o.chosen(line) {
			_, _ = conn.Write(o.info.short())
		}
	case method == "LSL:fullinfo":
		_, _ = conn.Write(o.info.full())
	case strings.HasPrefix(method, "LSL:streamfeed"):
		head, order, limit := o.feed(method, strings.TrimSpace(rest), r)
		if _, err := conn.Write(head); err == nil && order != nil {
			o.stream(conn, order, limit)
		}
	}
}

// feed handles a request for samples. head is the start of the response, including the test patterns. order is the
// byte order, or nil if the request is refused. limit is the maximum number of buffered samples.
func (o *Outlet) feed(method, uid string, r *bufio.Reader) (head []byte, order byteOrder, limit int) {
	refuse := func(status string) ([]byte, byteOrder, int) {
		return fmt.Appendf(nil, "LSL/%d %s\r\n\r\n", protocolVersion, status), nil, 0
	}
	version, err := strconv.Atoi(strings.TrimPrefix(method, "LSL:streamfeed/"))
	if err != nil || version < protocolVersion || version >= 200 {
		return refuse("505 Version not supported")
	}
	headers, err := readHeaders(r)
	if err != nil {
		return nil, nil, 0
	}
	if uid != "" && !strings.EqualFold(uid, o.info.UID) {
		return refuse("404 Not found")
	}
	if f := headers["has-ieee754-floats"]; f == "0" || strings.EqualFold(f, "false") {
		return refuse("505 Version not supported")
	}
	name := "1234"
	order = binary.LittleEndian
	if headers["native-byte-order"] == "4321" {
		name, order = "4321", binary.BigEndian
	}
	limit = o.limit
	if n, err := strconv.Atoi(headers["max-buffer-length"]); err == nil && n > 0 {
		limit = min(limit, n)
	}
	head = fmt.Appendf(nil, "LSL/%d 200 OK\r\nUID: %s\r\nByte-Order: %s\r\nSuppress-Subnormals: 0\r\n"+
		"Data-Protocol-Version: %d\r\n\r\n", protocolVersion, o.info.UID, name, protocolVersion)
	return newCodec(o.info.Format, o.info.ChannelCount, order).appendPatterns(head), order, limit
}

// stream sends samples until the consumer disconnects or the outlet is closed.
func (o *Outlet) stream(conn net.Conn, order byteOrder, limit int) {
	if conn.SetDeadline(time.Time{}) != nil {
		return
	}
	c := newConsumer(order, limit)
	defer close(c.ended)
	if !o.admit(c) {
		return
	}
	defer o.dismiss(c)
	gone := make(chan struct{})
	go func() { // a consumer sends nothing, so the read ends when it disconnects
		defer close(gone)
		_, _ = io.Copy(io.Discard, conn)
		c.finish()
	}()
	for {
		b, ok := c.next()
		if !ok {
			break
		}
		if _, err := conn.Write(b); err != nil {
			break
		}
	}
	conn.Close()
	<-gone
}

// admit adds a consumer, unless the outlet is closed.
func (o *Outlet) admit(c *consumer) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.consumers[c] = true
	o.wake()
	return true
}

func (o *Outlet) dismiss(c *consumer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.consumers, c)
	o.wake()
}

// wake wakes the goroutines that wait for consumers.
func (o *Outlet) wake() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// consumer is a connected consumer with its buffer of samples.
type consumer struct {
	order byteOrder
	limit int           // maximum number of buffered samples
	ended chan struct{} // closed when nothing more will be sent

	mu      sync.Mutex
	filled  *sync.Cond
	waiting []block
	samples int
	last    bool // nothing will be added to the buffer
}

func newConsumer(order byteOrder, limit int) *consumer {
	c := &consumer{order: order, limit: limit, ended: make(chan struct{})}
	c.filled = sync.NewCond(&c.mu)
	return c
}

// offer adds a block to the buffer, and returns how many old samples were dropped because the buffer was full.
func (c *consumer) offer(b block) (lost int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, b)
	c.samples += b.samples
	for c.samples > c.limit && len(c.waiting) > 1 {
		lost += int64(c.waiting[0].samples)
		c.samples -= c.waiting[0].samples
		c.waiting = c.waiting[1:]
	}
	c.filled.Signal()
	return lost
}

// finish records that there will be no more blocks.
func (c *consumer) finish() {
	c.mu.Lock()
	c.last = true
	c.mu.Unlock()
	c.filled.Signal()
}

// next waits for blocks and returns the bytes of all buffered blocks. ok is false at the end.
func (c *consumer) next() (data []byte, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.waiting) == 0 && !c.last {
		c.filled.Wait()
	}
	if len(c.waiting) == 0 {
		return nil, false
	}
	if len(c.waiting) == 1 {
		data = c.waiting[0].data
	} else {
		for _, b := range c.waiting {
			data = append(data, b.data...)
		}
	}
	c.waiting, c.samples = nil, 0
	return data, true
}
