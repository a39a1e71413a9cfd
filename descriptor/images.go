package descriptor

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/par"
	"rao/spd"
)

// Shape is the size of an image: rows, columns and channels (1 gray, 3 color).
type Shape struct{ Rows, Cols, Channels int }

// ImageOptions say which descriptors to take. The zero value gives one 5×5
// descriptor for each gray image, one 9×9 descriptor for each color image.
type ImageOptions struct {
	// Features are the quantities whose covariance is taken, in order; nil is
	// Features5 for gray and Features9 for color images.
	Features []Feature
	// Planar says that a color image is stored as its red, green and blue planes
	// one after the other (CIFAR); otherwise the three values of a pixel are
	// neighbors.
	Planar bool
	// WindowRows and WindowCols are the size of a window in pixels; both zero take
	// the whole image. Windows that overlap are computed from integral images.
	WindowRows, WindowCols int
	// StepRows and StepCols are the distance between windows in pixels; zero is
	// the window's own size (no overlap).
	StepRows, StepCols int
	// Smooth is the standard deviation in pixels of a Gaussian that the intensity is
	// smoothed with before anything but R, G, B, I@4 and |dI|@3 is taken of it; 0: none.
	Smooth float64
	// Gaussian keeps the mean μ of the features beside their covariance S, as the matrix
	// of order d+1 that stands for the Gaussian N(μ, S) (Calvo and Oller 1990),
	//
	//	[[S + μμ', μ], [μ', 1]]
	//
	// A change of units or of origin of the features is a congruence of these matrices,
	// which the affine-invariant metric does not see.
	Gaussian bool
	// Ridge times the mean diagonal element is added to the diagonal of every
	// descriptor. Zero is 1e-6, which changes no classification and keeps a
	// descriptor of a flat patch positive definite; a negative value adds nothing.
	Ridge float64
}

// DefaultRidge is the ridge of the zero ImageOptions.
const DefaultRidge = 1e-6

// resolve checks the options against the images' shape and fills in defaults.
func (o ImageOptions) resolve(s Shape) (ImageOptions, error) {
	if s.Rows < 1 || s.Cols < 1 || (s.Channels != 1 && s.Channels != 3) {
		return o, fmt.Errorf("images of %d×%d pixels and %d channels: rows and columns must be positive, channels 1 or 3",
			s.Rows, s.Cols, s.Channels)
	}
	if o.Features == nil {
		o.Features = Features5()
		if s.Channels == 3 {
			o.Features = Features9()
		}
	}
	if err := checkFeatures(o.Features); err != nil {
		return o, err
	}
	for _, f := range o.Features {
		if f.color() && s.Channels != 3 {
			return o, fmt.Errorf("image feature %s needs color images and these are gray; take 5x5, or features without R, G and B", f)
		}
	}
	if o.WindowRows == 0 && o.WindowCols == 0 {
		o.WindowRows, o.WindowCols = s.Rows, s.Cols
	}
	if o.WindowRows < 1 || o.WindowCols < 1 || o.WindowRows > s.Rows || o.WindowCols > s.Cols {
		return o, fmt.Errorf("windows of %d×%d pixels do not fit images of %d×%d", o.WindowRows, o.WindowCols, s.Rows, s.Cols)
	}
	if o.StepRows == 0 {
		o.StepRows = o.WindowRows
	}
	if o.StepCols == 0 {
		o.StepCols = o.WindowCols
	}
	if o.StepRows < 1 || o.StepCols < 1 {
		return o, fmt.Errorf("window steps of %d and %d pixels: both must be positive", o.StepRows, o.StepCols)
	}
	if o.WindowRows*o.WindowCols <= len(o.Features) {
		return o, fmt.Errorf("a window of %d×%d pixels is too small for the covariance of %d features",
			o.WindowRows, o.WindowCols, len(o.Features))
	}
	if !(o.Smooth >= 0 && o.Smooth <= 64) {
		return o, fmt.Errorf("smoothing by %g pixels: want 0 to 64", o.Smooth)
	}
	if o.Ridge == 0 {
		o.Ridge = DefaultRidge
	}
	if math.IsNaN(o.Ridge) || math.IsInf(o.Ridge, 0) {
		return o, fmt.Errorf("ridge %g is not a finite number", o.Ridge)
	}
	o.Ridge = max(o.Ridge, 0)
	return o, nil
}

