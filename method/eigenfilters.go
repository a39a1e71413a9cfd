package method

import (
	"context"
	"fmt"
	"slices"

	"rao/feature"
	"rao/internal/learners"
	"rao/model"
)

// learned stores the filters that a learner returned. It adds a warning if there are fewer than requested.
func (v *vectors) learned(m *feature.Model, err error) error {
	if m == nil {
		return err
	}
	_, found := m.Dims()
	if asked := filtersOf(v.options); asked != nil && int(asked.Filters) > found {
		v.warn(fmt.Sprintf("%d filters were requested, but the model has only %d, one for each direction in which the "+
			"classes differ", asked.Filters, found))
	}
	v.filtersAre(m)
	return err
}

// filtersAre sets f as the last stage of the model, in place of earlier filters.
func (v *vectors) filtersAre(f *feature.Model) {
	if v.span != nil {
		f = v.span.Lift(f)
	}
	earlier := func(s model.Stage) bool { _, ok := model.Unwrap(s).(*feature.Model); return ok }
	v.Model.Stages = append(slices.DeleteFunc(v.Model.Stages, earlier), model.Wrap(f))
	v.Model.Report = f.Report
}

type pcaOptions struct {
	filters
	scaling
	classifying
	classWeighting
}

func fitPCA(_ context.Context, v *vectors, o *pcaOptions) error {
	return v.learned(feature.FitPCA(v.stats(), feature.PCAOptions{Filters: v.filters(o.filters)}))
}

type ldaOptions struct {
	filters
	scaling
	classifying
	classWeighting
}

func fitLDA(_ context.Context, v *vectors, o *ldaOptions) error {
	shrinkage := o.Shrinkage
	o.Shrinkage = shrinkageOption{} // the classifier chooses its own shrinkage
	return v.learned(feature.FitLDA(v.stats(), feature.LDAOptions{Filters: v.discriminants(o.filters),
		Shrinkage: shrinkage.ShrinkRule}))
}

type spcaOptions struct {
	filters
	learners.SPCAOptions
	scaling
	classifying
	classWeighting
}

func fitSPCA(_ context.Context, v *vectors, o *spcaOptions) error {
	opt := o.SPCAOptions
	opt.Filters = v.filters(o.filters)
	if opt.Blend == 0 {
		opt.Filters = v.discriminants(o.filters)
	}
	return v.learned(learners.FitSPCA(v.stats(), opt))
}

type gemOptions struct {
	filters
	learners.GEMOptions
	scaling
	classifying
	classWeighting
}

func fitGEM(ctx context.Context, v *vectors, o *gemOptions) error {
	opt := o.GEMOptions
	opt.Filters, opt.Progress = v.filters(o.filters), v.Progress
	return v.learned(learners.FitGEM(ctx, v.stats(), opt))
}
