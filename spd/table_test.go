package spd

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
)

// What the table says of a metric is true of its distances, means and vectors.
func TestPropertiesOfMetricsHold(t *testing.T) {
	x := randomSPD(rand.New(rand.NewPCG(1, 0)), 12, 4)
	scaled := StackOf(x.Count, x.Dim, slices.Clone(x.Data))
	for i := range scaled.Data {
		scaled.Data[i] *= 9
	}
	for _, name := range Metrics() {
		m := Metric(name)
		var d, far mat.Dense
		if err := Distances(&d, m, x, nil); err != nil {
			t.Fatal(err)
		}
		if err := Distances(&far, m, scaled, nil); err != nil {
			t.Fatal(err)
		}
		if f := m.Flat(); f != nil && f.Scaled() == mat.EqualApprox(&d, &far, 1e-9) {
			t.Errorf("%s: scaled is %v", name, f.Scaled())
		}
		if b := m.Below(); b != nil {
			v, err := b.Vectors(context.Background(), x, "matrix")
			if err != nil {
				t.Fatal(err)
			}
			for i := range x.Count {
				for j := range x.Count {
					e := norm(v[i*10:(i+1)*10], v[j*10:(j+1)*10])
					if e > d.At(i, j)*(1+1e-9)+1e-12 || m.Flat() != nil && math.Abs(e-d.At(i, j)) > 1e-9 {
						t.Errorf("%s: distance %g, %g in the flat space", name, d.At(i, j), e)
					}
				}
			}
		}
		_, rep, err := Mean(context.Background(), x, nil, m, MeanOptions{})
		if err != nil || m.Iterates() != (rep.Status != rao.Closed) {
			t.Errorf("%s: the mean iterates: %v, it ended with %v, %v", name, m.Iterates(), rep.Status, err)
		}
		if want := 9.0; m == KullbackSym {
			if m.Square(3) != 3 {
				t.Error("the divergence was squared")
			}
		} else if m.Square(3) != want {
			t.Errorf("%s: square of 3 is %g", name, m.Square(3))
		}
	}
}

func norm(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return math.Sqrt(sum)
}

// Vectors and Matrices are inverse, and a projection leads to SPD matrices and leaves those alone.
func TestFlatSpacesGoThereAndBack(t *testing.T) {
	x := randomSPD(rand.New(rand.NewPCG(2, 0)), 5, 4)
	for _, name := range FlatMetrics() {
		f := Metric(name).Flat()
		v, err := f.Vectors(context.Background(), x, "matrix")
		if err != nil {
			t.Fatal(err)
		}
		back, err := f.Matrices(v, 4)
		if err != nil {
			t.Fatal(err)
		}
		if off := norm(back.Data, x.Data); off > 1e-10 {
			t.Errorf("%s: back off by %g", name, off)
		}
		project := f.Projection(v, 4, 1e-4)
		v[0] *= -1 // of a space that is whole still an SPD matrix
		if project == nil {
			if _, err := f.Matrices(v, 4); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err := project(v[:10]); err != nil {
			t.Fatal(err)
		}
		inside := slices.Clone(v[:10])
		if err := project(inside); err != nil || norm(inside, v[:10]) > 1e-12 {
			t.Errorf("%s: a second projection moved by %g, %v", name, norm(inside, v[:10]), err)
		}
		one, err := f.Matrices(v[:10], 4)
		if err != nil {
			t.Fatal(err)
		}
		if err := Log(new(Stack), one); err != nil {
			t.Errorf("%s: projected to a matrix that is not SPD: %v", name, err)
		}
	}
}
