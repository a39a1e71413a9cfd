package method

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/dataset"
	"rao/feature"
	"rao/internal/classstats"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/jointfit"
	"rao/internal/memory"
	"rao/internal/optionvalues"
	"rao/internal/subclasses"
	"rao/internal/trainingdata"
	"rao/model"
	"rao/sqfa"
)

// subclassNoise is the feature noise for sub-classes, relative to the variance of all values. nearRivals is the
// number of nearest rivals with which a fit compares each sub-class in full.
const (
	subclassNoise = 0.5
	nearRivals    = 8
)

// prepareSubclasses prepares a fit to statistics of sub-classes. The input of the model is the original vectors;
// filters are learned in the coordinates of the sub-classes.
func (v *vectors) prepareSubclasses(source Subclasses, scaling *scaling) error {
	s := source.statistics()
	if err := s.Validate(); err != nil {
		return err
	}
	b := s.Basis
	n, _ := b.Dims()
	var p model.Scaling
	scale, how, note := 1.0, scaling.Scale, ""
	columns := marginalsOf(s)
	if how == "auto" {
		how, note, _ = chooseScale(columns)
	}
	if how == "column" && !holdsColumns(b, columns) {
		if scaling.Scale == "column" {
			return rao.Optionf("scale",
				"the statistics leave out some directions of the columns, and {scale=column} would change the "+
					"other directions; use {scale=std} or {scale=none}, or give {data}")
		}
		how, note = "std", "one factor scales all columns, although their spreads differ, because the statistics "+
			"leave out some directions of the columns; scale the columns first, or learn from data in memory"
	}
	lost := indices.Count(columnSpreads(columns), func(spread float64) bool { return spread == 0 })
	if note == "" && 2*lost > n {
		note = fmt.Sprintf("%d of %d columns do not vary in these statistics, because they are constant or very "+
			"small compared with other columns; scale the columns first, or learn from data in memory", lost, n)
	}
	if note != "" {
		v.Model.Notes = append(v.Model.Notes, note)
	}
	if scaling.Center {
		p.Shift = b.Center
	}
	v.scale = how
	switch how {
	case "column":
		var constant []int
		if p.Scale, constant = columnFactors(columns); len(constant) > 0 {
			v.Model.Notes = append(v.Model.Notes, fmt.Sprintf("%d of %d columns are constant or vary too little for "+
				"statistics of sub-classes, and are not scaled", len(constant), n))
		}
		var err error
		if s, err = scaledColumns(s, p.Scale); err != nil {
			return err
		}
		b = s.Basis
	case "std":
		if !(b.Scale > 0) {
			return faults.Data("all values of the data are equal, so they cannot be scaled; check which variable was " +
				"read")
		}
		scale = 1 / b.Scale
		p.Scale = []float64{scale}
	}
	if p.Shift != nil || p.Scale != nil {
		v.Model.Stages = append(v.Model.Stages, &p)
	}
	v.raw = classstats.Marginals(s.ClassStatistics())
	v.raw.Means = slices.Clone(v.raw.Means)
	if source.Spare {
		s.ScaleInPlace(scale, scaling.Center)
	} else {
		s = s.Scaled(scale, scaling.Center)
	}
	v.sub = &components{Statistics: s}
	classes := v.sub.ClassStatistics()
	v.train = inMemory{classes, false}
	if err := v.raw.ValidateFor(2); err != nil {
		return err
	}
	v.Model.Classes = v.raw.Classes
	v.Model.Input.Kind, v.Model.Input.Dim = model.KindVectors, n
	v.Model.Training = trainingdata.OfVectors(v.raw, classstats.Marginals(classes))
	r := &v.Model.Training.Range
	for _, inside := range b.Variances { // replace the variance in the coordinates by the variance of all columns
		r.Spread = math.Sqrt(math.Max(0, r.Spread*r.Spread-inside*scale*scale))
	}
	r.Spread = math.Sqrt(r.Spread*r.Spread + b.Variance*scale*scale)
	if r.Center != nil {
		r.Center = lifted(b, r.Center)
	}
	return nil
}

// lifted returns V x, the vector with coordinates x in the components V.
func lifted(b *subclasses.Basis, x []float64) []float64 {
	var out mat.VecDense
	out.MulVec(b.Components, mat.NewVecDense(len(x), x))
	return out.RawVector().Data
}

