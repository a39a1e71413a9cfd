package spd

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/shrink"
)

// Repair turns matrices that are not SPD into SPD matrices. Its steps run in the order of the fields, each only if its
// field is set. A repair is chosen on training data, stored with the model, and applied in the same way to every later
// matrix.
type Repair struct {
	// Dim is the order of the input matrices.
	Dim int `json:"dim"`
	// Symmetrize replaces A by (A+A')/2.
	Symmetrize bool `json:"symmetrize"`
	// Keep lists the channels to keep, ascending; nil keeps all.
	Keep []int `json:"keep"`
	// Basis has orthonormal columns that span the range that all matrices share; A becomes Basis' A Basis. Its rows are
	// the kept channels. Nil means no projection.
	Basis *mat.Dense `json:"basis"`
	// Shrink replaces A by (1−s)A + s (tr A/n) I, s in [0, 1].
	Shrink float64 `json:"shrink"`
	// Floor raises eigenvalues to at least Floor times the largest; it is in [0, 1).
	Floor float64 `json:"floor"`
}

// dropChannels returns the repair that leaves out the given channels, or an error that names a channel that does not
// exist.
func dropChannels(dim int, channels ...int) (*Repair, error) {
	out := slices.Clone(channels)
	slices.Sort(out)
	out = slices.Compact(out)
	for _, c := range out {
		if c < 0 || c >= dim {
			return nil, faults.Option("drop: channel %d does not exist; the matrices have channels 0 to %d", c, dim-1)
		}
	}
	if len(out) >= dim {
		return nil, faults.Option("drop: all %d channels would be dropped; keep at least one", dim)
	}
	return &Repair{Dim: dim, Keep: indices.Others(dim, out)}, nil
}

// project sets Basis to the range of the pooled matrix over the kept channels.
func (r *Repair) project(d *Diagnosis) {
	keep := r.Keep
	if keep == nil {
		keep = indices.Others(d.Dim, nil)
	}
	k := len(keep)
	sp, err := decompose(principal(d.pooled, d.Dim, keep), k, "pooled matrix", false)
	if err != nil || !(sp.vals[k-1] > 0) {
		return
	}
	drop := 0
	for drop < k && sp.vals[drop] <= d.options.RankTol*sp.vals[k-1] {
		drop++
	}
	if drop == 0 {
		return
	}
	r.Basis = mat.NewDense(k, k-drop, nil)
	for i := range k {
		for j := drop; j < k; j++ {
			r.Basis.Set(i, j-drop, sp.vecs[i*k+j])
		}
	}
}

// suggestRepair uses these amounts.
const (
	suggestedShrink = 0.01
	suggestedFloor  = 1e-6
)

// suggestRepair returns the repair "auto" of [ParseRepair].
func suggestRepair(d *Diagnosis) (*Repair, error) {
	if d.Healthy() {
		return nil, nil
	}
	r := &Repair{Dim: d.Dim, Symmetrize: d.Asymmetric > 0}
	drop := slices.Concat(d.NaNChannels, d.FlatChannels)
	for _, p := range d.Duplicates {
		if !slices.Contains(drop, p[0]) {
			drop = append(drop, p[1])
		}
	}
	if len(drop) > 0 {
		cut, err := dropChannels(d.Dim, drop...)
		if err != nil {
			return nil, faults.Data("every channel is flat or not finite in some matrix; leave the worst matrices " +
				"out and check again")
		}
		r.Keep = cut.Keep
	}
	r.project(d)
	span := r.OutDim()
	for i := range d.Matrices {
		m := &d.Matrices[i]
		switch {
		case m.Smallest < -d.options.RankTol*m.largest:
			r.Floor = suggestedFloor
		case m.Rank < span:
			r.Shrink = suggestedShrink
		case m.Rank == d.Dim && !(m.Condition <= d.options.MaxCondition):
			r.Shrink = suggestedShrink
		}
	}
	return r, nil
}

