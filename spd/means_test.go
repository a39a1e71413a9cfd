package spd

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

// meansGold reads testdata/means.json (see means.py) and its eight matrices.
func meansGold(t *testing.T) (map[string][]float64, *Stack) {
	t.Helper()
	var gold map[string][]float64
	testkit.ReadJSON(t, "testdata/means.json", &gold)
	return gold, StackOf(8, 4, gold["x"])
}

func TestPowerMeansAgreeWithPyRiemann(t *testing.T) {
	gold, x := meansGold(t)
	ctx := context.Background()
	for name, w := range map[string][]float64{"": nil, " weighted": gold["w"]} {
		for _, p := range []float64{-0.7, -0.1, 0.001, 0.3, 0.9} {
			m, rep, err := PowerMean(ctx, x, w, Riemann, p, MeanOptions{Tol: 1e-12})
			if err != nil || rep.Iterations > 30 {
				t.Fatal(p, rep, err)
			}
			testkit.Close(t, fmt.Sprint(p, name), StackFrom(m).Data, gold[fmt.Sprintf("power %v%s", p, name)], 1e-9)
		}
		for _, p := range []float64{-0.5, 0.25, 0.5, 2} {
			m, _ := testkit.Must2(PowerMean(ctx, x, w, Euclid, p, MeanOptions{}))(t)
			testkit.Close(t, fmt.Sprint(p, name), StackFrom(m).Data, gold[fmt.Sprintf("poweuclid %v%s", p, name)],
				1e-10)
		}
	}
}

// The power mean solves its equation M = Σ w M #_p X. It approaches the Riemannian mean as p goes to 0, and increases
// with p.
func TestPowerMeanSolvesItsEquation(t *testing.T) {
	_, x := meansGold(t)
	ctx := context.Background()
	last := math.Inf(-1)
	for _, p := range []float64{-1, -0.6, -1e-9, 0, 1e-9, 0.4, 1} {
		m, _ := testkit.Must2(PowerMean(ctx, x, nil, Riemann, p, MeanOptions{}))(t, p)
		if tr := mat.Trace(m); tr < last-1e-9 {
			t.Errorf("exponent %g: trace %g after %g", p, tr, last)
		} else {
			last = tr
		}
		if math.Abs(p) < 0.1 {
			karcher, _ := testkit.Must2(Mean(ctx, x, nil, Riemann, MeanOptions{}))(t)
			testkit.Close(t, "limit", StackFrom(m).Data, StackFrom(karcher).Data, 1e-7)
			continue
		}
		sum := mat.NewSymDense(4, nil)
		for k := range x.Count {
			var g mat.SymDense
			testkit.NoError(t, Geodesic(&g, Riemann, m, x.View(k), p))
			g.ScaleSym(1./8, &g)
			sum.AddSym(sum, &g)
		}
		testkit.Close(t, fmt.Sprint(p), StackFrom(sum).Data, StackFrom(m).Data, 1e-8)
	}
	for _, p := range []float64{-1.1, 2, math.NaN()} {
		_, _, err := PowerMean(ctx, x, nil, Riemann, p, MeanOptions{})
		testkit.ErrorContains(t, err, "between -1 and 1", p)
	}
}

// seenGold returns the channels that are observed in the masked means of means.json.
func seenGold(gold map[string][]float64) [][]int {
	seen := [][]int{nil}
	for _, v := range gold["seen"] {
		if v < 0 {
			seen = append(seen, nil)
		} else {
			seen[len(seen)-1] = append(seen[len(seen)-1], int(v))
		}
	}
	return seen[:8]
}

// hide puts NaN in the rows and columns that are not seen.
func hide(x *Stack, seen [][]int) *Stack {
	out := NewStack(x.Count, x.Dim)
	for k := range x.Count {
		for p := range out.At(k) {
			out.At(k)[p] = math.NaN()
		}
		for _, i := range seen[k] {
			for _, j := range seen[k] {
				out.At(k)[i*x.Dim+j] = x.At(k)[i*x.Dim+j]
			}
		}
	}
	return out
}

func maskedCost(t *testing.T, x *Stack, seen [][]int, w []float64, m *mat.SymDense) float64 {
	sum := 0.0
	for k, channels := range seen {
		a, b := NewStack(1, len(channels)), NewStack(1, len(channels))
		vec.Submatrix(a.At(0), x.At(k), x.Dim, channels)
		vec.Submatrix(b.At(0), StackFrom(m).Data, x.Dim, channels)
		d := testkit.Must(Distance(Riemann, a.View(0), b.View(0)))(t)
		sum += w[k] * d * d
	}
	return sum
}

// The masked mean is the minimizer that scipy finds from the definition. Its cost is lower than that of pyRiemann 0.12
// (11.495 and 11.326; see means.py).
func TestMaskedMeanMinimizesItsCost(t *testing.T) {
	gold, x := meansGold(t)
	seen := seenGold(gold)
	hidden := hide(x, seen)
	for name, w := range map[string][]float64{"masked": nil, "masked weighted": gold["w"]} {
		m, rep := testkit.Must2(MaskedMean(context.Background(), hidden, nil, w, MeanOptions{}))(t)
		w, _ := normalized(w, 8)
		testkit.Close(t, name, StackFrom(m).Data, gold[name], 1e-5)
		if cost := maskedCost(t, x, seen, w, m); cost > gold[name+" cost"][0]+1e-9 ||
			math.Abs(cost-rep.Objective) > 1e-9 {
			t.Errorf("%s: cost %.12g, reported %.12g, scipy's %.12g", name, cost, rep.Objective, gold[name+" cost"][0])
		}
	}
}

