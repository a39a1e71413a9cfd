package lsl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"time"

	"rao/internal/linalg/vec"
)

// These are the start of [Clock] and its value at that time; see sinceBoot.
var (
	began   = time.Now()
	beganAt = sinceBoot()
)

// Clock returns the time, in seconds, that this program uses for time stamps. On Linux it is the time since the machine
// started, as in the reference library, so programs on one machine agree without a correction. On other systems, it
// starts with the seconds since 1970. Setting the machine's clock does not affect it. To convert times of another
// machine, add the offset that an [Inlet] measures.
func Clock() float64 { return beganAt + time.Since(began).Seconds() }

// These constants for comparing clocks have the values of the reference library.
const (
	probes         = 8                      // questions per estimate
	leastProbes    = 6                      // replies needed for an estimate
	probeInterval  = 64 * time.Millisecond  // time between questions
	probeTimeout   = 128 * time.Millisecond // maximum time to wait for a reply
	updateInterval = 2 * time.Second        // time between estimates
)

// Offset is an estimate of the difference between two clocks.
type Offset struct {
	Seconds   float64 // to be added to the sender's times
	RoundTrip float64 // round-trip time of the fastest reply in seconds; the error is at most half of it
}

// probe asks an address for its time several times, at the given interval. It returns the estimate from the fastest
// reply, as NTP does.
func probe(ctx context.Context, addr netip.AddrPort, apart time.Duration) (Offset, error) {
	conn, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(addr))
	if err != nil {
		return Offset{}, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	best, answers := Offset{RoundTrip: math.Inf(1)}, 0
	buf := make([]byte, 1024)
	wave := time.Now().Nanosecond() / 1000 * 100 // different from the numbers of the last series
	for k := range probes {
		if k > 0 && apart > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(apart):
			}
		}
		if err := ctx.Err(); err != nil {
			return Offset{}, err
		}
		sent := Clock()
		if _, err := fmt.Fprintf(conn, "LSL:timedata\r\n%d %.16g\r\n", wave+k, sent); err != nil {
			continue
		}
		if o, ok := answer(conn, buf, wave+k, sent); ok {
			answers++
			if o.RoundTrip < best.RoundTrip {
				best = o
			}
		}
	}
	if answers < leastProbes {
		return Offset{}, fmt.Errorf("the clock of the stream at %v replied to only %d of %d "+
			"requests; check the network", addr, answers, probes)
	}
	return best, nil
}

// answer waits for the reply to a question.
func answer(conn *net.UDPConn, buf []byte, id int, sent float64) (Offset, bool) {
	if err := conn.SetReadDeadline(time.Now().Add(probeTimeout)); err != nil {
		return Offset{}, false
	}
	for {
		n, err := conn.Read(buf)
		back := Clock()
		if err != nil {
			return Offset{}, false
		}
		if o, got, err := parseAnswer(buf[:n], sent, back); err == nil && got == id {
			return o, true
		}
	}
}

// parseAnswer parses the reply " id t0 t1 t2". t0 is the time of the question; t1 and t2 are the times of its arrival
// and of the reply on the other clock. parseAnswer uses sent instead of t0, because the other side may have rounded t0.
func parseAnswer(text []byte, sent, back float64) (o Offset, id int, err error) {
	var t0, came, went float64
	if n, err := fmt.Sscan(string(text), &id, &t0, &came, &went); n != 4 {
		return o, 0, err
	}
	o.RoundTrip = (back - sent) - (went - came)
	o.Seconds = -((came - sent) + (went - back)) / 2
	if !vec.Finite(o.Seconds) || o.RoundTrip < -1e-3 {
		return o, 0, errors.New("the reply contains impossible times")
	}
	o.RoundTrip = max(o.RoundTrip, 0)
	return o, id, nil
}

// timeReply returns the reply to a question about the time, or nil for any other text.
func timeReply(question []byte, came float64) []byte {
	var id int
	var sent float64
	if n, _ := fmt.Sscan(string(question), &id, &sent); n != 2 {
		return nil
	}
	return fmt.Appendf(nil, " %d %.16g %.16g %.16g", id, sent, came, Clock())
}
