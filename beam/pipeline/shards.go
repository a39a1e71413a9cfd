// Package pipeline computes class statistics and scores data on Apache Beam. The runner may process the shards of the
// data on any worker. The results are combined in the order of the shards:
//
//	p, s := beam.NewPipelineWithRoot()
//	shards, err := pipeline.Shards(ctx, "data/part-*.npz", 256<<20)
//	err = pipeline.Stats(s, shards, pipeline.StatsOptions{Out: "classes.npz"})
//	err = beamx.Run(ctx, p)
package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"rao/dataset"
)

// Shard is a group of files, or a part of one file.
type Shard struct {
	Index    int      // number of the shard, from 0
	Files    []string // paths of the files
	Span     [2]int64 // the part of the file; the zero value for complete files
	Part, Of int      // number of the part, from 0, and number of parts; both are 0 for complete files
}

// remote reports whether Beam opens the path, and not the operating system.
func remote(path string) bool { return strings.Contains(path, "://") }

// Shards divides the files of spec, sorted by name, into shards of about span bytes. Larger local files are divided by
// [dataset.Spans]. The shards depend only on the files and the span, never on the workers. spec has the syntax of
// [dataset.Files], or is a gs:// or s3:// pattern. Remote files are not divided; workers copy them. It returns an error
// if no file matches or a file cannot be read.
func Shards(ctx context.Context, spec string, span int64) ([]Shard, error) {
	files, err := filesOf(ctx, spec)
	if err != nil {
		return nil, err
	}
	var shards []Shard
	room := int64(0)
	for _, f := range files {
		size, err := sizeOf(ctx, f)
		if err != nil {
			return nil, err
		}
		spans, err := spansOf(f, size, span)
		if err != nil {
			return nil, err
		}
		if len(spans) > 1 {
			for k, s := range spans {
				shards = append(shards, Shard{len(shards), []string{f}, s, k, len(spans)})
			}
			room = 0
			continue
		}
		if len(shards) == 0 || size > room {
			shards = append(shards, Shard{Index: len(shards)})
			room = span
		}
		last := &shards[len(shards)-1]
		last.Files = append(last.Files, f)
		room -= size
	}
	return shards, nil
}

// OneFile returns an error unless all shards are parts of one local file. Call it if the labels are in a separate file,
// which is supported for only one data file.
func OneFile(shards []Shard) error {
	for _, s := range shards {
		switch {
		case len(s.Files) > 1 || s.Files[0] != shards[0].Files[0]:
			return fmt.Errorf("separate labels work only with a single data file; store the labels in the data files")
		case remote(s.Files[0]):
			return fmt.Errorf("%s: separate labels work only with a file on this machine; store the labels in the "+
				"data file", s.Files[0])
		}
	}
	return nil
}

// spansOf divides a file of the given size.
func spansOf(file string, size, span int64) ([][2]int64, error) {
	if size <= span || remote(file) {
		return nil, nil
	}
	return dataset.Spans(file, span)
}

func filesOf(ctx context.Context, spec string) ([]string, error) {
	if remote(spec) {
		fs, err := filesystem.New(ctx, spec)
		if err != nil {
			return nil, err
		}
		defer fs.Close()
		files, err := fs.List(ctx, spec)
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s: no such file", spec)
		}
		slices.Sort(files)
		return files, err
	}
	files, err := dataset.Files(spec)
	if err == nil && files == nil {
		files = []string{spec}
	}
	for i, f := range files { // workers run in their own folders
		if files[i], err = filepath.Abs(f); err != nil {
			return nil, err
		}
	}
	return files, err
}

func sizeOf(ctx context.Context, path string) (int64, error) {
	if remote(path) {
		fs, err := filesystem.New(ctx, path)
		if err != nil {
			return 0, err
		}
		defer fs.Close()
		return fs.Size(ctx, path)
	}
	st, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	if st.IsDir() {
		return 0, fmt.Errorf("%s contains only folders; give files", path)
	}
	return st.Size(), nil
}

