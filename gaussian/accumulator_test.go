package gaussian

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/statsarrays"
	"rao/internal/testkit"
)

// digest makes bitwise comparison of statistics one comparison.
func digest(s *Statistics) string {
	var b []byte
	for _, c := range s.Counts {
		b = binary.LittleEndian.AppendUint64(b, uint64(c))
	}
	for _, x := range slices.Concat(s.Means, s.Covariances, s.Cubic, s.Quartic) {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return string(b)
}

// addRows8, addRows32 and addRows64 add rows without a matrix.
func (a *Accumulator) addRows8(x []byte, ld int, labels []int) error {
	return addRows(a, &a.work.bytes, pending8, x, ld, labels)
}

func (a *Accumulator) addRows32(x []float32, ld int, labels []int) error {
	return addRows(a, &a.work.single, pending32, x, ld, labels)
}

func (a *Accumulator) addRows64(x []float64, ld int, labels []int) error {
	return addRows(a, &a.work.double, pending64, x, ld, labels)
}

func finish(t *testing.T, a *Accumulator, err error) *Statistics {
	t.Helper()
	testkit.NoError(t, err)
	return testkit.Must(a.Statistics(nil))(t)
}

func TestSameBitsForAnySplitAndAnyWorkers(t *testing.T) {
	const n, classes = 130, 2
	x, labels := sample(11, 1500, n, classes, 5)
	x32 := testkit.Singles(x.RawMatrix().Data)
	want := map[bool]string{}
	for _, procs := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(procs)
		for _, step := range []int{1500, 1, 777} {
			for _, narrow := range []bool{false, true} {
				a := newCollecting(n, classes)
				for lo := 0; lo < len(labels); lo += step {
					hi := min(lo+step, len(labels))
					var err error
					if narrow {
						err = a.addRows32(x32[lo*n:hi*n], n, labels[lo:hi])
					} else {
						err = a.addRows64(x.RawMatrix().Data[lo*n:hi*n], n, labels[lo:hi])
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				got := digest(finish(t, a, nil))
				if want[narrow] == "" {
					want[narrow] = got
				}
				testkit.Equal(t, got, want[narrow], "GOMAXPROCS", procs, step, "rows a call, float32", narrow,
					"other bits")
			}
		}
		runtime.GOMAXPROCS(old)
	}
}

func TestIntegerPixelsAreExact(t *testing.T) {
	const rows, n = 5000, 33
	r := rand.New(rand.NewPCG(5, 5))
	x := make([]float32, rows*n)
	labels := make([]int, rows)
	for i := range x {
		switch j := i % n; {
		case j == 0:
		case j == 1:
			x[i] = 255
		case j < 20 && r.IntN(4) > 0:
		default:
			x[i] = float32(r.IntN(256))
		}
	}
	a := newCollecting(n, 1)
	got := finish(t, a, a.addRows32(x, n, labels))
	pixels := make([]byte, len(x))
	for i, v := range x {
		pixels[i] = byte(v)
	}
	for _, step := range []int{rows, 1000} {
		for name, begin := range map[string]func(int, int) *Accumulator{"plain": NewAccumulator,
			"with moments": newCollecting, "borrowed": borrowing} {
			b, c := begin(n, 1), begin(n, 1)
			for lo := 0; lo < rows; lo += step {
				testkit.NoError(t, b.addRows8(pixels[lo*n:(lo+step)*n], n, labels[lo:lo+step]))
			}
			testkit.Equal(t, digest(finish(t, b, nil)), digest(finish(t, c, c.addRows32(x, n, labels))), "bytes,",
				name, step, "at a time: not the bits of float32")
		}
	}
	// Integer arithmetic: N ΣxixJ - Σxi Σxj is exact in int64.
	want := New([]string{"0"}, n)
	for i := range n {
		for j := range n {
			var xy, sx, sy int64
			for k := range rows {
				p, q := int64(x[k*n+i]), int64(x[k*n+j])
				xy, sx, sy = xy+p*q, sx+p, sy+q
			}
			want.Means[i] = float64(sx) / rows
			want.Covariances[i*n+j] = float64(rows*xy-sx*sy) / rows / (rows - 1)
		}
	}
	testkit.Close(t, "means", got.Means, want.Means, 1e-16)
	testkit.Close(t, "covariances", got.Covariances, want.Covariances, 4e-16)
	for i := range n {
		if v := got.Covariances[i*n+i]; i < 2 && v != 0 {
			t.Errorf("constant column %d has variance %v", i, v)
		}
	}
	for i := range n * n {
		testkit.Near(t, got.Covariances[i], want.Covariances[i], 2e-15*math.Abs(want.Covariances[i])+1e-12, "element",
			i)
	}
}

// borrowing returns an accumulator that does not copy the rows it is given.
func borrowing(n, classes int) *Accumulator {
	a := NewAccumulator(n, classes)
	a.Borrow()
	return a
}

// Sums of bytes keep the pivot of the first rows, however far later rows are from it. Rows of other types that are
// added before or after them move the pivot.
func TestBytesFarFromTheFirst(t *testing.T) {
	const rows, n = 6000, 70
	r := rand.New(rand.NewPCG(5, 6))
	pixels, x := make([]byte, rows*n), make([]float64, rows*n)
	for i := range pixels {
		pixels[i] = byte(r.IntN(2))
		if i >= 64*n {
			pixels[i] += 250
		}
		x[i] = float64(pixels[i])
	}
	labels := make([]int, rows)
	whole := NewAccumulator(n, 1)
	want := finish(t, whole, whole.addRows64(x, n, labels))
	for name, begin := range map[string]func(int, int) *Accumulator{"plain": NewAccumulator, "borrowed": borrowing} {
		for _, bytes := range [][2]int{{0, rows}, {0, 3000}, {2000, 4500}, {3000, rows}} {
			a := begin(n, 1)
			err := a.addRows64(x[:bytes[0]*n], n, labels[:bytes[0]])
			if err == nil {
				err = a.addRows8(pixels[bytes[0]*n:bytes[1]*n], n, labels[bytes[0]:bytes[1]])
			}
			if err == nil {
				err = a.addRows64(x[bytes[1]*n:], n, labels[bytes[1]:])
			}
			got := finish(t, a, err)
			what := fmt.Sprintf("%s, bytes in rows %d to %d: ", name, bytes[0], bytes[1])
			testkit.Close(t, what+"means", got.Means, want.Means, 1e-13)
			testkit.Close(t, what+"covariances", got.Covariances, want.Covariances, 1e-11)
		}
	}
}

func TestConstantColumnsHaveNoVariance(t *testing.T) {
	x := mat.NewDense(1500, 2, nil)
	for i := range 1500 {
		x.SetRow(i, []float64{0.1, float64(i)})
	}
	a := newCollecting(2, 1)
	if s := finish(t, a, a.Add(x, make([]int, 1500))); s.Covariances[0] != 0 || s.Covariances[1] != 0 {
		t.Errorf("float64: covariances %v", s.Covariances)
	}
	a = newCollecting(2, 1)
	s := finish(t, a, a.addRows32(testkit.Singles(x.RawMatrix().Data), 2, make([]int, 1500)))
	if s.Covariances[0] != 0 || s.Covariances[1] != 0 {
		t.Errorf("float32: covariances %v", s.Covariances)
	}
}

// If the level of the data drifts, far from zero, few digits are lost.
func TestDriftingAndDistantDataKeepTheirDigits(t *testing.T) {
	const rows, n = 6000, 4
	r := rand.New(rand.NewPCG(9, 9))
	x := mat.NewDense(rows, n, nil)
	for i := range rows {
		level := 1000.0
		if i > 600 {
			level = -20000
		}
		x.SetRow(i, []float64{
			float64(float32(level + r.NormFloat64())), float64(float32(1e6 + r.NormFloat64())),
			float64(float32(1e-20 * r.NormFloat64())), float64(float32(1e20 * (1 + r.NormFloat64())))})
	}
	want := textbook(x, make([]int, rows), 1)
	for name, add := range map[string]func(*Accumulator) error{
		"float64": func(a *Accumulator) error { return a.Add(x, make([]int, rows)) },
		"float32": func(a *Accumulator) error {
			return a.addRows32(testkit.Singles(x.RawMatrix().Data), n, make([]int, rows))
		},
	} {
		a := newCollecting(n, 1)
		got := finish(t, a, add(a))
		for j := range n {
			w := want.Covariances[j*n+j]
			if d := math.Abs(got.Covariances[j*n+j] - w); d > 1e-6*w || name == "float64" && d > 1e-9*w {
				t.Errorf("%s: variance of column %d is %v, want %v", name, j, got.Covariances[j*n+j], w)
			}
		}
	}
}

func TestLargeValuesLoseOnlyTheHigherMoments(t *testing.T) {
	x, labels := sample(16, 700, 3, 2, 0)
	want := estimate(t, x, labels)
	x.Scale(1e90, x)
	got := estimate(t, x, labels)
	if got.Quartic != nil || got.Cubic != nil {
		t.Error("infinite moments were kept")
	}
	want.Cubic, want.Quartic = nil, nil
	same(t, "scaled", got.Affine(nil, []float64{1e-90}), want, 1e-12)
}

func TestMixedPrecisionsAndGenericMatrices(t *testing.T) {
	x, labels := sample(12, 1900, 5, 2, 3)
	x32 := testkit.Singles(x.RawMatrix().Data)
	for i, v := range x32 {
		x.RawMatrix().Data[i] = float64(v)
	}
	want := textbook(x, labels, 2)
	a := newCollecting(5, 2)
	for lo := 0; lo < 1900; lo += 190 {
		var err error
		switch part := x.Slice(lo, lo+190, 0, 5); lo / 190 % 3 {
		case 0:
			err = a.Add(part, labels[lo:lo+190])
		case 1:
			err = a.addRows32(x32[lo*5:(lo+190)*5], 5, labels[lo:lo+190])
		case 2:
			err = a.Add(mat.Transpose{Matrix: mat.DenseCopyOf(part.T())}, labels[lo:lo+190])
		}
		testkit.NoError(t, err)
	}
	same(t, "mixed", finish(t, a, nil), want, 1e-6)
	testkit.Equal(t, a.rows, 1900, "rows, want")
}

func TestReadingTheStatisticsDoesNotChangeThem(t *testing.T) {
	x, labels := sample(14, 1300, 4, 2, 0)
	a, b := newCollecting(4, 2), newCollecting(4, 2)
	for lo := 0; lo < 1300; lo += 100 {
		finish(t, a, a.Add(x.Slice(lo, lo+100, 0, 4), labels[lo:lo+100]))
		finish(t, b, b.Add(x.Slice(lo, lo+100, 0, 4), labels[lo:lo+100]))
		finish(t, b, nil)
	}
	testkit.Equal(t, digest(finish(t, a, nil)), digest(finish(t, b, nil)), "Statistics changed what came after")
}

func TestBadInputIsNamed(t *testing.T) {
	data := func(edit func(x *mat.Dense, labels []int)) (*mat.Dense, []int) {
		x, labels := sample(15, 1200, 3, 2, 0)
		edit(x, labels)
		return x, labels
	}
	cases := map[string]struct {
		edit func(x *mat.Dense, labels []int)
		want string
	}{
		"nan": {func(x *mat.Dense, _ []int) { x.Set(1199, 2, math.NaN()) }, "row 1199, column 2 is NaN " +
			"(both counted from 0); remove the row or fill the value in"},
		"inf in a block": {func(x *mat.Dense, _ []int) { x.Set(5, 1, math.Inf(-1)) }, "row 5, column 1 is -Inf"},
		"overflow": {func(x *mat.Dense, _ []int) { x.Set(700, 1, 1e200) }, "row 700, column 1 is 1e+200, so " +
			"large that its square overflows"},
		"center": {func(x *mat.Dense, _ []int) { x.Set(5, 1, 1e200) }, "row 5, column 1 is 1e+200"},
		"label":  {func(_ *mat.Dense, l []int) { l[7] = -1 }, "row 7 has label -1; labels must be from 0 to 1"},
		"single": {func(_ *mat.Dense, l []int) { l[7] = 2 }, "class 2 has one observation"},
		"gap": {func(_ *mat.Dense, l []int) {
			for i := range l {
				l[i] *= 2
			}
		}, "class 1 has no observations"},
	}
	for name, c := range cases {
		x, labels := data(c.edit)
		testkit.ErrorContains(t, testkit.ErrorOf(Estimate(x, labels, nil)), c.want, name)
	}
	x, labels := data(func(*mat.Dense, []int) {})
	testkit.ErrorContains(t, testkit.ErrorOf(Estimate(x, labels[:7], nil)),
		"the number of labels is 7, but the number of rows is 1200; every row needs one label")
	testkit.ErrorContains(t, testkit.ErrorOf(Estimate(x, labels, []string{"a"})),
		"has label 1; labels must be from 0 to 0", "too few names")
	a := newCollecting(3, 2)
	if err := a.Add(mat.NewDense(2, 4, nil), []int{0, 1}); err == nil || err.Error() != "the rows have 4 columns, but "+
		"the statistics have 3; give the same columns" {
		t.Errorf("width: %v", err)
	}
	testkit.Fails(t, a.Add(x, labels), "the accumulator forgot its error")
	testkit.Fails(t, testkit.ErrorOf(a.Statistics(nil)), "statistics after an error")
	b := newCollecting(3, 2)
	testkit.ErrorContains(t, b.addRows32([]float32{1, 2, float32(math.Inf(1))}, 3, []int{0}),
		"row 0, column 2 is +Inf", "float32")
}

func TestRowsThatAreShownAreUsed(t *testing.T) {
	x, labels := sample(17, 300, 4, 2, 1)
	hidden := mat.Transpose{Matrix: mat.NewDense(4, 300, nil)} // zeros, were it read
	a, b := newCollecting(4, 2), newCollecting(4, 2)
	narrow := finish(t, a, a.Add(testkit.StoredRows{Matrix: hidden, Narrow: testkit.Singles(x.RawMatrix().Data)},
		labels))
	wide := finish(t, b, b.Add(testkit.StoredRows{Matrix: hidden, Wide: x.RawMatrix().Data}, labels))
	same(t, "float32", narrow, textbook(x, labels, 2), 1e-6)
	testkit.Equal(t, digest(wide), digest(estimate(t, x, labels)), "float64 rows give other bits than a Dense")
}

// A transposed table is an error, instead of using all memory.
func TestCovariancesBeyondAnyMemory(t *testing.T) {
	err := statsarrays.CheckSize(200_000, 10)
	testkit.ErrorContains(t, err, "200000 columns in 10 classes need 2980 GiB")
	testkit.ErrorContains(t, testkit.ErrorOf(Estimate(mat.NewDense(2, 300_000, nil), []int{0, 1}, nil)), "transpose")
	testkit.NoError(t, statsarrays.CheckSize(4096, 10))
}
