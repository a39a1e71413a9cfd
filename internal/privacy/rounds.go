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

// Kind says what private statistics describe.
type Kind int

const (
	// Subspace statistics have the covariance of each class in a few dimensions, which the data choose privately.
	Subspace Kind = iota
	// Pooled statistics have one covariance of all columns, for all classes: the better choice where classes differ in
	// many directions, also of little variance.
	Pooled
)

var kindNames = []string{"subspace", "pooled"}

// String returns subspace or pooled.
func (k Kind) String() string { return kindNames[k] }

// Round is one of the readings of the data that make private statistics.
type Round int

const (
	RoundStart   Round = iota // the number of rows, their mean and mean square
	RoundPooled               // counts and means of the classes, the second moment of all rows
	RoundClasses              // the second moment of each class, in few dimensions
)

var roundNames = []string{"start", "pooled", "classes"}

// String returns start, pooled or classes.
func (r Round) String() string { return roundNames[r] }

// share returns the part of ρ that the round of a kind is given.
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

// last reports whether the statistics of the kind are complete after the round.
func (k Kind) last(r Round) bool { return r == RoundClasses || k == Pooled && r == RoundPooled }

// Plan says how rows are read in a round. It follows from public choices and earlier private releases alone.
type Plan struct {
	Kind    Kind
	Round   Round
	Classes []string // all that count; rows of other classes are left out
	Columns []string // their names, nil where unknown
	Domain  Domain   // what values are possible
	// Unit is the column of the units that are protected, "" for rows, and UnitRows the number of rows of a unit that
	// are used: the first ones of those in Classes. 0 for rows.
	Unit     string
	UnitRows int

	Center  []float64 // what is subtracted from a row in the units of the domain
	Mapping []float64 // D×Dim, row-major: what maps the row to Dim values; nil leaves it as it is
	Dim     int
	Radius  float64 // rows are cut to this length
	Public  bool    // center and mapping are public, not from these rows

	// Trace is the mean square of the rows about Center, and CenterVariance the variance of the noise of each element
	// of Center, both from the start.
	Trace, CenterVariance float64
	// Variances are those along the columns of Mapping before they were whitened, length Dim.
	Variances []float64

	// Sites are those whose releases the plan follows from. What they have released stays in every later file,
	// also of sites that take no part any more.
	Sites []Site
}

// Domain is what is publicly known of the values of a row: the range of each column, or the largest length.
type Domain struct {
	Low, High []float64 // one per column; nil where Clip is given
	Clip      float64   // the largest Euclidean length of a row
}

// of returns the domain of n columns: one range is that of every column.
func (d Domain) of(n int) Domain {
	if len(d.Low) == 1 && len(d.High) == 1 {
		d.Low, d.High = slices.Repeat(d.Low, n), slices.Repeat(d.High, n)
	}
	return d
}

// unit returns the middle of column j and the distance to its ends, which scales it.
func (d *Domain) unit(j int) (middle, half float64) {
	if d.Low == nil {
		return 0, d.Clip
	}
	return d.Low[j]/2 + d.High[j]/2, d.High[j]/2 - d.Low[j]/2
}

// radius returns the largest length of a row of n columns in the units of the domain.
func (d *Domain) radius(n int) float64 {
	if d.Low == nil {
		return 1
	}
	return math.Sqrt(float64(n))
}

// Validate returns an error unless the domain is one of n columns.
func (d *Domain) Validate(n int) error {
	if d.Low == nil && d.High == nil {
		if !(d.Clip > 0) || math.IsInf(d.Clip, 1) {
			return fmt.Errorf("private statistics need the range of the values, or the largest length of a row: " +
				"neither may be computed from the data")
		}
		return nil
	}
	if d.Clip != 0 {
		return fmt.Errorf("a range of values and a largest length are both given; choose one")
	}
	if len(d.Low) != n || len(d.High) != n {
		return fmt.Errorf("ranges of %d and %d columns for %d columns", len(d.Low), len(d.High), n)
	}
	for j := range d.Low {
		if _, half := d.unit(j); !(half > 0) || math.IsInf(d.High[j]-d.Low[j], 1) {
			return fmt.Errorf("column %d has the range %g to %g, want two finite numbers, the smaller one first", j,
				d.Low[j], d.High[j])
		}
	}
	return nil
}

