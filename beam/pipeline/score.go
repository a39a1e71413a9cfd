package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"rao/dataset"
	"rao/internal/predictions"
	"rao/model"
)

func init() {
	register.DoFn2x1[context.Context, Shard, error](&scoreFn{})
}

// ScoreOptions select the output of a model and its destination.
type ScoreOptions struct {
	Open      dataset.OpenOptions // options for opening the data; functions in it are ignored
	Model     []byte              // content of the model file
	Transform bool                // write features instead of predictions
	Out       string              // folder for the output, with one file per data file or part of a data file
}

// Score adds steps to s that apply a model to every shard. If the runner repeats a shard, it writes the same bytes
// again. It returns an error if there are no shards, or two outputs would have the same name.
func Score(s beam.Scope, shards []Shard, opt ScoreOptions) error {
	if len(shards) == 0 {
		return errors.New("no data files are given; give at least one")
	}
	seen := map[string]string{}
	for _, shard := range shards {
		for _, f := range shard.Files {
			name := shard.outName(f, opt.Transform)
			if other, ok := seen[name]; ok {
				return fmt.Errorf("the output of both %s and %s would be %s; process them in separate "+
					"runs", other, f, name)
			}
			seen[name] = f
		}
	}
	s = s.Scope("Score")
	beam.ParDo0(s, &scoreFn{Open: choicesOf(opt.Open), Model: opt.Model, Transform: opt.Transform, Out: opt.Out},
		spread(s, shards))
	return nil
}

// outName returns the name of the output for a file or for a part of a file.
func (s *Shard) outName(file string, transform bool) string {
	name := path.Base(strings.ReplaceAll(file, "\\", "/"))
	if s.Of > 0 {
		name += fmt.Sprintf("-%05d-of-%05d", s.Part, s.Of)
	}
	if transform {
		return name + ".npy"
	}
	return name + ".csv"
}

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
	opt.Features, opt.Form, opt.Span = f.m.Input.Columns, f.m.Input.Table, shard.Span
	for _, file := range shard.Files {
		err := f.score(ctx, file, opt, strings.TrimSuffix(f.Out, "/")+"/"+shard.outName(file, f.Transform))
		if shard.Of > 0 && errors.Is(err, dataset.ErrNoRows) {
			continue // other parts of the file may contain rows
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func (f *scoreFn) score(ctx context.Context, file string, opt dataset.OpenOptions, out string) error {
	spec, done, err := Local(ctx, file)
	if err != nil {
		return err
	}
	defer done()
	blocks := func(fn func(*dataset.Data, int) error) error { return dataset.Blocks(ctx, spec, opt, 0, fn) }
	return store(ctx, out, func(w io.Writer) error {
		if f.Transform {
			_, err = predictions.WriteFeatures(ctx, w, f.m, blocks)
		} else {
			_, err = predictions.Write(ctx, w, f.m, blocks)
		}
		return err
	})
}
