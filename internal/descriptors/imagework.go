package descriptors

import (
	"fmt"
	"math"

	"rao/internal/linalg/vec"
	"rao/internal/rows"
	"rao/spd"
)

// imageWork is the scratch memory of one goroutine.
type imageWork struct {
	shape  Shape
	opt    Options
	rects  []rect
	cols   int         // columns of a plane
	raw    []float64   // the image as stored
	plain  []float64   // the intensity of the image
	gray   []float64   // the intensity, smoothed according to the options
	base   []float64   // means of the d features over the image
	cov    []float64   // d×d
	planes [][]float64 // one per feature, centered over the image
	sums   [][]float64 // integral images of the planes, then of their products
	mean   []float64   // length d
	factor []float64   // d×d, for testing whether a descriptor is positive definite
	patch  patchWork   // scratch memory for learned filters
}

func newImageWork(s Shape, o Options, list []rect) *imageWork {
	d := o.features()
	rows, cols := o.plane(s)
	w := &imageWork{shape: s, opt: o, rects: list, cols: cols,
		raw:    make([]float64, s.Rows*s.Cols*s.Channels),
		plain:  make([]float64, s.Rows*s.Cols),
		gray:   make([]float64, s.Rows*s.Cols),
		base:   make([]float64, d),
		cov:    make([]float64, d*d),
		planes: make([][]float64, d),
		mean:   make([]float64, d),
		factor: make([]float64, d*d)}
	for f := range w.planes {
		w.planes[f] = make([]float64, rows*cols)
	}
	if overlap(list) {
		w.sums = make([][]float64, d+d*(d+1)/2)
		for k := range w.sums {
			w.sums[k] = make([]float64, (rows+1)*(cols+1))
		}
	}
	return w
}

// image writes the descriptors of row i of x to out, starting at index first.
func (w *imageWork) image(out *spd.Stack, first int, in *rows.Reader, i int) error {
	if err := w.read(in, i); err != nil {
		return err
	}
	if w.opt.Patches != nil {
		w.opt.Patches.respond(w)
	} else {
		w.intensity()
		for f, plane := range w.planes {
			w.feature(plane, w.opt.Features[f])
		}
	}
	for f, plane := range w.planes {
		w.base[f] = center(plane)
	}
	if w.sums != nil {
		w.integrate()
	}
	for k, r := range w.rects {
		if w.sums != nil {
			w.fromIntegrals(w.cov, r)
		} else {
			w.direct(w.cov, r)
		}
		if err := w.finish(w.cov); err != nil {
			return fmt.Errorf("image %d, window at row %d, column %d: %w", i, r.top, r.left, err)
		}
		w.write(out.At(first + k))
	}
	return nil
}

// read reads row i of the input. It returns an error if a value is not finite.
func (w *imageWork) read(in *rows.Reader, i int) error {
	in.Read(w.raw, len(w.raw), i, i+1, nil)
	if p := vec.NotFinite(w.raw); p >= 0 {
		return fmt.Errorf("image %d: value %d is %g; remove the image or repair the value", i, p, w.raw[p])
	}
	return nil
}

// at returns the value of channel ch of pixel p.
func (w *imageWork) at(p, ch int) float64 {
	if w.opt.Planar {
		return w.raw[ch*w.shape.Rows*w.shape.Cols+p]
	}
	return w.raw[p*w.shape.Channels+ch]
}

func (w *imageWork) intensity() {
	if w.shape.Channels == 1 {
		copy(w.plain, w.raw)
	} else {
		for p := range w.plain {
			w.plain[p] = 0.299*w.at(p, 0) + 0.587*w.at(p, 1) + 0.114*w.at(p, 2)
		}
	}
	smooth(w.gray, w.plain, w.shape, w.opt.Smooth)
}

func (w *imageWork) feature(dst []float64, f Feature) {
	cols := w.shape.Cols
	switch f {
	case FeatureX:
		for p := range dst {
			dst[p] = float64(p % cols)
		}
	case FeatureY:
		for p := range dst {
			dst[p] = float64(p / cols)
		}
	case Intensity:
		copy(dst, w.gray)
	case Red, Green, Blue:
		for p := range dst {
			dst[p] = w.at(p, int(f-Red))
		}
	case AbsIx:
		w.derivative(dst, 1, cols, firstDifference)
	case AbsIy:
		w.derivative(dst, cols, w.shape.Rows, firstDifference)
	case AbsIxx:
		w.derivative(dst, 1, cols, secondDifference)
	case AbsIyy:
		w.derivative(dst, cols, w.shape.Rows, secondDifference)
	case AbsIxy:
		mixedDifference(dst, w.gray, w.shape)
	case Slope:
		slope(dst, w.gray, w.shape)
	case Intensity4:
		smooth(dst, w.plain, w.shape, 4)
	case Direction:
		direction(dst, w.gray, w.shape)
	case Slope3:
		s := make([]float64, len(dst))
		smooth(s, w.plain, w.shape, 3)
		slope(dst, s, w.shape)
	}
}

// derivative applies rule to every line of n pixels, which are step values apart.
func (w *imageWork) derivative(dst []float64, step, n int, rule func(before, here, after float64, inside int) float64) {
	next := n // distance between the starts of two lines
	if step > 1 {
		next = 1
	}
	for line := range len(dst) / n {
		p, last := line*next, line*next+(n-1)*step
		for first := p; p <= last; p += step {
			lo, hi := max(p-step, first), min(p+step, last)
			inside := 2
			if lo == p || hi == p {
				inside = 1
			}
			dst[p] = rule(w.gray[lo], w.gray[p], w.gray[hi], inside)
		}
	}
}

