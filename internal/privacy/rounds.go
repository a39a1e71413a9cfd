package privacy

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/rows"
	"rao/internal/text"
)

// Kind specifies which covariances private statistics contain.
type Kind int

const (
	// Subspace statistics have one covariance per class in a few dimensions, which are chosen privately from the data.
	Subspace Kind = iota
	// Pooled statistics have one covariance of all columns, shared by all classes. Use them if classes differ in many
	// directions, including directions with little variance.
	Pooled
)

var kindNames = []string{"subspace", "pooled"}

// String returns subspace or pooled.
func (k Kind) String() string { return kindNames[k] }

// Round is one of the passes over the data from which private statistics are computed.
type Round int

const (
	RoundStart   Round = iota // the number of rows, their mean and mean square
	RoundPooled               // counts and means of the classes, the second moment of all rows
	RoundClasses              // the second moment of each class, in a few dimensions
)

var roundNames = []string{"start", "pooled", "classes"}

// String returns start, pooled or classes.
func (r Round) String() string { return roundNames[r] }

// share returns the fraction of ρ that a round spends.
func (k Kind) share(r Round) float64 {
	switch {
	case r == RoundStart:
		return 0.05
	case k == Pooled:
		return 0.95
	case r == RoundPooled:
		return 0.25
	}
	return 0.70
}

// last reports whether statistics of kind k are complete after the round.
func (k Kind) last(r Round) bool { return r == RoundClasses || k == Pooled && r == RoundPooled }

// Plan describes how a round maps rows to sums. It depends only on public choices and earlier private releases.
type Plan struct {
	Kind    Kind
	Round   Round
	Classes []string // all classes; rows of other classes are left out
	Columns []string // names of the columns; nil if unknown
	Domain  Domain   // the possible values
	// Unit is the column of the protected units, or "" for rows. UnitRows is the number of rows used per unit: the
	// first rows with a class in Classes. It is 0 if rows are protected.
	Unit     string
	UnitRows int

	Center  []float64 // subtracted from a row in the units of the domain
	Mapping []float64 // D×Dim, row-major: maps a row to Dim values; nil leaves rows as they are
	Dim     int
	Radius  float64 // rows are clipped to this length
	Public  bool    // center and mapping are public and not from these rows

	// Trace is the mean square of the rows about Center. CenterVariance is the variance of the noise of each element
	// of Center. Both are from the first round.
	Trace, CenterVariance float64
	// Variances are the variances along the columns of Mapping before whitening, length Dim.
	Variances []float64
	// faint is true if no eigenvalue exceeds the noise, so the columns of Mapping are mostly noise. Files do not store
	// it.
	faint bool

	// Sites are the sites with releases that the plan depends on. Every later file records these releases, including
	// releases of sites that have left.
	Sites []Site
}

// Domain is what is publicly known about the values of a row: the range of each column, or the largest norm.
type Domain struct {
	Low, High []float64 // one per column; nil if Clip is set
	Clip      float64   // the largest Euclidean norm of a row
}

// of returns the domain for n columns. A single range applies to every column.
func (d Domain) of(n int) Domain {
	if len(d.Low) == 1 && len(d.High) == 1 {
		d.Low, d.High = slices.Repeat(d.Low, n), slices.Repeat(d.High, n)
	}
	return d
}

// unit returns the middle of the range of column j, and half the width of this range, by which values are scaled. If
// the domain is a largest norm, it returns 0 and the norm.
func (d *Domain) unit(j int) (middle, half float64) {
	if d.Low == nil {
		return 0, d.Clip
	}
	return d.Low[j]/2 + d.High[j]/2, d.High[j]/2 - d.Low[j]/2
}

// radius returns the largest norm of a row of n columns, in the units of the domain.
func (d *Domain) radius(n int) float64 {
	if d.Low == nil {
		return 1
	}
	return math.Sqrt(float64(n))
}

