package synth

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"rao/dataset"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// These are the fixed sizes of the speed task: Herrera-Esposito and Burge (arXiv 2502.00168, appendix F), following
// Burge and Geisler (2015).
const (
	// pixels of a photograph per degree; rows and columns of the aperture
	speedPerDegree = 60
	speedFrames    = 15           // frames per video
	speedFrame     = 0.25 / 15    // seconds per frame
	speedWidth     = 30           // samples per frame after down-sampling by 2
	speedDim       = 450          // speedWidth·speedFrames
	speedLevels    = 41           // speeds from −6 to 6 degrees per second in steps of 0.3
	speedHalfC50   = 0.045        // c50², the semi-saturation contrast squared
	speedSub       = 4            // instants of the photoreceptors' memory per frame
	speedMemory    = 5 * speedSub // number of instants in that memory: 83 ms
	// time constant τ of the photoreceptors in seconds; their response is (t/τ)³ exp(−t/τ), which peaks at 24 ms
	speedTau  = 0.008
	speedBlur = 0.7 // standard deviation of the eye's optics in pixels
	// columns on each side that interpolation and blur need
	speedMargin = 4
	// pixels that the fastest pattern moves, including the memory: 6·60·(0.25+1/12)
	speedReach = 120
	speedSpan  = speedPerDegree + speedReach + 2*speedMargin // columns of a photograph that a video covers
)

// defaultSpeedNoise is the standard deviation of the receptors' noise if SpeedOptions.Noise is 0.
const defaultSpeedNoise = 0.1

// SpeedOptions are the options of [Speed].
type SpeedOptions struct {
	// Dir is a folder of photographs (JPEG or PNG). If it has subfolders train and test, they are the two parts.
	// Otherwise, a quarter of the photographs, evenly spaced by name, is the test part.
	Dir string
	// Test selects the test part, with photographs that the training part does not use.
	Test bool
	// PerClass is the number of videos per speed. 0 means 500, or 300 for the test part.
	PerClass int
	// Noise is the standard deviation of the receptors' noise, in units of contrast, added to each value before the
	// normalization. 0 means 0.1, and a negative value means no noise. Without noise the speed can be determined
	// exactly, because the frames of a video are linearly dependent in a way that is specific to the speed.
	Noise float64
	// Seed is the seed for positions in the photographs and for the noise.
	Seed uint64
}

