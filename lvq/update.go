package lvq

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/faults"
	"rao/internal/indices"
	"rao/spd"
)

// UpdateOptions are the options of one online step. The zero value makes small, safe steps.
type UpdateOptions struct {
	// Rate is α > 0. The default is n·p/10000 for matrices of order n and p prototypes per class, which is the
	// published rate at the end of training.
	Rate float64
	// MaxMove is the largest move of a prototype, as a fraction of the distance to the sample, in (0, 1]; default 0.05.
	MaxMove float64
}

// undoStep contains prototypes as they were before an update.
type undoStep struct {
	which      []int
	prototypes [][]float64
	live       [][]float64
}

// maxUndo is the number of updates that can be undone.
const maxUndo = 64

// Clone returns a copy with prototypes of its own, so updates of the copy do not change the original. The copy has no
// undo history.
func (m *PLRSQ) Clone() *PLRSQ {
	c := *m
	x := m.Prototypes
	c.Prototypes = spd.StackOf(x.Count, x.Dim, append([]float64(nil), x.Contiguous()...))
	if m.live != nil {
		c.live = &liveState{mix: m.live.mix, flat: m.live.flat, form: slices.Clone(m.live.form)}
	}
	return &c
}

// Update learns from one labeled matrix by a single, bounded step of the training rule: a mislabeled trial or an
// artifact moves a prototype by at most the fraction MaxMove of the distance. The calibration does not change. It
// returns an error if the matrix is not SPD or has another order, the label is not a class, or an option is out of
// range. After an error the model is unchanged.
//
// The cost is one eigendecomposition per prototype. Update is not safe for concurrent use.
func (m *PLRSQ) Update(x mat.Symmetric, label int, opt UpdateOptions) error {
	n, p := m.Prototypes.Dim, m.Prototypes.Count
	if x.SymmetricDim() != n {
		return fmt.Errorf("the matrix of the update has order %d, but the model needs order %d",
			x.SymmetricDim(), n)
	}
	if err := indices.CheckLabel("matrix", 0, label, len(m.Classes)); err != nil {
		return err
	}
	opt.Rate = cmp.Or(opt.Rate, float64(n*p)/float64(len(m.Classes))/10000)
	opt.MaxMove = cmp.Or(opt.MaxMove, 0.05)
	if !(opt.Rate > 0) || !(opt.MaxMove > 0 && opt.MaxMove <= 1) {
		return faults.Option("the rate of the update is %g and the largest move %g; the rate must be positive, and "+
			"the move above 0 and at most 1",
			opt.Rate, opt.MaxMove)
	}
	one := spd.StackFrom(x)
	if err := one.VerifyDefinite("matrix"); err != nil {
		return err
	}
	if err := m.checkInput(one); err != nil {
		return err
	}
	s, err := m.view(context.Background(), one)
	if err != nil {
		return err
	}
	if f, ok := s.(*factors); ok {
		f.measure = false
	}
	return m.step(s, label, opt, p)
}

// step computes the coefficients and moves the prototypes.
func (m *PLRSQ) step(s space, label int, opt UpdateOptions, p int) error {
	eval := s.evaluator(p)
	pairs := make([]pair, p)
	for l := range pairs {
		pairs[l] = pair{0, l}
	}
	d, f, a := make([]float64, p), make([]float64, p), make([]float64, p)
	if err := eval.distances(d, pairs); err != nil {
		return err
	}
	beta := 0.5 / m.Sigma2
	m.live.mix.joint(f, d, beta)
	m.live.mix.coefficients(a, f, d, certainTargets([]int{label}, len(m.Classes)).row(0), beta)
	var slots []int
	var moves []float64
	for l, v := range a {
		if v = bounded(v*(opt.Rate/m.Sigma2), opt.MaxMove); v != 0 {
			slots, moves = append(slots, l), append(moves, v)
		}
	}
	if len(slots) == 0 {
		return nil
	}
	m.remember(slots)
	if err := eval.move(slots, moves); err != nil {
		m.Undo()
		return err
	}
	return m.refresh(slots)
}

// part returns the live form of prototype l.
func (m *PLRSQ) part(l int) []float64 {
	size := len(m.live.form) / m.Prototypes.Count
	return m.live.form[l*size : (l+1)*size]
}

// remember stores the prototypes that are about to move.
func (m *PLRSQ) remember(which []int) {
	u := undoStep{which: which}
	for _, l := range which {
		u.prototypes = append(u.prototypes, append([]float64(nil), m.Prototypes.At(l)...))
		u.live = append(u.live, append([]float64(nil), m.part(l)...))
	}
	if len(m.live.undo) == maxUndo {
		m.live.undo = append(m.live.undo[:0], m.live.undo[1:]...)
	}
	m.live.undo = append(m.live.undo, u)
}

// refresh updates the exported prototypes from the live ones.
func (m *PLRSQ) refresh(which []int) error {
	n := m.Prototypes.Dim
	for _, l := range which {
		var w *spd.Stack
		var err error
		if m.live.flat == nil {
			w, err = (&factors{n: n, inverse: m.part(l)}).stack()
		} else {
			w, err = prototypesOf(m.live.flat, m.part(l), n)
		}
		if err != nil {
			m.Undo()
			return err
		}
		copy(m.Prototypes.At(l), w.Data)
	}
	return nil
}

// Undo reverts the last update, bit for bit. It returns false if there is none. Up to 64 updates can be undone.
func (m *PLRSQ) Undo() bool {
	if m.live == nil || len(m.live.undo) == 0 {
		return false
	}
	u := m.live.undo[len(m.live.undo)-1]
	m.live.undo = m.live.undo[:len(m.live.undo)-1]
	for k, l := range u.which {
		copy(m.Prototypes.At(l), u.prototypes[k])
		copy(m.part(l), u.live[k])
	}
	return true
}