// Validate returns an error unless the domain fits n columns.
func (d *Domain) Validate(n int) error {
	if d.Low == nil && d.High == nil {
		if !vec.Positive(d.Clip) {
			return fmt.Errorf("private statistics need the range of the values or the largest norm of a row; give " +
				"one of them, and do not compute it from the data")
		}
		return nil
	}
	if d.Clip != 0 {
		return fmt.Errorf("a range of the values and a largest norm of a row are both given; give only one of them")
	}
	if len(d.Low) != n || len(d.High) != n {
		return fmt.Errorf("the numbers of lower and upper limits of the range are %d and %d, but the data have %s",
			len(d.Low), len(d.High), text.Plural(n, "column", "columns"))
	}
	for j := range d.Low {
		if _, half := d.unit(j); !(half > 0) || math.IsInf(d.High[j]-d.Low[j], 1) {
			return fmt.Errorf("column %d has the range %g to %g; both limits must be finite, and the upper limit must "+
				"be above the lower one", j, d.Low[j], d.High[j])
		}
	}
	return nil
}

// Site lists the releases of one site and their ρ.
type Site struct {
	ID       string        `json:"site"`     // a random name
	Releases []SiteRelease `json:"releases"` // what it has released about its rows
}

// SiteRelease is one release of a site.
type SiteRelease struct {
	ID    string  `json:"id"`    // a random name
	Round string  `json:"round"` // start, pooled or classes
	Rho   float64 `json:"rho"`   // ρ that it spent
}

// rho returns the total ρ of the site's releases.
func (s *Site) rho() float64 {
	rho := 0.0
	for _, r := range s.Releases {
		rho += r.Rho
	}
	return rho
}

// Release contains the noisy integer sums of the rows of one site or, after [Merge], of several. Nothing else is
// published about the rows.
type Release struct {
	Plan  Plan
	Delta float64 // δ at which ε is reported

	Counts, Sums, Squares []int64 // the fields of sums, with noise
	// CountNoise, SumNoise and SquareNoise are the noise variances of a count, of a sum and of a diagonal element of
	// the second moments. The variance off the diagonal is slightly more than half of SquareNoise, because of rounding.
	CountNoise, SumNoise, SquareNoise float64
	Sites                             []Site

	next *Plan // the plan of the next round, as read from a file
}

// Guarantee returns the guarantee that holds for the rows, or units, of every site: the guarantee of the site with the
// largest ρ. The guarantee requires that no row or unit is at two sites.
func (r *Release) Guarantee() Guarantee {
	return Guarantee{Epsilon: EpsilonOf(r.rho(), r.Delta), Delta: r.Delta, Unit: r.Plan.Unit}
}

// rho returns the largest ρ of a site.
func (r *Release) rho() float64 {
	rho := 0.0
	for i := range r.Sites {
		rho = max(rho, r.Sites[i].rho())
	}
	return rho
}

func (p *Plan) groups() int {
	if p.Round == RoundStart {
		return 1
	}
	return len(p.Classes)
}

func (p *Plan) squares() squaresOf {
	return [...]squaresOf{squaresTrace, squaresOfAll, squaresOfClasses}[p.Round]
}

// shares returns how the round splits its ρ between second moments, sums and counts.
func (p *Plan) shares() [3]float64 {
	d := float64(p.Dim)
	return [...][3]float64{{1, 8, 1}, {1, 0.5, 0.05}, {1, 2 / d, 1 / d}}[p.Round]
}

// weight returns the largest number of rows by which neighboring data sets differ. By the triangle inequality, several
// rows change the counts, sums and second moments by at most the sum of the lengths of their changes, even if they are
// in different classes. The noise is therefore proportional to the weight.
func (p *Plan) weight() float64 { return float64(max(1, p.UnitRows)) }

// sigmas returns the standard deviations of the noise of second moments, sums and counts, rounded up to integers.
func (p *Plan) sigmas(rho float64) (square, sum, count int64) {
	shares := p.shares()
	total := shares[0] + shares[1] + shares[2]
	mu := func(i int) float64 { return math.Sqrt(2*rho*shares[i]/total) / p.weight() }
	up := func(v float64) int64 { return max(1, int64(math.Ceil(min(v, 2*maxSigma)))) }
	return up(sideSq / mu(0)), up(side / mu(1)), up(1 / mu(2))
}

