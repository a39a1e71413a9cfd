package ndarray

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"
	"testing/iotest"

	"rao/internal/testkit"
)

func TestContiguousPutsTheLastAxisFast(t *testing.T) {
	for _, shape := range [][]int{{5}, {1, 7}, {3, 4}, {40, 70}, {2, 3, 4}, {2, 1, 5, 3}, {0, 3}} {
		n := testkit.Must(Count(shape))(t)
		a := &Array{Shape: shape, Fortran: true, Float64: make([]float64, n)}
		// Element with index (i, j, ...) holds its place in C order.
		index := make([]int, len(shape))
		for p := range a.Float64 {
			c := 0
			for axis, d := range shape {
				c = c*d + index[axis]
			}
			a.Float64[p] = float64(c)
			for axis := range shape {
				if index[axis]++; index[axis] < shape[axis] {
					break
				}
				index[axis] = 0
			}
		}
		c := Contiguous(a)
		for p, v := range c.Float64 {
			testkit.Equal(t, v, float64(p), "shape", shape, "place", p, "holds")
		}
		if r := Reversed(a); r.Fortran || len(r.Shape) > 0 && r.Shape[0] != shape[len(shape)-1] {
			t.Errorf("shape %v reversed is %v, fortran %v", shape, r.Shape, r.Fortran)
		}
	}
}

func TestCountRefuses(t *testing.T) {
	for _, shape := range [][]int{{-1}, {math.MaxInt, 2}, {math.MaxInt / 2, 3, 0}} {
		testkit.Fails(t, testkit.ErrorOf(Count(shape)), "shape", shape, "is accepted")
	}
}

func TestReadGrowsAndKeepsValues(t *testing.T) {
	const n = 300000
	var b bytes.Buffer
	for i := range n {
		_ = binary.Write(&b, binary.LittleEndian, math.Float64bits(float64(i)))
	}
	for _, budget := range []int64{0, 8 * n, 1 << 40} {
		a := testkit.Must(Read(iotest.HalfReader(bytes.NewReader(b.Bytes())), Elem{Kind: 'f', Size: 8}, n, budget))(t)
		for i, v := range a.Float64 {
			testkit.Equal(t, v, float64(i), "budget", budget, "element", i)
		}
	}
	if _, err := Read(bytes.NewReader(b.Bytes()[:8*n-1]), Elem{Kind: 'f', Size: 8}, n, 0); err != ErrTruncated {
		t.Errorf("a byte short: %v", err)
	}
	boom := errors.New("boom")
	if _, err := Read(iotest.ErrReader(boom), Elem{Kind: 'f', Size: 8}, 1, 0); err != boom {
		t.Errorf("reader's error became %v", err)
	}
}

func TestValueAndText(t *testing.T) {
	for _, c := range []struct {
		a    Array
		text string
	}{
		{Array{Float32: []float32{3}}, "3"},
		{Array{Float32: []float32{0.1}}, "0.1"},
		{Array{Float64: []float64{-2.5}}, "-2.5"},
		{Array{Int64: []int64{1 << 60}}, "1152921504606846976"},
		{Array{Strings: []string{"a"}}, "a"},
	} {
		testkit.Equal(t, c.a.Text(0), c.text)
	}
	testkit.ErrorContains(t, testkit.ErrorOf((&Array{Name: "y", Strings: []string{"a"}}).ToFloat64()),
		`"y" contains text`, "text as numbers")
	if v, _ := (&Array{Int64: []int64{1, -2}}).ToFloat64(); !slices.Equal(v, []float64{1, -2}) {
		t.Errorf("integers became %v", v)
	}
}

func TestReadSectionDoesNotTrustLengths(t *testing.T) {
	r := bytes.NewReader(make([]byte, 10))
	for _, c := range [][2]int64{{0, 11}, {5, 6}, {-1, 1}, {0, -1}, {11, 0}, {0, 1 << 60}, {1 << 62, 1 << 62}} {
		testkit.ErrorContains(t, testkit.ErrorOf(ReadSection(r, 10, c[0], c[1], "the table")), "within the table",
			"offset and length", c)
	}
}
