package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/scoring"
	"rao/internal/text"
)

// ManovaOptions are the options of [Manova]. The zero value is a good default.
type ManovaOptions struct {
	// Permutations is the number of random labelings; 0 means 9999. If there are at most this many distinct labelings,
	// all of them are compared and the p-value is exact.
	Permutations int
	// Groups assigns each observation to a group; labels are exchanged only within groups. Nil puts all in one group.
	Groups []int
	Seed   uint64 // seed of the random labelings
	// Keep stores the F of each labeling in [ManovaResult], at eight bytes each.
	Keep bool
}

// ManovaResult is the result of [Manova]. The sums of squares are sums of squared distances.
type ManovaResult struct {
	F            float64 `json:"f"`            // pseudo-F
	P            float64 `json:"p"`            // p-value
	R2           float64 `json:"r2"`           // fraction of the total sum of squares that is between the classes
	Between      float64 `json:"between"`      // sum of squares between the classes
	Within       float64 `json:"within"`       // sum of squares within the classes
	DFBetween    int     `json:"df_between"`   // number of classes minus 1
	DFWithin     int     `json:"df_within"`    // number of observations minus number of classes
	Permutations int     `json:"permutations"` // number of labelings compared, including the observed one
	Exact        bool    `json:"exact"`        // all labelings were compared, so P is exact
	// All is the F of each labeling, if ManovaOptions.Keep is set. An F is infinite if all observations within each
	// class are equal.
	All []float64 `json:"-"`
}

// Manova performs a permutational multivariate analysis of variance (Anderson 2001). It tests whether classes differ,
// given only the N×N pairwise distances d. With n_c observations in class c,
//
//	total = Σ_{i<j} d²/N,  within = Σ_c Σ_{i<j in c} d²/n_c,  between = total − within
//	F = (between/(classes−1)) / (within/(N−classes))
//
// Labels count from 0. p is the fraction of labelings, including the observed one, that have an F of at least the
// observed F. The test is sensitive to both means and spreads: classes with equal means but unequal spreads may also
// differ. The same seed gives the same result on any number of processors. The cost is N²/2 additions per permutation.
//
// It returns an error if a distance is not finite, a label or the number of permutations is negative, there are fewer
// than two classes, every class has only one observation, all distances are zero, or no labels can be exchanged within
// the groups. It panics with mat.ErrShape if sizes differ. If ctx is canceled, it returns the error of ctx.
func Manova(ctx context.Context, d mat.Symmetric, labels []int, opt ManovaOptions) (*ManovaResult, error) {
	m, err := newManova(d, labels, opt)
	if err != nil {
		return nil, err
	}
	r := &ManovaResult{Within: m.within(labels), DFBetween: m.classes - 1, DFWithin: len(labels) - m.classes}
	r.Between = m.total - r.Within
	if r.F = m.f(r.Within); math.IsNaN(r.F) {
		return nil, faults.Data("permutation MANOVA: all distances are zero, so there is nothing to test")
	}
	r.R2 = r.Between / m.total
	// F falls as the sum within classes rises. Labelings that differ only in the names of the classes have equal sums
	// up to rounding.
	limit := r.Within + 1e-10*m.total
	var reached int
	if r.Permutations, r.Exact = m.labelings(opt.Permutations); r.Exact {
		reached, err = m.all(ctx, limit, opt.Keep)
	} else {
		r.Permutations++
		if opt.Keep {
			m.kept = append(make([]float64, 0, r.Permutations), r.F)
		}
		reached, err = m.drawn(ctx, opt, limit)
		reached++
	}
	if err != nil {
		return nil, err
	}
	r.P, r.All = float64(reached)/float64(r.Permutations), m.kept
	return r, nil
}

// f returns the pseudo-F for a sum of squares within classes.
func (m *manova) f(within float64) float64 {
	return ((m.total - within) / float64(m.classes-1)) / (within / float64(len(m.labels)-m.classes))
}

// manova contains the data of one call of [Manova].
type manova struct {
	squared []float64 // d²; only the lower triangle is used
	labels  []int
	sizes   []float64
	strata  [][]int // rows of each group
	classes int
	total   float64
	kept    []float64 // F of each labeling, if requested
}

func newManova(d mat.Symmetric, labels []int, opt ManovaOptions) (*manova, error) {
	n := len(labels)
	if d.SymmetricDim() != n || opt.Groups != nil && len(opt.Groups) != n {
		panic(mat.ErrShape)
	}
	if opt.Permutations < 0 {
		return nil, faults.Option("permutation MANOVA: the number of permutations is %d; it must be 0 or more",
			opt.Permutations)
	}
	of, err := scoring.ByClass(labels)
	if err != nil {
		return nil, fmt.Errorf("permutation MANOVA: %w", err)
	}
	m := &manova{squared: make([]float64, n*n), labels: labels}
	for _, rows := range of {
		m.sizes = append(m.sizes, float64(len(rows)))
		if len(rows) > 0 {
			m.classes++
		}
	}
	if m.classes < 2 || n <= m.classes {
		return nil, fmt.Errorf("permutation MANOVA: the data have %s of %s; at least two classes and more "+
			"observations than classes are needed", text.Plural(n, "observation", "observations"),
			text.Plural(m.classes, "class", "classes"))
	}
	for i := range n {
		for j := range i {
			v := d.At(i, j)
			if !vec.Finite(v) {
				return nil, fmt.Errorf("permutation MANOVA: the distance between observations %d and %d is %v; it "+
					"must be finite", i, j, v)
			}
			m.squared[i*n+j] = v * v
			m.total += v * v / float64(n)
		}
	}
	m.strata, err = strataOf(labels, opt.Groups)
	return m, err
}

