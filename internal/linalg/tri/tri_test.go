package tri

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// randomSPD returns a random n×n matrix with eigenvalues above one.
func randomSPD(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	b := mat.NewDense(n, n+3, testkit.Normals(rng, n*(n+3)))
	var a mat.Dense
	a.Mul(b, b.T())
	for i := range n {
		a.Set(i, i, a.At(i, i)+1)
	}
	return slices.Clone(a.RawMatrix().Data)
}

func TestFactorAndInverse(t *testing.T) {
	for _, n := range []int{1, 2, 7, 47, 48, 49, 96, 131} {
		a := randomSPD(n, uint64(n))
		l := slices.Clone(a)
		for i := range n { // the upper triangle must not be read
			for j := i + 1; j < n; j++ {
				l[i*n+j] = math.NaN()
			}
		}
		if col, _, ok := Cholesky(n, l, 0); !ok {
			t.Fatalf("n=%d failed at column %d", n, col)
		}
		li := make([]float64, n*n)
		InvertLower(n, li, l)
		var back, id mat.Dense
		L, Li := mat.NewDense(n, n, l), mat.NewDense(n, n, li)
		back.Mul(L, L.T())
		id.Mul(L, Li)
		worst, det := 0.0, 0.0
		for i := range n {
			det += math.Log(l[i*n+i])
			for j := range n {
				worst = max(worst, math.Abs(back.At(i, j)-a[i*n+j])/math.Sqrt(a[i*n+i]*a[j*n+j]))
				want := 0.0
				if i == j {
					want = 1
				}
				worst = max(worst, math.Abs(id.At(i, j)-want))
				if j > i && (l[i*n+j] != 0 || li[i*n+j] != 0) {
					t.Fatalf("n=%d: not triangular", n)
				}
			}
		}
		if worst > 1e-12 {
			t.Errorf("n=%d: error %g", n, worst)
		}
		testkit.Near(t, LogDet(n, l), 2*det, 1e-12*math.Abs(det), "n", n, "log determinant")
	}
}

func TestCholeskyNamesTheDependentColumn(t *testing.T) {
	const n = 60
	a := randomSPD(n, 3)
	for j := range n { // column 55 becomes a copy of column 4, a thousand times smaller
		a[55*n+j] = a[4*n+j] * 1e-3
	}
	for i := range n {
		a[i*n+55] = a[i*n+4] * 1e-3
	}
	a[55*n+55] = a[4*n+4] * 1e-6
	if col, pivot, ok := Cholesky(n, slices.Clone(a), 1e-12); ok || col != 55 || math.Abs(pivot) > 1e-12 {
		t.Errorf("column %d, pivot %g, ok %v", col, pivot, ok)
	}
	a[0] = math.NaN()
	if col, _, ok := Cholesky(n, a, 0); ok || col != 0 {
		t.Errorf("NaN: column %d, ok %v", col, ok)
	}
	if _, _, ok := Cholesky(2, []float64{0, 0, 0, 1}, 0); ok {
		t.Error("zero variance passed")
	}
}

func TestSameBitsForAnyNumberOfProcessors(t *testing.T) {
	const n = 200
	a := randomSPD(n, 9)
	testkit.SameAtAnyProcs(t, func() []float64 {
		l, li := slices.Clone(a), make([]float64, n*n)
		Cholesky(n, l, 0)
		InvertLower(n, li, l)
		return li
	})
}

// SolveLower, in memory padded with NaN, agrees with products by the factor.
func TestSolveLowerInvertsTheProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{1, 5, 47, 48, 49, 100, 145} {
		for _, m := range []int{1, 7, 30, 65} {
			for _, trans := range []bool{false, true} {
				l := padded(n, n, 3)
				x, want := padded(n, m, 5), mat.NewDense(n, m, nil)
				factor := mat.NewDense(n, n, nil)
				for i := range n {
					for j := range i {
						l[i*(n+3)+j] = rng.NormFloat64() / float64(n)
						factor.Set(i, j, l[i*(n+3)+j])
					}
					l[i*(n+3)+i] = 1 + rng.Float64()
					factor.Set(i, i, l[i*(n+3)+i])
					for j := range m {
						want.Set(i, j, rng.NormFloat64())
					}
				}
				var right mat.Dense
				if trans {
					right.Mul(factor.T(), want)
				} else {
					right.Mul(factor, want)
				}
				for i := range n {
					copy(x[i*(m+5):], right.RawRowView(i))
				}
				SolveLower(n, m, l, n+3, x, m+5, trans)
				for i := range n {
					for j, v := range x[i*(m+5) : min((i+1)*(m+5), len(x))] {
						if j < m && !(math.Abs(v-want.At(i, j)) <= 1e-12) || j >= m && !math.IsNaN(v) {
							t.Fatalf("n=%d m=%d transposed %v: value (%d,%d) is %g", n, m, trans, i, j, v)
						}
					}
				}
			}
		}
	}
}

// padded returns a rows×cols matrix of NaN with padding elements after each row.
func padded(rows, cols, padding int) []float64 {
	x := slices.Repeat([]float64{math.NaN()}, rows*(cols+padding))
	return x
}
