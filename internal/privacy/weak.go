package privacy

import (
	"fmt"
	"math"
	"strings"
)

// Weak returns the classes for which complete statistics contain little but noise. It uses only noisy counts, so it
// costs no privacy. A class of subspace statistics is weak if the noise of its covariance, measured by the edge of the
// spectrum, is as large as the variance of all rows. A class of pooled statistics is weak if the error of its mean is
// half the typical distance of a row from the mean of all rows. Classes with a count within about two standard
// deviations of zero are also included. If the subspace was chosen from noise in the same run, all classes are weak.
// Incomplete statistics have no weak classes.
func (r *Release) Weak() []string {
	p := &r.Plan
	if !r.Complete() {
		return nil
	}
	var weak []string
	d, u := float64(p.Dim), p.unit()
	for k, name := range p.Classes {
		n := usable(r.Counts[k], r.CountNoise)
		drowns := u*u*math.Sqrt(r.SquareNoise)/n*math.Sqrt(2*d) >= 1 // rows are whitened
		if p.Kind == Pooled {
			drowns = d*u*u*r.SumNoise/(n*n) >= p.Trace/4
		}
		if p.faint || drowns || float64(r.Counts[k]) < 2*math.Sqrt(r.CountNoise)+2 {
			weak = append(weak, name)
		}
	}
	return weak
}

// Advice returns a warning about the classes of [Release.Weak], or "" if no class is weak.
func (r *Release) Advice() string {
	weak := r.Weak()
	if len(weak) == 0 {
		return ""
	}
	of := fmt.Sprintf("classes %s have", strings.Join(weak, ", "))
	switch {
	case len(weak) == len(r.Plan.Classes):
		of = "all classes have"
	case len(weak) == 1:
		of = fmt.Sprintf("class %s has", weak[0])
	}
	text := of + " too few rows for this guarantee: the noise is as large as the statistics, so decisions about them " +
		"will often be wrong; collect more rows, join classes, or allow a larger epsilon"
	if r.Plan.Kind == Subspace {
		text += "; on some data, pooled statistics are more accurate"
	}
	return text
}
