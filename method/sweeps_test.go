package method

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/internal/testkit"
	"rao/spd"
)

// CSP of three classes with similar spectra needs more than two hundred sweeps, and converges with its default options.
func TestCSPOfThreeClassesConverges(t *testing.T) {
	const n, trials, classes = 22, 12, 3
	r := rand.New(rand.NewPCG(22, 5))
	d := &dataset.Data{Stack: spd.NewStack(trials*classes, n), Classes: []string{"a", "b", "c"}}
	for k := range trials * classes {
		x := mat.NewDense(20*n, n, nil)
		for i := range x.RawMatrix().Data {
			x.RawMatrix().Data[i] = r.NormFloat64()
		}
		for i := range 20 * n {
			x.Set(i, k%classes, 1.2*x.At(i, k%classes))
		}
		var s mat.Dense
		s.Mul(x.T(), x)
		copy(d.Stack.At(k), s.RawMatrix().Data)
		d.Labels = append(d.Labels, k%classes)
	}
	spec := testkit.Must(ParseSpec("csp"))(t)
	m, err := spec.Fit(t.Context(), InMemory{Data: d}, nil)
	if err != nil || m.Report.Status != rao.StatusConverged || m.Report.Iterations <= 200 {
		t.Errorf("%+v, %v: want more than 200 iterations, converged", m.Report, err)
	}
}