// Site is what one site has released of its rows, counted in ρ.
type Site struct {
	ID       string        `json:"site"` // random
	Releases []SiteRelease `json:"releases"`
}

// SiteRelease is one release of a site.
type SiteRelease struct {
	ID    string  `json:"id"` // random
	Round string  `json:"round"`
	Rho   float64 `json:"rho"`
}

// rho returns the sum over the site's releases.
func (s *Site) rho() float64 {
	rho := 0.0
	for _, r := range s.Releases {
		rho += r.Rho
	}
	return rho
}

// Release holds noisy integer sums of the rows of one site, or of several after [Merge]. They are all that is
// published.
type Release struct {
	Plan  Plan
	Delta float64 // at which ε is reported

	Counts, Sums, Squares []int64 // as sums has them, with noise
	// Variances of the noise of a count, a sum, and a diagonal element of the second moments; off the diagonal it
	// is half of that, and a little more for rounding.
	CountNoise, SumNoise, SquareNoise float64
	Sites                             []Site

	next *Plan // what a file says of the round that follows
}

// Guarantee returns the guarantee for the rows, or units, of any site: that of the site with the largest ρ. It holds
// if no row or unit is at two sites.
func (r *Release) Guarantee() Guarantee {
	rho := 0.0
	for i := range r.Sites {
		rho = max(rho, r.Sites[i].rho())
	}
	return Guarantee{Epsilon: EpsilonOf(rho, r.Delta), Delta: r.Delta, Unit: r.Plan.Unit}
}

// groups returns the number of groups of rows that the round distinguishes.
func (p *Plan) groups() int {
	if p.Round == RoundStart {
		return 1
	}
	return len(p.Classes)
}

func (p *Plan) squares() squaresOf {
	return [...]squaresOf{squaresTrace, squaresOfAll, squaresOfClasses}[p.Round]
}

// shares returns how the round divides its ρ among second moments, sums and counts.
func (p *Plan) shares() [3]float64 {
	d := float64(p.Dim)
	return [...][3]float64{{1, 8, 1}, {1, 0.5, 0.05}, {1, 2 / d, 1 / d}}[p.Round]
}

// weight returns the largest number of rows by which neighboring data sets differ. The change of counts, sums and
// second moments by several rows is at most the sum of the lengths of their changes (triangle inequality), also where
// the rows are in different classes, so the noise grows in proportion.
func (p *Plan) weight() float64 { return float64(max(1, p.UnitRows)) }

// sigmas returns the standard deviations of the noise of second moments, sums and counts: integers, rounded up.
func (p *Plan) sigmas(rho float64) (square, sum, count int64) {
	shares := p.shares()
	total := shares[0] + shares[1] + shares[2]
	mu := func(i int) float64 { return math.Sqrt(2*rho*shares[i]/total) / p.weight() }
	up := func(v float64) int64 { return max(1, int64(math.Ceil(min(v, 2*maxSigma)))) }
	return up(sideSq / mu(0)), up(side / mu(1)), up(1 / mu(2))
}

