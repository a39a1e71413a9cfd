package method

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"rao"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/classstats"
	"rao/internal/faults"
	"rao/internal/heldout"
	"rao/internal/indices"
	"rao/internal/memory"
	"rao/internal/recipes"
	"rao/internal/statsarrays"
	"rao/internal/subclasses"
	"rao/internal/text"
	"rao/model"
)

// TrainingData is the input of a method: data [InMemory], class [Statistics], statistics with covariances in a file
// ([Stored]), statistics of [Subclasses], or rows that stay in their files ([OnDisk]).
type TrainingData interface {
	// origin describes the observations that statistics were computed from. It is empty for data.
	origin() origin
	// accepted returns an error if the method cannot learn from this source.
	accepted(m *Method) error
	// ready returns the source in the form that the method needs, and the values that replaced missing values, one
	// per column. These values are nil if nothing was replaced.
	ready(ctx context.Context, m *Method) (TrainingData, []float64, error)
	// prepare fits the preprocessing of vectors and computes the statistics that the method needs.
	prepare(ctx context.Context, v *vectors, o *scaling) error
	// weigh returns the source with the weights of its rows and of classes applied. moments asks for fourth moments.
	weigh(classes classWeights, moments bool) (TrainingData, error)
	// memory estimates the memory of a fit, in addition to the source.
	memory(m *Method, options any) memory.Footprint
}

// planner is implemented by options that decide by the size of the data what a fit learns from.
type planner interface {
	// components returns how to divide the classes into the sub-classes to learn from, or nil to learn from classes.
	components() *subclasses.Options
	// subspace returns the dimensions of the subspace in which filters are learned, or 0 for all columns.
	subspace(classes, columns int) (int, error)
	// validates reports whether validation on rows, or on rows drawn from the statistics, chooses the noise.
	validates() bool
	// folds returns the folds whose statistics validation needs, or nil if it does not need statistics of folds.
	folds(labels []int, classes []string, columns int) (*heldout.Folds, error)
	// rowCopies returns what a fit to rows has in memory in addition to a fit to statistics.
	rowCopies(rows int) Copies
}

// componentsOf returns how options divide the classes into sub-classes, or nil if they do not.
func componentsOf(options any) *subclasses.Options {
	if o, ok := options.(planner); ok {
		return o.components()
	}
	return nil
}

// InMemory is a source of labeled vectors or matrices in memory.
type InMemory struct {
	Data   *dataset.Data        // labeled observations
	Stats  *gaussian.Statistics // statistics of the data, if already computed; may be nil
	Spare  bool                 // a fit may overwrite missing values in the data
	Advise bool                 // add a warning if the given noise is clearly worse than the automatic choice

	collected *collector // statistics collected for a fit with the same settings; may be nil
}

// Statistics are class statistics in memory.
type Statistics struct {
	Stats *gaussian.Statistics // the statistics
	Spare bool                 // a fit may overwrite them

	of *dataset.Data // weighted rows that the statistics were computed from; nil: not known
}

// Stored are statistics with covariances in a file, which are read when needed.
type Stored struct{ Source *gaussian.Source }

// Subclasses are statistics of sub-classes in memory: a mixture of Gaussians for each class. Only packages of this
// module compute and read them.
type Subclasses struct {
	Subclasses interface{ ClassStatistics() *gaussian.Statistics }
	Spare      bool // a fit may overwrite the statistics
}

// OnDisk is a source of rows that stay in their files. [Spec.FromDisk] collects the statistics that a fit needs.
type OnDisk struct {
	Data    *dataset.OnDisk // the rows
	summary TrainingData    // statistics of the rows
}

// Observations returns the labeled data of a source, or nil if the observations are not in memory.
func Observations(src TrainingData) *dataset.Data {
	if s, ok := src.(InMemory); ok {
		return s.Data
	}
	return nil
}

// origin is what statistics record about their observations.
type origin struct {
	columns []string
	inputs  *gaussian.Inputs
	labels  gaussian.LabelType
	parts   []gaussian.Part // identify the observations; nil if unknown
	notes   []string        // for the model
}

func (InMemory) origin() origin { return origin{} }

func (s Statistics) origin() origin {
	return origin{s.Stats.Columns, s.Stats.Inputs, s.Stats.Labels, s.Stats.Parts, nil}
}

func (s Stored) origin() origin {
	return origin{s.Source.Columns, s.Source.Inputs, s.Source.Labels, s.Source.Parts, notesOfKind[s.Source.Structure]}
}

// notesOfKind are the notes on what statistics of a kind leave out.
var notesOfKind = map[gaussian.Structure][]string{
	statsarrays.Pooled:   {"the statistics are pooled, so all classes have the same covariance"},
	statsarrays.Diagonal: {"the statistics are diagonal, so columns are treated as uncorrelated within a class"},
}

