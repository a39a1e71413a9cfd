package covstream

import (
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"

	"rao/internal/naming"
	"rao/internal/optionvalues"
	"rao/internal/recipes"
	"rao/recipe"
)

// spectra estimates spectral matrices of trials of a fixed size. It is not safe for concurrent use.
type spectra struct {
	kind      recipe.Estimator
	normalize bool
	channels  int
	segment   int // length of a segment in samples
	step      int
	window    []float64 // Hann window
	bins      [][2]int  // first and last frequency bin of each band
	fft       *fourier.FFT
	part      []float64
	coef      [][]complex128  // Fourier coefficients of each channel
	cross     [][]complex128  // channels × channels, for each frequency bin
	out       []*mat.SymDense // one matrix per band
}

// newSpectra returns an estimator for trials of the given size.
func newSpectra(o recipe.SignalOptions, channels, samples int, rate float64) (*spectra, error) {
	o = Canonical(o)
	s := &spectra{kind: o.Estimator, normalize: o.Normalize, channels: channels,
		segment: int(math.Round(o.Segment * rate))}
	if s.segment < 4 || s.segment > samples {
		return nil, fmt.Errorf("segments of %g s have %d samples, but a trial has %d samples; use segments of at "+
			"least 4 samples and at most the length of the trial", o.Segment, s.segment, samples)
	}
	s.step = max(1, int((1-o.Overlap)*float64(s.segment)))
	s.window = make([]float64, s.segment)
	for i := range s.window {
		s.window[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/float64(s.segment-1))
	}
	count := s.segment/2 + 1
	if len(o.Bands) == 0 {
		s.bins = [][2]int{{0, count - 1}}
	}
	for _, b := range o.Bands {
		width := rate / float64(s.segment)
		first, last := int(math.Ceil(b.Low/width-1e-9)), int(math.Floor(b.High/width+1e-9))
		if b.High == 0 {
			last = count - 1
		}
		if first > last || last >= count {
			return nil, fmt.Errorf("the band %v Hz contains no frequency of segments of %g s, which are %.3g Hz "+
				"apart, up to %.4g Hz; use longer segments or a wider band",
				b, o.Segment, width, width*float64(count-1))
		}
		s.bins = append(s.bins, [2]int{first, last})
	}
	s.fft = fourier.NewFFT(s.segment)
	s.part = make([]float64, s.segment)
	for range channels {
		s.coef = append(s.coef, make([]complex128, count))
	}
	for range count {
		s.cross = append(s.cross, make([]complex128, channels*channels))
	}
	for range s.bins {
		s.out = append(s.out, mat.NewSymDense(channels*recipes.RowsPerChannel(o), nil))
	}
	return s, nil
}

// estimate computes the matrices in s.out from a signal in pieces, each samples × channels. No segment extends from
// one piece to the next.
func (s *spectra) estimate(pieces ...*mat.Dense) error {
	for _, m := range s.cross {
		clear(m)
	}
	power, segments := 0.0, 0
	for _, w := range s.window {
		power += w * w
	}
	for _, x := range pieces {
		samples, _ := x.Dims()
		for from := 0; from+s.segment <= samples; from += s.step {
			for c := range s.channels {
				for i, w := range s.window {
					s.part[i] = w * x.At(from+i, c)
				}
				s.fft.Coefficients(s.coef[c], s.part)
			}
			for _, b := range s.bins {
				for f := b[0]; f <= b[1]; f++ {
					s.add(f)
				}
			}
			segments++
		}
	}
	for b, bins := range s.bins {
		if err := s.band(s.out[b], bins, 1/(power*float64(segments))); err != nil {
			return err
		}
	}
	return nil
}

// add adds the products of all pairs of channels at a frequency.
func (s *spectra) add(f int) {
	m := s.cross[f]
	for i := range s.channels {
		for j := i; j < s.channels; j++ {
			m[i*s.channels+j] += cmplx.Conj(s.coef[i][f]) * s.coef[j][f]
		}
	}
}

// band sets dst to the mean over the frequencies of a band.
func (s *spectra) band(dst *mat.SymDense, bins [2]int, scale float64) error {
	n := s.channels
	dst.Zero()
	share := 1 / float64(bins[1]-bins[0]+1)
	for f := bins[0]; f <= bins[1]; f++ {
		m, here := s.cross[f], scale
		if f > 0 && (f < len(s.cross)-1 || s.segment%2 == 1) {
			here *= 2 // counts the negative frequency too
		}
		for i := range n {
			if !(real(m[i*n+i]) > 0) {
				return &naming.ChannelError{Channel: i, Of: "the trial",
					Fault: "has no power, or values that are not finite"}
			}
		}
		for i := range n {
			for j := i; j < n; j++ {
				v := m[i*n+j]
				switch s.kind {
				case optionvalues.EstimatorCoherence:
					one := (real(v)*real(v) + imag(v)*imag(v)) / real(m[i*n+i]) / real(m[j*n+j])
					dst.SetSym(i, j, dst.At(i, j)+share*one)
					continue
				case optionvalues.EstimatorCrossSpectrum:
					dst.SetSym(n+i, n+j, dst.At(n+i, n+j)+share*here*real(v))
					dst.SetSym(i, n+j, dst.At(i, n+j)-share*here*imag(v))
					if i != j {
						dst.SetSym(j, n+i, dst.At(j, n+i)+share*here*imag(v))
					}
				}
				dst.SetSym(i, j, dst.At(i, j)+share*here*real(v))
			}
		}
	}
	if s.normalize {
		dst.ScaleSym(float64(dst.SymmetricDim())/mat.Trace(dst), dst)
	}
	return nil
}
