// Package brainflow receives the live signal shared by a BrainFlow program.
//
// BrainFlow's streamer "streaming_board://225.1.1.1:6677" sends UDP datagrams to a multicast group. A datagram contains
// several packages. A package has one little-endian float64 for each row of the board's table. The datagrams do not
// contain the number of rows or their meaning; see BrainFlow's documentation of the board.
package brainflow

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"time"
)

// maxRows is the largest number of rows that a board may have.
const maxRows = 1 << 12

// Options describe the board. Rows is required.
type Options struct {
	Rows int // values per package
	// Counter is the row, from 0, that counts packages modulo 256. It is row 0 for most boards. A negative value means
	// that the board has no counter; losses are then not detected.
	Counter int
	// Silence is how long Read waits for a package before it fails; 0 means 15 s.
	Silence time.Duration
}

// Receiver receives the packages of a board.
type Receiver struct {
	conn *net.UDPConn
	opt  Options
	next int // next value of the counter; negative before the first package
	buf  []byte
	out  []float64
}

// Listen joins the multicast group at addr, such as 225.1.1.1:6677, on the network interface that the system chooses.
// If addr is not a multicast address, it listens on addr itself.
func Listen(addr string, opt Options) (*Receiver, error) {
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !at.Addr().Is4() {
		return nil, fmt.Errorf("%q is not an IPv4 address and a port, such as 225.1.1.1:6677", addr)
	}
	if opt.Rows < 1 || opt.Rows > maxRows {
		return nil, fmt.Errorf("the number of rows is %d; give the number that the board sends, from 1 to %d", opt.Rows,
			maxRows)
	}
	if opt.Counter >= opt.Rows {
		return nil, fmt.Errorf("row %d cannot be the row of the counter; the board has %d rows, so give a row from 0 "+
			"to %d", opt.Counter, opt.Rows, opt.Rows-1)
	}
	if opt.Silence <= 0 {
		opt.Silence = 15 * time.Second
	}
	r := &Receiver{opt: opt, next: -1, buf: make([]byte, 1<<16)}
	if at.Addr().IsMulticast() {
		r.conn, err = net.ListenMulticastUDP("udp4", nil, net.UDPAddrFromAddrPort(at))
	} else {
		r.conn, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
	}
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; check the address, or choose another port", addr, err)
	}
	return r, nil
}

// Addr returns the local address.
func (r *Receiver) Addr() netip.AddrPort { return r.conn.LocalAddr().(*net.UDPAddr).AddrPort() }

// Close stops listening.
func (r *Receiver) Close() error { return r.conn.Close() }

// Read waits for a datagram and returns its packages (packages×rows), which are valid until the next call. lost is
// the number of packages lost since the last datagram, modulo 256, or 0 without a counter.
func (r *Receiver) Read(ctx context.Context) (packages []float64, lost int, err error) {
	if err := r.conn.SetReadDeadline(time.Now().Add(r.opt.Silence)); err != nil {
		return nil, 0, err
	}
	defer context.AfterFunc(ctx, func() { _ = r.conn.SetReadDeadline(time.Now()) })()
	n, err := r.conn.Read(r.buf)
	switch {
	case ctx.Err() != nil:
		return nil, 0, ctx.Err()
	case isTimeout(err):
		return nil, 0, fmt.Errorf("nothing was received within %v; check that the board streams to this address",
			r.opt.Silence)
	case err != nil:
		return nil, 0, err
	}
	return r.parse(r.buf[:n])
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

func (r *Receiver) parse(b []byte) (packages []float64, lost int, err error) {
	if len(b) == 0 || len(b)%(8*r.opt.Rows) != 0 {
		return nil, 0, fmt.Errorf("a datagram of %d bytes does not consist of packages with %d rows of 8 bytes; use "+
			"the settings of the board that sends them", len(b), r.opt.Rows)
	}
	r.out = r.out[:0]
	for ; len(b) > 0; b = b[8:] {
		r.out = append(r.out, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	if r.opt.Counter < 0 {
		return r.out, 0, nil
	}
	for k := r.opt.Counter; k < len(r.out); k += r.opt.Rows {
		v := r.out[k]
		if v != math.Trunc(v) || v < 0 || v > 255 {
			return nil, 0, fmt.Errorf("row %d has the value %g, so it is not the row of the counter, which has "+
				"integers from 0 to 255; give another row", r.opt.Counter, v)
		}
		if r.next >= 0 {
			lost += (int(v) - r.next + 256) % 256
		}
		r.next = (int(v) + 1) % 256
	}
	return r.out, lost, nil
}