func (s Subclasses) origin() origin {
	return origin{columns: s.statistics().Basis.Columns, parts: s.statistics().Parts}
}

// statistics returns the statistics, or nil if they are of another type than accepted requires.
func (s Subclasses) statistics() *subclasses.Statistics {
	of, _ := s.Subclasses.(*subclasses.Statistics)
	return of
}

func (s OnDisk) origin() origin { return s.summary.origin() }

// nameColumns sets the names of the columns, unless they are set. Notes of the fit use them.
func nameColumns(m *model.Model, names []string) {
	if m.Input.Columns == nil {
		m.Input.Columns = names
	}
}

// describe copies the origin to the model.
func (o origin) describe(m *model.Model) {
	m.Labels, m.Notes = o.labels, append(m.Notes, o.notes...)
	m.Training.Parts = o.parts
	nameColumns(m, o.columns)
	if o.inputs != nil {
		m.Input.Table, m.Input.Fill = o.inputs.Table, o.inputs.Fill
	}
}

func (s InMemory) accepted(m *Method) error {
	d := s.Data
	if d == nil {
		return errNothing(m)
	}
	source := cmp.Or(d.Source, "the data set")
	switch {
	case m.Matrices && d.Stack == nil:
		return &rao.ShapeError{Message: fmt.Sprintf("%s learns from SPD matrices, but %s; compute covariances of "+
			"trials first, or choose a method of vectors, such as lda", m.Name, text.NoMatrices(source, d.Image))}
	case !m.Matrices && d.X == nil:
		return &rao.ShapeError{Message: fmt.Sprintf("%s learns from vectors, but %s has matrices; choose a method of "+
			"matrices, such as mdm", m.Name, source)}
	case d.Labels == nil:
		return rao.Optionf("labels", "%s has no labels; name them with {y} or {labels}", source)
	}
	err := indices.CheckOnePer("label", len(d.Labels), "observation", d.N())
	if err == nil {
		err = checkClasses(d)
	}
	if err != nil {
		return placed(context.Background(), s, err)
	}
	return s.weighable(m)
}

// checkClasses returns an error unless the labels are numbers of classes that have names.
func checkClasses(d *dataset.Data) error {
	what := "row"
	switch {
	case len(d.Classes) == 0:
		return faults.Count(0, 2, "the labels have no class names; set Classes, one name per class")
	case d.Stack != nil:
		what = "matrix"
	}
	return indices.CheckLabels(what, d.Labels, len(d.Classes))
}

func errNothing(m *Method) error {
	return faults.Count(0, 1, "%s: there are no observations to learn from; give at least one", m.Name)
}

func (s Statistics) accepted(m *Method) error {
	switch {
	case s.Stats == nil:
		return errNothing(m)
	case m.Matrices:
		return fmt.Errorf("%s learns from matrices, but these are statistics of vectors; give matrices", m.Name)
	case m.Rows:
		return rao.Optionf("data", "%s needs the observations themselves, not their statistics; give {data}",
			m.Name)
	}
	return nil
}

func (s Stored) accepted(m *Method) error {
	if s.Source == nil {
		return errNothing(m)
	}
	return Statistics{Stats: new(gaussian.Statistics)}.accepted(m)
}

func (s Subclasses) accepted(m *Method) error {
	if !m.Mixtures {
		return fmt.Errorf("%s does not learn from statistics of sub-classes; use sqfa, smsqfa, bdm or mixture-raw",
			m.Name)
	}
	if s.statistics() == nil {
		return errNothing(m)
	}
	return nil
}

func (s OnDisk) accepted(m *Method) error {
	if s.summary == nil {
		return errNothing(m)
	}
	if _, classes := s.summary.(Statistics); classes && m.Batches && !m.Matrices {
		return nil
	}
	return s.summary.accepted(m)
}

// ready implements TrainingData. It fills in missing values.
func (s InMemory) ready(ctx context.Context, _ *Method) (TrainingData, []float64, error) {
	if !recipes.Fills(s.Data.Missing) {
		return s, nil, nil
	}
	if s.Data.N() == 0 {
		return s, nil, faults.Count(0, 1, "%s: there are no rows to learn from; give at least one", s.Data.Source)
	}
	fill, err := s.typical(ctx)
	if err != nil {
		return s, nil, fmt.Errorf("%s: %w", s.Data.Source, err)
	}
	d := *s.Data
	d.Missing, d.X = "", d.X.Filled(fill, s.Spare)
	s.Data, s.Stats, s.collected = &d, nil, nil // statistics of rows with missing values cannot be used
	return s, fill, nil
}

