package sqfa

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
	"rao/internal/optim"
	"rao/internal/priors"
	"rao/internal/shrink"
	"rao/internal/text"
)

// Aggregation selects how the dissimilarities of all class pairs are combined into one objective:
//
//   - mean is the mean over pairs: the sum of the SQFA paper (equation 1) divided by the number of pairs. It is the
//     default;
//   - softmin is -(1/b) log Σ exp(-b d), which gives close pairs the most weight;
//   - bayes is -log Σ sqrt(p_i p_j) exp(-B_ij) with B the Bhattacharyya distance: minus the logarithm of the union
//     bound on the error of the Bayes classifier.
type Aggregation string

const (
	aggregationMean    Aggregation = "mean"
	aggregationSoftMin Aggregation = "softmin"
	aggregationBayes   Aggregation = "bayes"
)

// Constraint selects the constraint on the filters:
//
//   - sphere keeps every filter at unit norm, as the SQFA paper does. It is the default;
//   - orthogonal keeps the filters orthonormal;
//   - none does not constrain the filters. With feature noise, their norms then grow without bound.
type Constraint string

const (
	constraintSphere     Constraint = "sphere"
	constraintOrthogonal Constraint = "orthogonal"
	constraintNone       Constraint = "none"
)

// manifold returns the constraint of the optimizer.
func (c Constraint) manifold() optim.Constraint {
	switch c {
	case constraintOrthogonal:
		return optim.Orthogonal
	case constraintNone:
		return optim.None
	}
	return optim.Sphere
}

// Start selects where the first fit starts:
//
//   - several tries principal components, discriminants, directions in which the classes differ most in mean and
//     covariance, and random filters. Unless iterations are expensive, the fit runs a few iterations from each start,
//     and continues from the start with the best objective. If Near leaves pairs out, objectives cannot be compared,
//     and the fit starts at principal components. This value is the default;
//   - pca starts at the leading principal components of all classes together;
//   - random starts at random unit vectors drawn with Options.Seed;
//   - given starts at Options.Initial;
//   - lda starts at the discriminants of all classes together, followed by principal components if there are more
//     filters than discriminants.
type Start string

const (
	startSeveral Start = "several"
	startPCA     Start = "pca"
	startRandom  Start = "random"
	startGiven   Start = "given"
	startLDA     Start = "lda"
)

// Search selects the optimization algorithm:
//
//   - auto is growing if there are at least 192 dimensions and at least 12 per filter, and direct otherwise. It is the
//     default;
//   - direct is L-BFGS in all dimensions: one pass over the statistics per iteration;
//   - growing solves in a subspace that grows along the gradient, with one pass per growth. It needs several times
//     fewer passes in total.
type Search string

const (
	searchAuto    Search = "auto"
	searchDirect  Search = "direct"
	searchGrowing Search = "growing"
)

// growing reports whether a fit in n dimensions uses the growing search.
func (o Options) growing(n int) bool {
	return o.Search == searchGrowing || o.Search != searchDirect && n >= 192 && n >= 12*o.Filters
}

// inSubspace reports whether a fit in n dimensions uses a subspace.
func (o Options) inSubspace(n int) bool { return o.Subspace > 0 && o.Subspace < n }

// AutoNoise is the value of Options.Noise that chooses the noise: by k-fold validation if the source has rows,
// otherwise as described at [Loader].
const AutoNoise = -1

