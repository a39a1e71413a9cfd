package method

import (
	"context"

	"rao/feature"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/heldout"
	"rao/sqfa"
)

// classStatistics are the statistics that a method of vectors learns from: in memory, in a file, or of folds.
type classStatistics interface {
	// scaled returns the statistics of (x−shift)·scale. Statistics that only this fit uses are overwritten.
	scaled(shift, scale []float64) classStatistics
	// loaded returns the statistics in memory, or nil if the covariances are in a file.
	loaded() *gaussian.Statistics
	// loader returns the statistics or, to validate the noise, their rows. If rows is nil, there are none.
	loader(rows func() sqfa.Rows) sqfa.Loader
}

// inMemory are statistics of all rows.
type inMemory struct {
	*gaussian.Statistics
	shared bool // used elsewhere, so they must not be overwritten
}

func (s inMemory) scaled(shift, scale []float64) classStatistics {
	if s.shared {
		return inMemory{s.Affine(shift, scale), true}
	}
	classstats.Affine(s.Statistics, shift, scale)
	return s
}

func (s inMemory) loaded() *gaussian.Statistics { return s.Statistics }

func (s inMemory) loader(rows func() sqfa.Rows) sqfa.Loader {
	if rows != nil {
		return rows()
	}
	return s.Statistics
}

// inFile are statistics with covariances in a file.
type inFile struct{ *gaussian.Source }

func (s inFile) scaled(shift, scale []float64) classStatistics { return inFile{s.Affine(shift, scale)} }

func (inFile) loaded() *gaussian.Statistics { return nil }

func (s inFile) loader(func() sqfa.Rows) sqfa.Loader { return s.Source }

// ofFolds are statistics of folds.
type ofFolds struct{ *heldout.Folds }

func (s ofFolds) scaled(shift, scale []float64) classStatistics {
	s.AffineInPlace(shift, scale)
	return s
}

func (s ofFolds) loaded() *gaussian.Statistics { return s.All }

func (s ofFolds) loader(func() sqfa.Rows) sqfa.Loader { return s.Folds }

// stats returns the statistics after preprocessing, or nil if there are none in memory.
func (v *vectors) stats() *gaussian.Statistics {
	if v.train == nil {
		return nil
	}
	return v.train.loaded()
}

// filtered returns the statistics of the filtered data. It also completes if the fit was canceled.
func (v *vectors) filtered(ctx context.Context, f *feature.Model) (*gaussian.Statistics, error) {
	if s := v.stats(); s != nil {
		return f.Statistics(s), nil
	}
	s, err := v.train.loader(nil).Stream(ctx)
	if err != nil {
		return nil, err
	}
	return f.StatisticsOf(context.WithoutCancel(ctx), s)
}

// source returns what the filters are learned from: the statistics or, if an automatic noise needs rows, the rows.
func (v *vectors) source(opt sqfa.Options) sqfa.Loader {
	if opt.Noise != sqfa.AutoNoise || v.Data == nil {
		return v.train.loader(nil)
	}
	return v.train.loader(func() sqfa.Rows { return sqfa.Rows{X: v.x(), Labels: v.labels(), Classes: v.classes()} })
}