// ParseRepair parses a repair as users write it: "auto" for a repair of the problems in the diagnosis, "none", or steps
// joined by "+": drop:3,5 (channels by number from 0, or by name if the diagnosis has names), project, shrink:0.01 and
// floor:1e-6. These amounts are the defaults of "shrink" and "floor". The diagnosis provides the order of the matrices
// and the range that they share. If it found asymmetric matrices, the repair also symmetrizes. "none", the empty text,
// and "auto" for healthy matrices give nil. It returns an error for an unknown step, a channel that does not exist, or
// an amount out of range.
//
// "auto" drops channels that are flat, not finite, or copies of an earlier channel. It projects away a null space that
// all matrices share (average reference). Matrices that are ill-conditioned, or singular for another reason (such as
// fewer samples than channels), are shrunk by 0.01. Negative eigenvalues are raised to 1e-6 of the largest. It is an
// error if no channel would be left.
func ParseRepair(text string, d *Diagnosis) (*Repair, error) {
	switch text {
	case "", "none":
		return nil, nil
	case "auto":
		return suggestRepair(d)
	}
	r := &Repair{Dim: d.Dim, Symmetrize: d.Asymmetric > 0}
	project := false
	for _, step := range strings.Split(text, "+") {
		name, arg, _ := strings.Cut(step, ":")
		var err error
		switch name {
		case "drop":
			err = r.parseDrop(arg, d)
		case "project":
			project = true
		case "shrink":
			r.Shrink, err = parseAmount(name, arg, suggestedShrink)
		case "floor":
			r.Floor, err = parseAmount(name, arg, suggestedFloor)
		default:
			err = &rao.UnknownError{Kind: "repair", Name: name,
				Known: []string{"auto", "none", "drop:CHANNELS", "project", "shrink:AMOUNT", "floor:AMOUNT"}}
		}
		if err != nil {
			return nil, err
		}
	}
	if project {
		r.project(d)
	}
	return r, nil
}

func (r *Repair) parseDrop(arg string, d *Diagnosis) error {
	var channels []int
	for _, c := range strings.Split(arg, ",") {
		c = strings.TrimSpace(c)
		v := -1
		if d.named() {
			v = slices.Index(d.Channels, c)
		}
		if v < 0 {
			var err error
			if v, err = strconv.Atoi(c); err != nil {
				return faults.Option("drop: %q is not a channel number%s; write numbers from 0, such as drop:3,5",
					c, d.known())
			}
		}
		channels = append(channels, v)
	}
	cut, err := dropChannels(r.Dim, channels...)
	if err == nil {
		r.Keep = cut.Keep
	}
	return err
}

// known lists the names of the channels for an error message.
func (d *Diagnosis) known() string {
	if !d.named() {
		return ""
	}
	return " or one of the names " + strings.Join(d.Channels, ", ")
}

func parseAmount(name, arg string, otherwise float64) (float64, error) {
	if arg == "" {
		return otherwise, nil
	}
	v, err := strconv.ParseFloat(arg, 64)
	if err != nil || !(v > 0 && v < 1) {
		return 0, faults.Option("%s: %q is not a number above 0 and below 1; write, for example, %s:%g", name, arg,
			name, otherwise)
	}
	return v, nil
}

// OutDim returns the order of the repaired matrices.
func (r *Repair) OutDim() int {
	if r.Basis != nil {
		_, c := r.Basis.Dims()
		return c
	}
	if r.Keep != nil {
		return len(r.Keep)
	}
	return r.Dim
}

// String returns the steps in the syntax of [ParseRepair], plus the rank of a projection.
func (r *Repair) String() string {
	var steps []string
	if r.Symmetrize {
		steps = append(steps, "symmetrize")
	}
	if r.Keep != nil {
		drop := strings.Fields(strings.Trim(fmt.Sprint(indices.Others(r.Dim, r.Keep)), "[]"))
		steps = append(steps, "drop:"+strings.Join(drop, ","))
	}
	if r.Basis != nil {
		steps = append(steps, fmt.Sprintf("project:%d", r.OutDim()))
	}
	if r.Shrink > 0 {
		steps = append(steps, fmt.Sprintf("shrink:%g", r.Shrink))
	}
	if r.Floor > 0 {
		steps = append(steps, fmt.Sprintf("floor:%g", r.Floor))
	}
	if len(steps) == 0 {
		return "none"
	}
	return strings.Join(steps, "+")
}

