package classifiers

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/scoring"
	"rao/internal/testkit"
	"rao/spd"
)

// offDiagonal returns the largest off-diagonal entry of V'AV, relative to the geometric mean of the diagonal entries in
// its row and column.
func offDiagonal(v *mat.Dense, a []float64) float64 {
	n, m := v.Dims()
	var av, d mat.Dense
	av.Mul(mat.NewDense(n, n, a), v)
	d.Mul(v.T(), &av)
	worst := 0.0
	for i := range m {
		for j := range i {
			worst = max(worst, math.Abs(d.At(i, j))/math.Sqrt(d.At(i, i)*d.At(j, j)))
		}
	}
	return worst
}

// The means of two classes become diagonal together, exactly.
func TestSubmanifoldDiagonalizesTwoMeans(t *testing.T) {
	x, y := clusters(31, 20, 6, 2, 0.3)
	two := []string{"left", "right"}
	m := testkit.Must(FitSubmanifold(context.Background(), x, y, two, SubmanifoldOptions{Order: 6}))(t)
	mdm := testkit.Must(classify.FitMDM(context.Background(), x, y, two, classify.MDMOptions{}))(t)
	for i := range 2 {
		if off := offDiagonal(m.Filters, mdm.Means.At(i)); off > 1e-12 {
			t.Errorf("mean of class %d: off the diagonal %.3g", i, off)
		}
	}
}

// If a common basis makes all means diagonal, they are diagonal in the basis that is found, and the selected columns
// are the ones in which the classes differ.
func TestSubmanifoldFindsTheCommonBasisOfSeveralMeans(t *testing.T) {
	const n, per = 5, 12
	rng := rand.New(rand.NewPCG(32, 1))
	basis := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			basis.Set(i, j, rng.NormFloat64())
		}
		basis.Set(i, i, basis.At(i, i)+3)
	}
	scale := [3][n]float64{{1, 4, 1, 1, 1}, {1, 1, 1, 5, 1}, {1, 1, 1, 1, 1}}
	x, y := spd.NewStack(3*per, n), make([]int, 3*per)
	for k := range y {
		y[k] = k % 3
		d := mat.NewDense(n, n, nil)
		for j := range n {
			d.Set(j, j, scale[y[k]][j]*math.Exp(0.1*rng.NormFloat64()))
		}
		var a, b mat.Dense
		a.Mul(basis, d)
		b.Mul(&a, basis.T())
		x.Set(k, testkit.Symmetric(&b))
	}
	m := testkit.Must(FitSubmanifold(context.Background(), x, y, threeClasses, SubmanifoldOptions{Order: 2}))(t)
	// A filter for a single source is a row of the inverse of the basis.
	var sees mat.Dense
	sees.Mul(m.Filters.T(), basis)
	for j, source := range []int{3, 1} { // 5 differs more than 4
		row := sees.RawRowView(j)
		for i, v := range row {
			if i != source && math.Abs(v) > 1e-5*math.Abs(row[source]) {
				t.Errorf("filter %d sees %v, want source %d alone", j, row, source)
				break
			}
		}
	}
	mdm := testkit.Must(classify.FitMDM(context.Background(), x, y, threeClasses, classify.MDMOptions{}))(t)
	for i := range 3 {
		if off := offDiagonal(m.Filters, mdm.Means.At(i)); off > 1e-5 {
			t.Errorf("mean of class %d: off the diagonal %.3g", i, off)
		}
	}
}

// With as many columns as channels, the map only changes the basis, which does not affect the tangent space at the
// mean.
func TestSubmanifoldOfFullOrderIsTheTangentSpace(t *testing.T) {
	x, y := clusters(33, 15, 5, 3, 0.4)
	test, _ := clusters(34, 10, 5, 3, 0.4)
	lda := testkit.Must(FitTangentLDA(context.Background(), x, y, threeClasses, TangentLDAOptions{Isotropic: true}))(t)
	want := posteriors(t, lda, test)
	for name, by := range map[string]submanifoldOf{"tssm": FitSubmanifold, "tssm-fisher": FitFisherSubmanifold} {
		fit := after(by, SubmanifoldOptions{Order: 5}, tangentLDA)
		m := testkit.Must(fit(context.Background(), x, y, threeClasses))(t)
		testkit.Close(t, name, posteriors(t, m, test).RawMatrix().Data, want.RawMatrix().Data, 1e-6)
	}
}

// TestSubmanifoldsOnMotorImagery measures the kappa of the sub-manifold classifiers on the covariances of the PLRSQ
// paper. Table 6 of the paper gives 0.77, 0.33, 0.77, 0.51 and 0.35 for TSSM and LDA, but not the number of columns.
func TestSubmanifoldsOnMotorImagery(t *testing.T) {
	testkit.SkipShort(t, "fits five subjects")
	sum := map[string]float64{}
	for _, subject := range []string{"A01", "A02", "A03", "A04", "A05"} {
		train, test, y, truth := bci(t, subject)
		for _, c := range []struct {
			name string
			fit  stackFit
		}{
			{"tssm lda", after(FitSubmanifold, SubmanifoldOptions{}, tangentLDA)},
			{"tssm svm", after(FitSubmanifold, SubmanifoldOptions{}, tangentSVM)},
			{"tssm-fisher lda", after(FitFisherSubmanifold, SubmanifoldOptions{}, tangentLDA)},
		} {
			m := testkit.Must(c.fit(context.Background(), train, y, bciClasses))(t)
			k := scoring.Kappa(truth, decide(t, m, test), 4)
			t.Logf("%s %s: kappa %.4f", subject, c.name, k)
			sum[c.name] += k / 5
		}
	}
	t.Logf("means: %v", sum)
	testkit.Near(t, sum["tssm lda"], .546, 0.02, "mean kappa of tssm with lda")
}
