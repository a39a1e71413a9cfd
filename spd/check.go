package spd

import (
	"math"
	"slices"

	"rao/internal/indices"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// CheckOptions are the thresholds of [Check]. The zero value is a good default for float64 data. For covariances that
// were stored as float32, set RankTol to 1e-6.
type CheckOptions struct {
	// RankTol is the tolerance of the rank: eigenvalues of magnitude at most RankTol times the largest count as zero.
	// It must be in (0, 1); other values mean the default, 1e-10.
	RankTol float64
	// MaxCondition is the largest ratio of eigenvalues that is not reported. It must be above 1; 0 means the default,
	// 1e8.
	MaxCondition float64
	// AsymmetryTol is the largest difference between mirrored entries, relative to the largest magnitude, that is not
	// reported. Default 1e-8.
	AsymmetryTol float64
}

// A channel is flat if its variance is at most flatTolerance times the median variance. Two channels are duplicates if
// the magnitude of their correlation is at least 1 − duplicateTolerance.
const (
	flatTolerance      = 1e-9
	duplicateTolerance = 1e-8
)

func (o CheckOptions) filled() CheckOptions {
	if !(o.RankTol > 0 && o.RankTol < 1) { // from 1 on, every eigenvalue would count as zero
		o.RankTol = 1e-10
	}
	if !(o.MaxCondition > 0) {
		o.MaxCondition = 1e8
	}
	if !(o.AsymmetryTol > 0) {
		o.AsymmetryTol = symmetryTolerance
	}
	return o
}

// MatrixCheck is the result of [Check] for one matrix. The eigenvalues are computed from the symmetric part, without
// channels that are not finite.
type MatrixCheck struct {
	NaNChannels      []int    // channels with values that are not finite
	FlatChannels     []int    // channels without variance
	duplicates       [][2]int // pairs of channels that are copies up to a factor
	Asymmetry        float64  // largest relative difference between mirrored entries
	Rank             int      // number of eigenvalues that are not zero
	Smallest         float64  // smallest eigenvalue
	largest          float64  // largest eigenvalue
	Condition        float64  // Largest/Smallest; +Inf if the matrix is not positive definite
	averageReference bool     // the sum over all channels is zero
}

// Diagnosis is the result of [Check].
type Diagnosis struct {
	Count, Dim int           // number of matrices, and their order
	options    CheckOptions  // options used, with defaults filled in
	Matrices   []MatrixCheck // one per matrix
	// Channels contains the names of the Dim channels, for messages and [ParseRepair]. Check leaves it nil; channels
	// are then numbered from 0.
	Channels []string

	NaNChannels      []int    // not finite in at least one matrix
	FlatChannels     []int    // flat in at least one matrix
	Duplicates       [][2]int // duplicates in every matrix in which both are finite and not flat
	AverageReference bool     // every matrix has an average reference
	Asymmetric       int      // matrices with an asymmetry above Options.AsymmetryTol
	Singular         int      // matrices whose rank is below the number of their finite channels
	Indefinite       int      // matrices with a clearly negative eigenvalue
	IllConditioned   int      // matrices of full rank with a condition above Options.MaxCondition
	MinRank          int      // smallest rank of a matrix
	MaxCondition     float64  // largest condition of a matrix

	pooled []float64 // sum of the matrices, each divided by its trace; NaN channels count as zero
}

// Check examines every matrix. It looks for channels that are flat, duplicated or not finite, for asymmetry, a reduced
// rank or a large condition number, and for channels that sum to zero, as in an EEG with average reference. The values
// of x may be arbitrary. Check panics if the fields of x contradict each other. [ParseRepair] turns the result into a
// remedy.
//
// The cost is one eigendecomposition per matrix, in parallel.
func Check(x *Stack, opt CheckOptions) *Diagnosis {
	if err := x.Validate(); err != nil {
		panic("spd: " + err.Error())
	}
	opt = opt.filled()
	d := &Diagnosis{Count: x.Count, Dim: x.Dim, options: opt, Matrices: make([]MatrixCheck, x.Count)}
	par.For(x.Count, 8, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			d.Matrices[k] = checkMatrix(x.At(k), x.Dim, opt)
		}
	})
	d.summarize()
	d.pool(x)
	return d
}

func checkMatrix(a []float64, n int, opt CheckOptions) MatrixCheck {
	var m MatrixCheck
	m.NaNChannels = notFinite(a, n)
	usable := indices.Others(n, m.NaNChannels)
	r := len(usable)
	if r == 0 {
		m.Smallest, m.largest, m.Condition = math.NaN(), math.NaN(), math.Inf(1)
		return m
	}
	b := principal(a, n, usable)
	if diff, _, _, largest := vec.Asymmetry(b, r); diff > 0 {
		m.Asymmetry = diff / largest
	}
	vec.Symmetrize(b, r)
	m.FlatChannels, m.duplicates = channelFaults(b, r)
	relabel(usable, m.FlatChannels, m.duplicates)
	largest, total := vec.MaxAbs(b), 0.0
	for i := range r {
		row := 0.0
		for _, v := range b[i*r : (i+1)*r] {
			row += v
		}
		total = max(total, math.Abs(row))
	}
	m.averageReference = r > 1 && largest > 0 && total <= opt.RankTol*float64(r)*largest
	values := make([]float64, r)
	if err := eig.Sym(values, b, r, false, make([]float64, eig.WorkLen(r))); err != nil {
		m.Smallest, m.largest, m.Condition = math.NaN(), math.NaN(), math.Inf(1)
		return m
	}
	m.Smallest, m.largest = values[0], values[r-1]
	scale := max(math.Abs(values[0]), math.Abs(values[r-1]))
	for _, v := range values {
		if math.Abs(v) > opt.RankTol*scale {
			m.Rank++
		}
	}
	m.Condition = math.Inf(1)
	if values[0] > 0 {
		m.Condition = values[r-1] / values[0]
	}
	return m
}

