package synth

import (
	"fmt"
	"math"
	"math/rand/v2"

	"rao/dataset"
	"rao/internal/linalg/small"
	"rao/spd"
)

// SynOptions of SynI and SynII. Zero values are the paper's.
type SynOptions struct {
	PerClass int     // matrices a class; default 250
	Dim      int     // order of the matrices, ≥ 2; default 10
	Jitter   float64 // ε: eigenvalues vary by U(−ε, ε); default 0.1
	Rotation float64 // v: deviation of the noise on eigenvectors; default 0.3
	// Seed decides the base eigenvectors of the classes and, with Part, the draws.
	Seed uint64
	// Part numbers independent draws around the same bases: 0 to train, 1 to
	// validate, 2 to test.
	Part int
}

// SynI draws the first synthetic set of Tang et al. 2021 (section 5.1): four
// classes of SPD matrices from two spectra and two bases, (e, b) = (0,0), (0,1),
// (1,0), (1,1), so that neither eigenvalues nor eigenvectors alone tell them apart.
//
// A matrix of a class is U diag(λ) U', with λ_j uniform within ε of the class
// spectrum (scaled to sum n) and U the orthonormalised sum of the class basis and v
// times Gaussian noise. The spectra, before scaling, are for j = 1..n
//
//	13 − j,  1 + 100 e^{−j/2},  13 − j/2,  1/j
//
// Classes follow one another; labels are 0..3.
func SynI(opt SynOptions) (*dataset.Data, error) {
	return syn("syn1", opt, [4][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}})
}

// SynII draws the second set: four spectra in one basis. The paper's text leaves
// parts of it open: as read here, nearest class means reach about 0.95 where the
// paper prints 0.907, and the other methods lie higher accordingly.
func SynII(opt SynOptions) (*dataset.Data, error) {
	return syn("syn2", opt, [4][2]int{{0, 0}, {1, 0}, {2, 0}, {3, 0}})
}

// synSpectra returns the four class spectra, each scaled to sum n.
func synSpectra(n int) [4][]float64 {
	var s [4][]float64
	for k := range s {
		s[k] = make([]float64, n)
	}
	for i := range n {
		j := float64(i + 1)
		s[0][i], s[1][i], s[2][i], s[3][i] = 13-j, 1+100*math.Exp(-j/2), 13-j/2, 1/j
	}
	for _, v := range s {
		sum := 0.0
		for _, x := range v {
			sum += x
		}
		for i := range v {
			v[i] *= float64(n) / sum
		}
	}
	return s
}

// syn draws classes of (spectrum, basis).
func syn(name string, o SynOptions, classes [4][2]int) (*dataset.Data, error) {
	fill := func(v *float64, d float64) {
		if *v == 0 {
			*v = d
		}
	}
	if o.PerClass == 0 {
		o.PerClass = 250
	}
	if o.Dim == 0 {
		o.Dim = 10
	}
	fill(&o.Jitter, 0.1)
	fill(&o.Rotation, 0.3)
	n := o.Dim
	if o.PerClass < 1 || n < 2 || n > 12 || !(o.Jitter > 0) || !(o.Rotation > 0) || o.Part < 0 {
		return nil, fmt.Errorf("%s: %d matrices a class of order %d, jitter %g, rotation %g, part %d: "+
			"want at least 1, order 2 to 12, positive noise and part 0 or more", name, o.PerClass, n, o.Jitter, o.Rotation, o.Part)
	}
	spectra := synSpectra(n)
	var bases [2][]float64
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	for b := range bases {
		bases[b] = make([]float64, n*n)
		haar(bases[b], n, rng)
	}
	d := &dataset.Data{Source: name, Stack: spd.NewStack(4*o.PerClass, n), Labels: make([]int, 4*o.PerClass), Classes: numbered(4)}
	var ws small.Workspace
	u, values := make([]float64, n*n), make([]float64, n)
	for c, kind := range classes {
		rng := rand.New(rand.NewPCG(o.Seed, 1+uint64(4*o.Part+c)))
		for k := range o.PerClass {
			at := c*o.PerClass + k
			d.Labels[at] = c
			for j := range values {
				// the second spectrum ends just above ε = 0.1; with a larger ε a draw
				// below zero is mirrored, so that the matrix stays positive definite
				values[j] = math.Abs(spectra[kind[0]][j] + o.Jitter*(2*rng.Float64()-1))
			}
			for i := range u {
				u[i] = bases[kind[1]][i] + o.Rotation*rng.NormFloat64()
			}
			orthonormal(u, n)
			ws.Rebuild(d.Stack.At(at), u, values, n, 1)
		}
	}
	return d, nil
}
