package pipeline

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/recipes"
)

func init() {
	register.DoFn4x1[context.Context, Shard, []byte, func(int, []byte), error](&countTableFn{})
	register.DoFn4x1[context.Context, Shard, []byte, func(int, []byte), error](&surveyFn{})
	register.DoFn4x1[int, func(*[]byte) bool, []byte, func([]byte), error](&inputsFn{})
}

// inputsOf returns a collection with the encoded description of how all shards are read. A first pass finds the columns
// and their texts. If missing values are filled in, a second pass computes the values to use.
func inputsOf(s beam.Scope, shards []Shard, opt StatsOptions) beam.PCollection {
	s = s.Scope("Inputs")
	f := surveyFn{Open: choicesOf(opt.Open), First: opt.First}
	inputs := beam.Create(s, []byte{})
	parts := beam.ParDo(s, &f, spread(s, shards), beam.SideInput{Input: inputs})
	merge := &inputsFn{Source: sourceOf(shards)}
	inputs = beam.ParDo(s, merge, beam.GroupByKey(s, parts), beam.SideInput{Input: inputs})
	if !recipes.Fills(opt.Open.Table.Missing) {
		return inputs
	}
	parts = beam.ParDo(s, &f, spread(s, shards), beam.SideInput{Input: inputs})
	return beam.ParDo(s, merge, beam.GroupByKey(s, parts), beam.SideInput{Input: inputs})
}

// sourceOf returns a name of the data for errors.
func sourceOf(shards []Shard) string {
	files := map[string]bool{}
	for _, s := range shards {
		for _, f := range s.Files {
			files[f] = true
		}
	}
	name := shards[0].Files[0]
	if len(files) > 1 {
		name = fmt.Sprintf("%s and %d more", name, len(files)-1)
	}
	return name
}

// inputsFn merges the surveys of all shards, and emits the description of how all shards are read.
type inputsFn struct{ Source string }

// ProcessElement implements the DoFn.
func (f *inputsFn) ProcessElement(_ int, parts func(*[]byte) bool, known []byte, emit func([]byte)) error {
	inputs, err := readInputs(known)
	if err != nil {
		return err
	}
	list, err := inOrder(all(parts))
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return errNoRows
	}
	surveys := make([][]byte, len(list))
	for i, p := range list {
		surveys[i] = p.body
	}
	if inputs, err = dataset.MergeSurveys(f.Source, inputs, surveys); err != nil {
		return err
	}
	b, err := packed(inputs)
	if err != nil {
		return err
	}
	emit(b)
	return nil
}

// readInputs decodes the description, or returns nil if b is empty.
func readInputs(b []byte) (*gaussian.Inputs, error) {
	if len(b) == 0 {
		return nil, nil
	}
	return unpacked[gaussian.Inputs](b)
}

// surveyFn emits the survey of a shard; see [dataset.Survey].
type surveyFn struct {
	Open  choices
	First []byte
}

// ProcessElement implements the DoFn.
func (f *surveyFn) ProcessElement(ctx context.Context, shard Shard, known []byte, emit func(int, []byte)) error {
	inputs, err := readInputs(known)
	if err != nil {
		return err
	}
	body, err := shard.count(ctx, f.Open, func(spec string, open dataset.OpenOptions) ([]byte, error) {
		return dataset.Survey(ctx, spec, f.First, inputs, &open)
	})
	if err != nil {
		return err
	}
	emit(0, part{[]int{shard.Index}, body}.encode())
	return nil
}

// countTableFn is [countFn] for tables. Its side input describes how to read them.
type countTableFn struct{ countFn }

// ProcessElement implements the DoFn.
func (f *countTableFn) ProcessElement(ctx context.Context, shard Shard, known []byte, emit func(int, []byte)) error {
	inputs, err := readInputs(known)
	if err != nil {
		return err
	}
	return f.count(ctx, shard, inputs, emit)
}
