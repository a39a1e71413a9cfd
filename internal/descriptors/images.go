package descriptors

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/rows"
	"rao/spd"
)

// Shape is the size of an image: rows, columns and channels (1 gray, 3 color).
type Shape struct{ Rows, Cols, Channels int }

// Options select the descriptors. The zero value gives one 5×5 descriptor per gray image and one 9×9 descriptor per
// color image.
type Options struct {
	// Features are the features whose covariance is computed, in order. If nil, they are Features5 for gray images and
	// Features9 for color images.
	Features []Feature
	// Patches, if not nil, replaces Features by the responses of learned filters at every position where a patch fits.
	// See [LearnPatches].
	Patches *Patches
	// Planar means that a color image is stored as a red, a green and a blue plane (as in CIFAR). Otherwise the three
	// values of a pixel are adjacent.
	Planar bool
	// WindowRows and WindowCols are the size of a window in pixels. If both are zero, the window is the complete image.
	// Overlapping windows are computed from integral images.
	WindowRows, WindowCols int
	// StepRows and StepCols are the distance between windows in pixels. Zero means the size of the window (no
	// overlap).
	StepRows, StepCols int
	// Regions selects parts of the image, with one matrix each, instead of windows: whole, quadrants (which share the
	// middle row and column if the size is odd), center (the middle half of rows and columns) and grid:RxC, separated
	// by commas. If empty, windows are used.
	Regions string
	// Smooth is the standard deviation, in pixels, of a Gaussian that smooths the intensity for all features except R,
	// G, B, I@4 and |dI|@3. 0 means no smoothing.
	Smooth float64
	// Gaussian also uses the mean μ of the features. It represents the Gaussian N(μ, S) with covariance S as a matrix
	// of order d+1 (Calvo and Oller 1990),
	//
	//	[[S + μμ', μ], [μ', 1]]
	//
	// The affine-invariant metric of these matrices does not depend on the units and origins of the features, because
	// changing them is a congruence.
	Gaussian bool
	// Ridge times the mean diagonal element is added to the diagonal of every descriptor. Zero means 1e-6, which hardly
	// changes results and keeps the descriptor of a flat patch positive definite; negative means no ridge. With
	// Patches, zero means 0.05, and Ridge is added without scaling, because whitened patches have responses of unit
	// scale.
	Ridge float64
}

// defaultRidge is the ridge of the zero Options, and defaultPatchRidge is the default ridge with learned filters.
const (
	defaultRidge      = 1e-6
	defaultPatchRidge = 0.05
)

// resolve checks the options against the shape of the images and fills in defaults.
func (o Options) resolve(s Shape) (Options, error) {
	if s.Rows < 1 || s.Cols < 1 || (s.Channels != 1 && s.Channels != 3) {
		return o, fmt.Errorf("the images have %d×%d pixels and %d channels; rows and columns must be positive, and "+
			"the number of channels 1 or 3", s.Rows, s.Cols, s.Channels)
	}
	if s.Rows > maxPixels/s.Cols {
		return o, fmt.Errorf("images of %d×%d pixels are larger than the limit of %d pixels; reduce their size", s.Rows,
			s.Cols, maxPixels)
	}
	if o.Patches != nil {
		if err := o.Patches.fits(s, o); err != nil {
			return o, err
		}
	} else if err := o.resolveFeatures(s); err != nil {
		return o, err
	}
	if _, err := o.rects(s); err != nil {
		return o, err
	}
	if !(o.Smooth >= 0 && o.Smooth <= 64) {
		return o, fmt.Errorf("the smoothing is %g pixels; it must be between 0 and 64 pixels", o.Smooth)
	}
	if o.Ridge == 0 {
		o.Ridge = defaultRidge
		if o.Patches != nil {
			o.Ridge = defaultPatchRidge
		}
	}
	if !vec.Finite(o.Ridge) {
		return o, fmt.Errorf("the ridge is %g; it must be finite", o.Ridge)
	}
	o.Ridge = max(o.Ridge, 0)
	return o, nil
}

func (o *Options) resolveFeatures(s Shape) error {
	if o.Features == nil {
		o.Features = Features5()
		if s.Channels == 3 {
			o.Features = Features9()
		}
	}
	if err := checkFeatures(o.Features); err != nil {
		return err
	}
	for _, f := range o.Features {
		if f.color() && s.Channels != 3 {
			return fmt.Errorf("the image feature %s needs color images, but these are gray; use 5x5, or features "+
				"without R, G and B", f)
		}
	}
	return nil
}

// Windows returns the number of descriptors per image of the given shape. Windows are ordered left to right, then top
// to bottom; regions are in their given order.
func (o Options) Windows(s Shape) (int, error) {
	o, err := o.resolve(s)
	if err != nil {
		return 0, err
	}
	list, err := o.rects(s)
	return len(list), err
}

// features returns the number of features of a pixel. The options must be resolved.
func (o Options) features() int {
	if o.Patches != nil {
		return o.Patches.count()
	}
	return len(o.Features)
}

// order returns the order of the matrices. The options must be resolved.
func (o Options) order() int {
	if o.Gaussian {
		return o.features() + 1
	}
	return o.features()
}

// plane returns the size of the planes of features: the size of the image, reduced by the size of a patch minus one if
// patches are used.
func (o Options) plane(s Shape) (rows, cols int) {
	if o.Patches != nil {
		return s.Rows - o.Patches.Size + 1, s.Cols - o.Patches.Size + 1
	}
	return s.Rows, s.Cols
}

// Describe returns the covariance descriptors of images, the rows of x (N×p with p = rows·columns·channels, pixels row
// by row). With w windows, the matrices of image i are i·w to i·w+w−1.
//
// The descriptor of a window R with feature vectors f(p) is
//
//	C = 1/(|R|−1) Σ_p∈R (f(p)−f̄)(f(p)−f̄)' + ridge·tr(C)/d·I
//
// (Tuzel, Porikli and Meer, 2006, equation 2). Describe panics with mat.ErrShape if the number of columns of x is not
// the number of values of an image of shape s. It returns an error that names the image if a value is not finite or a
// descriptor is not positive definite. The cost is of order pixels·d² per image, in parallel over images; the result
// does not depend on the number of goroutines. x is not retained.
func Describe(ctx context.Context, x mat.Matrix, s Shape, opt Options) (*spd.Stack, error) {
	opt, err := opt.resolve(s)
	if err != nil {
		return nil, err
	}
	n, pixels := x.Dims()
	if pixels != s.Rows*s.Cols*s.Channels {
		panic(mat.ErrShape)
	}
	list, err := opt.rects(s)
	if err != nil {
		return nil, err
	}
	perImage := len(list)
	out := spd.NewStack(n*perImage, opt.order())
	const grain = 4
	in, work := rows.New(x), make([]*imageWork, par.Workers(n, grain))
	return out, par.Try(n, grain, func(worker, lo, hi int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if work[worker] == nil {
			work[worker] = newImageWork(s, opt, list)
		}
		for i := lo; i < hi; i++ {
			if err := work[worker].image(out, i*perImage, in, i); err != nil {
				return err
			}
		}
		return nil
	})
}
