// Package websocket speaks the WebSocket protocol, version 13 (Fette and Melnikov,
// RFC 6455), without extensions: what live streams of samples and decisions need. [Accept]
// is the side of the server, [Dial] that of a client.
//
// Everything from the other side is bounded and checked. A frame that the RFC forbids ends
// the connection with the status that the RFC names.
package websocket

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Kind is the kind of a message.
type Kind byte

// The kinds of messages. Text is UTF-8.
const (
	Text   Kind = 1
	Binary Kind = 2
)

// opcodes of frames beside the kinds of messages
const (
	continuation = 0
	opClose      = 8
	opPing       = 9
	opPong       = 10
)

// Status is why a connection ends (RFC 6455, section 7.4.1).
type Status uint16

// The statuses that this package sends or that a user of it may send.
const (
	Normal      Status = 1000
	GoingAway   Status = 1001
	Protocol    Status = 1002 // a frame that the RFC forbids
	NotAccepted Status = 1003 // a kind of message that is not taken
	noStatus    Status = 1005 // of a close frame without one; never sent
	BadPayload  Status = 1007 // text that is no UTF-8, or data that do not fit
	Policy      Status = 1008
	TooBig      Status = 1009
	Unexpected  Status = 1011
)

// CloseError ends a connection: the other side closed it, or broke the protocol.
type CloseError struct {
	Status Status
	Reason string
}

func (e *CloseError) Error() string {
	return fmt.Sprintf("the connection was closed with status %d: %s", e.Status, e.Reason)
}

// Conn is an open connection. One goroutine may read and others may write.
type Conn struct {
	net    net.Conn
	r      *bufio.Reader
	client bool
	limit  int           // bytes of a message
	quiet  time.Duration // longest time between two frames that come
	waits  time.Time     // when the last deadline of reading was set

	closed atomic.Bool // a close frame was sent
	mu     sync.Mutex  // of sending
	out    []byte      // the frame being sent
}

// writeTime is how long the other side may take to receive a frame.
const writeTime = 30 * time.Second

// longest control frames
const maxControl = 125

// Read returns the next message, whose bytes are put in buf when they fit. Pings are
// answered. The error is a *CloseError when the other side closed the connection or sent
// what may not be; it was told so then.
func (c *Conn) Read(buf []byte) (Kind, []byte, error) {
	msg, kind := buf[:0], Kind(0)
	for {
		h, err := c.header()
		if err != nil {
			return 0, nil, c.failed(err)
		}
		if h.op >= opClose {
			if err := c.control(h); err != nil {
				return 0, nil, c.failed(err)
			}
			continue
		}
		switch {
		case h.op == continuation && kind == 0:
			err = broken("a continuation of no message")
		case h.op != continuation && kind != 0:
			err = broken("a message within a message")
		case h.length > int64(c.limit-len(msg)):
			err = &CloseError{TooBig, fmt.Sprintf("a message has at most %d bytes", c.limit)}
		}
		if err != nil {
			return 0, nil, c.failed(err)
		}
		if h.op != continuation {
			kind = Kind(h.op)
		}
		if msg, err = c.payload(msg, h); err != nil {
			return 0, nil, c.failed(err)
		}
		if !h.final {
			continue
		}
		if kind == Text && !utf8.Valid(msg) {
			return 0, nil, c.failed(&CloseError{BadPayload, "a text that is no UTF-8"})
		}
		return kind, msg, nil
	}
}

// header is that of a frame.
type header struct {
	final  bool
	op     byte
	length int64
	masked bool
	mask   [4]byte
}

func broken(what string) error { return &CloseError{Protocol, what} }

// header reads and checks the header of the next frame.
func (c *Conn) header() (h header, err error) {
	if now := time.Now(); c.quiet > 0 && now.Sub(c.waits) > c.quiet/8 && !c.closed.Load() {
		c.waits = now // a deadline costs more than a frame
		if err := c.net.SetReadDeadline(now.Add(c.quiet + c.quiet/8)); err != nil {
			return h, err
		}
	}
	var b [8]byte
	if _, err := io.ReadFull(c.r, b[:2]); err != nil {
		return h, err
	}
	h.final, h.op, h.masked, h.length = b[0]&0x80 != 0, b[0]&0xf, b[1]&0x80 != 0, int64(b[1]&0x7f)
	switch {
	case b[0]&0x70 != 0:
		return h, broken("a reserved bit is set and no extension was agreed on")
	case h.op > byte(Binary) && h.op < opClose || h.op > opPong:
		return h, broken(fmt.Sprintf("a frame of kind %d", h.op))
	case h.op >= opClose && (!h.final || h.length > maxControl):
		return h, broken("a control frame in pieces, or of more than 125 bytes")
	case h.masked == c.client:
		return h, broken("frames of a client are masked, those of a server are not")
	}
	least, more := int64(0), 0
	switch h.length {
	case 126:
		least, more = 126, 2
	case 127:
		least, more = 1<<16, 8
	}
	if more > 0 {
		if _, err := io.ReadFull(c.r, b[8-more:]); err != nil {
			return h, err
		}
		clear(b[:8-more])
		h.length = int64(binary.BigEndian.Uint64(b[:]))
		if h.length < least {
			return h, broken("a length that is negative or written with too many bytes")
		}
	}
	if h.masked {
		_, err = io.ReadFull(c.r, h.mask[:])
	}
	return h, err
}

