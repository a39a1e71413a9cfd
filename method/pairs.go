package method

import (
	"errors"
	"strconv"
	"strings"

	"rao"
	"rao/gaussian"
	"rao/sqfa"
)

// With more than manyClasses classes, SQFA by default uses the bound on the Bayes error, and the pooled covariance
// for all but the nearest pairs. With at least manyColumns columns, it then learns in a subspace of manyDimensions
// dimensions, or of dimensionsPerFilter dimensions per filter if that is more.
const (
	manyClasses         = 30
	manyColumns         = 256
	manyDimensions      = 128
	dimensionsPerFilter = 4
)

// pairing are the options of objectives over many pairs of classes.
type pairing struct {
	Pairs    pairsOption `opt:"pairs" default:"auto" help:"pairs of classes that --aggregate bayes uses in full: all, or near:K, the K nearest of either class; others use the pooled covariance; auto uses near:8 above 30 classes"`
	Subspace someCount   `opt:"subspace" default:"auto" help:"dimensions in which filters are learned, half principal components, half discriminants; auto uses all, or 128 or four per filter for near pairs in 256 or more columns"`
}

// pairsOption selects the pairs of classes that are used in full: auto, all, or the nearest ones.
type pairsOption struct {
	All  bool
	Near int // number of rivals per class; auto if it is 0 and All is false
}

// Syntax returns the placeholder for a value in help texts.
func (pairsOption) Syntax() string { return "auto|all|near:K" }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *pairsOption) UnmarshalText(text []byte) error {
	switch s := string(text); {
	case s == "auto":
		*p = pairsOption{}
		return nil
	case s == "all":
		*p = pairsOption{All: true}
		return nil
	case strings.HasPrefix(s, "near:"):
		k, err := strconv.Atoi(s[len("near:"):])
		if err == nil && k >= 1 && k <= 100000 {
			*p = pairsOption{Near: k}
			return nil
		}
	}
	return errors.New("the value must be auto, all or near:K with K from 1 to 100000")
}

// manyByDefault reports whether the options leave the objective open and there are too many classes for the mean over
// pairs.
func (v *vectors) manyByDefault(o *sqfaOptions, own family) bool {
	return o.Aggregate.auto && o.Distance == "auto" && own.bayesOfMany && len(v.classes()) > manyClasses
}

// mayStream reports whether filters may be learned in a subspace. The covariances can then stay in their file.
func (v *vectors) mayStream(s *gaussian.Source) bool {
	o, ok := v.options.(*sqfaOptions)
	return ok && (o.Subspace > 0 || o.Subspace == 0 && s.NumClasses() > manyClasses && s.Dim >= manyColumns)
}

// pairing sets which pairs of classes are used in full, and the subspace in which filters are learned.
func (v *vectors) pairing(o *sqfaOptions, opt *sqfa.Options) error {
	weight, bound := opt.Distance.ErrorBound()
	bound = bound && weight == 0.5 && opt.Aggregate == sqfa.AggregationBayes
	components := v.sub != nil && len(v.sub.Of) > len(v.classes())
	switch {
	case o.Pairs.Near > 0 && !bound:
		return rao.Optionf("pairs", "{pairs=near:K} works only with the bound on the Bayes error; choose "+
			"{aggregate=bayes}, and leave out {distance}")
	case o.Pairs.Near > 0:
		opt.Near = o.Pairs.Near
	case components && !o.Pairs.All:
		opt.Near = nearRivals
	case bound && !o.Pairs.All && len(v.classes()) > manyClasses:
		opt.Near = nearRivals
	}
	opt.Pooled = opt.Near > 0 && !components
	if opt.Pooled && o.Init == "auto" {
		opt.Start = sqfa.StartLDA
	}
	if opt.Pooled && o.Tol.Auto {
		opt.Tol = 0 // the default of package sqfa
	}
	switch {
	case o.Subspace > 0:
		opt.Subspace = int(o.Subspace)
	case o.Subspace == 0 && opt.Pooled && v.dim() >= manyColumns:
		opt.Subspace = max(manyDimensions, dimensionsPerFilter*opt.Filters)
	}
	return nil
}
