package onnx

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/model"
	"rao/spd"
)

const (
	probes          = 40
	tolerance       = 1e-9 // for probabilities, and for features relative to the largest one
	singleTolerance = 1e-3
)

// check runs the graph on observations similar to the training data and compares its outputs with the outputs of the
// model.
func (g *graph) check(ctx context.Context, m *model.Model) error {
	b, x, err := probe(m)
	if err != nil {
		return err
	}
	out, err := g.run(x)
	if err != nil {
		return err
	}
	tol := tolerance
	if g.float == float32Kind {
		tol = singleTolerance
	}
	if v := out["valid"]; v != nil {
		for i, ok := range v.bools {
			if !ok {
				return rao.Optionf("max-condition", "the graph is not accurate for test matrix %d (of %d, counted "+
					"from 0), whose condition number is too large; increase {max-condition}", i, len(v.bools))
			}
		}
	}
	if z := out["features"]; z != nil {
		want, err := m.Transform(ctx, b)
		if err != nil {
			return err
		}
		if err := agree("feature", z.values, mat.DenseCopyOf(want.X), tol, true); err != nil {
			return err
		}
	}
	if out["probabilities"] == nil && out["label"] == nil {
		return nil
	}
	want, err := m.Predict(ctx, b)
	if err != nil {
		return err
	}
	p := want.LogPosterior
	p.Apply(func(_, _ int, v float64) float64 { return math.Exp(v) }, p)
	if got := out["probabilities"]; got != nil {
		if err := agree("probability", got.values, p, tol, false); err != nil {
			return err
		}
	}
	if got := out["label"]; got != nil {
		for i, l := range want.Label {
			if m.Threshold > 0 && math.Abs(p.At(i, 1)-m.Threshold) <= tol {
				continue
			}
			if name := m.Classes[l]; got.texts[i] != name && !tied(p.RawRowView(i), tol) {
				return fmt.Errorf("observation %d: the graph decides for %q, but the model decides for %q; this "+
					"is a bug in the export, so please report it", i, got.texts[i], name)
			}
		}
	}
	return nil
}

// tied reports whether the two largest probabilities differ by at most tol.
func tied(p []float64, tol float64) bool {
	first, second := 0.0, 0.0
	for _, v := range p {
		if v > first {
			first, second = v, first
		} else if v > second {
			second = v
		}
	}
	return first-second <= tol
}

// agree returns an error if a value of the graph differs from the model's by more than tol, or by more than tol times
// the largest absolute value if relative is true.
func agree(what string, got []float64, want *mat.Dense, tol float64, relative bool) error {
	raw := want.RawMatrix().Data
	scale := 1.0
	if relative {
		scale = max(mat.Max(want), -mat.Min(want))
	}
	for i, v := range raw {
		if !(math.Abs(got[i]-v) <= tol*scale) {
			return fmt.Errorf("observation %d: the graph computes the %s %v, but the model computes %v, so the "+
				"export would be inexact; fit the model again with more regularization", i/want.RawMatrix().Cols, what,
				got[i], v)
		}
	}
	return nil
}

// probe returns observations similar to the training data, as a batch for the model and as inputs of the graph.
func probe(m *model.Model) (model.Batch, map[string]*tensor, error) {
	r := rand.New(rand.NewPCG(1, 2))
	n := m.Input.Dim
	if m.Input.Kind == model.KindMatrices {
		x := spd.NewStack(probes, n)
		power := math.Exp(m.Training.Range.LogPower)
		samples := 4 * n
		a := mat.NewDense(n, samples, nil)
		for k := range probes {
			for i := range n {
				for j := range samples {
					a.Set(i, j, r.NormFloat64())
				}
			}
			var s mat.SymDense
			s.SymOuterK(power/float64(samples), a)
			x.Set(k, &s)
		}
		return model.Matrices(x), map[string]*tensor{"X": {shape: []int{probes, n, n}, values: x.Data}}, nil
	}
	training := m.Training.Range
	spread := training.Spread / math.Sqrt(float64(n))
	if training.Count == 0 {
		spread = 1
	}
	x := mat.NewDense(probes, n, nil)
	scaling := model.StageOf[*model.Scaling](m)
	for i := range probes {
		for j := range n {
			v := spread * r.NormFloat64()
			if training.Center != nil {
				v += training.Center[j]
			}
			if scaling != nil {
				switch len(scaling.Scale) {
				case 0:
				case 1:
					v /= scaling.Scale[0]
				default:
					v /= scaling.Scale[j]
				}
				if len(scaling.Shift) > 0 {
					v += scaling.Shift[j]
				}
			}
			x.Set(i, j, v)
		}
	}
	if takesColumns(m) {
		return tableProbe(m, x)
	}
	if m.Input.Fill != nil {
		for i := 0; i < probes; i += 3 {
			x.Set(i, i%n, math.NaN())
		}
	}
	return model.Vectors(x), map[string]*tensor{"X": {shape: []int{probes, n}, values: x.RawMatrix().Data}}, nil
}
