package main

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
	"rao/model"
)

const standardInput = "standard input"

// spooled returns where the data of a flag are: for -, standard input copied to a
// temporary file, which done removes; what tells the kind of a file tells that of the copy,
// and text without a mark is a csv. Other names are returned as they are.
func (a *app) spooled(ctx context.Context, spec string) (path string, done func(), err error) {
	if spec != "-" {
		return spec, func() {}, nil
	}
	if a.inputRead {
		return "", nil, usagef("- is given twice; standard input can be read once")
	}
	a.inputRead = true
	in := bufio.NewReaderSize(interruptible(ctx, a.in), 1<<16)
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

// withFile calls read with the path of a file, or with a copy of standard input for -.
func (a *app) withFile(ctx context.Context, spec string, read func(path string) error) error {
	path, done, err := a.spooled(ctx, spec)
	if err != nil {
		return err
	}
	defer done()
	return fromInput(read(path), spec, path)
}

// loadModel reads a model file.
func (a *app) loadModel(ctx context.Context, spec string) (m *model.Model, err error) {
	err = a.withFile(ctx, spec, func(path string) error {
		m, err = model.Load(path)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such model file; rao fit METHOD --out %s writes one", spec, spec)
	}
	return m, err
}

// readStatistics reads a statistics file.
func (a *app) readStatistics(ctx context.Context, spec string) (s *gaussian.Statistics, err error) {
	err = a.withFile(ctx, spec, func(path string) error {
		s, err = gaussian.ReadFile(path)
		return err
	})
	return s, err
}

// openStatistics opens a statistics file whose covariances may stay there; standard input
// is read whole.
func (a *app) openStatistics(ctx context.Context, spec string) (*gaussian.Source, error) {
	if spec != "-" {
		return gaussian.OpenSource(spec)
	}
	s, err := a.readStatistics(ctx, spec)
	if err != nil {
		return nil, err
	}
	return s.Source(), nil
}

// tellsOf passes on what was decided while the data of a flag were read.
func (a *app) tellsOf(spec string) func(*dataset.Reading) {
	return func(r *dataset.Reading) {
		if spec == "-" {
			r.Source = standardInput
		}
		a.told(r)
	}
}

// fromInput words an error of reading standard input without the name of the copy.
func fromInput(err error, spec, path string) error {
	if spec != "-" || err == nil {
		return err
	}
	return &inputError{strings.ReplaceAll(err.Error(), path, standardInput), err}
}

// inputError is an error in other words.
type inputError struct {
	text string
	err  error
}

func (e *inputError) Error() string { return e.text }
func (e *inputError) Unwrap() error { return e.err }
