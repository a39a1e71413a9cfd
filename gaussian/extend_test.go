package gaussian_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/gaussian/gaussiantest"
	"rao/internal/testkit"
)

// The distance between the means, added as a dissimilarity by another module in one file.
func init() {
	gaussian.RegisterDissimilarity(gaussian.Measure{Name: "mean_shift", Root: true, Singular: true, Pair: meanShift})
}

func meanShift(a, b gaussian.Gaussian, da, db *gaussian.Gaussian) (float64, error) {
	var d mat.VecDense
	d.SubVec(a.Mean, b.Mean)
	if da != nil {
		da.Mean.ScaleVec(2, &d)
		db.Mean.ScaleVec(-2, &d)
	}
	return mat.Dot(&d, &d), nil
}

func TestRegisteredDissimilarity(t *testing.T) { gaussiantest.Check(t, "mean_shift") }

// This adds the same dissimilarity for all pairs at once.
func init() {
	gaussian.RegisterDissimilarity(gaussian.Measure{Name: "joint_shift", Root: true, Singular: true, Joint: jointShift})
}

func jointShift(p *gaussian.JointPairs) error {
	for k, pair := range p.Pairs {
		sum := 0.0
		for i := range p.Dim {
			d := p.Means[pair.I*p.Dim+i] - p.Means[pair.J*p.Dim+i]
			sum += d * d
			if p.Weights != nil {
				p.GradMeans[pair.I*p.Dim+i] += 2 * p.Weights[k] * d
				p.GradMeans[pair.J*p.Dim+i] -= 2 * p.Weights[k] * d
			}
		}
		if p.Values != nil {
			p.Values[k] = sum
		}
	}
	return nil
}

func TestRegisteredJointDissimilarity(t *testing.T) { gaussiantest.Check(t, "joint_shift") }

func ExampleRegisterDissimilarity() {
	s := &gaussian.Statistics{Dim: 1, Classes: []string{"a", "b"}, Counts: []int{9, 9}, Means: []float64{1, 4},
		Covariances: []float64{1, 2}}
	for _, name := range []string{"mean_shift", "mean_shift_squared"} {
		d, err := gaussian.ParseDissimilarity(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		var v mat.Dense
		if err := s.DissimilarityMatrix(&v, d); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(name, v.At(0, 1))
	}
	// Output:
	// mean_shift 3
	// mean_shift_squared 9
}

func TestDissimilaritiesThatCannotBeRegistered(t *testing.T) {
	for _, m := range []gaussian.Measure{{Pair: meanShift}, {Name: "x"}, {Name: "a:b", Pair: meanShift},
		{Name: "A", Pair: meanShift}, {Name: "a_squared", Pair: meanShift}, {Name: gaussian.Euclid, Pair: meanShift}} {
		testkit.Panics(t, func() { gaussian.RegisterDissimilarity(m) }, "registration of", m.Name)
	}
}