// Speed generates data for the naturalistic speed task: 41 classes of videos that show a piece of a photograph drifting
// behind an aperture of one degree at −6 to 6 degrees per second. Each video has 450 values: 15 frames (250 ms), from
// first to last, of 30 samples from left to right. A filter is therefore an image of 15×30, with space along its rows.
//
// Each video shows a random place of a random photograph. Its brightness is made linear (by inverting the sRGB curve),
// blurred by the eye's optics (a Gaussian of 0.7 minutes of arc), filtered in time by the photoreceptors ((t/τ)³
// exp(−t/τ), τ = 8 ms), averaged over the rows of the aperture and over pairs of columns, and converted to contrast c =
// (s−s̄)/s̄. Then noise is added, and the result is normalized as c/√(‖c‖² + 450·c50²), c50² = 0.045.
//
// The user supplies the photographs. The paper filters "spatiotemporally" as in the works it cites, gives no constants
// for this, and does not mention noise. The constants of optics, photoreceptors and noise are therefore our choice.
// Results on this set are not comparable with the paper; describe them as results on a substitute. The same folder,
// options and version give the same values on any machine with the same floating-point rules, with any
// number of processors. Photographs narrower than the fastest video needs (188 columns) or lower than the aperture are
// skipped; Speed returns an error if no photograph remains. Memory: 4 bytes per pixel of the photographs, and 4 bytes
// per value of the videos.
func Speed(ctx context.Context, opt SpeedOptions) (*dataset.Data, error) {
	if opt.PerClass < 0 {
		return nil, fmt.Errorf("the number of videos per class is %d; it must be 1 or more, or 0 for the default",
			opt.PerClass)
	}
	part := uint64(0)
	if opt.Test {
		part = 1
	}
	if opt.PerClass == 0 {
		opt.PerClass = []int{500, 300}[part]
	}
	opt.Noise = cmp.Or(opt.Noise, defaultSpeedNoise)
	if !vec.Finite(opt.Noise) {
		return nil, fmt.Errorf("the noise is %g; it must be a finite number", opt.Noise)
	}
	photos, err := loadPhotos(ctx, opt.Dir, opt.Test)
	if err != nil {
		return nil, err
	}
	n := speedLevels * opt.PerClass
	values := make([]float32, n*speedDim)
	d := &dataset.Data{Source: "speed", X: dataset.NewTable(n, speedDim, values), Labels: make([]int, n),
		Image: [3]int{speedFrames, speedWidth, 1}}
	for k := range speedLevels {
		d.Classes = append(d.Classes, fmt.Sprintf("%.1f", speedOf(k)))
	}
	memory := photoreceptor()
	par.For(speedLevels, 1, func(_, lo, hi int) {
		for k := lo; k < hi && ctx.Err() == nil; k++ {
			rng := rand.New(rand.NewPCG(opt.Seed, 2*uint64(k)+part))
			v := newVideo(speedOf(k), memory)
			v.noise = max(opt.Noise, 0)
			for i := range opt.PerClass {
				row := k*opt.PerClass + i
				d.Labels[row] = k
				v.make(values[row*speedDim:(row+1)*speedDim], photos, rng)
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return d, nil
}

// speedOf returns the speed of class k in degrees per second.
func speedOf(k int) float64 { return float64(3*k-60) / 10 }

// photoreceptor returns the weights of the instants before a frame, newest first. They sum to 1.
func photoreceptor() []float64 {
	h := make([]float64, speedMemory)
	sum := 0.0
	for k := range h {
		t := (float64(k) + 0.5) * speedFrame / speedSub / speedTau
		h[k] = t * t * t * math.Exp(-t)
		sum += h[k]
	}
	for k := range h {
		h[k] /= sum
	}
	return h
}

type video struct {
	step   float64   // pixels per instant, to the right
	memory []float64 // the photoreceptors' weights
	strip  []float64 // the photograph's columns, averaged over the aperture's rows
	smooth []float64 // the strip after the eye's optics
	noise  float64   // standard deviation, in contrast
}

func newVideo(speed float64, memory []float64) *video {
	return &video{step: speed * speedPerDegree * speedFrame / speedSub, memory: memory,
		strip: make([]float64, speedSpan), smooth: make([]float64, speedSpan)}
}

// make fills dst with a video from a random place. The pattern moves only along rows, and every step before the
// contrast is linear, so make averages over rows first.
func (v *video) make(dst []float32, photos []photo, rng *rand.Rand) {
	for {
		p := &photos[rng.IntN(len(photos))]
		top := rng.IntN(p.rows - speedPerDegree + 1)
		left := rng.IntN(p.cols - speedSpan + 1)
		p.strip(v.strip, top, left)
		v.optics()
		if v.frames(dst, rng) {
			return
		}
	}
}

// optics blurs the strip with a Gaussian. Near the ends, which no video shows, the last value is repeated.
func (v *video) optics() {
	const reach = speedMargin - 2
	var g [2*reach + 1]float64
	sum := 0.0
	for k := range g {
		d := float64(k-reach) / speedBlur
		g[k] = math.Exp(-d * d / 2)
		sum += g[k]
	}
	last := len(v.strip) - 1
	for x := range v.strip {
		s := 0.0
		for k, w := range g {
			s += w * v.strip[max(0, min(last, x+k-reach))]
		}
		v.smooth[x] = s / sum
	}
}

// frames samples the moving strip and normalizes the video. It returns false if the place is black.
func (v *video) frames(dst []float32, rng *rand.Rand) bool {
	// The aperture starts at the end of the strip from which the pattern has room to move.
	start := float64(speedMargin)
	if v.step > 0 {
		start = float64(speedSpan - speedMargin - speedPerDegree)
	}
	var s [speedDim]float64
	mean := 0.0
	for f := range speedFrames {
		for x := range speedWidth {
			sum := 0.0
			for k, w := range v.memory {
				// The oldest instant of the first frame is time 0.
				moved := v.step * float64(f*speedSub+speedMemory-1-k)
				at := start + float64(2*x) - moved
				sum += w * (v.between(at) + v.between(at+1))
			}
			s[f*speedWidth+x] = sum / 2
			mean += sum / 2 / speedDim
		}
	}
	if !(mean > 1e-4) {
		return false
	}
	energy := 0.0
	for i := range s {
		s[i] = s[i]/mean - 1
		if v.noise > 0 {
			s[i] += v.noise * rng.NormFloat64()
		}
		energy += s[i] * s[i]
	}
	scale := 1 / math.Sqrt(energy+speedDim*speedHalfC50)
	for i := range s {
		dst[i] = float32(s[i] * scale)
	}
	return true
}

// between returns the value of the strip at position x between columns, by a cubic through four columns (Catmull and
// Rom).
func (v *video) between(x float64) float64 {
	i := int(math.Floor(x))
	t := x - float64(i)
	p := v.smooth[i-1 : i+3]
	return p[1] + t/2*(p[2]-p[0]+t*(2*p[0]-5*p[1]+4*p[2]-p[3]+t*(3*(p[1]-p[2])+p[3]-p[0])))
}