// clusterSubclasses divides the data into sub-classes if the options request it.
func (v *vectors) clusterSubclasses(ctx context.Context, o *sqfaOptions) error {
	if v.sub != nil {
		if o.Subclasses != 1 && v.disk() == nil {
			return rao.Optionf("subclasses", "the statistics are already of sub-classes; leave {subclasses} out")
		}
		return nil
	}
	opt := o.components()
	if opt == nil {
		return nil
	}
	if v.Data == nil {
		return rao.Optionf("subclasses",
			"{subclasses} clusters the observations, so statistics of classes are not enough; give {data} or "+
				"statistics of sub-classes")
	}
	return v.estimateSubclasses(ctx, *opt)
}

// estimateSubclasses clusters the preprocessed rows, or their coordinates in their span.
func (v *vectors) estimateSubclasses(ctx context.Context, opt subclasses.Options) (err error) {
	if held := v.stats(); held != nil {
		if opt.Basis, err = subclasses.BasisOf(held, subclasses.DefaultComponents); err != nil {
			return err
		}
	}
	opt.Progress = v.Progress
	s, err := subclasses.Estimate(ctx, v.blocks, opt)
	if err != nil {
		return err
	}
	v.sub = &components{Statistics: s.Scaled(1, false)}
	return nil
}

// rowBlock is the number of rows that blocks preprocesses at a time.
const rowBlock = 4096

// blocks calls each with blocks of the preprocessed rows. If all rows have been preprocessed already, it uses a
// single block.
func (v *vectors) blocks(each func(x mat.Matrix, labels []int, classes []string) error) error {
	labels, classes := v.labels(), v.classes()
	if v.rows != nil {
		return each(v.rows, labels, classes)
	}
	n, cols := v.Data.X.Dims()
	scaling := model.StageOf[*model.Scaling](v.Model)
	for lo := 0; lo < n; lo += rowBlock {
		hi := min(lo+rowBlock, n)
		block := mat.NewDense(hi-lo, cols, nil)
		for i := lo; i < hi; i++ {
			v.Data.X.Row(block.RawRowView(i-lo), i)
		}
		if scaling != nil {
			scaling.InPlace(block)
		}
		if err := each(block, labels[lo:hi], classes); err != nil {
			return err
		}
	}
	return nil
}

// fitComponents learns filters in the coordinates of the sub-classes and transforms them to filters of the vectors.
func (v *vectors) fitComponents(ctx context.Context, opt sqfa.Options) (*sqfa.Model, error) {
	s := v.sub.Statistics
	if len(s.Of) > len(v.classes()) { // at least one class has several sub-classes
		opt.Of = s.Of
	}
	opt.Priors = componentPriors(s, opt.Priors)
	if opt.Initial != nil { // initial filters are for the original vectors
		var inner mat.Dense
		inner.Mul(s.Basis.Components.T(), opt.Initial)
		opt.Initial = &inner
	}
	m, err := v.fitShrunk(ctx, opt)
	if m == nil {
		return nil, err
	}
	m.Classes = v.classes()
	out := *m
	out.Filters = s.Basis.Lift(m.Filters)
	v.sub.inner = m
	return &out, err
}

// fitShrunk learns from the shrunk components and stores the statistics of their features. In a subspace, the shrunk
// components are computed one at a time.
func (v *vectors) fitShrunk(ctx context.Context, opt sqfa.Options) (m *sqfa.Model, noted error) {
	if opt.Subspace == 0 || opt.Subspace >= v.sub.Components.Dim {
		shrunk := v.sub.Shrunk()
		if m, noted = sqfa.Fit(ctx, shrunk, opt); m != nil {
			v.sub.parts = m.Statistics(shrunk)
		}
		return m, noted
	}
	shrunk := v.sub.ShrunkSource()
	if m, noted = sqfa.Fit(ctx, shrunk, opt); m == nil {
		return nil, noted
	}
	var err error
	if v.sub.parts, err = m.StatisticsOf(context.WithoutCancel(ctx), shrunk); err != nil {
		return nil, err
	}
	return m, noted
}