// notFinite returns channels without which the matrix is finite. It selects them greedily, so there are few of them.
func notFinite(a []float64, n int) []int {
	bad := make([]int, n)
	for i := range n {
		for j := range n {
			if v := a[i*n+j] + a[j*n+i]; !vec.Finite(v) {
				bad[i]++
			}
		}
	}
	var out []int
	for {
		worst := 0
		for i, b := range bad {
			if b > bad[worst] {
				worst = i
			}
		}
		if bad[worst] == 0 {
			slices.Sort(out)
			return out
		}
		out = append(out, worst)
		bad[worst] = 0
		for i := range n {
			if v := a[i*n+worst] + a[worst*n+i]; !vec.Finite(v) && bad[i] > 0 {
				bad[i]--
			}
		}
	}
}

// principal returns the submatrix of a with the rows and columns in keep.
func principal(a []float64, n int, keep []int) []float64 {
	b := make([]float64, len(keep)*len(keep))
	vec.Submatrix(b, a, n, keep)
	return b
}

// channelFaults finds flat channels and pairs of duplicate channels.
func channelFaults(a []float64, n int) (flat []int, twins [][2]int) {
	variances := make([]float64, n)
	for i := range n {
		variances[i] = a[i*n+i]
	}
	typical := vec.UpperMedian(variances)
	for i := range n {
		if math.Abs(a[i*n+i]) <= flatTolerance*typical {
			flat = append(flat, i)
		}
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			vi, vj := a[i*n+i], a[j*n+j]
			if vi > flatTolerance*typical && vj > flatTolerance*typical &&
				math.Abs(a[i*n+j]) >= (1-duplicateTolerance)*math.Sqrt(vi)*math.Sqrt(vj) {
				twins = append(twins, [2]int{i, j})
			}
		}
	}
	return flat, twins
}

// relabel converts indices among the usable channels to channel numbers.
func relabel(usable, flat []int, twins [][2]int) {
	for i := range flat {
		flat[i] = usable[flat[i]]
	}
	for i := range twins {
		twins[i] = [2]int{usable[twins[i][0]], usable[twins[i][1]]}
	}
}

// definiteness is a verdict on the eigenvalues of a matrix, up to tolerances.
type definiteness int

const (
	definite definiteness = iota
	indefinite
	singular
	illConditioned
)

func (d *Diagnosis) definiteness(m *MatrixCheck) definiteness {
	usable := d.Dim - len(m.NaNChannels)
	switch {
	case m.Smallest < -d.options.RankTol*m.largest:
		return indefinite
	case m.Rank < usable || usable == 0:
		return singular
	case !(m.Condition <= d.options.MaxCondition):
		return illConditioned
	}
	return definite
}

func (d *Diagnosis) summarize() {
	nan, flat := map[int]bool{}, map[int]bool{}
	twins := map[[2]int]int{}
	d.MinRank, d.AverageReference = d.Dim, d.Count > 0
	for i := range d.Matrices {
		m := &d.Matrices[i]
		for _, c := range m.NaNChannels {
			nan[c] = true
		}
		for _, c := range m.FlatChannels {
			flat[c] = true
		}
		for _, p := range m.duplicates {
			twins[p]++
		}
		d.AverageReference = d.AverageReference && m.averageReference
		d.MinRank = min(d.MinRank, m.Rank)
		d.MaxCondition = max(d.MaxCondition, m.Condition)
		if m.Asymmetry > d.options.AsymmetryTol {
			d.Asymmetric++
		}
		switch d.definiteness(m) {
		case indefinite:
			d.Indefinite++
		case singular:
			d.Singular++
		case illConditioned:
			d.IllConditioned++
		}
	}
	for c := range d.Dim {
		if nan[c] {
			d.NaNChannels = append(d.NaNChannels, c)
		}
		if flat[c] {
			d.FlatChannels = append(d.FlatChannels, c)
		}
	}
	for i := range d.Dim {
		for j := i + 1; j < d.Dim; j++ {
			p := [2]int{i, j}
			if twins[p] > 0 && twins[p] == d.usablePairs(p) {
				d.Duplicates = append(d.Duplicates, p)
			}
		}
	}
}

// usablePairs counts the matrices in which both channels of p are finite and not flat.
func (d *Diagnosis) usablePairs(p [2]int) int {
	n := 0
	for i := range d.Matrices {
		m := &d.Matrices[i]
		bad := slices.Contains(m.NaNChannels, p[0]) || slices.Contains(m.NaNChannels, p[1]) ||
			slices.Contains(m.FlatChannels, p[0]) || slices.Contains(m.FlatChannels, p[1])
		if !bad {
			n++
		}
	}
	return n
}

// pool sums the matrices, each divided by its trace. The null space of the sum is the null space that all matrices
// share.
func (d *Diagnosis) pool(x *Stack) {
	n := x.Dim
	d.pooled = make([]float64, n*n)
	for k := range x.Count {
		a := x.At(k)
		usable := indices.Others(n, d.Matrices[k].NaNChannels)
		trace := 0.0
		for _, i := range usable {
			trace += a[i*n+i]
		}
		if !(trace > 0) {
			continue
		}
		for _, i := range usable {
			for _, j := range usable {
				d.pooled[i*n+j] += (a[i*n+j] + a[j*n+i]) / (2 * trace)
			}
		}
	}
}
