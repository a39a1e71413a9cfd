package signal

import (
	"bytes"
	"testing"

	"rao/internal/par"
	"rao/internal/testkit"
)

func TestCode(t *testing.T) {
	for label, want := range map[string]int{"769": 769, " 0x301 ": 769, "0X10": 16, "010": 10, "left": 0, "": 0,
		"99999999999": 0, "7 8": 0} {
		testkit.Equal(t, Code(label), want, "Code", label)
	}
}

func TestCommonRate(t *testing.T) {
	for _, c := range []struct {
		per  []int
		want int
	}{{nil, 0}, {[]int{0, 0}, 0}, {[]int{256, 256, 1}, 256}, {[]int{1, 256}, 256}, {[]int{256, 1, 1}, 1},
		{[]int{0, 0, 5}, 5}} {
		testkit.Equal(t, CommonRate(c.per), c.want, "CommonRate", c.per)
	}
}

// Two records of three bytes each for two channels; any range reads the same values.
func TestRecordsReadAnyRange(t *testing.T) {
	data := []byte("HEAD" + "\x01\x02\x03\x0a\x0b\x0c" + "\x04\x05\x06\x0d\x0e\x0f")
	decode := func(b []byte) float64 { return float64(b[0]) }
	info := &Info{Channels: []string{"a", "b"}, Samples: 6}
	r := NewRecords(Records{R: bytes.NewReader(data), Start: 4, Bytes: 6, PerRecord: 3, Layout: []Layout{
		{Offset: 0, Size: 1, Decode: decode, Gain: 1}, {Offset: 3, Size: 1, Decode: decode, Gain: 2, Bias: -20}}}, info)
	for first := range 7 {
		for count := range 7 - first {
			dst := make([]float64, 2*count)
			testkit.NoError(t, r.ReadSamples(dst, first, count))
			for k := range count {
				a := float64(first + k + 1)
				if dst[2*k] != a || dst[2*k+1] != 2*(a+9)-20 {
					t.Fatalf("samples %d+%d: %v", first, count, dst)
				}
			}
		}
	}
	for _, c := range [][2]int{{-1, 2}, {0, 7}, {6, 1}, {3, -1}} {
		testkit.ErrorContains(t, r.ReadSamples(make([]float64, 2*max(c[1], 0)), c[0], c[1]), "are not in", "range", c)
	}
	testkit.ErrorContains(t, r.ReadSamples(make([]float64, 3), 0, 1), "not one for each of", "short destination")
}

// counting is a recording of one channel whose samples are their numbers. It records the parts that [par] counts.
type counting struct{ parts []int }

func (c *counting) Samples() int { return 100_000 }

func (c *counting) Read(dst []float64, first, count int) error {
	for i := range dst {
		dst[i] = float64(first + i)
	}
	done, total, _ := par.Running()
	c.parts = append(c.parts, done, total)
	return nil
}

// A long recording is read in parts that are counted, so a terminal can show the time left.
func TestSamplesAreReadInCountedParts(t *testing.T) {
	defer par.Watch()()
	c := new(counting)
	x := testkit.Must(Samples(c, 1))(t)
	testkit.EqualSlices(t, c.parts, []int{0, 4, 1, 4, 2, 4, 3, 4}, "parts")
	for i, v := range x {
		if v != float64(i) {
			t.Fatalf("sample %d is %g", i, v)
		}
	}
}