// firstDifference returns |∂I|: central in the interior (inside = 2), one-sided at the border.
func firstDifference(before, _, after float64, inside int) float64 {
	return math.Abs(after-before) / float64(inside)
}

func secondDifference(before, here, after float64, _ int) float64 {
	return math.Abs(before - 2*here + after)
}

// center subtracts the mean from v and returns the mean.
func center(v []float64) float64 {
	sum := vec.Total(v)
	sum /= float64(len(v))
	for i := range v {
		v[i] -= sum
	}
	return sum
}

// direct computes the covariance of one window from its pixels.
func (w *imageWork) direct(m []float64, at rect) {
	d, cols := len(w.planes), w.cols
	n := float64(at.area())
	for i, pi := range w.planes {
		sum := 0.0
		for r := at.top; r < at.top+at.rows; r++ {
			for _, v := range pi[r*cols+at.left : r*cols+at.left+at.cols] {
				sum += v
			}
		}
		w.mean[i] = sum / n
		for j, pj := range w.planes[:i+1] {
			s := 0.0
			for r := at.top; r < at.top+at.rows; r++ {
				lo, hi := r*cols+at.left, r*cols+at.left+at.cols
				s += vec.Dot(pi[lo:hi], pj[lo:hi])
			}
			s = (s - n*w.mean[i]*w.mean[j]) / (n - 1)
			m[i*d+j], m[j*d+i] = s, s
		}
	}
}

// integrate computes the integral images: entry (r,c) is the sum over all pixels above r and left of c. The planes are
// centered over the image, which avoids large rounding errors in the differences.
func (w *imageWork) integrate() {
	k := 0
	for _, p := range w.planes {
		w.integral(w.sums[k], p, nil)
		k++
	}
	for i, p := range w.planes {
		for _, q := range w.planes[:i+1] {
			w.integral(w.sums[k], p, q)
			k++
		}
	}
}

func (w *imageWork) integral(dst, p, q []float64) {
	cols := w.cols
	for r := range len(p) / cols {
		line := 0.0
		above, here := dst[r*(cols+1):(r+1)*(cols+1)], dst[(r+1)*(cols+1):(r+2)*(cols+1)]
		for c := range cols {
			v := p[r*cols+c]
			if q != nil {
				v *= q[r*cols+c]
			}
			line += v
			here[c+1] = above[c+1] + line
		}
	}
}

// fromIntegrals computes the covariance of one window in d² operations.
func (w *imageWork) fromIntegrals(m []float64, at rect) {
	d, line := len(w.planes), w.cols+1
	n := float64(at.area())
	a := at.top*line + at.left
	b := a + at.cols
	c := a + at.rows*line
	e := c + at.cols
	for i := range d {
		s := w.sums[i]
		w.mean[i] = (s[e] - s[b] - s[c] + s[a]) / n
	}
	k := d
	for i := range d {
		for j := range i + 1 {
			s := w.sums[k]
			v := ((s[e] - s[b] - s[c] + s[a]) - n*w.mean[i]*w.mean[j]) / (n - 1)
			m[i*d+j], m[j*d+i] = v, v
			k++
		}
	}
}

// finish adds the ridge and tests whether the descriptor is positive definite.
func (w *imageWork) finish(m []float64) error {
	d := len(w.planes)
	ridge := w.opt.Ridge
	if w.opt.Patches == nil {
		ridge *= vec.Trace(m, d) / float64(d)
	}
	for i := range d {
		m[i*d+i] += ridge
	}
	if i := notPositive(m, w.factor, d); i >= 0 {
		what := fmt.Sprintf("filter %d", i)
		if w.opt.Patches == nil {
			what = "feature " + w.opt.Features[i].String()
		}
		return fmt.Errorf("the descriptor is not positive definite at %s, because of a flat patch or features that "+
			"depend on each other; raise the ridge above %g, use larger windows or leave the feature out",
			what, w.opt.Ridge)
	}
	return nil
}

// write stores the covariance of a window, with the mean if the options require it.
func (w *imageWork) write(m []float64) {
	d := len(w.planes)
	if !w.opt.Gaussian {
		copy(m, w.cov)
		return
	}
	n := d + 1
	for i := range d {
		mu := w.base[i] + w.mean[i]
		for j := range d {
			m[i*n+j] = w.cov[i*d+j] + mu*(w.base[j]+w.mean[j])
		}
		m[i*n+d], m[d*n+i] = mu, mu
	}
	m[d*n+d] = 1
}

// notPositive returns the first row at which the Cholesky factorization of the d×d matrix a, written to l, breaks down
// relative to the diagonal, or −1 if it succeeds.
func notPositive(a, l []float64, d int) int {
	for i := range d {
		for j := range i + 1 {
			s := a[i*d+j] - vec.Dot(l[i*d:i*d+j], l[j*d:j*d+j])
			switch {
			case i > j:
				l[i*d+j] = s / l[j*d+j]
			case !(s > 1e-14*a[i*d+i]):
				return i
			default:
				l[i*d+i] = math.Sqrt(s)
			}
		}
	}
	return -1
}
