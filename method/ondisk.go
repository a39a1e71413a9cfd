package method

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/feature"
	"rao/internal/learners"
	"rao/internal/memory"
	"rao/internal/rows"
	"rao/internal/subclassrows"
	"rao/model"
)

// OutOfCore returns an error unless the method, with these options, can learn from rows that stay in their files.
// Such a method uses only statistics and random batches of rows.
func (s Spec) OutOfCore() error {
	m := s.Method
	options, err := s.options()
	if err != nil {
		return err
	}
	if m.Matrices || m.Rows && !m.Batches {
		return fmt.Errorf("%s needs all observations in memory; use ama or a method that learns from statistics",
			m.Name)
	}
	if o, ok := options.(interface{ outOfCore() error }); ok {
		if err := o.outOfCore(); err != nil {
			return err
		}
	}
	if c := classifierOf(options); c != nil && !c.Classifier.onStatistics(options) {
		return rao.Optionf("classifier", "{classifier=%s} needs all observations in memory; use qda, lda or none",
			c.Classifier)
	}
	return nil
}

// onStatistics reports whether the classifier can be fitted to statistics of the features, without rows.
func (f Follower) onStatistics(options any) bool {
	if c, ok := featureClassifiers[f.text]; ok {
		return c.onStatistics(options)
	}
	return !f.next.Method.Rows && !f.next.Method.Matrices
}

// FromDisk reads the rows to collect the statistics for a fit with these options, and returns the source for that fit.
// rows is called with the number of rows read, and may be nil. FromDisk returns the error of [Spec.OutOfCore], or an
// error if the rows cannot be read.
func (s Spec) FromDisk(ctx context.Context, d *dataset.OnDisk, rows func(done int)) (TrainingData, error) {
	src := OnDisk{Data: d}
	if err := s.OutOfCore(); err != nil {
		return src, err
	}
	options, err := s.options()
	if err != nil {
		return src, err
	}
	if of := componentsOf(options); of != nil {
		sub, err := subclassrows.OnDisk(ctx, d, subclassrows.Options{Rows: rows, Of: *of})
		src.summary = Subclasses{sub, true}
		return src, err
	}
	stats, err := dataset.Statistics(ctx, d.Data.Source, dataset.StatisticsOptions{Open: d.Open,
		Moments: wantsMoments(options), Rows: rows})
	src.summary = Statistics{Stats: stats, Spare: true}
	return src, err
}

// memory implements TrainingData: the statistics, the fit to them, and the buffer in which rows are shuffled.
func (s OnDisk) memory(m *Method, options any) memory.Footprint {
	_, n := s.Data.Data.X.Dims()
	c := len(s.Data.Data.Classes)
	f := m.onStatistics(c, n, true, options)
	f.AddCovariances(1, c, n)
	f.Bytes += diskBuffer + min(mixedRows, s.Data.Bytes())
	return f
}

// mixedRows is the maximum size in bytes of the buffer in which rows are shuffled; diskBuffer is the memory used for
// reading.
const mixedRows, diskBuffer = 128 << 20, 8 << 20

// batches returns a function that reads the files in random batches and preprocesses the rows. transform is applied
// to each batch.
func (v *vectors) batches(seed uint64, transform func(x *mat.Dense) mat.Matrix) learners.Batches {
	scaling := model.StageOf[*model.Scaling](v.Model)
	return func(ctx context.Context, epoch, size int, fn func(x mat.Matrix, labels []int) error) error {
		var x mat.Dense
		return v.disk().Batches(ctx, seed, epoch, size, func(part mat.Matrix, labels []int) error {
			x.Reset()
			in := rows.New(part)
			x.ReuseAs(in.Rows, in.Cols)
			in.Read(x.RawMatrix().Data, in.Cols, 0, in.Rows, nil)
			scaling.InPlace(&x)
			return fn(transform(&x), labels)
		})
	}
}

// plainBatches returns batches of the preprocessed rows.
func (v *vectors) plainBatches(seed uint64) learners.Batches {
	return v.batches(seed, func(x *mat.Dense) mat.Matrix { return x })
}

// coordinateBatches returns batches of the preprocessed rows in the coordinates of the sub-classes.
func (v *vectors) coordinateBatches(seed uint64) learners.Batches {
	f := feature.Model{Filters: v.sub.Basis.Components}
	var z mat.Dense
	return v.batches(seed, func(x *mat.Dense) mat.Matrix {
		z.Reset()
		f.Transform(&z, x)
		return &z
	})
}

// noteBatches adds a note on how often the rows were read.
func (v *vectors) noteBatches(r rao.Report) {
	v.Model.Notes = append(v.Model.Notes, fmt.Sprintf("the observations were read from their files in random batches: "+
		"%d passes, %d steps", r.Passes, r.Iterations))
}
