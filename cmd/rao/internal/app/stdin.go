package app

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/format/archive"
	"rao/internal/statsarrays"
	"rao/model"
)

// StandardInput is the name of standard input in messages.
const StandardInput = "standard input"

// Spooled returns the path of the file in spec. If spec is "-", it copies standard input to a temporary file, and done
// removes the copy. A copy of text gets the extension .csv.
func (a *App) Spooled(ctx context.Context, spec string) (path string, done func(), err error) {
	if spec == "-" && a.InputRead {
		a.opened.Store(false) // the command line alone shows this error
		return "", nil, Usagef("- is given twice; standard input can be read only once")
	}
	a.InputOpened()
	if spec != "-" {
		return spec, func() {}, nil
	}
	a.InputRead = true
	in := bufio.NewReaderSize(Interruptible(ctx, a.In), 1<<16)
	head, _ := in.Peek(4096)
	name := "rao-input-*"
	if !bytes.ContainsRune(head, 0) {
		name += ".csv"
	}
	f, err := os.CreateTemp("", name)
	if err != nil {
		return "", nil, err
	}
	done = func() { os.Remove(f.Name()) }
	_, err = io.Copy(f, in)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		done()
		return "", nil, err
	}
	return f.Name(), done, nil
}

// withFile calls read with the path in spec, or with a copy of standard input if spec is "-".
func (a *App) withFile(ctx context.Context, spec string, read func(path string) error) error {
	path, done, err := a.Spooled(ctx, spec)
	if err != nil {
		return err
	}
	defer done()
	return FromInput(read(path), spec, path)
}

// LoadModel reads a model from the file spec, or from standard input if spec is "-".
func (a *App) LoadModel(ctx context.Context, spec string) (m *model.Model, err error) {
	err = a.withFile(ctx, spec, func(path string) error {
		m, err = model.Load(path)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such model file; rao fit METHOD --out %s writes one", spec, spec)
	}
	content := ""
	var other *gaussian.FileKindError
	switch {
	case errors.As(err, &other) && other.Got != "":
		content = other.Got
	case errors.Is(err, archive.ErrNoManifest) && statsarrays.IsFile(spec):
		content = "statistics"
	case isData(err, spec):
		content = "data"
	}
	if content != "" {
		return nil, fmt.Errorf("%s: the file contains %s, not a model; rao verify describes it", spec, content)
	}
	return m, err
}

// isData reports whether the file could not be read as a file of rao because it contains data.
func isData(err error, path string) bool {
	if err == nil {
		return false
	}
	kind, unknown := dataset.FormatOf(path)
	_, foreign := archive.Kind(path) // a damaged file of rao is not data
	return unknown == nil && (kind != "npz" || errors.Is(foreign, archive.ErrNoManifest) && !statsarrays.IsFile(path))
}

// StatisticsError explains an error of reading statistics from a file that contains data.
func StatisticsError(err error, path string) error {
	if isData(err, path) {
		return fmt.Errorf("%s contains data, not statistics; give it with --data, or compute statistics with rao stats",
			path)
	}
	return err
}

// ReadStatistics reads statistics from the file spec, or from standard input if spec is "-".
func (a *App) ReadStatistics(ctx context.Context, spec string) (s *gaussian.Statistics, err error) {
	err = a.withFile(ctx, spec, func(path string) error {
		s, err = gaussian.ReadFile(path)
		return StatisticsError(err, path)
	})
	return s, err
}

// OpenStatistics opens the statistics file spec. Its covariances may remain in the file until they are needed. If spec
// is "-", all of standard input is read first.
func (a *App) OpenStatistics(ctx context.Context, spec string) (*gaussian.Source, error) {
	if spec != "-" {
		a.InputOpened()
		src, err := gaussian.OpenSource(spec)
		return src, StatisticsError(err, spec)
	}
	s, err := a.ReadStatistics(ctx, spec)
	if err != nil {
		return nil, err
	}
	return s.Source(), nil
}

// noteReadings returns a callback that prints choices made while reading the data in spec. If predicts is true, it does
// not say why there are no labels.
func (a *App) noteReadings(spec string, predicts bool) func(*dataset.Reading) {
	return func(r *dataset.Reading) {
		if predicts && r.Label == "" {
			r.LabelWhy = nil
		}
		if spec == "-" {
			r.Source = StandardInput
		}
		a.NoteReading(r)
	}
}

// FromInput replaces the name of the temporary copy in an error with "standard input".
func FromInput(err error, spec, path string) error {
	if spec != "-" || err == nil {
		return err
	}
	return Reworded(err, path, StandardInput)
}

// Reworded returns err with another message. pairs are texts and their replacements, as in strings.NewReplacer.
func Reworded(err error, pairs ...string) error {
	return &rewordedError{strings.NewReplacer(pairs...).Replace(Message(err)), err}
}

type rewordedError struct {
	text string
	err  error
}

func (e *rewordedError) Error() string { return e.text }
func (e *rewordedError) Unwrap() error { return e.err }
