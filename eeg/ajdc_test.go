package eeg

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
	"rao/spd"
)

// ajdcGolden is what testdata/ajdc.py wrote.
type ajdcGolden struct {
	X                     [][][][]float64
	Rate                  float64
	All, Three, Condition ajdcSources
}

type ajdcSources struct {
	Sources    int
	Freqs      []float64
	Projectors [][][]float64
	Variance   []float64
	Clean      [][]float64
}

var fourNames = []string{"a", "b", "c", "d"}

func readAJDC(t *testing.T) (g ajdcGolden, x [][]pieces) {
	t.Helper()
	testkit.ReadJSON(t, "testdata/ajdc.json", &g)
	for _, s := range g.X {
		var list []pieces
		for _, c := range s {
			list = append(list, pieces{mat.NewDense(len(c), len(c[0]), slices.Concat(c...))})
		}
		x = append(x, list)
	}
	return g, x
}

// The sources equal those of pyRiemann 0.12: their contributions to the channels, how much they explain, and the signal
// without the strongest source.
func TestAJDCIsPyRiemanns(t *testing.T) {
	g, x := readAJDC(t)
	for name, c := range map[string]struct {
		opt  AJDCOptions
		want ajdcSources
	}{
		"all":       {AJDCOptions{Sources: 4}, g.All},
		"three":     {AJDCOptions{Sources: 3}, g.Three},
		"condition": {AJDCOptions{Condition: 30}, g.Condition},
	} {
		opt, want := c.opt, c.want
		opt.Low, opt.High = 2, 28
		f := testkit.Must(fitAJDC(t.Context(), x, fourNames, g.Rate, opt))(t, name)
		testkit.Close(t, name+" frequencies", f.Frequencies, want.Freqs, 1e-12)
		if _, k := f.Filters.Dims(); k != want.Sources || len(f.Share) != k {
			t.Fatalf("%s: %d sources, want %d", name, k, want.Sources)
		}
		var cov mat.SymDense
		testkit.Must(spd.Covariance(&cov, x[0][0][0], spd.CovarianceOptions{}))(t)
		variance := explained(&cov, f.Filters, f.Patterns)
		left := make([]int, want.Sources) // ours in the order of theirs
		for s := range left {
			left[s] = s
		}
		slices.SortFunc(left, func(a, b int) int { return int(math.Copysign(1, variance[b]-variance[a])) })
		for k, s := range left {
			var piece mat.Dense
			piece.Outer(1, f.Patterns.ColView(s), f.Filters.ColView(s))
			testkit.Close(t, name+" source", piece.RawMatrix().Data, slices.Concat(want.Projectors[k]...), 1e-6)
			testkit.Close(t, name+" variance", variance[s:s+1], want.Variance[k:k+1], 1e-5)
		}
		testkit.Close(t, name+" clean", rebuilt(f, x[0][0][0], left[0]).RawMatrix().Data[:20*4],
			slices.Concat(want.Clean...), 1e-5)
	}
}

// rebuilt returns the patterns of all sources of x except one, times the values of the sources.
func rebuilt(f *AJDC, x *mat.Dense, without int) *mat.Dense {
	n, _ := f.Patterns.Dims()
	patterns := mat.DenseCopyOf(f.Patterns)
	patterns.SetCol(without, make([]float64, n))
	var sources, out mat.Dense
	sources.Mul(x, f.Filters)
	out.Mul(&sources, patterns.T())
	return &out
}

// Removing a source subtracts its contribution from the recording, and removing no source changes nothing.
func TestRecordingWithoutSources(t *testing.T) {
	g, x := readAJDC(t)
	f := testkit.Must(fitAJDC(t.Context(), x, fourNames, g.Rate, AJDCOptions{Sources: 3}))(t)
	n, _ := x[0][0][0].Dims()
	r := testkit.Must(NewRecording(fourNames, g.Rate, x[0][0][0].RawMatrix().Data,
		[]Event{{Sample: 3, Code: 1}}))(t)
	same := testkit.Must(f.Without(r, nil))(t)
	testkit.Close(t, "nothing taken out", values(t, same, 0, n), x[0][0][0].RawMatrix().Data, 0)
	out, err := f.Without(r, []int{0})
	if err != nil || len(out.Events) != 1 || out.Rate != r.Rate {
		t.Fatalf("%v, %v", out, err)
	}
	var all, first, want, sources, again mat.Dense
	sources.Mul(x[0][0][0], f.Filters)
	all.Mul(&sources, f.Patterns.T())
	first.Sub(&all, rebuilt(f, x[0][0][0], 0))
	want.Sub(x[0][0][0], &first)
	testkit.Close(t, "first taken out", values(t, out, 0, n), want.RawMatrix().Data, 1e-12)
	again.Mul(mat.NewDense(n, 4, values(t, out, 0, n)), f.Filters) // the source is gone from what is left
	if v := mat.Norm(again.Slice(0, n, 0, 1), 2); v > 1e-9*mat.Norm(&sources, 2) {
		t.Errorf("the source is left with %g", v)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(f.Without(r, []int{3})), "source 3 does not exist",
		"a source that is not there")
	testkit.ErrorContains(t, testkit.ErrorOf(f.Without(synthetic(t, 1), nil)), `there is no channel "d"`,
		"a channel that is not there")
}

