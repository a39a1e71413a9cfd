package live

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"rao/internal/testkit"
)

// readStream reads a stream and returns its records as text, and the messages.
func readStream(t *testing.T, input, format string, width int, skip bool) (got, said []string, err error) {
	t.Helper()
	r := testkit.Must(newRecords(strings.NewReader(input), format, width))(t)
	r.skip, r.note = skip, func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	err = r.each(context.Background(), func(record int, x []float64) error {
		got = append(got, fmt.Sprint(record, x))
		return nil
	})
	return got, said, err
}

// An invalid record is an error that names its line, or is left out and counted.
func TestStreamInput(t *testing.T) {
	long := strings.Repeat("1", 1<<17)
	for _, c := range []struct{ what, input, want string }{
		{"an empty field", "1,2\n3,,4\n5,\n", "line 2: the record has 3 values, but the model needs 2"},
		{"an empty value", "1,2\n5,\n", "line 2: value 1 (counted from 0) is empty"},
		{"a missing channel", "1,2\n3\n", "line 2: the record has 1 value, but the model needs 2"},
		{"hexadecimal", "0x10,2\n", `line 1: value 0 (counted from 0): "0x10" is not a number`},
		{"underscores", "1_0,2\n", "is not a number"},
		{"text", "# a comment\n\nC3,C4\n", `line 3: value 0 (counted from 0): "C3" is not a number`},
		{"another delimiter", "1,2\n1;2\n", "line 2: the record has 1 value"},
		{"not finite", "1,nan\n", "line 1: value 1 (counted from 0) is NaN"},
		{"missing", "1,NA\n", "value 1 (counted from 0) is NaN"},
		{"infinite", "1,1e999\n", "value 1 (counted from 0) is +Inf"},
		{"a line without end", long, "line 1: the line is longer than 65536 bytes"},
		{"a long line", long + "\n1,2\n", "line 1: the line is longer than"},
	} {
		_, _, err := readStream(t, c.input, "csv", 2, false)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "standard input, ") {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
		got, said, err := readStream(t, c.input+"\n7,8\n", "csv", 2, true)
		if err != nil || len(got) == 0 || !strings.HasSuffix(got[len(got)-1], "[7 8]") || len(said) == 0 ||
			!strings.Contains(said[0], c.want) {
			t.Errorf("%s, skipped: %q, said %q, %v", c.what, got, said, err)
		}
	}
	for _, input := range []string{"1,2\n\n#x\n-3.5e1 , 4", "1\t2\n-3.5e1\t4\n", " 1  2\r\n-3.5e1 4\r\n",
		"1;2\n-35;4\n"} {
		got, _ := testkit.Must2(readStream(t, input, "csv", 2, false))(t)
		testkit.EqualSlices(t, got, []string{"0 [1 2]", "1 [-35 4]"}, fmt.Sprintf("%q", input))
	}
	var b bytes.Buffer
	for _, v := range []float64{1, 2, math.NaN(), 4, 5, 6, 7} {
		testkit.NoError(t, binary.Write(&b, binary.LittleEndian, v))
	}
	if _, _, err := readStream(t, b.String(), "f64", 2, false); err == nil ||
		!strings.Contains(err.Error(), "record 1: value 0 (counted from 0) is NaN") {
		t.Errorf("error %v", err)
	}
	got, said, err := readStream(t, b.String(), "f64", 2, true)
	if err == nil || !strings.Contains(err.Error(), "ends within a record") || len(got) != 2 || len(said) != 1 {
		t.Errorf("%q, %q, error %v", got, said, err)
	}
}

// Samples that cannot be read are missing in a signal; observations that f refuses are not.
func TestUnreadRecordsAreReported(t *testing.T) {
	r := testkit.Must(newRecords(strings.NewReader("1,2\n3,x\n5,6\n7,nan\n9,10\n"), "csv", 2))(t)
	missing := 0
	r.skip, r.skipped = true, func() { missing++ }
	err := r.each(context.Background(), func(record int, x []float64) error {
		if x[0] == 5 {
			return recordErrorf("refused")
		}
		return nil
	})
	if err != nil || r.left != 3 || missing != 2 {
		t.Errorf("%d left out, %d missing, %v", r.left, missing, err)
	}
}

func FuzzStreamInput(f *testing.F) {
	f.Add("1,2\n3,4", 2)
	f.Add(" 1 2 3\n", 3)
	f.Fuzz(func(t *testing.T, input string, width int) {
		if width < 1 || width > 100 {
			return
		}
		r := testkit.Must(newRecords(strings.NewReader(input), "csv", width))(t)
		r.skip = true
		testkit.NoError(t, r.each(context.Background(), func(_ int, x []float64) error {
			for _, v := range x {
				testkit.Equal(t, v-v, 0, x, "was handed on")
			}
			return nil
		}))
	})
}

// Latencies stores computing times in constant memory. Its quantiles are accurate to two percent.
func TestLatencies(t *testing.T) {
	var l Latencies
	var all []time.Duration
	for i := range 100000 {
		d := time.Duration(math.Exp(float64(i%977)/60) * 50)
		l.Add(d)
		all = append(all, d)
	}
	slices.Sort(all)
	for _, q := range []float64{0, 0.1, 0.5, 0.99, 0.999} {
		want := float64(all[int(q*float64(len(all)))]) / 1e6
		if got := l.Quantile(q); got < want || got > 1.02*want {
			t.Errorf("quantile %g is %g ms, want %g", q, got, want)
		}
	}
	testkit.Equal(t, l.Quantile(1), float64(all[len(all)-1])/1e6, "largest in ms")
	l.Add(1<<63 - 1)
	l.Add(-1)
	for v := range uint64(100000) {
		if b := bucket(v); v > longest(b) || b > 0 && v <= longest(b-1) {
			t.Fatalf("%d is in bucket %d, up to %d", v, b, longest(b))
		}
	}
}