// Validate returns an error if a field is out of range or not finite, or if the fields contradict each other.
func (r *Repair) Validate() error {
	if r.Dim < 1 {
		return fmt.Errorf("repair: the order of the matrices is %d; it must be 1 or more", r.Dim)
	}
	last := -1
	for _, c := range r.Keep {
		if c <= last || c >= r.Dim {
			return fmt.Errorf("repair: channel %d of the kept channels is out of order or not between 0 and %d; list "+
				"them in ascending order", c, r.Dim-1)
		}
		last = c
	}
	kept := r.Dim
	if r.Keep != nil {
		kept = len(r.Keep)
	}
	if kept == 0 {
		return errors.New("repair: no channel is kept; keep at least one")
	}
	if r.Basis != nil {
		rows, cols := r.Basis.Dims()
		if rows != kept || cols < 1 || cols > kept {
			return fmt.Errorf("repair: the basis of the projection is %d×%d, but %d channels are kept",
				rows, cols, kept)
		}
		for i := range rows {
			for j := range cols {
				if !vec.Finite(r.Basis.At(i, j)) {
					return fmt.Errorf("repair: the basis of the projection has a value that is not finite at row %d, "+
						"column %d", i, j)
				}
			}
		}
	}
	if !(r.Shrink >= 0 && r.Shrink <= 1) || !(r.Floor >= 0 && r.Floor < 1) {
		return fmt.Errorf("repair: shrink is %g and floor is %g; shrink must be from 0 to 1, and floor from 0 to "+
			"below 1", r.Shrink, r.Floor)
	}
	return nil
}

// Apply returns the repaired matrices as a new stack; x is not changed. A nil Repair returns x itself. It returns an
// error if x has another order, or if a matrix is not finite in a kept channel; the error names the matrix.
func (r *Repair) Apply(x *Stack) (*Stack, error) {
	if r == nil {
		return x, nil
	}
	if err := x.Validate(); err != nil {
		return nil, err
	}
	if x.Dim != r.Dim {
		return nil, &rao.ShapeError{Got: x.Dim, Want: r.Dim, Message: fmt.Sprintf("the matrices have order %d, but "+
			"the repair was made for order %d; give the channels of the training data", x.Dim, r.Dim)}
	}
	out := NewStack(x.Count, r.OutDim())
	return out, par.Try(x.Count, 8, func(_, lo, hi int) (err error) {
		for k := lo; k < hi && err == nil; k++ {
			err = r.repairMatrix(out.At(k), x.At(k), k)
		}
		return err
	})
}

// repairMatrix writes the repaired matrix a to dst. k is its index, for errors.
func (r *Repair) repairMatrix(dst, a []float64, k int) error {
	keep := r.Keep
	if keep == nil {
		keep = indices.Others(r.Dim, nil)
	}
	n := len(keep)
	b := principal(a, r.Dim, keep)
	if p := vec.NotFinite(b); p >= 0 {
		return &MatrixError{Role: "matrix", Index: k, Problem: ProblemNotFinite, Row: keep[p/n], Col: keep[p%n],
			Value: b[p]}
	}
	if r.Symmetrize {
		vec.Symmetrize(b, n)
	}
	if r.Basis != nil {
		var t, p mat.Dense
		t.Mul(mat.NewDense(n, n, b), r.Basis)
		p.Mul(r.Basis.T(), &t)
		b = p.RawMatrix().Data
		_, n = r.Basis.Dims()
		vec.Symmetrize(b, n)
	}
	if r.Shrink > 0 {
		shrink.Apply(b, n, r.Shrink)
	}
	if r.Floor > 0 {
		sp, err := decompose(b, n, "matrix", false)
		if err != nil {
			return indices.InError(err, func(e *MatrixError) { e.Index = k })
		}
		least := r.Floor * math.Abs(sp.vals[n-1])
		b = sp.function(func(v float64) float64 { return max(v, least) })
	}
	copy(dst, b)
	return nil
}
