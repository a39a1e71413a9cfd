package provenance

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

func partOf(rows [][]float64) Part {
	var b Builder
	for _, r := range rows {
		b.AddAll(mat.NewDense(1, len(r), r))
	}
	return b.Part()
}

// hidden returns an n×3 matrix of zeros that must not be read.
func hidden(n int) mat.Matrix { return mat.Transpose{Matrix: mat.NewDense(3, n, nil)} }

// Rows that are added together equal rows that are added one after the other.
func TestRowsOfPartsTogether(t *testing.T) {
	for n := 1; n < 10; n++ {
		rows := testkit.MixedRows(4, n)
		x, pixels := mat.NewDense(n, 3, nil), make([]byte, 0, 3*n)
		for i, row := range rows {
			for j := range row { // numbers that all precisions hold
				row[j] = math.Min(math.Abs(math.Round(100*row[j])), 255)
				pixels = append(pixels, byte(row[j]))
			}
			if i == 6 {
				row[1] = math.Copysign(0, -1)
				pixels[3*i+1] = 0
			}
			x.SetRow(i, row)
		}
		want := partOf(rows)
		for _, m := range []mat.Matrix{x, mat.DenseCopyOf(x.T()).T(),
			testkit.StoredRows{Matrix: hidden(n), Wide: x.RawMatrix().Data},
			testkit.StoredRows{Matrix: hidden(n), Narrow: testkit.Singles(x.RawMatrix().Data)},
			testkit.StoredRows{Matrix: hidden(n), Bytes: pixels}} {
			var b Builder
			b.AddAll(m)
			testkit.Equal(t, b.Part(), want, n, "rows of", m)
		}
	}
	zero, minus := partOf([][]float64{{0}}), partOf([][]float64{{math.Copysign(0, -1)}})
	testkit.Equal(t, zero, minus, "0 and -0 differ")
}

// Parts recognize their rows in any order, distinguish them from other rows, and detect shared rows.
func TestPartsKnowTheirRows(t *testing.T) {
	for _, n := range []int{1, 10, 256, 257, 5000} {
		rows := testkit.MixedRows(1, n)
		p := partOf(rows)
		if err := CheckPart(p); err != nil || p.Rows != n {
			t.Errorf("%d rows: %v, %v", n, p, err)
		}
		slices.Reverse(rows)
		testkit.Equal(t, partOf(rows), p, n, "rows: the order matters")
		other := partOf(testkit.MixedRows(2, n))
		if other.Digest == p.Digest || p.overlap(&other) != 0 || p.overlap(&p) != 1 {
			t.Errorf("%d rows: overlap %g with others, %g with itself", n, p.overlap(&other), p.overlap(&p))
		}
	}
	train, test := testkit.MixedRows(1, 8000), testkit.MixedRows(3, 2000)
	copy(test[:500], train[3000:]) // a quarter of the test rows were trained on
	a, b := partOf(train), partOf(test)
	testkit.Near(t, b.overlap(&a), 0.25, 0.12, "overlap")
	testkit.Near(t, a.overlap(&b), 500./8000, 0.06, "overlap the other way")
	flipped := []float64{1, 2, 3}
	p := partOf([][]float64{flipped})
	for i := range flipped {
		q := slices.Clone(flipped)
		q[i] = math.Float64frombits(math.Float64bits(q[i]) ^ 1)
		if partOf([][]float64{q}).Digest == p.Digest {
			t.Errorf("a bit of column %d does not matter", i)
		}
	}
	testkit.Equal(t, partOf([][]float64{{0}}), partOf([][]float64{{math.Copysign(0, -1)}}), "-0 is not 0")
	for _, bad := range []Part{{Rows: -1}, {Rows: 1, Sketch: "xyz"}, {Rows: 1, Sketch: "00"},
		{Rows: 2, Sketch: "00000000000000020000000000000001"}} {
		if CheckPart(bad) == nil || bad.overlap(&p) != 0 {
			t.Errorf("%v is taken", bad)
		}
	}
}

func BenchmarkParts(b *testing.B) {
	const rows, n = 4000, 784
	pixels, wide, narrow := make([]byte, rows*n), make([]float64, rows*n), make([]float32, rows*n)
	for i := range pixels {
		pixels[i] = byte(i * i >> 7)
		wide[i], narrow[i] = math.Sqrt(float64(i)), float32(math.Sqrt(float64(i)))
	}
	unread := mat.NewDense(n, rows, nil).T()
	for _, c := range []struct {
		name string
		x    mat.Matrix
	}{{"bytes", testkit.StoredRows{Matrix: unread, Bytes: pixels}},
		{"float32", testkit.StoredRows{Matrix: unread, Narrow: narrow}},
		{"float64", testkit.StoredRows{Matrix: unread, Wide: wide}}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				new(Builder).AddAll(c.x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(rows*n), "ns/value")
		})
	}
}

// The hashes of parts are stored in files, so they must equal these recorded values.
func TestPartsStayComparableWithThoseInFiles(t *testing.T) {
	x := mat.NewDense(7, 2, []float64{-3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7.5, 8, 1. / 3, 10})
	keyed := testkit.Must(KeyedHashes([]byte("0123456789abcdef\n")))(t)
	for _, c := range []struct {
		hashing Hashing
		want    string
	}{
		{Hashing{}, " 9254308335efeecaed3a8535ddcf20b5 120375bbb6589df5"},
		{keyed, "ec01fa507dcdafc1 9766688f5f69712be92bb6123e84efb1 0fcdb3fc3b941975"},
		{NoHashes(), "  "},
	} {
		b := Builder{Hashing: c.hashing}
		b.AddAll(x)
		p := b.Part()
		if got := p.Key + " " + p.Digest + " " + p.Sketch[:min(16, len(p.Sketch))]; got != c.want || p.Rows != 7 {
			t.Errorf("the part is %s, in files of before it was %s", got, c.want)
		}
	}
}

// Rows that several parts contain together count together.
func TestOverlapWithSeveralParts(t *testing.T) {
	for _, n := range []int{10, 200, 5000} {
		rows := testkit.MixedRows(1, 2*n)
		all, parts := partOf(rows), []Part{partOf(rows[:n]), partOf(rows[n:])}
		testkit.Equal(t, LargestOverlap(all, parts), 1, n, "rows of each of two parts")
		keyed := slices.Clone(parts)
		keyed[0].Key = "0123456789abcdef"
		testkit.Near(t, LargestOverlap(all, keyed), 0.5, 0.1, n, "rows, one part with another key")
	}
}
