package descriptors

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/rows"
	"rao/recipe"
	"rao/spd"
)

// Describer describes how images of one shape become observations, including learned references and filters. It is
// stored in models and in files of descriptors, so new images are processed like the training images.
type Describer struct {
	Shape   Shape
	Options Options
	// References are the reference points of the tangent vectors, one per window or region. If nil, the observations
	// are the matrices themselves.
	References *spd.Stack
}

// referenceImages limits the number of images from which references are learned.
const referenceImages = 500

// FitReferences switches d to tangent vectors. It sets the references to the log-Euclidean mean of each window or
// region over at most 500 evenly spaced images, the rows of x. Labels are not used.
func (d *Describer) FitReferences(ctx context.Context, x mat.Matrix) error {
	n, pixels := x.Dims()
	index := indices.Spread(n, referenceImages)
	some := mat.NewDense(max(1, len(index)), pixels, nil)
	copy(some.RawMatrix().Data, rows.New(x).Select(index, nil))
	stack, err := d.Matrices(ctx, some)
	if err != nil {
		return err
	}
	per := stack.Count / len(index)
	refs := spd.NewStack(per, stack.Dim)
	for r := range per {
		mean, _, err := spd.Mean(ctx, region(stack, r, per), nil, spd.LogEuclid, spd.MeanOptions{})
		if err != nil {
			return err
		}
		refs.Set(r, mean)
	}
	d.References = refs
	return nil
}

func region(x *spd.Stack, r, per int) *spd.Stack {
	out := spd.NewStack(x.Count/per, x.Dim)
	for k := range out.Count {
		copy(out.At(k), x.At(k*per+r))
	}
	return out
}

// Matrices returns the descriptors of the images, as [Describe] does.
func (d *Describer) Matrices(ctx context.Context, x mat.Matrix) (*spd.Stack, error) {
	return Describe(ctx, x, d.Shape, d.Options)
}

// vectorBlock is the number of images whose matrices are in memory at a time.
const vectorBlock = 256

// Vectors returns the tangent vectors of the images, one row per image: the vectors of its windows or regions in
// order, each at its reference. It returns an error if d has no references.
func (d *Describer) Vectors(ctx context.Context, x mat.Matrix) (*mat.Dense, error) {
	if d.References == nil {
		return nil, errors.New("the recipe has no references, so the images are described by matrices, not by " +
			"tangent vectors")
	}
	n, pixels := x.Dims()
	per, p := d.References.Count, vec.PackedLen(d.References.Dim)
	in, out := rows.New(x), mat.NewDense(max(1, n), per*p, nil)
	for lo := 0; lo < n; lo += vectorBlock {
		hi := min(lo+vectorBlock, n)
		block := mat.NewDense(hi-lo, pixels, nil)
		in.Read(block.RawMatrix().Data, pixels, lo, hi, nil)
		stack, err := d.Matrices(ctx, block)
		if err != nil {
			return nil, fmt.Errorf("images %d to %d: %w", lo, hi-1, err)
		}
		if stack.Count != per*(hi-lo) || stack.Dim != d.References.Dim {
			return nil, fmt.Errorf("the number of matrices per image is %d, of order %d, but the references need "+
				"%d of order %d; describe the images as in training", stack.Count/(hi-lo), stack.Dim, per,
				d.References.Dim)
		}
		for r := range per {
			dst := out.Slice(lo, hi, r*p, (r+1)*p).(*mat.Dense)
			if err := spd.TangentVectors(ctx, dst, region(stack, r, per), d.References.Sym(r)); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// Recipe returns the recipe for computing the observations, or nil if the options do not fit the shape.
func (d *Describer) Recipe() *recipe.Recipe {
	r := d.Options.recipe(d.Shape)
	if r != nil && d.References != nil {
		r.Image.References = d.References.Contiguous()
	}
	return r
}

// DescriberOf returns the Describer for a recipe. It returns an error if the recipe is not for images or is invalid.
func DescriberOf(r *recipe.Recipe) (*Describer, error) {
	if r == nil || r.Image == nil {
		return nil, errors.New("the recipe does not describe how the observations were computed from images")
	}
	m := r.Image
	d := &Describer{Shape: Shape{m.Rows, m.Cols, m.Channels}}
	o := &d.Options
	*o = Options{Planar: m.Planar, Regions: m.Regions, Smooth: m.Smooth, Gaussian: m.Gaussian, Ridge: m.Ridge}
	o.Ridge = cmp.Or(o.Ridge, -1) // no ridge was added
	if m.Regions == "" {
		o.WindowRows, o.WindowCols, o.StepRows, o.StepCols = m.Window[0], m.Window[1], m.Step[0], m.Step[1]
	}
	if m.Patches != nil {
		o.Patches = (*Patches)(m.Patches)
	} else {
		for _, name := range m.Features {
			f, err := parseFeature(name)
			if err != nil {
				return nil, err
			}
			o.Features = append(o.Features, f)
		}
	}
	per, err := o.Windows(d.Shape)
	if err != nil {
		return nil, err
	}
	if m.References == nil {
		return d, nil
	}
	full, err := o.resolve(d.Shape)
	if err != nil {
		return nil, err
	}
	n := full.order()
	if len(m.References) != per*n*n {
		return nil, fmt.Errorf("the recipe has references of %d numbers, which do not match %d matrices of order %d",
			len(m.References), per, n)
	}
	d.References = spd.StackOf(per, n, m.References)
	return d, d.References.Verify()
}
