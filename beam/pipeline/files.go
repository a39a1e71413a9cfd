package pipeline

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // registers gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"  // registers s3://

	"rao/internal/format/archive"
)

// fetch copies a file from any file system to a local path.
func fetch(ctx context.Context, from, to string) error {
	fs, err := filesystem.New(ctx, from)
	if err != nil {
		return err
	}
	defer fs.Close()
	in, err := fs.OpenRead(ctx, from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if e := out.Close(); err == nil {
		err = e
	}
	return err
}

// store writes the output of write to a path in any file system. If the file system supports it, the file is written
// completely or not at all.
func store(ctx context.Context, path string, write func(w io.Writer) error) error {
	if !remote(path) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		return archive.WriteFile(path, write)
	}
	var b bytes.Buffer // closing a remote file would commit a partial file
	if err := write(&b); err != nil {
		return err
	}
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	out, err := fs.OpenWrite(ctx, path)
	if err != nil {
		return err
	}
	_, err = b.WriteTo(out)
	if e := out.Close(); err == nil {
		err = e
	}
	return err
}

// Local returns the local path of a file, which may be in any file system. A remote file is copied, and done removes
// the copy. It returns an error if a remote file cannot be copied.
func Local(ctx context.Context, path string) (local string, done func(), err error) {
	s := Shard{Files: []string{path}}
	return s.local(ctx)
}

// viaFile calls write with the path of a temporary file and returns the bytes in that file.
func viaFile(pattern string, write func(path string) error) ([]byte, error) {
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	if err := f.Close(); err != nil {
		return nil, err
	}
	if err := write(f.Name()); err != nil {
		return nil, err
	}
	return os.ReadFile(f.Name())
}

// asFile calls read with the path of a temporary file that contains b.
func asFile[T any](pattern string, b []byte, read func(path string) (T, error)) (T, error) {
	var none T
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return none, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return none, err
	}
	return read(f.Name())
}
