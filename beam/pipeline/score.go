package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"rao/dataset"
	"rao/method"
	"rao/model"
)

func init() {
	register.DoFn2x1[context.Context, Shard, error](&scoreFn{})
}

// ScoreOptions say what a model makes of data and where it goes.
type ScoreOptions struct {
	Open      dataset.OpenOptions
	Model     []byte // the model file
	Transform bool   // write features and not predictions
	Out       string // folder: a file for each file of the data
}

// Score adds the pipeline that applies a model to every file. A file that is worked on twice
// is written twice, with the same bytes.
func Score(s beam.Scope, shards []Shard, opt ScoreOptions) error {
	if len(shards) == 0 {
		return errors.New("no shards")
	}
	seen := map[string]string{}
	for _, shard := range shards {
		for _, f := range shard.Files {
			name := outName(f, opt.Transform)
			if other, ok := seen[name]; ok {
				return fmt.Errorf("%s and %s would both be written to %s; run them apart", other, f, name)
			}
			seen[name] = f
		}
	}
	s = s.Scope("Score")
	beam.ParDo0(s, &scoreFn{Open: choicesOf(opt.Open), Model: opt.Model, Transform: opt.Transform, Out: opt.Out}, spread(s, shards))
	return nil
}

// outName is the name of the output of a file.
func outName(file string, transform bool) string {
	base := path.Base(strings.ReplaceAll(file, "\\", "/"))
	if transform {
		return base + ".npy"
	}
	return base + ".csv"
}

// scoreFn applies a model to the files of a shard.
type scoreFn struct {
	Open      choices
	Model     []byte
	Transform bool
	Out       string

	m *model.Model
}

// ProcessElement implements the DoFn.
func (f *scoreFn) ProcessElement(ctx context.Context, shard Shard) error {
	if f.m == nil {
		var err error
		if f.m, err = asFile("rao-model-*.rao", f.Model, model.Load); err != nil {
			return err
		}
	}
	opt := f.Open.options()
	opt.Features = f.m.Input.Columns
	for _, file := range shard.Files {
		one := Shard{Files: []string{file}}
		spec, done, err := one.local(ctx)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		blocks := func(fn func(*dataset.Data, int) error) error { return dataset.Blocks(ctx, spec, opt, 0, fn) }
		if f.Transform {
			_, err = method.WriteFeatures(ctx, &b, f.m, blocks)
		} else {
			_, err = method.WritePredictions(ctx, &b, f.m, blocks)
		}
		done()
		if err == nil {
			err = store(ctx, strings.TrimSuffix(f.Out, "/")+"/"+outName(file, f.Transform), b.Bytes())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}
