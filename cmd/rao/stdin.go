package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"strings"
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

// fromInput words an error of reading standard input without the name of the copy.
func fromInput(err error, spec, path string) error {
	if spec != "-" {
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
