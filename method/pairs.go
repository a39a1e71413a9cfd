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
	Pairs    pairsOption `opt:"pairs" default:"auto" help:"pairs of classes that aggregate=bayes uses in full: all, or near:K, the K nearest of either class; others use the pooled covariance; auto uses near:8 above 30 classes"`
	Subspace someCount   `opt:"subspace" default:"auto" help:"dimensions in which filters are learned, half principal components, half discriminants; auto uses all; with near pairs and 256 or more columns it uses 128, or four per filter if that is more"`
}

// pairsOption selects the pairs of classes that are used in full: auto, all, or the nearest pairs.
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

// objective is what a fit of the SQFA family optimizes, and where. It follows from the options and the number of
// classes, components and columns, so the memory of a fit can be estimated before the covariances are read.
type objective struct {
	aggregate sqfa.Aggregation
	distance  gaussian.Dissimilarity // empty: the default of the aggregation
	near      int                    // rivals per class in pairs that are used in full; 0: all pairs are
	pooled    bool                   // all other pairs use the pooled covariance
	subspace  int                    // dimensions in which filters are learned; 0: all columns
}

// objective returns the objective for classes with some columns. components is their total number of components, or 0
// if the fit does not use sub-classes.
func (o *sqfaOptions) objective(classes, components, columns int) (objective, error) {
	out := objective{aggregate: o.Aggregate.Aggregation, distance: o.own.distance}
	many := classes > manyClasses
	if o.Aggregate.auto && (components > 0 || many && o.own.bayesOfMany && o.Distance == "auto") {
		out.aggregate = "bayes"
	}
	bayes := out.aggregate == "bayes"
	switch {
	case o.Distance != "auto":
		out.distance = gaussian.Dissimilarity(o.Distance)
	case bayes:
		out.distance = ""
	}
	how, _ := out.distance.Measure() // the fit reports an unknown distance
	bound := bayes && (out.distance == "" || how.Bound && how.Weight == 0.5)
	divided := components > classes
	switch {
	case o.Pairs.Near > 0 && !bound:
		return out, rao.Optionf("pairs", "{pairs=near:K} works only with the bound on the Bayes error; choose "+
			"{aggregate=bayes}, and leave out {distance}")
	case o.Pairs.Near > 0:
		out.near = o.Pairs.Near
	case !o.Pairs.All && (divided || bound && many):
		out.near = nearRivals
	}
	out.pooled = out.near > 0 && !divided
	switch {
	case o.Subspace > 0:
		out.subspace = int(o.Subspace)
	case o.Subspace == 0 && out.pooled && columns >= manyColumns:
		out.subspace = max(manyDimensions, dimensionsPerFilter*int(o.filters.Filters))
	}
	if out.subspace >= columns {
		out.subspace = 0
	}
	return out, nil
}