// publish adds noise to the sums of a site. site is its random name, "" for a new one; earlier are its releases so
// far.
func publish(p Plan, s *sums, total Guarantee, rho float64, noise *sampler, site *Site) (*Release, error) {
	if s.rows > mostRows {
		return nil, fmt.Errorf("a release counts at most %d rows; split the data and merge the parts", int64(mostRows))
	}
	square, sum, count := p.sigmas(rho)
	if square > maxSigma {
		return nil, fmt.Errorf("epsilon %g is too small, or a unit has too many rows: the noise would exceed every sum",
			total.Epsilon)
	}
	off := int64(math.Ceil(float64(square) / math.Sqrt2))
	noise.add(s.counts, count)
	noise.add(s.first, sum)
	if p.Round == RoundStart {
		noise.add(s.second, square)
	} else {
		d := p.Dim
		for at, step := 0, 0; at < len(s.second); step++ {
			row := d - step%d // elements of the triangle's row
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
	sites, err := joinSites(append([]Site{own}, p.Sites...), p.Round)
	if err != nil {
		return nil, err
	}
	return &Release{Plan: p, Delta: total.Delta, Counts: s.counts, Sums: s.first, Squares: s.second,
		CountNoise: sq(count), SumNoise: sq(sum), SquareNoise: sq(square), Sites: sites}, nil
}

func sq(v int64) float64 { return float64(v) * float64(v) }

// mapRows writes the lattice vectors of the rows with the given numbers to q, rows of p.Dim values. A row's vector does
// not depend on the other rows. It reports whether a value was missing (NaN).
func (p *Plan) mapRows(q []float64, in *rows.Reader, numbers []int) (missing bool) {
	wide := len(p.Center)
	mid, inverse := make([]float64, wide), make([]float64, wide)
	for j := range wide {
		middle, half := p.Domain.unit(j)
		mid[j], inverse[j] = middle, 1/half
	}
	padded := (p.Dim + 7) &^ 7 // columns that the kernels of vec take without a rest
	mapping := p.Mapping
	if mapping != nil && padded > p.Dim {
		mapping = make([]float64, wide*padded)
		for j := range wide {
			copy(mapping[j*padded:], p.Mapping[j*p.Dim:(j+1)*p.Dim])
		}
	}
	clamp := p.Domain.Low != nil
	var incomplete atomic.Bool
	par.For(len(numbers), 64, func(_, lo, hi int) {
		row, mapped := make([]float64, wide), make([]float64, padded)
		for i := lo; i < hi; i++ {
			in.Read(row, wide, numbers[i], numbers[i]+1, nil)
			mid, inverse, center := mid[:len(row)], inverse[:len(row)], p.Center[:len(row)]
			if clamp {
				for j, v := range row {
					v = (v - mid[j]) * inverse[j]
					if v > 1 {
						v = 1
					} else if !(v >= -1) {
						if v != v {
							incomplete.Store(true)
							v = 0
						} else {
							v = -1
						}
					}
					row[j] = v - center[j]
				}
			} else {
				for j, v := range row {
					v = (v - mid[j]) * inverse[j]
					if v != v {
						incomplete.Store(true)
						v = 0
					}
					row[j] = v
				}
				shorten(row, 1)
				for j, v := range row {
					row[j] = v - center[j]
				}
			}
			to := q[i*p.Dim : (i+1)*p.Dim]
			if mapping == nil {
				copy(to, row)
			} else {
				clear(mapped)
				vec.AddRows(mapped, row, mapping, padded)
				copy(to, mapped)
			}
			toLattice(to, p.Radius)
		}
	})
	return incomplete.Load()
}

// shorten scales a row to the length if it is longer; a row that is not finite becomes zero.
func shorten(row []float64, length float64) {
	squares := 0.0
	for _, v := range row {
		squares += v * v
	}
	switch {
	case math.IsNaN(squares) || math.IsInf(squares, 1):
		clear(row)
	case squares > length*length:
		f := length / math.Sqrt(squares)
		for j := range row {
			row[j] *= f
		}
	}
}

// Complete reports whether the statistics are complete: no round follows.
func (r *Release) Complete() bool { return r.Plan.Kind.last(r.Plan.Round) }

// Contributors returns the number of sites whose rows are in the sums.
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
func (r *Release) Total() int64 {
	total := int64(0)
	for _, n := range r.Counts {
		total += n
	}
	return total
}

// Describe returns what the release is and promises, in one line.
func (r *Release) Describe() string {
	g := r.Guarantee()
	return fmt.Sprintf("%s in %d dimensions, round %s, of %s, with ε %.4g at δ %g for each %s%s (an attacker who "+
		"must decide whether it was used is right in at most %.1f %% of cases)", r.Plan.Kind,
		r.Plan.Dim, r.Plan.Round, text.Plural(r.Contributors(), "site", "sites"), g.Epsilon, g.Delta, g.Protects(),
		r.Plan.rowsOfUnit(), 100*AttackAUC(g.Rho()))
}

// rowsOfUnit says how many rows of a unit are used, "" where rows are protected.
func (p *Plan) rowsOfUnit() string {
	switch {
	case p.Unit == "":
		return ""
	case p.UnitRows == 1:
		return ", of which one row is used"
	}
	return fmt.Sprintf(", of which at most %d rows are used", p.UnitRows)
}
