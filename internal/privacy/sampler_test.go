package privacy

import (
	"math"
	"testing"

	"math/rand/v2"
)

// testSampler draws from a fixed source: for tests only, since known noise hides nothing.
func testSampler(seed uint64) *sampler { return &sampler{rand.NewPCG(seed, 0).Uint64} }

// The frequencies of the sampler match the discrete Gaussian: a chi-square test with the cells whose expected count is
// five or more.
func TestNoiseIsDiscreteGaussian(t *testing.T) {
	const draws = 200000
	for _, sigma := range []int64{1, 3, 50} {
		s := testSampler(uint64(sigma))
		found := map[int64]float64{}
		for range draws {
			found[s.gaussian(sigma)]++
		}
		total, weight := 0.0, func(x int64) float64 { return math.Exp(-float64(x*x) / float64(2*sigma*sigma)) }
		for x := -40 * sigma; x <= 40*sigma; x++ {
			total += weight(x)
		}
		chi, cells, rest, tail := 0.0, -1.0, float64(draws), float64(draws)
		for x := -5 * sigma; x <= 5*sigma; x++ {
			want := draws * weight(x) / total
			if want < 5 {
				continue
			}
			chi += (found[x] - want) * (found[x] - want) / want
			cells++
			rest -= found[x]
			tail -= want
		}
		if tail >= 5 {
			chi += (rest - tail) * (rest - tail) / tail
			cells++
		}
		// the normal approximation of the chi square, five standard deviations
		if chi > cells+5*math.Sqrt(2*cells) {
			t.Errorf("σ %d: chi square %.1f of %g degrees of freedom", sigma, chi, cells)
		}
	}
}

// At standard deviations beyond 32 bits, the moments are those of a Gaussian.
func TestNoiseOfLargeDeviation(t *testing.T) {
	const draws = 40000
	for _, sigma := range []int64{1<<34 + 12345, maxSigma} {
		s := testSampler(7)
		var mean, second, fourth float64
		for range draws {
			x := float64(s.gaussian(sigma)) / float64(sigma)
			mean += x / draws
			second += x * x / draws
			fourth += x * x * x * x / draws
		}
		if math.Abs(mean) > 5/math.Sqrt(draws) || math.Abs(second-1) > 5*math.Sqrt(2.0/draws) ||
			math.Abs(fourth-3) > 5*math.Sqrt(96.0/draws) {
			t.Errorf("σ %d: mean %.4f, second moment %.4f, fourth %.4f; want 0, 1, 3", sigma, mean, second, fourth)
		}
	}
}

func TestSecureNoiseDiffers(t *testing.T) {
	a, b := make([]int64, 64), make([]int64, 64)
	newSampler().add(a, 1<<40)
	newSampler().add(b, 1<<40)
	same := 0
	for i := range a {
		if a[i] == b[i] {
			same++
		}
	}
	if same > 1 {
		t.Errorf("%d of 64 numbers are equal in two draws", same)
	}
}

func BenchmarkNoise(b *testing.B) {
	s := newSampler()
	for b.Loop() {
		s.gaussian(1 << 34)
	}
}