// local copies the files of a shard to this machine and returns a spec for package dataset. done removes the copies.
func (s *Shard) local(ctx context.Context) (spec string, done func(), err error) {
	if !remote(s.Files[0]) {
		if len(s.Files) == 1 {
			return s.Files[0], func() {}, nil
		}
		return s.list(s.Files)
	}
	dir, err := os.MkdirTemp("", "rao-beam-")
	if err != nil {
		return "", nil, err
	}
	done = func() { os.RemoveAll(dir) }
	for i, f := range s.Files {
		to := filepath.Join(dir, fmt.Sprintf("%08d-%s", i, filepath.Base(f)))
		if err := fetch(ctx, f, to); err != nil {
			done()
			return "", nil, err
		}
	}
	if len(s.Files) == 1 {
		return filepath.Join(dir, fmt.Sprintf("%08d-%s", 0, filepath.Base(s.Files[0]))), done, nil
	}
	return dir, done, nil
}

// list writes a list of files, whose names may contain commas.
func (s *Shard) list(files []string) (spec string, done func(), err error) {
	f, err := os.CreateTemp("", "rao-beam-*.txt")
	if err != nil {
		return "", nil, err
	}
	done = func() { os.Remove(f.Name()) }
	_, err = f.WriteString(strings.Join(files, "\n") + "\n")
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		done()
		return "", nil, err
	}
	return "@" + f.Name(), done, nil
}

// Absolute makes a local path absolute, because workers run in their own folders. An empty path remains empty.
func Absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil && path != "" && !remote(path) {
		return abs
	}
	return path
}

// ResolveOptions opens the first file and returns the options for reading all files: the label column, the names of the
// columns and the form of a table. Without these options each shard would choose them separately. It returns an error
// if there are no shards, or the first file cannot be opened with the options.
func ResolveOptions(ctx context.Context, shards []Shard, opt dataset.OpenOptions,
	labeled bool) (dataset.OpenOptions, error) {
	if len(shards) == 0 {
		return opt, fmt.Errorf("no data files are given; give at least one")
	}
	opt.RequireLabels = labeled
	first := Shard{Files: shards[0].Files[:1]}
	opt.Span = shards[0].Span
	spec, done, err := first.local(ctx)
	if err != nil {
		return opt, err
	}
	defer done()
	_, err = dataset.Survey(ctx, spec, nil, nil, &opt)
	opt.Span = [2]int64{}
	return opt, err
}

// SurveyFirst is like [ResolveOptions], for tables that need a pass over all shards to find texts, missing values or
// columns. It also returns the survey of the first shard, for [StatsOptions]. It returns an error if there are no
// shards, or the first shard cannot be read with the options.
func SurveyFirst(ctx context.Context, shards []Shard, opt dataset.OpenOptions) (dataset.OpenOptions, []byte, error) {
	if len(shards) == 0 {
		return opt, nil, fmt.Errorf("no data files are given; give at least one")
	}
	spec, done, err := shards[0].local(ctx)
	if err != nil {
		return opt, nil, err
	}
	defer done()
	opt.Span = shards[0].Span
	first, err := dataset.Survey(ctx, spec, nil, nil, &opt)
	opt.Span = [2]int64{}
	return opt, first, err
}

// choices are the options for opening data, which are sent to workers as JSON.
type choices struct {
	Labels, X, Y, Weights string

	Where, Columns []string
	Header         *bool
	Table          dataset.TableOptions
}

func choicesOf(o dataset.OpenOptions) choices {
	return choices{Labels: o.Labels, X: o.X, Y: o.Y, Weights: o.Weights,
		Where: o.Where, Columns: o.Columns, Header: o.Header, Table: o.Table}
}

func (c choices) options() dataset.OpenOptions {
	return dataset.OpenOptions{Labels: c.Labels, X: c.X, Y: c.Y, Weights: c.Weights,
		Where: c.Where, Columns: c.Columns, Header: c.Header, Table: c.Table}
}
