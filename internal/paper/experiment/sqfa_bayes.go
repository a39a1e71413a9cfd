package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/report"
)

// zeroMeanProtocol is the protocol of figures 10 and 11.
const zeroMeanProtocol = "The two classes are equally probable Gaussians N(0, D) and N(0, I) with a diagonal D. We " +
	"compute the error of the Bayes classifier from 100000 draws of each Gaussian, as in the paper, and exactly, by " +
	"an integral over directions. "

var zeroMeanNotes = []string{
	"The Fisher-Rao distance is from equation 6, and the Bhattacharyya distance from equation 13 with its factor of " +
		"one half.",
}

// bayesZeroMean returns the exact error of the Bayes classifier of N(0, diag(a, b)) and N(0, I) in two dimensions,
// which are equally probable. Along a direction, both densities depend only on the squared radius r², and the
// classifier compares r² with a threshold. The error is therefore an integral over directions.
func bayesZeroMean(a, b float64) float64 {
	const steps = 4096
	logDet := math.Log(a * b)
	sum := 0.0
	for k := range steps {
		sin, cos := math.Sincos(math.Pi * (float64(k) + 0.5) / steps)
		p := cos*cos/a + sin*sin/b // 1/variance of the first Gaussian along the direction; it is 1 for the second
		// The classifier chooses the first Gaussian if r² (1-p) > logDet. The tails beyond t are exp(-pt/2) and
		// exp(-t/2).
		wrongFirst, wrongSecond := 0.0, 0.0
		switch t := logDet / (1 - p); {
		case p == 1 && logDet > 0: // it never chooses the first one
			wrongFirst = 1
		case p == 1: // it always chooses the first one
			wrongSecond = 1
		case p < 1: // it chooses the first one beyond t
			t = math.Max(t, 0)
			wrongFirst, wrongSecond = (1-math.Exp(-p*t/2))/p, math.Exp(-t/2)
		default: // it chooses the first one within t
			t = math.Max(t, 0)
			wrongFirst, wrongSecond = math.Exp(-p*t/2)/p, 1-math.Exp(-t/2)
		}
		sum += wrongFirst/math.Sqrt(a*b) + wrongSecond
	}
	return sum / (2 * steps)
}

// bayesZeroMean1 is bayesZeroMean in one dimension, for N(0, v) and N(0, 1).
func bayesZeroMean1(v float64) float64 {
	if v == 1 {
		return 0.5
	}
	t := math.Sqrt(v * math.Log(v) / (v - 1)) // where the densities are equal
	narrow, wide := math.Erfc(t/math.Sqrt(2*math.Min(v, 1))), math.Erf(t/math.Sqrt(2*math.Max(v, 1)))
	return (narrow + wide) / 2
}

// simulatedZeroMean returns the error on draws of each Gaussian.
func simulatedZeroMean(rng *rand.Rand, v []float64, draws int) float64 {
	logDet, wrong := 0.0, 0
	for _, x := range v {
		logDet += math.Log(x)
	}
	for class := range 2 {
		for range draws {
			excess := -logDet // twice the difference of the log-densities, first minus second
			for _, x := range v {
				z := rng.NormFloat64()
				if class == 0 {
					z *= math.Sqrt(x)
				}
				excess += z * z * (1 - 1/x)
			}
			if (excess > 0) != (class == 0) {
				wrong++
			}
		}
	}
	return float64(wrong) / float64(2*draws)
}

// fisherRaoZeroMean returns the distance of equation 6 between N(0, diag(v)) and N(0, I).
func fisherRaoZeroMean(v ...float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += math.Log(x) * math.Log(x)
	}
	return math.Sqrt(sum / 2)
}

// bhattacharyyaZeroMean returns the distance of equation 13 with the factor 1/2 of its first form. The second form in
// the paper omits the factor.
func bhattacharyyaZeroMean(v ...float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += math.Log((1+x)/2) - math.Log(x)/2
	}
	return sum / 2
}

func logOdds(err float64) float64 { return math.Log((1 - err) / err) }