// payload appends the bytes of a frame. Memory grows as they come, not as they are promised.
func (c *Conn) payload(dst []byte, h header) ([]byte, error) {
	from := len(dst)
	for left := int(h.length); left > 0; {
		n := min(left, 64<<10)
		dst = slices.Grow(dst, n)[:len(dst)+n]
		if _, err := io.ReadFull(c.r, dst[len(dst)-n:]); err != nil {
			return dst, err
		}
		left -= n
	}
	if h.masked {
		mask(dst[from:], h.mask)
	}
	return dst, nil
}

// mask combines the bytes with the key, which also undoes it.
func mask(b []byte, key [4]byte) {
	k := binary.LittleEndian.Uint32(key[:])
	wide := uint64(k)<<32 | uint64(k)
	for len(b) >= 8 {
		binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)^wide)
		b = b[8:]
	}
	for i := range b {
		b[i] ^= key[i%4]
	}
}

// control answers a control frame; a close frame is the error that it ends the connection by.
func (c *Conn) control(h header) error {
	var room [maxControl]byte
	b, err := c.payload(room[:0], h)
	if err != nil {
		return err
	}
	switch h.op {
	case opPing:
		if err := c.frame(opPong, b); err != errClosed { // nothing is sent after a close frame
			return err
		}
		return nil
	case opPong:
		return nil
	}
	end := &CloseError{Status: noStatus}
	if len(b) == 1 {
		return broken("a close frame of one byte")
	}
	if len(b) > 1 {
		end.Status, end.Reason = Status(binary.BigEndian.Uint16(b)), string(b[2:])
		if !end.Status.valid() {
			return broken(fmt.Sprintf("a close frame with status %d", end.Status))
		}
		if !utf8.ValidString(end.Reason) {
			return &CloseError{BadPayload, "a reason that is no UTF-8"}
		}
	}
	return end
}

// valid reports whether a close frame may have the status.
func (s Status) valid() bool {
	return s >= 1000 && s <= 1014 && s != 1004 && s != noStatus && s != 1006 || s >= 3000 && s < 5000
}

// failed ends the connection after an error of reading. A close frame is answered by its
// own status.
func (c *Conn) failed(err error) error {
	var end *CloseError
	if errors.As(err, &end) {
		c.Shutdown(end.Status, end.Reason)
	}
	return err
}

// Write sends a message in one frame.
func (c *Conn) Write(kind Kind, msg []byte) error { return c.frame(byte(kind), msg) }

// Ping asks the other side for a sign of life, which Read takes.
func (c *Conn) Ping() error { return c.frame(opPing, nil) }

// Shutdown tells the other side that the connection ends, once. Read goes on until the
// other side has said so too, for five seconds at most.
func (c *Conn) Shutdown(status Status, reason string) error {
	var b []byte
	if status != noStatus {
		for len(reason) > maxControl-2 || !utf8.ValidString(reason) {
			reason = reason[:len(reason)-1]
		}
		b = append(binary.BigEndian.AppendUint16(nil, uint16(status)), reason...)
	}
	err := c.frame(opClose, b)
	c.net.SetReadDeadline(time.Now().Add(5 * time.Second))
	return err
}

var errClosed = errors.New("the connection is closed")

// frame sends one frame, none after a close frame.
func (c *Conn) frame(op byte, payload []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed.Load() {
		return errClosed
	}
	if op == opClose {
		c.closed.Store(true)
	}
	var err error
	if c.out, err = appendFrame(c.out[:0], op, payload, c.client); err != nil {
		return err
	}
	if err := c.net.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	_, err = c.net.Write(c.out)
	return err
}

// Close closes the connection beneath. What the other side has sent and nobody has read is
// read first, for half a second at most: closed before, the last frame might not arrive.
func (c *Conn) Close() error {
	if half, ok := c.net.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		c.net.SetReadDeadline(time.Now().Add(time.Second / 2))
		io.CopyN(io.Discard, c.net, 1<<20)
	}
	return c.net.Close()
}