// If all channels are present in all matrices, the masked mean is the Riemannian mean.
func TestMaskedMeanOfWholeMatrices(t *testing.T) {
	_, x := meansGold(t)
	ctx := context.Background()
	m, _ := testkit.Must2(MaskedMean(ctx, x, nil, nil, MeanOptions{}))(t)
	want, _ := testkit.Must2(Mean(ctx, x, nil, Riemann, MeanOptions{}))(t)
	testkit.Close(t, "mean", StackFrom(m).Data, StackFrom(want).Data, 1e-8)
}

func TestMaskedMeanRefuses(t *testing.T) {
	x := NewStack(2, 3)
	for k := range 2 {
		copy(x.At(k), []float64{2, 0, 0, 0, 1, 0, 0, 0, 3})
	}
	ctx := context.Background()
	for _, c := range []struct {
		seen [][]int
		said string
	}{
		{[][]int{{0, 1}, {1, 2}}, "no matrix contains both channels 0 and 2"},
		{[][]int{{0, 1}, {0, 1}}, "channel 2 is missing in every matrix"},
		{[][]int{{0, 1, 2}}, "for 1 matrices, but there are 2"},
		{[][]int{{0, 1, 2}, {1, 1}}, "must contain ascending numbers from 0 to 2"},
		{[][]int{{0, 1, 2}, {1, 3}}, "must contain ascending numbers from 0 to 2"},
		{[][]int{{0, 1, 2}, {}}, "must contain ascending numbers from 0 to 2"},
	} {
		_, _, err := MaskedMean(ctx, x, c.seen, nil, MeanOptions{})
		testkit.ErrorContains(t, err, c.said, c.seen)
	}
	x.At(1)[4] = math.NaN()
	testkit.ErrorContains(t, testkit.ErrorOf(seenChannels(x)), "row 1, column 1")
	for p := range x.At(1) {
		x.At(1)[p] = math.NaN()
	}
	testkit.ErrorContains(t, testkit.ErrorOf(seenChannels(x)), "all values of matrix 1 are NaN")
	whole := [][]int{{0, 1, 2}, {0, 1, 2}}
	copy(x.At(1), x.At(0))
	if m, rep, err := MaskedMean(testkit.Canceled(), x, whole, nil, MeanOptions{}); !rao.HasModel(err) || m == nil ||
		rep.Status != rao.StatusCanceled {
		t.Error(m, rep.Status, err)
	}
}

// The filters and mean of the joint diagonalization agree with pyRiemann 0.12. The criterion does not determine the
// order of the filters.
func TestJointDiagonalizationAgreesWithPyRiemann(t *testing.T) {
	gold, x := meansGold(t)
	ctx := context.Background()
	f, _ := testkit.Must2(JointFilters(ctx, x, nil, MeanOptions{Tol: 1e-11}))(t)
	want := mat.NewDense(4, 4, gold["filters"])
	for j := range 4 {
		best := math.Inf(1)
		for i := range 4 {
			best = min(best, mat.Norm(diff(f.ColView(i), want.ColView(j)), 2))
		}
		if best > 1e-6 {
			t.Errorf("filter %d is %.3g away from ours", j, best)
		}
	}
	m, _ := testkit.Must2(JointMean(ctx, x, nil, MeanOptions{Tol: 1e-12}))(t)
	testkit.Close(t, "ale", StackFrom(m).Data, gold["ale"], 1e-7)
}

func diff(a, b mat.Vector) *mat.VecDense {
	var d mat.VecDense
	d.SubVec(a, b)
	return &d
}

// For matrices with a common diagonalizer, the ALE mean is the Riemannian mean.
func TestJointMeanOfCommutingMatrices(t *testing.T) {
	gold, _ := meansGold(t)
	x := NewStack(5, 4)
	mix := mat.NewDense(4, 4, gold["x"][:16])
	for k := range 5 {
		var a mat.Dense
		d := mat.NewDiagDense(4, []float64{1, 1 + float64(k), 3 / (1 + float64(k*k)), 2 + math.Sin(float64(k))})
		a.Product(mix, d, mix.T())
		for i := range 4 {
			for j := range 4 {
				x.At(k)[4*i+j] = (a.At(i, j) + a.At(j, i)) / 2
			}
		}
	}
	ctx := context.Background()
	m, _ := testkit.Must2(JointMean(ctx, x, nil, MeanOptions{}))(t)
	want, _ := testkit.Must2(Mean(ctx, x, nil, Riemann, MeanOptions{}))(t)
	testkit.Close(t, "mean", StackFrom(m).Data, StackFrom(want).Data, 1e-8)
	if m, _, err := JointMean(testkit.Canceled(), x, nil, MeanOptions{}); !rao.HasModel(err) || m == nil {
		t.Error(m, err)
	}
}

// The log-det mean of matrices in another unit is the mean in that unit, even if squares of the values overflow.
func TestLogDetMeanOfExtremeScales(t *testing.T) {
	gold, x := meansGold(t)
	want, _ := testkit.Must2(Mean(context.Background(), x, nil, LogDet, MeanOptions{}))(t)
	for _, scale := range []float64{0x1p600, 0x1p-600} {
		scaled := make([]float64, len(gold["x"]))
		for i, v := range gold["x"] {
			scaled[i] = scale * v
		}
		m, rep, err := Mean(context.Background(), StackOf(8, 4, scaled), nil, LogDet, MeanOptions{})
		if err != nil {
			t.Fatalf("scale %g: %v %v", scale, rep, err)
		}
		got := StackFrom(m).Data
		for i := range got {
			got[i] /= scale
		}
		testkit.Close(t, fmt.Sprint("scale ", scale), got, StackFrom(want).Data, 1e-9)
	}
}