// unit returns the variance of all values after scaling.
func (v *vectors) unit() float64 {
	if p := model.StageOf[*model.Scaling](v.Model); p != nil && p.Scale != nil {
		return 1
	}
	g := v.raw.GlobalScale()
	if v.Data == nil {
		g = v.sub.Basis.Scale
	}
	return g * g
}

// componentPriors divides the class priors among the components of each class. If classes is nil, the priors are the
// proportions in the data.
func componentPriors(s *subclasses.Statistics, classes []float64) []float64 {
	out := s.Shares()
	if classes == nil {
		return out
	}
	sums := make([]float64, len(classes))
	for k, i := range s.Of {
		sums[i] += out[k]
	}
	for k, i := range s.Of {
		out[k] *= classes[i] / sums[i]
	}
	return out
}

// classifyMixture fits a mixture classifier to the features of sub-classes. It is calibrated if the rows are
// available.
func (v *vectors) classifyMixture(ctx context.Context, o *classifying) error {
	if v.sub == nil || v.sub.parts == nil {
		return v.followFeatures(ctx, o)
	}
	if v.sub.mixed != nil {
		v.Model.Classifier = v.sub.mixed
		return nil
	}
	if cmp.Or(o.Shrinkage.Kind, optionvalues.ShrinkageNone) != optionvalues.ShrinkageNone {
		return rao.Optionf("shrinkage",
			"{shrinkage} works only with qda and lda, because a mixture chooses its own shrinkage; leave {shrinkage} "+
				"out")
	}
	priors, err := o.Priors.of(v.raw.NumClasses(), v.raw.Priors)
	if err != nil {
		return err
	}
	opt := classify.MixtureOptions{Priors: priors}
	m, err := classify.FitMixture(v.sub.parts, v.sub.Of, v.classes(), opt)
	if noise := v.noise; err != nil && noise > 0 {
		opt.Noise = noise
		v.warn(fmt.Sprintf(
			"a component does not vary in some direction of the features, so the noise of the filters, %.4g, was "+
				"added to the covariances of the classifier; fewer filters or sub-classes avoid this", noise))
		m, err = classify.FitMixture(v.sub.parts, v.sub.Of, v.classes(), opt)
	}
	if err != nil {
		return err
	}
	return v.useMixture(ctx, m, opt, 1)
}

// refineNoise is the variance of the feature noise during the refinement of a mixture, relative to the variance of
// all values.
const refineNoise = 0.64

// refineMixture refines the filters and the mixture together on the rows, in the coordinates of the sub-classes.
func (v *vectors) refineMixture(ctx context.Context, m *sqfa.Model, o *sqfaOptions) error {
	priors, err := o.Priors.of(v.raw.NumClasses(), v.raw.Priors)
	if err != nil {
		return err
	}
	start, err := classify.FitMixture(v.sub.parts, v.sub.Of, v.classes(),
		classify.MixtureOptions{Noise: m.Noise, Priors: priors})
	if err != nil {
		return err
	}
	opt := jointfit.Options{Noise: o.Noise.or(refineNoise * v.unit()), Seed: o.Seed, Progress: v.Progress}
	r, err := v.refined(ctx, start, opt)
	if r == nil {
		return err
	}
	refined := *m
	refined.Filters, refined.Report = v.sub.Basis.Lift(r.Filters), r.Report
	v.filtersAre(&refined)
	v.sub.mixed = r.Mixture
	v.Model.Notes = append(v.Model.Notes, "filters and mixture were refined together on the observations; without "+
		"classifier=mixture, the filters are refined for one Gaussian per class (AMA)")
	return err
}

// refined refines the mixture on the rows in memory, or on batches from the files.
func (v *vectors) refined(ctx context.Context, start *classify.Mixture, opt jointfit.Options) (*jointfit.Result,
	error) {
	if v.disk() == nil {
		z, err := v.coordinates()
		if err != nil {
			return nil, err
		}
		return jointfit.Fit(ctx, z, v.labels(), v.sub.inner.Filters, start, opt)
	}
	r, err := jointfit.FitBatches(ctx, v.raw.Total(), v.coordinateBatches(opt.Seed), v.sub.inner.Filters, start, opt)
	if r != nil {
		v.noteBatches(r.Report)
	}
	return r, err
}

