package brainflow

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"rao/internal/testkit"
)

func datagram(values ...float64) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func TestPackagesComeAsTheyWereSent(t *testing.T) {
	r, err := Listen("127.0.0.1:0", Options{Rows: 3})
	var refused *net.OpError
	if errors.As(err, &refused) {
		t.Skipf("sockets on the loopback are refused here: %v", err)
	}
	testkit.NoError(t, err)
	defer r.Close()
	conn := testkit.Must(net.Dial("udp4", r.Addr().String()))(t)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for _, c := range []struct {
		send []float64
		lost int
	}{{[]float64{254, 1, 2, 255, 3, 4}, 0}, {[]float64{0, 5, -6}, 0}, {[]float64{3, 7, math.NaN()}, 2}} {
		testkit.Must(conn.Write(datagram(c.send...)))(t)
		got, lost, err := r.Read(ctx)
		same := slices.EqualFunc(got, c.send, func(a, b float64) bool {
			return math.Float64bits(a) == math.Float64bits(b)
		})
		if err != nil || lost != c.lost || !same {
			t.Errorf("%v, %d lost, %v; want %v, %d", got, lost, err, c.send, c.lost)
		}
	}
	if _, _, err := r.Read(testkit.Canceled()); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	r.opt.Silence = time.Millisecond
	if _, _, err := r.Read(ctx); err == nil || !strings.Contains(err.Error(), "nothing was received") {
		t.Errorf("silence: %v", err)
	}
}

func TestOtherDatagramsAreRefused(t *testing.T) {
	for what, c := range map[string]struct {
		counter int
		data    []byte
		want    string
	}{
		"empty":      {0, nil, "0 bytes does not consist of packages with 3 rows"},
		"other rows": {0, datagram(1, 2), "16 bytes does not consist of packages with 3 rows"},
		"counter":    {2, datagram(1, 2, 2.5), "row 2 has the value 2.5"},
		"no counter": {-1, datagram(1, 2, 2.5), ""},
	} {
		r := &Receiver{opt: Options{Rows: 3, Counter: c.counter}, next: -1}
		_, _, err := r.parse(c.data)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	for _, addr := range []string{"", "225.1.1.1", "[::1]:5", "host:1"} {
		testkit.Fails(t, testkit.ErrorOf(Listen(addr, Options{Rows: 1})), fmt.Sprintf("%q is listened to", addr))
	}
	testkit.ErrorContains(t, testkit.ErrorOf(Listen("127.0.0.1:0", Options{Rows: 1, Counter: 1})),
		"row 1 cannot be the row of the counter")
	for _, rows := range []int{0, maxRows + 1} {
		testkit.ErrorContains(t, testkit.ErrorOf(Listen("127.0.0.1:0", Options{Rows: rows, Counter: -1})),
			fmt.Sprintf("the number of rows is %d", rows))
	}
}

// Any datagram is decoded to packages or gives an error.
func FuzzDatagram(f *testing.F) {
	f.Add(3, 0, datagram(0, 1, 2, 1, 3, 4))
	f.Fuzz(func(t *testing.T, rows, counter int, data []byte) {
		if rows < 1 || rows > 64 || counter >= rows {
			return
		}
		r := &Receiver{opt: Options{Rows: rows, Counter: counter}, next: -1}
		if got, lost, err := r.parse(data); err == nil && (len(got)*8 != len(data) || lost < 0) {
			t.Errorf("%d values of %d bytes, %d lost", len(got), len(data), lost)
		}
	})
}