// Options configure a fit. The zero value is SQFA as published, without noise.
type Options struct {
	// Filters is the number of filters m. The default is the number of columns of Initial, if set, and otherwise one
	// less than the number of classes, but at least 2 and at most the dimension. All components of a class count as one
	// class.
	Filters int
	// Noise is the variance σ² added to every feature, in the squared unit of the data: 0 or more, or [AutoNoise]. It
	// keeps filters away from directions in which all classes have almost no variance. The SQFA paper's noise of 0.01
	// for MNIST corresponds to 7.84 for values divided by their standard deviation, because the public Python package
	// divides the values by 28 times their standard deviation.
	Noise float64
	// Folds is the number of folds that validate an automatic noise, 2 or more. Each fold is held out once. With 0, the
	// rows are split into 5 folds, and only enough folds are held out to have 400 rows.
	Folds int
	// Shrinkage is the shrinkage of the quadratic classifier of the features that validates an automatic noise. By
	// default it is OAS if a class has few rows and OAS does not increase the loss, otherwise none. Ledoit-Wolf
	// shrinkage is validated with OAS, because the fourth moments of the features are unknown.
	Shrinkage gaussian.ShrinkRule
	// RegParam is r in [0, 1]. It shrinks the covariances Φ of the classifier that validates an automatic noise towards
	// the identity, to (1-r)Φ + r I, as [rao/classify.QDAOptions] does. With r > 0, the default of Shrinkage is none.
	RegParam float64
	// Distance measures class pairs. The zero value is the Calvo-Oller bound, which gives SQFA; riemann gives smSQFA,
	// and bhattacharyya gives the method that the SQFA paper calls BDM. If Aggregate is bayes, the zero value means
	// bhattacharyya, and only bhattacharyya and chernoff are allowed.
	Distance gaussian.Dissimilarity
	// Aggregate selects how the pairs are combined into one objective.
	Aggregate Aggregation
	// Sharpness is the b of softmin, above 0. Default 3.
	Sharpness float64
	// Priors are the probabilities of the classes, up to a factor; they must be positive. Nil means equal. The
	// aggregations mean and softmin weight the pair (i,j) by p_i p_j, bayes by sqrt(p_i p_j).
	Priors []float64
	// Of assigns each class to a mixture, if the classes of the statistics are components of mixtures, such as
	// sub-classes. Pairs within a mixture do not count. The priors are then the priors of the components, and the
	// aggregation bayes bounds the error of the mixture classifier. Nil means that every class is separate.
	Of []int
	// Near keeps only pairs in which one class is among the Near classes most easily confused with the other, if these
	// are at most a third of all pairs. Every 25 iterations it adds pairs that have become near, until there are no new
	// ones. 0 keeps all pairs, or means 8 with Pooled. For many components of a few classes, 8 loses no accuracy.
	Near int
	// Pooled approximates all pairs that Near leaves out with the pooled covariance, in one matrix product. Use it for
	// many classes, because classes that are not near would otherwise move onto each other. It requires the aggregation
	// bayes and the distance bhattacharyya. It is ignored if Of is set, because components differ in covariance and the
	// pooled covariance overstates their overlap.
	Pooled bool
	// Subspace limits the memory and time of a fit. The filters are learned in a subspace with this many dimensions,
	// spanned by the leading principal components and discriminants of all classes together. They are then learned
	// again with the directions of the gradient outside the subspace. 0 means all dimensions.
	Subspace int
	// Constraint is the constraint on the filters. The default is sphere.
	Constraint Constraint
	// Start is where the first fit starts.
	Start Start
	// Initial contains the n×m filters at which the fit starts if Start is given.
	Initial *mat.Dense
	// Starts is the number of fits; the best one is kept. Fits after the first start at random filters. Default 1.
	Starts int
	// Seed is the seed of random starts and folds.
	Seed uint64
	// Group learns the filters in groups of this size, one group after the other, with the filters of earlier groups
	// fixed. 0 learns all together; 2 is the pairwise learning of the SQFA paper. The last group may be smaller.
	Group int
	// Search selects the algorithm; the optimum is the same.
	Search Search
	// Coarse is the number of leading principal components that a growing search adds to its start (coarse to fine).
	// Default 0.
	Coarse int
	// Tol ends a fit. A direct search stops when the objective changes by at most this much, relative to max(1,
	// |objective|), in each of three consecutive iterations. A growing search stops when the objective changes by at
	// most 10 Tol in one growth, or 100 Tol in three growths. Default 1e-7, or 1e-4 with Pooled. The SQFA paper stops
	// at 1e-6 of its loss in three iterations (section 2.5 of v3).
	Tol float64
	// MaxIter limits the iterations of each fit (and group). Default 500.
	MaxIter int
	// Memory is the number of past steps that L-BFGS uses to estimate the curvature. Default 30.
	Memory int
	// Progress receives an event after every iteration.
	Progress rao.Progress
}

// plan is what a fit does: the options, filled in, and what a search passes to the fits of its starts and noises.
type plan struct {
	Options
	pairs []gaussian.Pair // pairs in the objective; nil: all that count
	space *subspace       // subspace of an earlier growing search, to be continued; nil: a new one
	known *startBasis     // statistics for the start several; nil: not computed yet
	also  []*mat.Dense    // more filters for the start several
	bench *bench          // memory shared by successive fits; nil: not shared
	rough bool            // starts are compared directly, not after some iterations
	// hopeless reports whether a growing search should leave out its last growth; nil: never.
	hopeless func(filters *mat.Dense) bool
}

// plan returns the options with defaults filled in for c classes in n dimensions, or an error that names an option that
// is out of range.
func (o Options) plan(c, n int) (plan, error) {
	if o.Start == startGiven && o.Initial != nil && o.Filters == 0 {
		_, o.Filters = o.Initial.Dims()
	}
	if o.Filters == 0 {
		o.Filters = min(n, max(2, o.numClasses(c)-1))
	}
	o.Pooled = o.Pooled && o.Of == nil
	if o.Pooled { // the pooled covariance is not more precise than this
		setDefault(&o.Near, 8)
		setDefault(&o.Tol, 1e-4)
	}
	setDefault(&o.Aggregate, aggregationMean)
	setDefault(&o.Constraint, constraintSphere)
	setDefault(&o.Start, startSeveral)
	setDefault(&o.Search, searchAuto)
	setDefault(&o.Starts, 1)
	setDefault(&o.MaxIter, 500)
	setDefault(&o.Memory, 30)
	setDefault(&o.Sharpness, 3)
	setDefault(&o.Tol, 1e-7)
	if o.Distance == "" {
		o.Distance = gaussian.CalvoOller
		if o.Aggregate == aggregationBayes {
			o.Distance = gaussian.Bhattacharyya
		}
	}
	if err := cmp.Or(o.checkNames(), o.checkCounts(n)); err != nil {
		return plan{}, err
	}
	if err := shrink.Check(string(o.Shrinkage.Kind), o.Shrinkage.Amount); err != nil {
		return plan{}, err
	}
	if !(o.RegParam >= 0 && o.RegParam <= 1) {
		return plan{}, faults.Option("reg_param is %g; it must be between 0 and 1", o.RegParam)
	}
	return plan{Options: o}, o.checkObjective(c)
}

