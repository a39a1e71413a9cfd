package stream

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"
)

// The kinds of spectral matrices. With S_f the cross-spectral matrix of the channels at
// frequency f, Hermitian, and the mean over the frequencies of a band, ends included:
const (
	Cospectrum    = "cospectrum"     // Re S_f
	CrossSpectrum = "cross-spectrum" // [Re S_f, −Im S_f; Im S_f, Re S_f], of twice the order
	Coherence     = "coherence"      // |S_f,ij|² / (S_f,ii S_f,jj)
)

var spectrumKinds = []string{Cospectrum, CrossSpectrum, Coherence}

// SpectrumOptions say how spectral matrices take the place of covariances. Bands are then
// ranges of frequencies, and no filter runs.
type SpectrumOptions struct {
	// Kind is Cospectrum, CrossSpectrum or Coherence; empty: covariances.
	Kind string
	// Segment is the length in seconds of the segments that are averaged (Welch, 1967), each
	// under a Hann window; 0 is DefaultSegment. Frequencies are told apart by its inverse.
	Segment float64
	// Overlap is the share of a segment that the next one has too; 0 is DefaultOverlap.
	Overlap float64
}

// What SpectrumOptions take where nothing is said: half a second, and pyRiemann's overlap.
const (
	DefaultSegment = 0.5
	DefaultOverlap = 0.75
)

// IsSpectrum reports whether a name is a kind of spectral matrices.
func IsSpectrum(name string) bool { return slices.Contains(spectrumKinds, name) }

// completed returns the options with their defaults.
func (o SpectrumOptions) completed() SpectrumOptions {
	if o.Kind != "" && o.Segment == 0 {
		o.Segment = DefaultSegment
	}
	if o.Kind != "" && o.Overlap == 0 {
		o.Overlap = DefaultOverlap
	}
	return o
}

// check returns an error unless the options are whole and fit the others.
func (o SpectrumOptions) check(bands int, combine Combine, order int, delays []int) error {
	switch {
	case o.Kind == "" && o == SpectrumOptions{}:
		return nil
	case !IsSpectrum(o.Kind):
		return fmt.Errorf("unknown kind of spectral matrices %q; take %s", o.Kind, strings.Join(spectrumKinds, ", "))
	case bands > 1 && combine == Stacked:
		return fmt.Errorf("spectral matrices of %d bands say nothing of what lies between bands: combine them as %v",
			bands, BlockDiagonal)
	case order != 0:
		return fmt.Errorf("an order of filters is given, and none runs: the bands of a %s are ranges of frequencies",
			o.Kind)
	case len(delays) > 0:
		return fmt.Errorf("delays and a %s both tell of spectra; take one", o.Kind)
	case o.Segment < 0 || o.Segment-o.Segment != 0 || !(o.Overlap >= 0 && o.Overlap < 1):
		return fmt.Errorf("segments of %g s that overlap by a share of %g: take above 0 s, and 0 to below 1", o.Segment,
			o.Overlap)
	}
	return nil
}

// Rows is the number of rows that each channel has in a matrix of one band.
func (o SpectrumOptions) Rows() int {
	if o.Kind == CrossSpectrum {
		return 2
	}
	return 1
}

// spectra estimates spectral matrices of trials of one size. It is for one goroutine.
type spectra struct {
	kind      string
	normalize bool
	channels  int
	segment   int // samples
	step      int
	window    []float64 // of Hann
	bins      [][2]int  // first and last of each band
	fft       *fourier.FFT
	part      []float64
	coef      [][]complex128  // of each channel
	cross     [][]complex128  // a channel times channels, of each bin
	out       []*mat.SymDense // one a band
}

// newSpectra returns an estimator for trials of the given size.
func newSpectra(o SpectrumOptions, normalize bool, bands []Band, channels, samples int,
	rate float64) (*spectra, error) {
	o = o.completed()
	s := &spectra{kind: o.Kind, normalize: normalize, channels: channels, segment: int(math.Round(o.Segment * rate))}
	if s.segment < 4 || s.segment > samples {
		return nil, fmt.Errorf("segments of %g s have %d samples, and a trial %d: take 4 samples or more, and no more "+
			"than the trial", o.Segment, s.segment, samples)
	}
	if normalize && o.Kind == Coherence {
		return nil, fmt.Errorf("a %s has a diagonal of 1 already: nothing is left to normalize", o.Kind)
	}
	s.step = max(1, int((1-o.Overlap)*float64(s.segment)))
	s.window = make([]float64, s.segment)
	for i := range s.window {
		s.window[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/float64(s.segment-1))
	}
	count := s.segment/2 + 1
	if len(bands) == 0 {
		s.bins = [][2]int{{0, count - 1}}
	}
	for _, b := range bands {
		width := rate / float64(s.segment)
		first, last := int(math.Ceil(b.Low/width-1e-9)), int(math.Floor(b.High/width+1e-9))
		if b.High == 0 {
			last = count - 1
		}
		if first > last || last >= count {
			return nil, fmt.Errorf("the band %v Hz has no frequency of a segment of %g s: these lie %.3g Hz apart, "+
				"up to %.4g", b, o.Segment, width, width*float64(count-1))
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
		s.out = append(s.out, mat.NewSymDense(channels*o.Rows(), nil))
	}
	return s, nil
}

// estimate fills s.out with the matrices of a signal in pieces, samples × channels each. No segment
// crosses from one piece to the next.
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

// add adds the products of the channels at a frequency.
func (s *spectra) add(f int) {
	m := s.cross[f]
	for i := range s.channels {
		for j := i; j < s.channels; j++ {
			m[i*s.channels+j] += cmplx.Conj(s.coef[i][f]) * s.coef[j][f]
		}
	}
}

// band writes the mean over the frequencies of a band.
func (s *spectra) band(dst *mat.SymDense, bins [2]int, scale float64) error {
	n := s.channels
	dst.Zero()
	share := 1 / float64(bins[1]-bins[0]+1)
	for f := bins[0]; f <= bins[1]; f++ {
		m, here := s.cross[f], scale
		if f > 0 && (f < len(s.cross)-1 || s.segment%2 == 1) {
			here *= 2 // the other half of the spectrum
		}
		for i := range n {
			if !(real(m[i*n+i]) > 0) {
				return fmt.Errorf("channel %d of the trial has no power, or values that are not finite", i+1)
			}
		}
		for i := range n {
			for j := i; j < n; j++ {
				v := m[i*n+j]
				switch s.kind {
				case Coherence:
					one := (real(v)*real(v) + imag(v)*imag(v)) / real(m[i*n+i]) / real(m[j*n+j])
					dst.SetSym(i, j, dst.At(i, j)+share*one)
					continue
				case CrossSpectrum:
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
