package descriptors

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/rows"
	"rao/internal/text"
)

// PatchOptions are the options of [LearnPatches]. The default values were chosen on CIFAR-10.
type PatchOptions struct {
	Count int // number of filters. Default 48
	Size  int // rows and columns of a patch. Default 6
	// Images is the largest number of training images, and Sample the number of patches drawn from them at random.
	// Defaults 600 and 60000.
	Images, Sample int
	// Rounds is the number of rounds of the clustering. Default 15.
	Rounds int
	// Floor is added to the variance of a patch in contrast normalization, in squared units of the pixels. Default 10,
	// for values from 0 to 255.
	Floor float64
	// Whitening is added to the eigenvalues of the patches' covariance. Default 0.1.
	Whitening float64
	// Threshold is the magnitude that a response must exceed. Default 0.5. A negative value means no threshold.
	Threshold float64
	Seed      uint64
}

func (o PatchOptions) filled() (PatchOptions, error) {
	for _, d := range []struct {
		what      string
		v         *int
		otherwise int
	}{{"filters", &o.Count, 48}, {"pixels per side", &o.Size, 6}, {"images", &o.Images, 600},
		{"sampled patches", &o.Sample, 60000}, {"rounds", &o.Rounds, 15}} {
		if *d.v == 0 {
			*d.v = d.otherwise
		}
		if *d.v < 1 || *d.v > 1<<24 {
			return o, fmt.Errorf("the number of %s is %d, but must be from 1 to %d", d.what, *d.v, 1<<24)
		}
	}
	for _, d := range []struct {
		v         *float64
		otherwise float64
	}{{&o.Floor, 10}, {&o.Whitening, 0.1}, {&o.Threshold, 0.5}} {
		if *d.v == 0 {
			*d.v = d.otherwise
		}
	}
	o.Threshold = max(o.Threshold, 0)
	if !(o.Floor > 0 && o.Whitening > 0) || !vec.Finite(o.Floor+o.Whitening+o.Threshold) {
		return o, fmt.Errorf("the floor of the patches is %g, the whitening %g and the threshold %g; all must be "+
			"finite, and the first two positive", o.Floor, o.Whitening, o.Threshold)
	}
	return o, nil
}

// Patches are filters learned from the patches of images. The response of filter k to a patch p, after subtracting its
// mean and dividing by √(variance + Floor), is
//
//	r = f_k'p − o_k,  sign(r) max(|r| − Threshold, 0)
//
// where f_k and o_k follow from the whitening of the patches and the center of cluster k (Coates, Lee and Ng 2011).
// The exported fields determine the filters.
type Patches struct {
	Size, Channels   int
	Filters          []float64 // d×K, d = Size²·Channels: channel by channel, row by row
	Offsets          []float64 // one per filter
	Floor, Threshold float64
}

func (p *Patches) count() int { return len(p.Offsets) }

// Validate checks the fields. Call it after reading them from a file.
func (p *Patches) Validate() error {
	if p.Size < 1 || p.Size > 1<<10 || p.Channels != 1 && p.Channels != 3 || len(p.Offsets) == 0 ||
		len(p.Filters) != p.Size*p.Size*p.Channels*len(p.Offsets) {
		return fmt.Errorf("the patches of %d×%d pixels and %d channels have %d numbers for %d filters, which do not "+
			"match",
			p.Size, p.Size, p.Channels, len(p.Filters), len(p.Offsets))
	}
	if vec.NotFinite(slices.Concat(p.Filters, p.Offsets, []float64{p.Floor, p.Threshold})) >= 0 {
		return errors.New("a patch filter contains a number that is not finite; learn the filters again")
	}
	if !(p.Floor > 0 && p.Threshold >= 0) {
		return fmt.Errorf("the patches have the floor %g and the threshold %g; the floor must be positive, and the "+
			"threshold 0 or more", p.Floor, p.Threshold)
	}
	return nil
}

// fits returns an error unless the filters can be applied to images of the shape with the options.
func (p *Patches) fits(s Shape, o Options) error {
	if err := p.Validate(); err != nil {
		return err
	}
	switch {
	case p.Channels != s.Channels:
		return fmt.Errorf("patch filters have %s, but the images have %d; give images like the training images",
			text.Plural(p.Channels, "channel", "channels"), s.Channels)
	case p.Size > s.Rows || p.Size > s.Cols:
		return fmt.Errorf("patches of %d×%d pixels do not fit images of %d×%d; give larger images",
			p.Size, p.Size, s.Rows, s.Cols)
	case o.Features != nil || o.Smooth != 0:
		return errors.New("features and smoothing cannot be combined with learned patch filters; give only one of " +
			"these")
	}
	return nil
}