func TestAJDCRefuses(t *testing.T) {
	g, x := readAJDC(t)
	flat := mat.NewDense(400, 4, nil)
	line := make([]float64, 4*400) // four copies of one channel
	for i := range line {
		line[i] = math.Sin(float64(i / 4))
	}
	for says, c := range map[string]struct {
		x    [][]pieces
		opt  AJDCOptions
		rate float64
	}{
		"must be positive":      {x, AJDCOptions{}, 0},
		"use a range":           {x, AJDCOptions{Low: 9, High: 8}, g.Rate},
		"at most half the rate": {x, AJDCOptions{High: 40}, g.Rate},
		"no frequency from":     {x, AJDCOptions{Low: 2.1, High: 2.2}, g.Rate},
		"give recordings of several independent channels": {[][]pieces{{{mat.NewDense(400, 4, line)}}}, AJDCOptions{},
			g.Rate},
		"at most as many sources":               {x, AJDCOptions{Sources: 5}, g.Rate},
		"number must be 0 or more":              {x, AJDCOptions{Condition: 0.5}, g.Rate},
		"overlap by a fraction":                 {x, AJDCOptions{Overlap: 1}, g.Rate},
		"conditions, but the":                   {[][]pieces{x[0], x[1][:1]}, AJDCOptions{}, g.Rate},
		"has no power":                          {[][]pieces{{{flat}}}, AJDCOptions{}, g.Rate},
		"at most the length of the trial":       {x, AJDCOptions{Segment: 30}, g.Rate},
		"enough power for the condition number": {x, AJDCOptions{Condition: 1.0001}, g.Rate},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(fitAJDC(t.Context(), c.x, fourNames, c.rate, c.opt)), says)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(FitAJDC(t.Context(), nil, AJDCOptions{})), "no signals")
	r, other := synthetic(t, 1), synthetic(t, 2)
	other.Channels = fourNames[1:]
	testkit.ErrorContains(t, testkit.ErrorOf(FitAJDC(t.Context(), [][]*Recording{{r}, {other}}, AJDCOptions{})),
		"has channels b,c,d at 100 Hz, but recording has a,b,c at 100 Hz", "other channels")
}

// Two joined signals give the spectra of both: no segment crosses the joint, and a piece shorter than a segment does
// not count.
func TestSpectraEndAtBreaks(t *testing.T) {
	g, x := readAJDC(t)
	a, b := x[0][0][0], x[1][0][0]
	var joined mat.Dense
	joined.Stack(a, b)
	n, _ := a.Dims()
	total, c := joined.Dims()
	r := testkit.Must(NewRecording(fourNames, g.Rate, slices.Clone(joined.RawMatrix().Data),
		[]Event{{Sample: n + 50, Duration: 10, Label: "BAD_jump"}}))(t)
	for k := range 10 { // a jump that is marked as bad, a sample that is missing
		r.data[(n+50+k)*c] = 1e3
	}
	r.data[5] = math.NaN()
	r.Breaks = []int{n}
	whole := testkit.Must(r.pieces())(t)
	want := pieces{a.Slice(0, 1, 0, c).(*mat.Dense), a.Slice(2, n, 0, c).(*mat.Dense),
		b.Slice(0, 50, 0, c).(*mat.Dense), b.Slice(60, total-n, 0, c).(*mat.Dense)}
	if len(whole) != len(want) {
		t.Fatalf("%d pieces", len(whole))
	}
	for i := range want {
		if !mat.Equal(whole[i], want[i]) {
			t.Errorf("piece %d has other samples", i)
		}
	}
	opt := AJDCOptions{Low: 2, High: 28}
	fit := func(p pieces) []float64 {
		f := testkit.Must(fitAJDC(t.Context(), [][]pieces{{p}}, fourNames, g.Rate, opt))(t)
		return f.Filters.RawMatrix().Data
	}
	testkit.EqualSlices(t, fit(whole), fit(want[1:]), "a piece of one sample counts")
	if slices.Equal(fit(pieces{a, b}), fit(pieces{&joined})) {
		t.Error("spectra cross the joint")
	}
	opt.Segment = 0.01 + float64(total)/g.Rate
	testkit.Fails(t, testkit.ErrorOf(fitAJDC(t.Context(), [][]pieces{{whole}}, fourNames, g.Rate, opt)),
		"no piece has a segment")
}
