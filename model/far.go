package model

import (
	"fmt"
	"math"

	"rao/spd"
)

// far says which observations of a call lie far outside the training.
type far struct {
	is     []bool
	absurd []bool    // beyond what arithmetic can bear
	factor []float64 // times what is usual
}

func newFar(n int) *far {
	return &far{make([]bool, n), make([]bool, n), make([]float64, n)}
}

// withoutAbsurd finds the matrices far outside the training. Those beyond arithmetic are
// replaced by the identity, so that they disturb no other.
func (m *Model) withoutAbsurd(b Batch) (Batch, *far) {
	x, f := b.Stack, newFar(b.Len())
	moves := StageOf[*Adaptation](m) != nil
	for k := range x.Count {
		f.factor[k], f.is[k], f.absurd[k] = m.Training.Range.power(x.At(k), x.Dim, moves)
		if !f.absurd[k] {
			continue
		}
		if b.Stack == x {
			b.Stack = spd.StackOf(x.Count, x.Dim, append([]float64(nil), x.Contiguous()...))
		}
		a := b.Stack.At(k)
		clear(a)
		for i := range x.Dim {
			a[i*x.Dim+i] = 1
		}
	}
	return b, f
}

// notes says in a sentence what lies far outside.
func (f *far) notes(outlier []bool) []string {
	count, first := 0, -1
	for i, o := range outlier {
		if o {
			if first < 0 {
				first = i
			}
			count++
		}
	}
	if count == 0 {
		return nil
	}
	what := fmt.Sprintf("%d of %d observations lie far outside the training data and are outliers; check their units and scaling", count, len(outlier))
	if v := f.factor[first]; f.is[first] && v > 0 && !math.IsInf(v, 0) {
		return []string{fmt.Sprintf("%s (observation %d is at %.3g times the usual size)", what, first, v)}
	}
	return []string{fmt.Sprintf("%s (the first is observation %d)", what, first)}
}

// usable reports whether a row holds log-posteriors: no NaN, and a class that is not
// impossible.
func usable(logp []float64) bool {
	best := math.Inf(-1)
	for _, v := range logp {
		if math.IsNaN(v) || math.IsInf(v, 1) {
			return false
		}
		best = max(best, v)
	}
	return !math.IsInf(best, -1)
}

func uniform(logp []float64) {
	for j := range logp {
		logp[j] = -math.Log(float64(len(logp)))
	}
}