// LearnPatches learns filters without labels from the images in the rows of x. It whitens patches and clusters them by
// direction, up to sign. It reads only opt.Images images. It returns an error if an image has a value that is not
// finite, or if all patches are flat. The same seed gives the same bits for any number of goroutines. With d the number
// of values of a patch, the cost is 2·Sample·d·Count operations per round, plus 4·Sample·d² and of the order of d³ for
// the whitening. It panics with mat.ErrShape if the number of columns of x is not the number of values of an image of
// shape s.
func LearnPatches(ctx context.Context, x mat.Matrix, s Shape, planar bool, opt PatchOptions) (*Patches, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	n, pixels := x.Dims()
	if pixels != s.Rows*s.Cols*s.Channels {
		panic(mat.ErrShape)
	}
	if opt.Size > min(s.Rows, s.Cols) {
		return nil, fmt.Errorf("patches of %d×%d pixels do not fit images of %d×%d; use smaller patches",
			opt.Size, opt.Size, s.Rows, s.Cols)
	}
	d := opt.Size * opt.Size * s.Channels
	rng := rand.New(rand.NewPCG(opt.Seed, 97))
	sample, err := samplePatches(x, n, s, planar, opt, rng)
	if err != nil {
		return nil, err
	}
	mean, white, err := whitenPatches(sample, d, opt.Whitening)
	if err != nil {
		return nil, err
	}
	centers, err := directions(ctx, sample, d, opt, rng)
	if err != nil {
		return nil, err
	}
	p := &Patches{Size: opt.Size, Channels: s.Channels, Floor: opt.Floor, Threshold: opt.Threshold,
		Filters: make([]float64, d*opt.Count), Offsets: make([]float64, opt.Count)}
	dense.Gemm(false, true, d, opt.Count, d, 1, white, d, centers, d, 0, p.Filters, opt.Count)
	dense.Gemm(false, false, 1, opt.Count, d, 1, mean, d, p.Filters, opt.Count, 0, p.Offsets, opt.Count)
	return p, p.Validate()
}

// samplePatches draws normalized patches. Each is a row of d values.
func samplePatches(x mat.Matrix, n int, s Shape, planar bool, opt PatchOptions, rng *rand.Rand) ([]float64, error) {
	w := &imageWork{shape: s, opt: Options{Planar: planar}, raw: make([]float64, s.Rows*s.Cols*s.Channels)}
	in := rows.New(x)
	rows, cols := s.Rows-opt.Size+1, s.Cols-opt.Size+1
	chosen := rng.Perm(n)[:min(n, opt.Images)]
	slices.Sort(chosen)
	each := max(1, min(opt.Sample/max(1, len(chosen)), rows*cols))
	var sample []float64
	patch := make([]float64, opt.Size*opt.Size*s.Channels)
	for _, i := range chosen {
		if err := w.read(in, i); err != nil {
			return nil, err
		}
		for _, p := range rng.Perm(rows * cols)[:each] {
			w.cut(patch, p/cols, p%cols, opt.Size, opt.Floor)
			sample = append(sample, patch...)
		}
	}
	if len(sample) == 0 {
		return nil, errors.New("the data contain no images, so no patch filters can be learned; give images")
	}
	return sample, nil
}

// cut writes the patch at (top, left), after subtracting its mean and dividing by its contrast.
func (w *imageWork) cut(dst []float64, top, left, size int, floor float64) {
	k, sum := 0, 0.0
	for ch := range w.shape.Channels {
		for r := top; r < top+size; r++ {
			for c := left; c < left+size; c++ {
				dst[k] = w.at(r*w.shape.Cols+c, ch)
				sum += dst[k]
				k++
			}
		}
	}
	mean, squares := sum/float64(k), 0.0
	for i := range dst {
		dst[i] -= mean
		squares += dst[i] * dst[i]
	}
	scale := 1 / math.Sqrt(squares/float64(k)+floor)
	for i := range dst {
		dst[i] *= scale
	}
}