// addNoise adds noise to the sums of a site. site contains the earlier releases of the site, or is nil for a new site.
func addNoise(p Plan, s *sums, total Guarantee, rho float64, noise *sampler, site *Site) (*Release, error) {
	if s.rows > mostRows {
		return nil, fmt.Errorf("the data have %d rows, but a release can count at most %d; split the data and merge "+
			"the releases", s.rows, int64(mostRows))
	}
	square, sum, count := p.sigmas(rho)
	if square > maxSigma {
		return nil, fmt.Errorf("the noise would exceed every sum, because epsilon %g is too small or the number of "+
			"rows per unit is too large; increase epsilon or use fewer rows per unit", total.Epsilon)
	}
	off := int64(math.Ceil(float64(square) / math.Sqrt2))
	noise.add(s.counts, count)
	noise.add(s.first, sum)
	if p.Round == RoundStart {
		noise.add(s.second, square)
	} else {
		d := p.Dim
		for at, step := 0, 0; at < len(s.second); step++ {
			row := d - step%d // elements in this row of the triangle
			noise.add(s.second[at:at+1], square)
			noise.add(s.second[at+1:at+row], off)
			at += row
		}
	}
	own := Site{ID: noise.id()}
	if site != nil {
		own = Site{ID: site.ID, Releases: slices.Clone(site.Releases)}
	}
	own.Releases = append(own.Releases, SiteRelease{ID: noise.id(), Round: p.Round.String(), Rho: rho})
	sites := []Site{own}
	for _, s := range p.Sites {
		sites = joinSite(sites, s)
	}
	return &Release{Plan: p, Delta: total.Delta, Counts: s.counts, Sums: s.first, Squares: s.second,
		CountNoise: sq(count), SumNoise: sq(sum), SquareNoise: sq(square), Sites: sites}, nil
}

func sq(v int64) float64 { return float64(v) * float64(v) }

// mapper maps rows to lattice vectors according to a plan.
type mapper struct {
	plan         *Plan
	mid, inverse []float64     // of each column: a value v becomes (v-mid)*inverse
	bytes        *[256]float64 // what bytes become, if the range of all columns is the same; nil otherwise
	mapping      []float64     // the plan's, with padded columns
	padded       int           // a multiple of 8, which suits the kernels of vec
}

// unitValue maps the range of a column to [-1, 1] and cuts values outside it. NaN stays NaN.
func unitValue(v, mid, inverse float64) float64 {
	v = (v - mid) * inverse
	if v > 1 {
		return 1
	}
	if v < -1 {
		return -1
	}
	return v
}

func (p *Plan) mapper() *mapper {
	wide := len(p.Center)
	m := &mapper{plan: p, mid: make([]float64, wide), inverse: make([]float64, wide), mapping: p.Mapping,
		padded: (p.Dim + 7) &^ 7}
	same := p.Domain.Low != nil
	for j := range wide {
		middle, half := p.Domain.unit(j)
		m.mid[j], m.inverse[j] = middle, 1/half
		same = same && middle == m.mid[0] && m.inverse[j] == m.inverse[0]
	}
	if same {
		m.bytes = new([256]float64)
		for v := range m.bytes {
			m.bytes[v] = unitValue(float64(v), m.mid[0], m.inverse[0])
		}
	}
	if m.mapping != nil && m.padded > p.Dim {
		m.mapping = make([]float64, wide*m.padded)
		for j := range wide {
			copy(m.mapping[j*m.padded:], p.Mapping[j*p.Dim:(j+1)*p.Dim])
		}
	}
	return m
}

