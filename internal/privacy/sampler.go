package privacy

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// maxSigma limits the standard deviation of the noise, so the sampler's numbers fit in 128 bits.
const maxSigma = 1 << 50

// sampler draws discrete Gaussian noise from uniform bits in integer arithmetic. Rounding in floating point could
// reveal what the noise is meant to hide (Mironov 2012).
type sampler struct {
	bits func() uint64 // independent uniform 64-bit numbers
}

// newSampler returns a sampler that uses the system's secure source.
func newSampler() *sampler {
	var buffer [1 << 12]byte
	at := len(buffer)
	return &sampler{func() uint64 {
		if at == len(buffer) {
			_, _ = rand.Read(buffer[:]) // never fails: the program exits if the system has no randomness
			at = 0
		}
		at += 8
		return binary.LittleEndian.Uint64(buffer[at-8:])
	}}
}

// gaussian returns an integer x with probability proportional to exp(-x²/2σ²), for 1 <= sigma <= maxSigma. It uses
// algorithms 1 to 3 of Canonne, Kamath and Steinke 2020 with a discrete Laplace distribution of scale t = σ.
func (s *sampler) gaussian(sigma int64) int64 {
	if sigma < 1 || sigma > maxSigma {
		panic("privacy: the standard deviation of the noise is not from 1 to 2^50")
	}
	scale := uint64(sigma)
	for {
		u := s.below(scale)
		if !s.expOf(0, u, 0, scale) {
			continue
		}
		v := uint64(0)
		for s.expOf(0, 1, 0, 1) {
			v++
		}
		negative := s.bits()&1 == 1
		y := u + scale*v
		if v > 1<<12 || negative && y == 0 { // v > 1<<12 has probability exp(-4096)
			continue
		}
		away := max(y, scale) - min(y, scale)
		numHi, numLo := bits.Mul64(away, away)
		denHi, denLo := bits.Mul64(scale, 2*scale)
		if s.expOf(numHi, numLo, denHi, denLo) {
			if negative {
				return -int64(y)
			}
			return int64(y)
		}
	}
}

// expOf returns true with probability exp(-num/den), for 128-bit numbers given as high and low words.
func (s *sampler) expOf(numHi, numLo, denHi, denLo uint64) bool {
	for numHi > denHi || numHi == denHi && numLo > denLo {
		if !s.expOf(0, 1, 0, 1) {
			return false
		}
		var borrow uint64
		numLo, borrow = bits.Sub64(numLo, denLo, 0)
		numHi, _ = bits.Sub64(numHi, denHi, borrow)
	}
	// With γ = num/den <= 1: the number of successes before the first failure, in trials with probabilities γ/1, γ/2,
	// γ/3, ..., is even with probability exp(-γ).
	for k := uint64(1); ; k++ {
		if s.below(k) != 0 || !s.less(numHi, numLo, denHi, denLo) {
			return k%2 == 1
		}
	}
}

// less returns true with probability num/den, for num <= den.
func (s *sampler) less(numHi, numLo, denHi, denLo uint64) bool {
	if denHi == 0 {
		return s.below(denLo) < numLo
	}
	mask := uint64(1)<<bits.Len64(denHi) - 1 // all ones for a length of 64, because the shift gives 0
	for {
		hi, lo := s.bits()&mask, s.bits()
		if hi > denHi || hi == denHi && lo >= denLo {
			continue
		}
		return hi < numHi || hi == numHi && lo < numLo
	}
}

// below returns a uniform integer from 0 to n-1.
func (s *sampler) below(n uint64) uint64 {
	if n == 1 {
		return 0
	}
	mask := uint64(1)<<bits.Len64(n-1) - 1
	for {
		if v := s.bits() & mask; v < n {
			return v
		}
	}
}

// add adds noise with standard deviation sigma to each number, wrapping at 64 bits.
func (s *sampler) add(x []int64, sigma int64) {
	for i := range x {
		x[i] += s.gaussian(sigma)
	}
}

// id returns 128 random bits as text.
func (s *sampler) id() string { return fmt.Sprintf("%016x%016x", s.bits(), s.bits()) }