// whitenPatches whitens the sample in place. It returns the mean of the sample and the symmetric transform (C + εI)^-½,
// with C the covariance of the sample.
func whitenPatches(sample []float64, d int, epsilon float64) (mean, white []float64, err error) {
	n := len(sample) / d
	mean = make([]float64, d)
	for i := range n {
		vec.Axpy(mean, 1/float64(n), sample[i*d:(i+1)*d])
	}
	for i := range n {
		vec.Axpy(sample[i*d:(i+1)*d], -1, mean)
	}
	cov := make([]float64, d*d)
	dense.Gemm(true, false, d, d, n, 1/float64(max(1, n-1)), sample, d, sample, d, 0, cov, d)
	trace := vec.Trace(cov, d)
	if !(trace > 0) {
		return nil, nil, errors.New("all patches of the images are flat, so no filters can be learned; use images " +
			"with contrast")
	}
	values := make([]float64, d)
	if err := eig.SymRows(values, cov, d, true, make([]float64, eig.WorkLen(d))); err != nil {
		return nil, nil, fmt.Errorf("the eigenvalues of the covariance of the patches cannot be computed: %w; check "+
			"the images for extreme values", err)
	}
	scaled := make([]float64, d*d) // rows are scaled eigenvectors
	for k, v := range values {
		scale := 1 / math.Sqrt(max(v, 0)+epsilon)
		for j := range d {
			scaled[k*d+j] = scale * cov[k*d+j]
		}
	}
	white = make([]float64, d*d)
	dense.Gemm(true, false, d, d, d, 1, cov, d, scaled, d, 0, white, d)
	out := make([]float64, len(sample))
	dense.Gemm(false, false, n, d, d, 1, sample, d, white, d, 0, out, d)
	copy(sample, out)
	return mean, white, nil
}

// directions clusters rows by direction, up to sign. A row belongs to the center with the largest absolute inner
// product. A center is the direction of the sum of its rows, each multiplied by its inner product with the center.
func directions(ctx context.Context, sample []float64, d int, opt PatchOptions, rng *rand.Rand) ([]float64, error) {
	n, k := len(sample)/d, opt.Count
	centers := make([]float64, k*d)
	draw := func(c []float64) {
		for j := range c {
			c[j] = rng.NormFloat64()
		}
		unit(c)
	}
	for c := range k {
		draw(centers[c*d : (c+1)*d])
	}
	products, nearest := make([]float64, n*k), make([]int, n)
	for range opt.Rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		dense.Gemm(false, true, n, k, d, 1, sample, d, centers, d, 0, products, k)
		par.For(n, 1024, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				best := 0
				for c, v := range products[i*k : (i+1)*k] {
					if math.Abs(v) > math.Abs(products[i*k+best]) {
						best = c
					}
				}
				nearest[i] = best
			}
		})
		clear(centers)
		for i, c := range nearest {
			vec.Axpy(centers[c*d:(c+1)*d], products[i*k+c], sample[i*d:(i+1)*d])
		}
		for c := range k {
			row := centers[c*d : (c+1)*d]
			if vec.Norm(row) > 1e-6 {
				unit(row)
			} else {
				draw(row) // the center has no rows
			}
		}
	}
	return centers, nil
}

func unit(v []float64) {
	scale := 1 / vec.Norm(v)
	for j := range v {
		v[j] *= scale
	}
}

// patchWork is the scratch memory of one goroutine for learned filters.
type patchWork struct{ patches, responses []float64 }

// respond fills the planes with the responses of the filters to the image that w has read.
func (p *Patches) respond(w *imageWork) {
	rows, k, d := len(w.planes[0])/w.cols, p.count(), p.Size*p.Size*p.Channels
	count := rows * w.cols
	if w.patch.patches == nil {
		w.patch = patchWork{make([]float64, count*d), make([]float64, count*k)}
	}
	for i := range count {
		w.cut(w.patch.patches[i*d:(i+1)*d], i/w.cols, i%w.cols, p.Size, p.Floor)
	}
	dense.Gemm(false, false, count, k, d, 1, w.patch.patches, d, p.Filters, k, 0, w.patch.responses, k)
	for f, plane := range w.planes {
		for i := range plane {
			r := w.patch.responses[i*k+f] - p.Offsets[f]
			plane[i] = math.Copysign(max(math.Abs(r)-p.Threshold, 0), r)
		}
	}
}