func (s Statistics) ready(context.Context, *Method) (TrainingData, []float64, error) {
	return s, nil, nil
}

// ready implements TrainingData. It reads the covariances if the method needs them in memory.
func (s Stored) ready(ctx context.Context, m *Method) (TrainingData, []float64, error) {
	if m.Streams {
		return s, nil, nil
	}
	loaded, err := s.load(ctx)
	return loaded, nil, err
}

func (s Subclasses) ready(context.Context, *Method) (TrainingData, []float64, error) {
	return s, nil, nil
}
func (s OnDisk) ready(context.Context, *Method) (TrainingData, []float64, error) {
	return s, s.Data.Fill(), nil
}

func (s Stored) load(ctx context.Context) (Statistics, error) {
	stats, err := s.Source.Load(ctx)
	return Statistics{Stats: stats, Spare: true}, err
}

func (s InMemory) prepare(ctx context.Context, v *vectors, o *scaling) error {
	if s.Stats != nil && (!wantsMoments(v.options) || s.Stats.Quartic != nil) {
		return Statistics{Stats: s.Stats}.prepare(ctx, v, o)
	}
	start := time.Now()
	t, err := s.summarize(v)
	if err != nil {
		return err
	}
	if s.Stats == nil {
		v.Model.Seconds.Statistics = time.Since(start).Seconds()
	}
	return v.preprocess(ctx, t, o)
}

// summarize sets the marginals of the data before preprocessing, and returns the statistics that the method learns
// from, or nil if it learns from rows.
func (s InMemory) summarize(v *vectors) (classStatistics, error) {
	d := s.Data
	if v.traits.Covariances(d) {
		t, err := s.collect(v)
		if err != nil {
			return nil, err
		}
		v.raw = classstats.Marginals(t.loaded())
		v.raw.Means = slices.Clone(v.raw.Means) // they are scaled in place
		return t, nil
	}
	var err error
	if v.raw, err = classcolumns.Estimate(d.X.Matrix(), d.Labels, d.Classes); err != nil {
		return nil, err
	}
	if v.traits.Pooled && !v.traits.wide(d) {
		all, err := gaussian.Estimate(d.X, make([]int, d.N()), []string{"all"})
		return inMemory{all, false}, err
	}
	return nil, nil
}

// collect returns the class statistics, or the statistics of the folds and their sum. It computes them unless they were
// collected while the data were read.
func (s InMemory) collect(v *vectors) (classStatistics, error) {
	c := s.collected
	if c == nil {
		var err error
		if c, err = newCollector(s.Data, v.options); err != nil {
			return nil, err
		}
		if err := c.add(0, s.Data.N()); err != nil {
			return nil, err
		}
	}
	return c.statistics()
}

func (s Statistics) prepare(ctx context.Context, v *vectors, o *scaling) error {
	if err := classstats.Validate(s.Stats, 2); err != nil {
		return err
	}
	nameColumns(v.Model, s.Stats.Columns)
	if s.of != nil {
		v.Model.Input = model.SchemaOf(s.of)
	}
	v.raw = classstats.Marginals(s.Stats)
	if s.Spare {
		v.raw.Means = slices.Clone(v.raw.Means) // the statistics are scaled in place
	}
	if v.traits.Rows && v.disk() == nil || v.traits.wide(v.Data) {
		return v.preprocess(ctx, nil, o)
	}
	return v.preprocess(ctx, inMemory{s.Stats, !s.Spare}, o)
}

// subspace returns the dimensions of the subspace in which a fit with these options learns its filters. The covariances
// stay in their file for such a fit. It returns 0 for a fit that needs them in memory.
func (s Stored) subspace(options any) (int, error) {
	if o, ok := options.(planner); ok {
		return o.subspace(s.Source.NumClasses(), s.Source.Dim)
	}
	return 0, nil
}

func (s Stored) prepare(ctx context.Context, v *vectors, o *scaling) error {
	subspace, err := s.subspace(v.options)
	if err != nil {
		return err
	}
	if subspace == 0 {
		loaded, err := s.load(ctx)
		if err != nil {
			return err
		}
		return loaded.prepare(ctx, v, o)
	}
	nameColumns(v.Model, s.Source.Columns)
	if v.raw, err = classstats.MarginalsOf(ctx, s.Source); err != nil {
		return err
	}
	return v.preprocess(ctx, inFile{s.Source}, o)
}

func (s Subclasses) prepare(_ context.Context, v *vectors, o *scaling) error {
	return v.prepareSubclasses(s, o)
}

func (s OnDisk) prepare(ctx context.Context, v *vectors, o *scaling) error {
	v.Model.Input = model.SchemaOf(s.Data.Data)
	return s.summary.prepare(ctx, v, o)
}