// oneDimension reproduces figure 10: distances and the Bayes error in one dimension.
func oneDimension(_ context.Context, r *Run) error {
	rng := rand.New(rand.NewPCG(r.Seed, 10))
	draws, step := r.Pick(100000, 5000), 0.08
	t := r.Table("curves", "Distances, accuracy and log-odds by log10 "+
		"σ²", "log10 σ²", "Fisher-Rao", "Bhattacharyya", "accuracy, simulated",
		"accuracy, exact", "log-odds, simulated", "log-odds, exact")
	var axis, fr, bh, acc, odds, simAcc, simOdds []float64
	for k := -25; k <= 25; k++ {
		x := step * float64(k)
		v := math.Pow(10, x)
		exact, sim := bayesZeroMean1(v), simulatedZeroMean(rng, []float64{v}, draws)
		axis, fr, bh = append(axis, x), append(fr, fisherRaoZeroMean(v)), append(bh, bhattacharyyaZeroMean(v))
		acc, odds = append(acc, 1-exact), append(odds, logOdds(exact))
		simAcc, simOdds = append(simAcc, 1-sim), append(simOdds, logOdds(sim))
		if k%5 == 0 {
			t.Add(fmt.Sprintf("%.2f", x), fr[len(fr)-1], bh[len(bh)-1], 1-sim, 1-exact, logOdds(sim), odds[len(odds)-1])
		}
	}
	panel := func(title string, exact, sim []float64) *report.Figure {
		lines := []report.Line{{Name: "exact", X: axis, Y: exact}}
		if sim != nil {
			lines = append(lines, report.Line{Name: "simulated", X: axis, Y: sim, Dashed: true})
		} else {
			lines[0].Name = ""
		}
		return report.Lines(title, lines, report.PlotOptions{X: report.Axis{Label: "log10 σ²"}})
	}
	r.Figure("curves", report.Panels("Distances and Bayes error, zero-mean Gaussians in one dimension", 2,
		panel("Fisher-Rao distance", fr, nil), panel("Bhattacharyya distance", bh, nil), panel("accuracy", acc, simAcc),
		panel("log-odds correct", odds, simOdds)))
	return r.claimsOfFigure10(axis, fr, bh, acc, odds)
}

// bend returns the largest deviation of a curve from a straight line, as a fraction of the curve's rise. The line
// connects the points of the curve at from and to.
func bend(x, y []float64, from, to float64) float64 {
	first, last := 0, 0
	for i := range x {
		if x[i] < from-1e-9 {
			first = i + 1
		}
		if x[i] <= to+1e-9 {
			last = i
		}
	}
	worst, rise := 0.0, y[last]-y[first]
	for i := first; i <= last; i++ {
		line := y[first] + rise*(x[i]-x[first])/(x[last]-x[first])
		worst = math.Max(worst, math.Abs(y[i]-line)/math.Abs(rise))
	}
	return worst
}

// linear is the bend below which a curve counts as linear.
const linear = 0.05

func (r *Run) claimsOfFigure10(x, fr, bh, acc, odds []float64) error {
	const how = "bend below 0.05"
	r.Claim("The Fisher-Rao distance is a linear function of |log10 σ²| in one dimension (section A.3).",
		bend(x, fr, 0, 2) < linear, "Bend %.1g from 0 to 2.", bend(x, fr, 0, 2)).If(how)
	r.Claim("The Bhattacharyya distance is shaped like a parabola close to 0 (section A.3).",
		bend(x, bh, 0, 0.48) > 0.2, "Bend %.2f from 0 to 0.48.", bend(x, bh, 0, 0.48)).
		If("bend above 0.2; a parabola has 0.25")
	r.Claim("The Bhattacharyya distance is approximately linear for larger values (section A.3).",
		bend(x, bh, 1.04, 2) < linear, "Bend %.3f from 1 to 2.", bend(x, bh, 1.04, 2)).If(how)
	r.Claim("The accuracy of the Bayes classifier is approximately linear for small values and begins to saturate "+
		"(section A.3).", bend(x, acc, 0, 0.48) < linear && bend(x, acc, 0, 2) > bend(x, acc, 0, 0.48),
		"Bend %.3f from 0 to 0.48 and %.3f from 0 to 2.", bend(x, acc, 0, 0.48), bend(x, acc, 0, 2)).
		If("bend below 0.05, then larger")
	r.Claim("The log-odds of a correct classification is linear as a function of log10 σ² (section A.3).",
		bend(x, odds, 0, 2) < linear, "Bend %.3f from 0 to 2.", bend(x, odds, 0, 2)).If(how)
	return nil
}

// slices11 are the values of log10 σ2² in the slices of figure 11.
var slices11 = []float64{0, 0.56, 1.12}

