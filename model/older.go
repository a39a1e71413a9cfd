package model

import (
	"reflect"

	"rao/feature"
	"rao/spd"
)

// olderHeader is what files of rao 0.1.0 hold in place of stages, beside the feature
// map: at most a preprocessing of vectors, or a repair, re-centering and compression
// of matrices, applied in this order.
type olderHeader struct {
	Preprocess  *Scaling
	Repair      *spd.Repair
	Recenter    bool
	Compression *feature.Compression
}

// olderStages returns the stages of a file of rao 0.1.0, none for a newer one.
func (d *decoder) olderStages(f *file) ([]Stage, error) {
	var h olderHeader
	if err := d.decode(f.Model, reflect.ValueOf(&h).Elem(), "", 0); err != nil {
		return nil, err
	}
	var stages []Stage
	if h.Preprocess != nil {
		stages = append(stages, h.Preprocess)
	}
	if h.Repair != nil {
		stages = append(stages, &Repair{h.Repair})
	}
	if h.Recenter {
		stages = append(stages, &Adaptation{How: AdaptCenter})
	}
	if h.Compression != nil {
		stages = append(stages, &Mapping{h.Compression})
	}
	if f.Feature == nil {
		return stages, nil
	}
	s, err := d.stage(f.Feature)
	return append(stages, s), err
}