// numClasses returns the number of classes that c components belong to.
func (o Options) numClasses(c int) int {
	if len(o.Of) != c {
		return c
	}
	of := slices.Clone(o.Of)
	slices.Sort(of)
	return len(slices.Compact(of))
}

func setDefault[T comparable](p *T, d T) {
	if *p == *new(T) {
		*p = d
	}
}

// checkCounts checks the start and all options that are counts.
func (o Options) checkCounts(n int) error {
	switch {
	case o.Filters < 1:
		return faults.Option("the number of filters is %d; it must be 1 or more", o.Filters)
	case o.Filters > n:
		return faults.Option("%d filters were requested in %s; there can be at most as many filters as dimensions",
			o.Filters, text.Plural(n, "dimension", "dimensions"))
	case o.Folds < 0 || o.Folds == 1:
		return faults.Option("the number of folds is %d; it must be 2 or more, or 0 to depend on the number of rows",
			o.Folds)
	case o.Starts < 1:
		return faults.Option("the number of starts is %d; it must be 1 or more", o.Starts)
	case o.Group < 0:
		return faults.Option("the size of a group of filters is %d; it must be 1 or more, or 0 to learn all filters "+
			"together", o.Group)
	case o.Coarse < 0:
		return faults.Option("the number of components of the coarse fit is %d; it must be 0 or more", o.Coarse)
	case o.MaxIter < 1:
		return faults.Option("the iteration limit is %d; it must be 1 or more", o.MaxIter)
	case o.Memory < 1:
		return faults.Option("the memory of the optimizer is %d steps; it must be 1 or more", o.Memory)
	case o.Start == startGiven && o.Initial == nil:
		return faults.Option("the start is \"given\", but there are no initial filters; set them")
	case o.Start != startGiven && o.Initial != nil:
		return faults.Option(
			"initial filters are used only if the start is \"given\", but it is %q; set that start, or "+
				"leave the filters out", o.Start)
	}
	if o.Initial != nil {
		if r, k := o.Initial.Dims(); r != n || k != o.Filters {
			return faults.Option("the initial filters are %d×%d, but %d×%d are needed, with one filter per column",
				r, k, n, o.Filters)
		}
	}
	return nil
}

// checkNames returns an error for an unknown value of an option that is a word.
func (o Options) checkNames() error {
	for _, option := range []struct {
		kind, name string
		known      []string
	}{
		{"search", string(o.Search), []string{"auto", "direct", "growing"}},
		{"start", string(o.Start), []string{"several", "pca", "random", "given", "lda"}},
		{"constraint", string(o.Constraint), []string{"sphere", "orthogonal", "none"}},
		{"aggregation", string(o.Aggregate), []string{"mean", "softmin", "bayes"}},
	} {
		if !slices.Contains(option.known, option.name) {
			return &rao.UnknownError{Kind: option.kind, Name: option.name, Known: option.known}
		}
	}
	return nil
}

func (o Options) checkObjective(c int) error {
	how, err := o.Distance.Measure()
	if err != nil {
		return err
	}
	switch {
	case o.Noise != AutoNoise && !vec.NotNegative(o.Noise):
		return faults.Option("the noise is %g; it must be a finite variance of 0 or more", o.Noise)
	case !vec.Positive(o.Sharpness):
		return faults.Option("the sharpness is %g; it must be positive and finite", o.Sharpness)
	case !(o.Tol > 0):
		return faults.Option("the tolerance is %g; it must be positive", o.Tol)
	case o.Aggregate == aggregationBayes && !how.Bound:
		return faults.Option(
			"the aggregation bayes works only with the distances bhattacharyya and chernoff, not with "+
				"%v; leave the distance out",
			o.Distance)
	case o.Of != nil && len(o.Of) != c:
		return faults.Option("the number of class numbers is %d, but the number of components is %d; every component "+
			"needs one class number",
			len(o.Of), c)
	case o.Pooled && (o.Aggregate != aggregationBayes || how.Weight != 0.5):
		return faults.Option("the pooled covariance works only with the aggregation bayes and the distance " +
			"bhattacharyya; use these, or all pairs")
	case o.Subspace != 0 && o.Subspace < o.Filters:
		return faults.Option("a subspace of %s is too small for %d filters; give as many dimensions as filters or "+
			"more, or 0 for all", text.Plural(o.Subspace, "dimension", "dimensions"), o.Filters)
	case o.Near < 0:
		return faults.Option("the number of near rivals is %d; it must be 1 or more, or 0 for all", o.Near)
	case o.numRivals(c) == 0:
		return errOneClass
	}
	return priors.Check(o.Priors, c)
}