// rows writes the lattice vectors of the rows with the given numbers to q, with p.Dim values per row. The vector of a
// row does not depend on the other rows. rows reports whether a value was missing (NaN).
func (m *mapper) rows(q []float64, in *rows.Reader, numbers []int) (missing bool) {
	p := m.plan
	wide := len(p.Center)
	var incomplete atomic.Bool
	par.For(len(numbers), 64, func(_, lo, hi int) {
		row, mapped := make([]float64, wide), make([]float64, m.padded)
		for i := lo; i < hi; i++ {
			to := q[i*p.Dim : (i+1)*p.Dim]
			if m.mapping == nil {
				row = to
			}
			if !m.centered(row, in, numbers[i]) {
				incomplete.Store(true)
			}
			if m.mapping != nil {
				clear(mapped)
				vec.AddRows(mapped, row, m.mapping, m.padded)
				copy(to, mapped)
			}
			toLattice(to, p.Radius)
		}
	})
	return incomplete.Load()
}

// centered reads row i, cuts it to the domain and subtracts the center. It reports whether all values are present.
// Missing values are replaced by the middle of their range.
func (m *mapper) centered(row []float64, in *rows.Reader, i int) (complete bool) {
	complete = true
	mid, inverse, center := m.mid[:len(row)], m.inverse[:len(row)], m.plan.Center[:len(row)]
	if m.bytes != nil && in.Bytes != nil {
		for j, v := range in.Bytes[i*in.Stride:][:len(row)] {
			row[j] = m.bytes[v] - center[j]
		}
		return true
	}
	in.Read(row, len(row), i, i+1, nil)
	if m.plan.Domain.Low != nil {
		for j, v := range row {
			if v = unitValue(v, mid[j], inverse[j]); v != v {
				complete = false
				v = 0
			}
			row[j] = v - center[j]
		}
		return complete
	}
	for j, v := range row {
		v = (v - mid[j]) * inverse[j]
		if v != v {
			complete = false
			v = 0
		}
		row[j] = v
	}
	shorten(row, 1)
	for j, v := range row {
		row[j] = v - center[j]
	}
	return complete
}

// shorten scales a row to the given length if it is longer. A row that is not finite becomes zero.
func shorten(row []float64, length float64) {
	squares := 0.0
	for _, v := range row {
		squares += v * v
	}
	switch {
	case !vec.Finite(squares):
		clear(row)
	case squares > length*length:
		f := length / math.Sqrt(squares)
		for j := range row {
			row[j] *= f
		}
	}
}

// Complete reports whether the statistics are complete, so no round follows.
func (r *Release) Complete() bool { return r.Plan.Kind.last(r.Plan.Round) }

// Contributors returns the number of sites with rows in the sums.
func (r *Release) Contributors() int {
	n := 0
	for _, s := range r.Sites {
		if slices.ContainsFunc(s.Releases, func(e SiteRelease) bool { return e.Round == r.Plan.Round.String() }) {
			n++
		}
	}
	return n
}

// Total returns the noisy number of rows.
func (r *Release) Total() int64 { return vec.Total(r.Counts) }

// Describe returns one line about the release and its guarantee.
func (r *Release) Describe() string {
	g := r.Guarantee()
	return fmt.Sprintf("%s in %s, round %s, of %s, with ε %.4g at δ %g for each %s%s (an attacker who "+
		"must decide whether it was used is right in at most %.1f %% of cases)", r.Plan.Kind,
		text.Plural(r.Plan.Dim, "dimension", "dimensions"), r.Plan.Round,
		text.Plural(r.Contributors(), "site", "sites"), g.Epsilon, g.Delta, g.Protects(), r.Plan.rowsOfUnit(),
		100*AttackAUC(g.Rho()))
}

// rowsOfUnit describes how many rows of a unit are used. It returns "" if rows are protected.
func (p *Plan) rowsOfUnit() string {
	switch {
	case p.Unit == "":
		return ""
	case p.UnitRows == 1:
		return ", of which one row is used"
	}
	return fmt.Sprintf(", of which at most %d rows are used", p.UnitRows)
}
