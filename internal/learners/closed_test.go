package learners

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/internal/classstats"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/testkit"
)

// The filters maximize the criterion of independence, which is computed from its definition, with N×N kernels.
func TestSPCAMaximizesTheIndependenceCriterion(t *testing.T) {
	x, y := sample(40, 5, 3, 1)
	m := testkit.Must(FitSPCA(estimate(t, x, y), SPCAOptions{Filters: 2}))(t)
	const n = 40
	var hl, k, qx, q mat.Dense
	h, l := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			h.Set(i, j, -1./n)
			if y[i] == y[j] {
				l.Set(i, j, 1)
			}
		}
		h.Set(i, i, 1-1./n)
	}
	hl.Mul(h, l)
	k.Mul(&hl, h)
	qx.Mul(x.T(), &k)
	q.Mul(&qx, x)
	q.Scale(1./(n-1)/(n-1), &q)
	values, vectors := testkit.Must2(linearfilters.FullEigen(q.RawMatrix().Data, 5))(t)
	testkit.Close(t, "criterion", m.Values, []float64{values[4], values[3]}, 1e-10)
	want := mat.NewDense(5, 2, nil)
	for i := range 5 {
		want.Set(i, 0, vectors[i*5+4])
		want.Set(i, 1, vectors[i*5+3])
	}
	sameUpToSign(t, "filters", m.Filters, want.RawMatrix().Data, 1e-8)
}

func TestSPCABlendEndsInPCA(t *testing.T) {
	x, y := sample(80, 5, 3, 2)
	s := estimate(t, x, y)
	pca := testkit.Must(feature.FitPCA(s, feature.PCAOptions{Filters: 4}))(t)
	all := testkit.Must(FitSPCA(s, SPCAOptions{Filters: 4, Blend: 1}))(t)
	sameUpToSign(t, "filters", all.Filters, pca.Filters.RawMatrix().Data, 1e-9)
	testkit.NoError(t, testkit.ErrorOf(FitSPCA(s, SPCAOptions{Filters: 4, Blend: 0.5})),
		"more filters than classes with a blend")
}

func TestGEMVectorsAreGeneralizedEigenvectors(t *testing.T) {
	x, y := sample(120, 4, 3, 3)
	s := estimate(t, x, y)
	m := testkit.Must(FitGEM(background, s, GEMOptions{Filters: 3, Ridge: 0.01}))(t)
	mean, _, _ := linearfilters.TotalCovariance(s)
	centered := s.Affine(mean, []float64{1})
	moment := func(i int, ridge float64) *mat.Dense {
		c := mat.DenseCopyOf(classstats.SecondMoment(centered, i))
		trace := mat.Trace(c)
		for d := range 4 {
			c.Set(d, d, c.At(d, d)+ridge*trace/4)
		}
		return c
	}
	for k := range 3 {
		v := m.Filters.ColView(k)
		testkit.Near(t, mat.Norm(v, 2), 1, 1e-12, "filter", k, "has norm")
		best := math.Inf(1)
		for i := range 3 {
			for j := range 3 {
				var a, b, r mat.VecDense
				a.MulVec(moment(i, 0), v)
				b.MulVec(moment(j, 0.01), v)
				r.AddScaledVec(&a, -m.Values[k], &b)
				best = min(best, mat.Norm(&r, 2)/mat.Norm(&a, 2))
			}
		}
		if best > 1e-9 {
			t.Errorf("filter %d: residual %g for every pair of classes", k, best)
		}
	}
	ctx := testkit.Canceled()
	testkit.ErrorIs(t, testkit.ErrorOf(FitGEM(ctx, s, GEMOptions{Filters: 1})), context.Canceled, "canceled")
}

// The scatter matrices equal their definition as sums over pairs.
func TestLFDAScatterIsThatOfThePairs(t *testing.T) {
	x, y := sample(45, 3, 3, 4)
	for i := range y { // classes of different sizes
		if i%5 == 0 {
			y[i] = 0
		}
	}
	const k = 4
	tr := testkit.Must(newTraining(x, y, nil))(t)
	_, within, between, _ := localScatter(background, tr, LFDAOptions{Neighbor: k})
	row := func(i int) []float64 { return x.RawRowView(i) }
	distance := func(i, j int) float64 {
		d := 0.0
		for h := range 3 {
			d += (row(i)[h] - row(j)[h]) * (row(i)[h] - row(j)[h])
		}
		return d
	}
	sigma := make([]float64, 45)
	for i := range sigma {
		var ds []float64
		for j := range sigma {
			if j != i && y[j] == y[i] {
				ds = append(ds, distance(i, j))
			}
		}
		slices.Sort(ds)
		sigma[i] = math.Sqrt(ds[k-1])
	}
	wantW, wantB := make([]float64, 9), make([]float64, 9)
	for i := range 45 {
		for j := range 45 {
			w, b := 0.0, 1./45
			if y[i] == y[j] {
				a := math.Exp(-distance(i, j) / (sigma[i] * sigma[j]))
				count := float64(tr.counts[y[i]])
				w, b = a/count, a*(1./45-1/count)
			}
			for p := range 3 {
				for q := range 3 {
					d := 0.5 * (row(i)[p] - row(j)[p]) * (row(i)[q] - row(j)[q])
					wantW[p*3+q] += w * d
					wantB[p*3+q] += b * d
				}
			}
		}
	}
	testkit.Close(t, "within", within, wantW, 1e-11)
	testkit.Close(t, "between", between, wantB, 1e-11)
}