// twoDimensions reproduces figure 11: distances and the Bayes error in two dimensions.
func twoDimensions(ctx context.Context, r *Run) error {
	rng := rand.New(rand.NewPCG(r.Seed, 11))
	count := r.Pick(51, 17)
	axis := make([]float64, count)
	for i := range axis {
		axis[i] = -2 + 4*float64(i)/float64(count-1)
	}
	quantities := []struct {
		name string
		of   func(a, b float64) float64
	}{
		{"accuracy", func(a, b float64) float64 { return 1 - bayesZeroMean(a, b) }},
		{"log-odds correct", func(a, b float64) float64 { return logOdds(bayesZeroMean(a, b)) }},
		{"Fisher-Rao", func(a, b float64) float64 { return fisherRaoZeroMean(a, b) }},
		{"Bhattacharyya", func(a, b float64) float64 { return bhattacharyyaZeroMean(a, b) }},
	}
	var panels, lower []*report.Figure
	surfaces := map[string]*mat.Dense{}
	for _, q := range quantities {
		s := mat.NewDense(count, count, nil)
		for i, y := range axis {
			if err := ctx.Err(); err != nil {
				return err
			}
			for j, x := range axis {
				s.Set(i, j, q.of(math.Pow(10, x), math.Pow(10, y)))
			}
		}
		surfaces[q.name] = s
		panels = append(panels, report.Contours(q.name, axis, axis, s,
			report.ContoursOptions{X: report.Axis{Label: "log10 σ1²"}, Y: report.Axis{Label: "log10 σ2²"},
				Across: slices11}))
		var lines []report.Line
		for _, y := range slices11 {
			l := report.Line{Name: fmt.Sprintf("log10 σ2² = %.2f", y), X: axis}
			for _, x := range axis {
				l.Y = append(l.Y, q.of(math.Pow(10, x), math.Pow(10, y)))
			}
			lines = append(lines, l)
		}
		lower = append(lower, report.Lines(q.name, lines, report.PlotOptions{X: report.Axis{Label: "log10 σ1²"}}))
	}
	panels = append(panels, lower...)
	for _, v := range [][2]float64{{-1, 0}, {0.56, 0.56}, {1, -1}, {0.56, 1.12}} {
		panels = append(panels, report.Ellipses(fmt.Sprintf("log10 σ² = %.2f, %.2f", v[0], v[1]), diagonalPair(v), nil,
			[][2]int{{0, 1}}, report.EllipsesOptions{}))
	}
	r.Figure("contours", report.Panels("Distances and Bayes error, zero-mean Gaussians in two dimensions", 4,
		panels...))
	t := r.Table("slices", "Values along the slices of the figure", "log10 σ2²", "log10 σ1²", "accuracy, simulated",
		"accuracy, exact", "log-odds, exact", "Fisher-Rao", "Bhattacharyya")
	for _, y := range slices11 {
		for k := -4; k <= 4; k++ {
			x := 0.5 * float64(k)
			a, b := math.Pow(10, x), math.Pow(10, y)
			if k == 0 && y == 0 {
				t.Add("0.00", "0.00", 0.5, 0.5, 0.0, 0.0, 0.0) // equal Gaussians: half of the decisions are right
				continue
			}
			exact := bayesZeroMean(a, b)
			t.Add(fmt.Sprintf("%.2f", y), fmt.Sprintf("%.2f", x),
				1-simulatedZeroMean(rng, []float64{a, b}, r.Pick(100000, 5000)), 1-exact,
				logOdds(exact), fisherRaoZeroMean(a, b), bhattacharyyaZeroMean(a, b))
		}
	}
	r.claimsOfFigure11()
	return nil
}

// diagonalPair returns the two Gaussians at a point of the figure.
func diagonalPair(log10 [2]float64) *gaussian.Statistics {
	s := gaussian.New([]string{"N(0, D)", "N(0, I)"}, 2)
	for j, v := range log10 {
		s.Covariance(0).SetSym(j, j, math.Pow(10, v))
		s.Covariance(1).SetSym(j, j, 1)
	}
	s.Counts[0], s.Counts[1] = 1000, 1000
	return s
}

// anisotropy returns the value at (x, x) divided by the value at (x, -x). Both coordinates are logarithms to base 10.
// It is 1 if the level sets are circles.
func anisotropy(of func(a, b float64) float64, x float64) float64 {
	return of(math.Pow(10, x), math.Pow(10, x)) / of(math.Pow(10, x), math.Pow(10, -x))
}

func (r *Run) claimsOfFigure11() {
	odds := func(a, b float64) float64 { return logOdds(bayesZeroMean(a, b)) }
	nearOdds, farOdds := anisotropy(odds, 0.05), anisotropy(odds, 1)
	r.Claim("The contours of accuracy and log-odds are more circular close to the origin and tilted farther from "+
		"it (section A.3).", math.Abs(nearOdds-1) < math.Abs(farOdds-1), "The ratio of the log-odds at (x, x) and "+
		"(x, −x) is %.3f for x = 0.05 and %.3f for x = 1.", nearOdds, farOdds).
		If("closer to 1 near the origin")
	r.Claim("The Fisher-Rao contours are circles (section A.3).",
		math.Abs(anisotropy(func(a, b float64) float64 { return fisherRaoZeroMean(a, b) }, 1)-1) < 1e-12,
		"By equation 6.").If("the same in all directions to 1e-12")
	r.Claim("The Bhattacharyya contours are more circular close to the origin and acquire a rhomboidal shape "+
		"(section A.3).", bhattacharyyaRhomb(2) > bhattacharyyaRhomb(0.05),
		"The radius of the level set along an axis, divided by its radius along the diagonal, is %.3f at 0.05 and "+
			"%.3f at 2, the edge of the figure. A circle has 1, and a rhombus with its corners on the axes 1.414.",
		bhattacharyyaRhomb(0.05), bhattacharyyaRhomb(2)).If("larger at the edge of the figure")
}

// bhattacharyyaRhomb returns the radius of the level set through (x, 0) along the axis, divided by its radius along the
// diagonal.
func bhattacharyyaRhomb(x float64) float64 {
	level := bhattacharyyaZeroMean(math.Pow(10, x), 1)
	lo, hi := 0.0, x
	for range 60 {
		mid := (lo + hi) / 2
		if v := math.Pow(10, mid); bhattacharyyaZeroMean(v, v) < level {
			lo = mid
		} else {
			hi = mid
		}
	}
	return x / (math.Sqrt2 * lo)
}
