package lsl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"time"
)

// Where Clock begins to count, and what it counted then: see sinceBoot.
var (
	began   = time.Now()
	beganAt = sinceBoot()
)

// Clock returns the time that this program stamps samples with, in seconds. On Linux these are the seconds since the
// machine started, as the reference library counts them there: programs on one machine agree without a correction.
// Elsewhere it begins as the seconds since 1970. It runs steadily: setting the machine's clock does not move it. With
// the clocks of other machines it agrees only by the offset that an Inlet measures.
func Clock() float64 { return beganAt + time.Since(began).Seconds() }

// How a clock is compared, as the reference library does it.
const (
	probes         = 8                      // questions in a wave
	leastProbes    = 6                      // answers that make an estimate
	probeInterval  = 64 * time.Millisecond  // between questions
	probeTimeout   = 128 * time.Millisecond // for an answer
	updateInterval = 2 * time.Second        // between waves
)

// Offset is what an Inlet knows of the clock of its stream.
type Offset struct {
	Seconds   float64 // what is added to the sender's times
	RoundTrip float64 // of the best question in seconds: the error is at most half of it
}

// probe asks the clock of an address in a wave of questions, some time apart, and returns
// the estimate of the quickest answer, as NTP does.
func probe(ctx context.Context, addr netip.AddrPort, apart time.Duration) (Offset, error) {
	conn, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(addr))
	if err != nil {
		return Offset{}, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	best, answers := Offset{RoundTrip: math.Inf(1)}, 0
	buf := make([]byte, 1024)
	wave := time.Now().Nanosecond() / 1000 * 100 // distinct from that of the wave before
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
		return Offset{}, fmt.Errorf("the clock of the stream at %v answered %d of %d questions", addr, answers, probes)
	}
	return best, nil
}

// answer waits for the answer to a question.
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

// parseAnswer reads " id t0 t1 t2": the time of the question, which is ours, and those of
// its coming and going at the other side. The time of the question is taken from memory,
// since the other side formats it again.
func parseAnswer(text []byte, sent, back float64) (o Offset, id int, err error) {
	var t0, came, went float64
	if n, err := fmt.Sscan(string(text), &id, &t0, &came, &went); n != 4 {
		return o, 0, err
	}
	o.RoundTrip = (back - sent) - (went - came)
	o.Seconds = -((came - sent) + (went - back)) / 2
	if math.IsNaN(o.Seconds) || math.IsInf(o.Seconds, 0) || o.RoundTrip < -1e-3 {
		return o, 0, errors.New("an answer with impossible times")
	}
	o.RoundTrip = max(o.RoundTrip, 0)
	return o, id, nil
}

// timeReply answers a question about the clock, nil when it is none.
func timeReply(question []byte, came float64) []byte {
	var id int
	var sent float64
	if n, _ := fmt.Sscan(string(question), &id, &sent); n != 2 {
		return nil
	}
	return fmt.Appendf(nil, " %d %.16g %.16g %.16g", id, sent, came, Clock())
}