// If one class has two distant clusters and the other class is between them, the class means are equal. LFDA separates
// the classes, and LDA does not.
func TestLFDASeesClusters(t *testing.T) {
	x, y := twoShapes(300, 5)
	for i := range 300 {
		x.Set(i, 0, x.At(i, 0)*0.2)
		if y[i] == 1 {
			x.Set(i, 0, x.At(i, 0)+float64(i/2%2*12-6))
		}
	}
	m := testkit.Must(FitLFDA(background, x, y, nil, LFDAOptions{Filters: 1}))(t)
	f := slices.Clone(m.Filters.RawMatrix().Data)
	vec.NormalizeColumns(f, 1)
	if math.Abs(f[0]) < 0.99 {
		t.Errorf("filter %v", f)
	}
}

func TestLFDATakesRepeatedRows(t *testing.T) {
	x, y := sample(40, 3, 2, 6)
	for i := range 20 {
		x.SetRow(i, x.RawRowView(i%2))
	}
	m := testkit.Must(FitLFDA(background, x, y, nil, LFDAOptions{Filters: 2}))(t)
	testkit.NoError(t, m.Validate())
}

func TestClosedLearnersExplainBadInput(t *testing.T) {
	x, y := sample(60, 4, 2, 7)
	s := estimate(t, x, y)
	same := s.Clone()
	copy(same.Mean(1), same.Mean(0))
	one := estimate(t, x, make([]int, 60))
	flat := s.Clone()
	clear(flat.Means)
	clear(flat.Covariances)
	line := flat.Clone() // all rows are multiples of one vector
	for i := range line.Covariances {
		line.Covariances[i] = 1
	}
	fit := func(_ *feature.Model, err error) error { return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{fit(FitSPCA(s, SPCAOptions{})), "the number of filters is 0; it must be between 1 and 4"},
		{fit(FitSPCA(s, SPCAOptions{Filters: 5, Blend: 0.5})), "the number of filters is 5"},
		{fit(FitSPCA(s, SPCAOptions{Filters: 1, Blend: 2})), "the blend is 2"},
		{fit(FitSPCA(one, SPCAOptions{Filters: 1})), "at least 2 classes are needed, but the data have only 1"},
		{fit(FitSPCA(same, SPCAOptions{Filters: 1})), "the means of the classes are equal"},
		{fit(FitGEM(background, s, GEMOptions{Filters: 5})), "the number of filters is 5"},
		{fit(FitGEM(background, s, GEMOptions{Filters: 1, Ridge: -1})), "the ridge is -1"},
		{fit(FitGEM(background, one, GEMOptions{Filters: 1})),
			"at least 2 classes are needed, but the data have only 1"},
		{fit(FitGEM(background, flat, GEMOptions{Filters: 1})), "the second moment of class 0 is zero"},
		{fit(FitGEM(background, line, GEMOptions{Filters: 1, Ridge: 1e-20})), "use a larger ridge"},
		{fit(FitLFDA(background, x, y, nil, LFDAOptions{Filters: 1, Shrinkage: 3})),
			"the number of the neighbor is 7 and the shrinkage 3"},
		{fit(FitLFDA(background, x, y, nil, LFDAOptions{Filters: 1, Neighbor: -3})),
			"the number of the neighbor is -3"},
		{fit(FitLFDA(background, mat.NewDense(60, 4, nil), y, nil, LFDAOptions{Filters: 1, Shrinkage: -1})),
			"the rows of every class are identical"},
	} {
		testkit.ErrorContains(t, c.err, c.want)
	}
}

// If more filters are requested than there are directions in which the classes differ, the model has one filter per
// direction.
func TestMoreFiltersThanDiscriminants(t *testing.T) {
	x, y := sample(90, 5, 3, 7)
	s := estimate(t, x, y)
	line := s.Clone() // the means of three classes on one line
	for j, v := range line.Mean(0) {
		line.Mean(2)[j] = 2*line.Mean(1)[j] - v
	}
	for _, c := range []struct {
		name string
		fit  func() (*feature.Model, error)
		want int
	}{
		{"lda", func() (*feature.Model, error) { return feature.FitLDA(s, feature.LDAOptions{Filters: 9}) }, 2},
		{"lda on a line", func() (*feature.Model, error) {
			return feature.FitLDA(line,
				feature.LDAOptions{Filters: 2})
		}, 1},
		{"spca", func() (*feature.Model, error) { return FitSPCA(s, SPCAOptions{Filters: 9}) }, 2},
		{"spca on a line", func() (*feature.Model, error) { return FitSPCA(line, SPCAOptions{Filters: 2}) }, 1},
	} {
		m := testkit.Must(c.fit())(t, c.name)
		if n, k := m.Dims(); n != 5 || k != c.want || len(m.Values) != k {
			t.Errorf("%s: %d×%d filters, %d values, want %d", c.name, n, k, len(m.Values), c.want)
		}
		for _, v := range m.Filters.RawMatrix().Data {
			testkit.Equal(t, v-v, 0, c.name, "filters hold", v)
		}
	}
}