// coordinates returns the preprocessed rows in the coordinates of the sub-classes.
func (v *vectors) coordinates() (*mat.Dense, error) {
	_, d := v.sub.Basis.Dims()
	out := mat.NewDense(len(v.labels()), d, nil)
	f, at := feature.Model{Filters: v.sub.Basis.Components}, 0
	err := v.blocks(func(x mat.Matrix, labels []int, _ []string) error {
		f.Transform(out.Slice(at, at+len(labels), 0, d).(*mat.Dense), x)
		at += len(labels)
		return nil
	})
	return out, err
}

// useMixture sets m as the classifier of the model. It calibrates m if the rows are available and every class has
// enough rows.
func (v *vectors) useMixture(ctx context.Context, m *classify.Mixture, opt classify.MixtureOptions,
	seed uint64) error {
	v.Model.Classifier = m
	if v.Data == nil {
		return nil
	}
	for i, n := range v.raw.Counts {
		if n < calibrateRows {
			v.warn(fmt.Sprintf(
				"class %s has too few observations (%d) to calibrate the probabilities", v.raw.Classes[i], n))
			return nil
		}
	}
	var z mat.Matrix = v.x()
	if v.Model.Features() > 0 {
		b, err := v.Model.Transform(ctx, model.BatchOf(v.Data))
		if err != nil {
			return err
		}
		z = b.X
	}
	opt.Progress = v.Progress
	return m.Calibrate(ctx, z, v.labels(), seed, opt)
}

// calibrateRows is the number of rows that every class needs for calibration.
const calibrateRows = 10

type rawMixtureOptions struct {
	Subclasses autoCount    `opt:"subclasses" default:"auto" help:"maximum number of Gaussians per class; auto uses one for every 50 rows, up to 16"`
	Priors     priorsOption `opt:"priors" default:"auto" help:"class priors: empirical (the class proportions), uniform, numbers separated by commas, or auto; auto is empirical"`
	Noise      autoNumber   `opt:"noise" default:"auto" help:"variance added to every direction of the components; auto adds none, or 0.5 of the scaled variance if a component does not vary in some direction"`
	seedOption
	scaling
}

// mixtureCopies is the number of copies of the component covariances in memory during the calibration of a mixture, for
// the statistics of five folds and the fold being predicted.
const mixtureCopies = 9

func (o *rawMixtureOptions) addRows(f *memory.Footprint, d *dataset.Data, dim int) {
	if o.Subclasses != 1 {
		addSubclasses(f, d, dim, int(o.Subclasses), mixtureCopies)
	}
}

// fitRawMixture fits mixtures to the preprocessed vectors, or to their leading principal components if there are many
// columns.
func fitRawMixture(ctx context.Context, v *vectors, o *rawMixtureOptions) error {
	if v.sub == nil {
		if v.Data == nil {
			return rao.Optionf("data",
				"mixture-raw clusters the observations, so statistics of classes are not enough; give {data} or "+
					"statistics of sub-classes")
		}
		opt := subclasses.Options{Most: int(o.Subclasses), Seed: o.Seed}
		if err := v.estimateSubclasses(ctx, opt); err != nil {
			return err
		}
	} else if o.Subclasses != 0 {
		return rao.Optionf("subclasses", "the statistics are already of sub-classes; leave {subclasses} out")
	}
	components := v.sub.Shrunk()
	if n, d := v.sub.Basis.Dims(); d < n {
		v.filtersAre(&feature.Model{Method: "pca", Filters: v.sub.Basis.Components, Report: closed})
	} else { // the coordinates are a rotation of the vectors
		components = components.Project(mat.DenseCopyOf(v.sub.Basis.Components.T()))
	}
	v.Model.Report = closed
	priors, err := o.Priors.of(v.raw.NumClasses(), v.raw.Priors)
	if err != nil {
		return err
	}
	opt := classify.MixtureOptions{Priors: priors, Noise: o.Noise.Value}
	m, err := classify.FitMixture(components, v.sub.Of, v.classes(), opt)
	if err != nil && o.Noise.Auto {
		opt.Noise = subclassNoise * v.unit()
		v.warn(fmt.Sprintf(
			"a component does not vary in some direction, so noise of variance %.4g was added; the option noise "+
				"changes the amount",
			opt.Noise))
		m, err = classify.FitMixture(components, v.sub.Of, v.classes(), opt)
	}
	if err != nil {
		return err
	}
	return v.useMixture(ctx, m, opt, o.Seed)
}
