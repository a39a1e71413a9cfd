package tooltest

import (
	"math"
	"math/rand/v2"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/spd"
)

// Persons writes 2×2 matrices of two classes to path. The class determines which channel has more power. The channels
// of each person are mixed differently. The variables person and session identify the recordings.
func Persons(t testing.TB, path string, persons, trials int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, uint64(persons)))
	n := persons * trials
	d := &dataset.Data{Source: path, Stack: spd.NewStack(n, 2), Labels: make([]int, n),
		Classes: []string{"left", "right"}, Vars: map[string]*dataset.Array{
			"person":  {Shape: []int{n}, Int64: make([]int64, n)},
			"session": {Shape: []int{n}, Int64: make([]int64, n)}}}
	for k := range n {
		p, c := k/trials, k%2
		d.Labels[k] = c
		d.Vars["person"].Int64[k], d.Vars["session"].Int64[k] = int64(p), int64(2*k/trials%2)
		power := [2]float64{math.Exp(0.3 * rng.NormFloat64()), math.Exp(0.3 * rng.NormFloat64())}
		power[c] *= 4
		sin, cos := math.Sincos(float64(p))
		gain := float64(1 + 3*p)
		mix := [2][2]float64{{gain * cos, -sin}, {gain * sin, cos}}
		a := d.Stack.At(k)
		for i := range 2 {
			for j := range 2 {
				a[2*i+j] = mix[i][0]*mix[j][0]*power[0] + mix[i][1]*mix[j][1]*power[1]
			}
		}
	}
	testkit.NoError(t, dataset.WriteFile(path, d))
}

// Matrices returns n covariances of two classes from six subjects and two days.
func Matrices(rng *rand.Rand, n int) *dataset.Data {
	const dim, samples = 4, 40
	d := &dataset.Data{Stack: spd.NewStack(n, dim), Labels: make([]int, n), Classes: []string{"rest", "move"},
		Vars: map[string]*dataset.Array{}}
	for _, name := range []string{"recording", "subject", "session"} {
		d.Vars[name] = &dataset.Array{Shape: []int{n}, Int64: make([]int64, n)}
	}
	for k := range n {
		d.Labels[k] = k % 2
		subject, session := int64(k/2%6), int64(k/12%2)
		d.Vars["subject"].Int64[k], d.Vars["session"].Int64[k] = subject, session
		d.Vars["recording"].Int64[k] = 2*subject + session
		var x [samples][dim]float64
		for i := range x {
			for j := range dim {
				x[i][j] = rng.NormFloat64() * (1 + float64(k%2*(j%2)))
			}
		}
		a := d.Stack.At(k)
		for i := range dim {
			for j := range dim {
				for _, row := range x {
					a[i*dim+j] += row[i] * row[j] / samples
				}
			}
		}
	}
	return d
}

// Write writes d to the file path. The test fails if the file cannot be written.
func Write(t testing.TB, path string, d *dataset.Data) {
	t.Helper()
	d.Source = path
	testkit.NoError(t, dataset.WriteFile(path, d))
}