// Windows returns how many descriptors each image of the given shape yields:
// windows are taken left to right, then top to bottom.
func (o ImageOptions) Windows(s Shape) (int, error) {
	o, err := o.resolve(s)
	if err != nil {
		return 0, err
	}
	r, c := o.grid(s)
	return r * c, nil
}

// order returns that of the matrices; the options are resolved.
func (o ImageOptions) order() int {
	if o.Gaussian {
		return len(o.Features) + 1
	}
	return len(o.Features)
}

func (o ImageOptions) grid(s Shape) (rows, cols int) {
	return (s.Rows-o.WindowRows)/o.StepRows + 1, (s.Cols-o.WindowCols)/o.StepCols + 1
}

// Images returns the covariance descriptors of images, the rows of x (N×p, p =
// rows·columns·channels, rows of pixels one after the other). Image i of w windows
// gives matrices i·w to i·w+w−1.
//
// The descriptor of a window R with feature vectors f(p) is
//
//	C = 1/(|R|−1) Σ_p∈R (f(p)−f̄)(f(p)−f̄)' + ridge·tr(C)/d·I
//
// (Tuzel, Porikli and Meer, 2006, equation 2). Images panics with mat.ErrShape if
// the columns of x are not the pixels of s. A value that is not finite, and a
// descriptor that is not positive definite, are errors that name the image. The
// cost is of order pixels·d² an image, in parallel over images; the result does
// not depend on the number of goroutines. x is not kept.
func Images(ctx context.Context, x mat.Matrix, s Shape, opt ImageOptions) (*spd.Stack, error) {
	opt, err := opt.resolve(s)
	if err != nil {
		return nil, err
	}
	n, pixels := x.Dims()
	if pixels != s.Rows*s.Cols*s.Channels {
		panic(mat.ErrShape)
	}
	gridRows, gridCols := opt.grid(s)
	perImage := gridRows * gridCols
	out := spd.NewStack(n*perImage, opt.order())
	const grain = 4
	errs := make([]error, par.Chunks(n, grain))
	work := make([]*imageWork, par.Workers(n, grain))
	par.For(n, grain, func(worker, lo, hi int) {
		if ctx.Err() != nil {
			errs[lo/grain] = ctx.Err()
			return
		}
		if work[worker] == nil {
			work[worker] = newImageWork(s, opt)
		}
		for i := lo; i < hi; i++ {
			if err := work[worker].image(out, i*perImage, x, i); err != nil {
				errs[lo/grain] = err
				return
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// rows32 and rows64 are tables that give their rows without a copy; data is nil
// when they are stored in the other type.
type rows32 interface {
	RawRows32() (data []float32, rows, cols, stride int)
}

type rows64 interface {
	RawRows64() (data []float64, rows, cols, stride int)
}

// readRow copies row i of x to dst without going through At where it can.
func readRow(dst []float64, x mat.Matrix, i int) {
	switch m := x.(type) {
	case mat.RawMatrixer:
		r := m.RawMatrix()
		copy(dst, r.Data[i*r.Stride:i*r.Stride+r.Cols])
	case rows32:
		if data, _, cols, stride := m.RawRows32(); data != nil {
			for j, v := range data[i*stride : i*stride+cols] {
				dst[j] = float64(v)
			}
			return
		}
		if d, ok := x.(rows64); ok {
			if data, _, cols, stride := d.RawRows64(); data != nil {
				copy(dst, data[i*stride:i*stride+cols])
				return
			}
		}
		mat.Row(dst, i, x)
	default:
		mat.Row(dst, i, x)
	}
}