// strataOf lists the rows of each group, in the order of the first row of each group.
func strataOf(labels, groups []int) ([][]int, error) {
	strata := indices.GroupsInOrder(groups, len(labels))
	for _, rows := range strata {
		if slices.ContainsFunc(rows, func(i int) bool { return labels[i] != labels[rows[0]] }) {
			return strata, nil
		}
	}
	return nil, faults.Data("permutation MANOVA: every group has only one class, so no labels can be exchanged; use " +
		"groups with several classes, or leave the groups out")
}

// within returns the sum of squares within the classes of a labeling.
func (m *manova) within(labels []int) float64 {
	n := len(labels)
	sums := make([]float64, len(m.sizes))
	for i, c := range labels {
		s := 0.0
		for j, v := range m.squared[i*n : i*n+i] {
			if labels[j] == c {
				s += v
			}
		}
		sums[c] += s
	}
	total := 0.0
	for c, s := range sums {
		if m.sizes[c] > 0 {
			total += s / m.sizes[c]
		}
	}
	return total
}

// labelings returns how many labelings to compare, and whether these are all distinct labelings.
func (m *manova) labelings(limit int) (int, bool) {
	limit = cmp.Or(limit, 9999)
	log := 0.0 // logarithm of the product of the multinomial coefficients
	for _, rows := range m.strata {
		v, _ := math.Lgamma(float64(len(rows)) + 1)
		log += v
		counts := make([]int, len(m.sizes))
		for _, i := range rows {
			counts[m.labels[i]]++
		}
		for _, k := range counts {
			v, _ := math.Lgamma(float64(k) + 1)
			log -= v
		}
	}
	if log > math.Log(float64(limit)+0.5) {
		return limit, false
	}
	return int(math.Round(math.Exp(log))), true
}

// all counts, over all distinct labelings, how many have a sum within classes of at most limit.
func (m *manova) all(ctx context.Context, limit float64, keep bool) (int, error) {
	z := slices.Clone(m.labels)
	parts := make([][]int, len(m.strata))
	for k, rows := range m.strata {
		for _, i := range rows {
			parts[k] = append(parts[k], m.labels[i])
		}
		slices.Sort(parts[k])
	}
	reached := 0
	for more := true; more; {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		for k, rows := range m.strata {
			for p, i := range rows {
				z[i] = parts[k][p]
			}
		}
		w := m.within(z)
		if w <= limit {
			reached++
		}
		if keep {
			m.kept = append(m.kept, m.f(w))
		}
		more = slices.ContainsFunc(parts, nextArrangement)
	}
	return reached, nil
}

// nextArrangement changes v to its next permutation in lexical order. After the last permutation it changes v back to
// the first and returns false.
func nextArrangement(v []int) bool {
	i := len(v) - 2
	for i >= 0 && v[i] >= v[i+1] {
		i--
	}
	if i >= 0 {
		j := len(v) - 1
		for v[j] <= v[i] {
			j--
		}
		v[i], v[j] = v[j], v[i]
	}
	slices.Reverse(v[i+1:])
	return i >= 0
}

// drawn counts how many random labelings have a sum within classes of at most limit. Each labeling has its own random
// generator, so the result does not depend on the number of processors.
func (m *manova) drawn(ctx context.Context, opt ManovaOptions, limit float64) (int, error) {
	count, _ := m.labelings(opt.Permutations)
	const grain = 16
	hits := make([]int, par.Chunks(count, grain))
	var kept []float64
	if opt.Keep {
		m.kept = m.kept[:1+count]
		kept = m.kept[1:]
	}
	par.For(count, grain, func(_, lo, hi int) {
		z := make([]int, len(m.labels))
		for k := lo; k < hi && ctx.Err() == nil; k++ {
			copy(z, m.labels)
			rng := rand.New(rand.NewPCG(opt.Seed, uint64(k)))
			for _, rows := range m.strata {
				rng.Shuffle(len(rows), func(i, j int) { z[rows[i]], z[rows[j]] = z[rows[j]], z[rows[i]] })
			}
			w := m.within(z)
			if w <= limit {
				hits[lo/grain]++
			}
			if kept != nil {
				kept[k] = m.f(w)
			}
		}
	})
	reached := vec.Total(hits)
	return reached, ctx.Err()
}
