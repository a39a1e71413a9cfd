package lsl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"rao/internal/testkit"
)

// offer makes an outlet on the loopback, and skips the test where sockets are refused.
func offer(t testing.TB, info Info, opt OutletOptions) *Outlet {
	t.Helper()
	opt.Local = true
	o, err := NewOutlet(info, opt)
	var refused *net.OpError
	if errors.As(err, &refused) {
		t.Skipf("sockets on the loopback are refused here: %v", err)
	}
	testkit.NoError(t, err)
	t.Cleanup(func() { o.Close() })
	return o
}

// take opens an inlet and waits for the outlet to know it.
func take(t testing.TB, o *Outlet, opt InletOptions) *Inlet {
	t.Helper()
	ctx := patience(t)
	in := testkit.Must(Open(ctx, o.Info(), opt))(t)
	t.Cleanup(func() { in.Close() })
	testkit.NoError(t, o.Wait(ctx))
	return in
}

// patience returns a context for operations that should finish at once.
func patience(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// pull takes n samples, which must be of one piece.
func pull(t testing.TB, in *Inlet, n int) (all Chunk) {
	t.Helper()
	var c Chunk
	for all.Len() < n {
		testkit.NoError(t, in.Pull(patience(t), &c))
		all.Away = all.Away || c.Away
		if c.Len() == 0 {
			continue
		}
		if all.Len() > 0 && c.Begins {
			t.Fatalf("the stream begins anew after %d of %d samples", all.Len(), n)
		}
		if all.Len() == 0 {
			all.Begins, all.Lost = c.Begins, c.Lost
		}
		all.Times = append(all.Times, c.Times...)
		all.Values = append(all.Values, c.Values...)
		all.Texts = append(all.Texts, c.Texts...)
	}
	return all
}

// lost returns how many samples an inlet has lost so far.
func (in *Inlet) lost() int64 {
	in.queue.mu.Lock()
	defer in.queue.mu.Unlock()
	return in.queue.total
}

func TestStreamsOfEveryFormat(t *testing.T) {
	for f := range Format(len(formatNames)) {
		info := amplifier()
		info.Format, info.Rate = f, 100
		o := offer(t, info, OutletOptions{})
		in := take(t, o, InletOptions{Raw: true})
		values, texts := sampleOf(f)
		push := func(n int, at float64) {
			var err error
			if f == Text {
				err = o.PushText(slices.Repeat(texts, n), at)
			} else {
				err = o.Push(slices.Repeat(values, n), at)
			}
			testkit.NoError(t, err)
		}
		push(1, 50)
		push(3, 50.03)
		got := pull(t, in, 4)
		testkit.EqualSlices(t, got.Values, slices.Repeat(values, 4), f)
		testkit.EqualSlices(t, got.Texts, slices.Repeat(texts, 4), f)
		for k, at := range got.Times {
			testkit.Near(t, at, (50 + 0.01*float64(k)), 1e-9, f, "sample", k, "at")
		}
		full := in.Info()
		if !slices.Equal(full.Labels(), info.Labels()) || full.Reference != "Cz" || full.UID != o.Info().UID {
			t.Errorf("%v: %+v", f, full)
		}
		if o.Close() != nil || o.Push(values, 0) == nil {
			t.Errorf("%v: a closed outlet takes samples", f)
		}
	}
}

func TestOutletsRejectInvalidSamples(t *testing.T) {
	info := amplifier()
	info.Format = Int8
	o := offer(t, info, OutletOptions{})
	for what, err := range map[string]error{
		"two of three": o.Push([]float64{1, 2}, 0), "too large": o.Push([]float64{1, 2, 300}, 0),
		"texts": o.PushText([]string{"a", "b", "c"}, 0),
	} {
		testkit.Fails(t, err, what, "passes")
	}
	testkit.Fails(t, testkit.ErrorOf(NewOutlet(Info{Name: "x"}, OutletOptions{Local: true})),
		"a stream without channels is offered")
	testkit.Fails(t, testkit.ErrorOf(Open(context.Background(), amplifier(), InletOptions{})),
		"a stream without an address is opened")
}

// Streams of this machine are found without multicast, by any query.
func TestStreamsAreFound(t *testing.T) {
	name := fmt.Sprintf("found %d", time.Now().UnixNano())
	info := amplifier()
	info.Name = name
	a := offer(t, info, OutletOptions{})
	info.Type, info.SourceID = "Markers", "other"
	b := offer(t, info, OutletOptions{})
	for text, want := range map[string][]*Outlet{
		"":                {b, a},
		" and type='EEG'": {a},
		" and not(type='EEG') and channel_count=3": {b},
	} {
		q := testkit.Must(ParseQuery("name='" + name + "'" + text))(t)
		found := testkit.Must(Resolve(patience(t), q, ResolveOptions{Local: true, Minimum: len(want),
			Wait: 10 * time.Second}))(t)
		if len(found) != len(want) {
			t.Fatalf("%s: %d streams", text, len(found))
		}
		for k, f := range found {
			if f.UID != want[k].Info().UID || !f.Address.IsLoopback() {
				t.Errorf("%s: %+v", text, f)
			}
		}
	}
	q := testkit.Must(ParseQuery("name='" + name + "x'"))(t)
	found := testkit.Must(Resolve(patience(t), q, ResolveOptions{Local: true, Wait: 50 * time.Millisecond}))(t)
	testkit.Equal(t, len(found), 0, found)
	ctx := testkit.Canceled()
	testkit.ErrorIs(t, testkit.ErrorOf(Resolve(ctx, q, ResolveOptions{Local: true})), context.Canceled, "canceled")
	testkit.Fails(t, testkit.ErrorOf(Resolve(patience(t), q, ResolveOptions{Local: true, Peers: []string{"\x00"}})),
		"an unknown peer passes")
}

// A consumer with the other byte order receives samples in its order.
func TestBigEndianConsumer(t *testing.T) {
	info := amplifier()
	info.Format = Int16
	o := offer(t, info, OutletOptions{})
	conn := testkit.Must(net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", o.Info().DataPort)))(t)
	defer conn.Close()
	fmt.Fprintf(conn, "LSL:streamfeed/110 %s\r\nNative-Byte-Order: 4321\r\nMax-Buffer-Length: 5 ; a comment\r\n\r\n",
		o.Info().UID)
	r := bufio.NewReader(conn)
	order := testkit.Must(readResponse(r, o.Info().UID))(t)
	testkit.Equal(t, order.String(), "BigEndian", order)
	c := newCodec(Int16, 3, order)
	testkit.NoError(t, c.checkPattern(r))
	testkit.NoError(t, o.Wait(patience(t)))
	testkit.NoError(t, o.Push([]float64{1, -2, 300}, 7))
	values, _ := c.buffers()
	if at, _, err := c.read(r, values, nil); err != nil || at != 7 || !slices.Equal(values, []float64{1, -2, 300}) {
		t.Error(at, values, err)
	}
}

// Invalid requests end the connection, with a message if the protocol has one.
func TestOutletsRefuseRequests(t *testing.T) {
	o := offer(t, amplifier(), OutletOptions{})
	for request, want := range map[string]string{
		"GET / HTTP/1.1\r\n":                                       "",
		"LSL:streamfeed\r\n360 0\r\n":                              "505 Version not supported",
		"LSL:streamfeed/210 x\r\n\r\n":                             "505 Version not supported",
		"LSL:streamfeed/110 x\r\n\r\n":                             "404 Not found",
		"LSL:shortinfo\r\nname='nobody'\r\n":                       "",
		"LSL:shortinfo\r\ntype='EEG'\r\n":                          "<source_id>sn&amp;42</source_id>",
		strings.Repeat("a", 1<<15):                                 "",
		"LSL:streamfeed/110\r\n" + strings.Repeat("a: b\r\n", 100): "",
	} {
		conn := testkit.Must(net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", o.Info().DataPort)))(t)
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		_, _ = io.WriteString(conn, request)
		b, _ := io.ReadAll(conn)
		if conn.Close(); !strings.Contains(string(b), want) || want == "" && len(b) > 0 {
			t.Errorf("%.40q: %q, want %q", request, b, want)
		}
	}
}

// The offset of the clock of a stream is measured, and time stamps are converted to the local clock.
func TestClocksAgree(t *testing.T) {
	info := amplifier()
	info.Rate = 1000
	o := offer(t, info, OutletOptions{})
	in := take(t, o, InletOptions{})
	offset, ok := in.Offset()
	if !ok || math.Abs(offset.Seconds) > offset.RoundTrip/2+1e-4 { // it is our own clock
		t.Errorf("offset %+v %v", offset, ok)
	}
	at := Clock()
	testkit.NoError(t, o.Push(make([]float64, 3*20), at))
	c := pull(t, in, 20)
	testkit.Near(t, c.Times[19], at, 0.05, "time of a sample")
	if c.Begins || c.Lost != 0 || in.lost() != 0 {
		t.Errorf("%v %d", c.Begins, c.Lost)
	}
}

func TestClockAnswers(t *testing.T) {
	sent := Clock()
	reply := timeReply(fmt.Appendf(nil, "7 %.16g\r\n", sent), Clock())
	o, id, err := parseAnswer(reply, sent, Clock())
	if err != nil || id != 7 || math.Abs(o.Seconds) > 0.1 {
		t.Fatal(o, id, err)
	}
	o, _, err = parseAnswer([]byte(" 7 100 205.25 205.5"), 100, 101.25)
	if err != nil || o.RoundTrip != 1 || o.Seconds != -104.75 {
		t.Error(o, err)
	}
	for _, bad := range []string{"", "7", "7 1 2", "7 a b c", "7 1 NaN 2", "7 1 -Inf +Inf"} {
		if _, _, err := parseAnswer([]byte(bad), 1, 2); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
	if timeReply([]byte("hello"), 1) != nil || timeReply(nil, 1) != nil {
		t.Error("a reply to no question")
	}
}

// If a clock offset is measured late or changes, time stamps use it at once; it is not smoothed like jitter.
func TestClocksThatJump(t *testing.T) {
	in := &Inlet{last: math.NaN(), fresh: true, info: Info{Rate: 100}}
	defaults(&in.opt)
	for k := range 300 {
		switch k {
		case 100:
			in.offset, in.known = Offset{Seconds: 1e6}, true
		case 200:
			in.offset = Offset{Seconds: 1e6 + 0.001} // drift, which is smoothed
		}
		raw := 5 + float64(k)/100
		want := raw + map[bool]float64{true: 1e6}[k >= 100]
		if m := in.mark(raw, 0.01); math.Abs(m.at-want) > 0.002 || m.begins {
			t.Fatalf("sample %d at %v, want %v", k, m.at, want)
		}
	}
}

// A full buffer does not block the sender. It drops the oldest samples and counts them as lost.
func TestFullBuffersLoseTheOldest(t *testing.T) {
	q := newQueue(1, 100, false)
	for k := range 250 {
		q.push(mark{at: float64(k), begins: k == 120, lost: map[int]int64{120: 7}[k]}, []float64{float64(k)}, nil)
	}
	var c Chunk
	testkit.NoError(t, q.pull(context.Background(), &c))
	if c.Len() != 100 || c.Values[0] != 150 || !c.Begins || c.Lost != 157 || q.total != 157 {
		t.Errorf("%d samples from %v, %v, %d lost of %d", c.Len(), c.Values[0], c.Begins, c.Lost, q.total)
	}
	q.leave()
	if err := q.pull(context.Background(), &c); err != nil || !c.Away || c.Len() != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	q.push(mark{at: 300, begins: true}, []float64{1}, nil)
	q.push(mark{at: 301}, []float64{2}, nil)
	q.push(mark{at: 400, begins: true, lost: 3}, []float64{3}, nil)
	q.end(ErrEnded)
	for _, want := range []int{2, 1} {
		if err := q.pull(context.Background(), &c); err != nil || c.Len() != want || !c.Begins {
			t.Errorf("%d samples, %v, %v", c.Len(), c.Begins, err)
		}
	}
	testkit.ErrorIs(t, q.pull(context.Background(), &c), ErrEnded)

	text := newQueue(2, 100, true)
	for range 130 {
		text.push(mark{}, nil, []string{"a", "b"})
	}
	if err := text.pull(context.Background(), &c); err != nil || len(c.Texts) != 200 || c.Texts[1] != "b" {
		t.Error(len(c.Texts), err)
	}

	slow := newConsumer(nil, 10)
	var lost int64
	for range 6 {
		lost += slow.offer(block{[]byte("abc"), 3})
	}
	if b, ok := slow.next(); lost != 9 || !ok || len(b) != 9 {
		t.Errorf("%d lost, %d bytes wait", lost, len(b))
	}
}

// A jump of the sender's times is a gap whose samples are counted. Jitter is not a gap.
func TestGapsAreCounted(t *testing.T) {
	info := amplifier()
	info.Rate = 100
	o := offer(t, info, OutletOptions{})
	in := take(t, o, InletOptions{Raw: true})
	for _, at := range []float64{10, 10.01, 10.4, 12.41, 5} {
		testkit.NoError(t, o.Push(make([]float64, 3), at))
	}
	pull(t, in, 3)
	if c := pull(t, in, 1); !c.Begins || c.Lost != 200 {
		t.Errorf("begins %v, %d lost", c.Begins, c.Lost)
	}
	if c := pull(t, in, 1); !c.Begins || c.Lost != 0 || in.lost() != 200 {
		t.Errorf("begins %v, %d lost", c.Begins, c.Lost)
	}
}

// A restarted stream is found by its source ID, and continues as another piece.
func TestStreamsAreFoundAgain(t *testing.T) {
	info := amplifier()
	info.SourceID = fmt.Sprintf("again-%d", time.Now().UnixNano())
	first := offer(t, info, OutletOptions{})
	in := take(t, first, InletOptions{})
	testkit.NoError(t, first.Push(make([]float64, 3*5), 0))
	pull(t, in, 5)
	first.Close()
	second := offer(t, info, OutletOptions{})
	testkit.NoError(t, second.Wait(patience(t)))
	testkit.NoError(t, second.Push(make([]float64, 3*4), 0))
	if c := pull(t, in, 4); !c.Begins || !c.Away {
		t.Error("the second start goes on as if nothing had happened")
	}
	testkit.Equal(t, in.Info().UID, second.Info().UID, "the description is that of the first start")
	in.Close()
	testkit.ErrorIs(t, in.Pull(patience(t), new(Chunk)), ErrEnded)
}

// A lost stream ends if it has no source ID, or if recovery is turned off or takes too long.
func TestStreamsEnd(t *testing.T) {
	for _, c := range []struct {
		source string
		wait   time.Duration
	}{{"", 0}, {"s", -1}, {"s", time.Millisecond}} {
		info := amplifier()
		if info.SourceID = c.source; c.source != "" {
			info.SourceID = fmt.Sprintf("ends-%d", time.Now().UnixNano())
		}
		o := offer(t, info, OutletOptions{})
		in := take(t, o, InletOptions{Raw: true, Recover: c.wait})
		testkit.NoError(t, o.Push(make([]float64, 3), 0))
		o.Close() // sends what was pushed
		pull(t, in, 1)
		var last Chunk
		err := in.Pull(patience(t), &last)
		if err == nil && last.Away {
			err = in.Pull(patience(t), &last)
		}
		testkit.ErrorIs(t, err, ErrEnded, c)
	}
}

// Consumers of a stream of texts receive valid UTF-8, whatever is sent.
func TestTextsAreUTF8(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	out, err := NewOutlet(Info{Name: t.Name(), Type: "Markers", ChannelCount: 1, Format: Text, SourceID: t.Name()},
		OutletOptions{Local: true})
	if err != nil {
		t.Skipf("sockets on the loopback are refused here: %v", err)
	}
	defer out.Close()
	in := testkit.Must(Open(ctx, out.Info(), InletOptions{Raw: true}))(t)
	defer in.Close()
	testkit.NoError(t, out.Wait(ctx))
	testkit.NoError(t, out.PushText([]string{"Z\xe4hler"}, 0))
	var c Chunk
	if err := in.Pull(ctx, &c); err != nil || len(c.Texts) != 1 || c.Texts[0] != "Z\ufffdhler" {
		t.Errorf("%q, %v", c.Texts, err)
	}
}
