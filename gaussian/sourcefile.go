package gaussian

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"

	"rao/internal/faults"
	"rao/internal/format/archive"
	"rao/internal/format/ndarray"
	"rao/internal/format/npy"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/statsarrays"
	"rao/internal/text"
)

// OpenSource opens a statistics file written by [Statistics.WriteFile] or [WriteSource], or an npz file from numpy with
// the arrays means, counts, and covariances, covariance or variances. Covariances stay in the file, so close the source
// when done. If they are compressed, stored in another order, or not numbers of four or eight bytes, they are read into
// memory.
//
// OpenSource returns an error if the file cannot be read or if its counts, means or names are invalid. The first pass
// over the covariances checks them. [Source.Project] also checks that the projected covariances are positive
// semidefinite.
func OpenSource(path string) (*Source, error) {
	var meta fileMeta
	l, err := archive.OpenLarge(path, &meta, "covariances", statsarrays.Names)
	if errors.Is(err, npy.ErrCompressed) || err == nil && !streamable(&l.Values.Header) {
		if l != nil {
			l.Close()
		}
		return memorySource(path)
	}
	switch {
	case err == nil:
	case meta.Form != "" || statsarrays.FileForm(path) != statsarrays.Full:
		return readCompact(path)
	case errors.Is(err, npy.ErrNotZip):
		return nil, faults.Also(err, &FileKindError{Want: statsarrays.FileKind})
	case !statsarrays.IsFile(path):
		if _, e := archive.Kind(path); errors.Is(e, archive.ErrNoManifest) {
			return nil, faults.Also(fmt.Errorf("%w; a statistics file contains counts, means, and covariances, "+
				"covariance or variances", err), &FileKindError{Want: statsarrays.FileKind})
		}
		return nil, err
	default:
		return nil, err
	}
	s, err := sourceOf(l, &meta, path)
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// streamable reports whether covariances can be read class by class.
func streamable(h *npy.Header) bool {
	return !h.Fortran && h.Type.Kind == 'f' && h.Type.Size >= 4 && (len(h.Shape) == 2 || len(h.Shape) == 3)
}

// memorySource reads a file whose covariances cannot be read class by class.
func memorySource(path string) (*Source, error) {
	var meta fileMeta
	arrays, err := archive.Read(path, &meta)
	if errors.Is(err, archive.ErrNoManifest) {
		arrays, err = statsarrays.ReadPlain(path, statsarrays.Names)
	}
	if err != nil {
		return nil, err
	}
	if err := meta.checkForm(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	a, err := statsarrays.Read(arrays)
	if err == nil {
		err = meta.check(a.Classes, a.Columns, a.Dim)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := ofArrays(a).Source()
	s.Parts, s.Inputs, s.Labels, s.Single = meta.Parts, meta.Inputs, meta.Labels, s.Single || meta.Single
	s.path, s.unmarked, s.definite = path, meta.Kind == "", false
	return s, nil
}

// sourceOf checks the metadata of a file and returns a source that reads its covariances.
func sourceOf(l *archive.Large, meta *fileMeta, path string) (*Source, error) {
	if err := meta.checkForm(); err != nil {
		return nil, err
	}
	h, err := statsarrays.ReadHead(l.Arrays)
	if err != nil {
		return nil, err
	}
	c, n := len(h.Counts), h.Dim
	if c < 1 || n < 1 {
		return nil, fmt.Errorf("the statistics have %d classes and %d dimensions; at least one of each is needed", c, n)
	}
	if err := meta.check(h.Classes, h.Columns, n); err != nil {
		return nil, err
	}
	if err := statsarrays.CheckSize(n, 1); err != nil {
		return nil, err
	}
	f := &covarianceFile{large: l, path: path, c: c, n: n}
	var want []int
	switch f.packed = len(l.Values.Shape) == 2; {
	case f.packed:
		want = []int{c, vec.PackedLen(n)}
	default:
		want = []int{c, n, n}
	}
	for i, d := range want {
		if l.Values.Shape[i] != d {
			return nil, fmt.Errorf("the array \"covariances\" is of shape %s, but must have the shape %s",
				text.Shape(l.Values.Shape), text.Shape(want))
		}
	}
	f.head = h
	return &Source{Structure: statsarrays.Full, Classes: h.Classes, Counts: h.Counts, Weights: h.Weights, Dim: n,
		Means:   h.Means,
		Columns: h.Columns,
		Inputs:  meta.Inputs, Labels: meta.Labels, Single: meta.Single || l.Values.Type.Size < 8,
		Parts: meta.Parts, each: f.each, close: l.Close, path: path, unmarked: meta.Kind == "", cubic: h.Cubic,
		quartic: h.Quartic}, nil
}

type covarianceFile struct {
	large    *archive.Large
	path     string
	c, n     int
	packed   bool
	head     *statsarrays.Arrays // counts, means and names
	verified bool                // a pass has verified the digest
}

// ofClass is a covariance in memory. i is -1 if none is left.
type ofClass struct {
	i   int
	cov []float64
}

// each implements walk. It reads the next covariance while body processes one.
func (f *covarianceFile) each(ctx context.Context, scale []float64, body func(i int, cov []float64) error) error {
	read, compare := f.reader(scale)
	next := 0
	fill := func(b *ofClass) error {
		if b.i = next; next == f.c {
			if err := compare(); err != nil {
				return err
			}
			f.verified, b.i = true, -1
			return io.EOF
		}
		next++
		return read(b.cov, b.i)
	}
	block := func() *ofClass { return &ofClass{cov: make([]float64, f.n*f.n)} }
	return par.Ahead([2]*ofClass{block(), block()}, fill, func(b *ofClass) error {
		if err := ctx.Err(); err != nil || b.i < 0 {
			return err
		}
		return body(b.i, b.cov)
	})
}

// reader returns a function that reads the covariances of the classes in order, and a function that then verifies the
// digest of the file unless an earlier pass did.
func (f *covarianceFile) reader(scale []float64) (read func(cov []float64, i int) error, compare func() error) {
	var sum hash.Hash
	compare = func() error { return nil }
	if !f.verified {
		sum, compare = f.large.Check()
	}
	values := f.n * f.n
	if f.packed {
		values = vec.PackedLen(f.n)
	}
	e := f.large.Values
	raw := make([]byte, values*e.Type.Size)
	return func(cov []float64, i int) error {
		if err := e.Read(raw, i*values); err != nil {
			return err
		}
		if sum != nil {
			sum.Write(raw)
		}
		if err := f.decode(cov, raw, i); err != nil {
			return err
		}
		if scale != nil {
			scaleCovariance(cov, f.n, scale)
		}
		return nil
	}, compare
}

// decode unpacks the covariance of class i from raw into cov, and checks it in the first pass.
func (f *covarianceFile) decode(cov []float64, raw []byte, i int) error {
	unpack(cov, raw, f.large.Values.Type, f.n, f.packed)
	if f.verified {
		return nil
	}
	h := f.head
	one := statsarrays.Arrays{Classes: h.Classes[i : i+1], Counts: h.Counts[i : i+1], Dim: f.n,
		Means: h.Means[i*f.n : (i+1)*f.n], Covariances: cov}
	if h.Weights != nil {
		one.Weights = h.Weights[i : i+1]
	}
	if h.Cubic != nil {
		one.Cubic, one.Quartic = h.Cubic[i*f.n:(i+1)*f.n], h.Quartic[i:i+1]
	}
	if err := one.CheckClass(0); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	return nil
}

// unpack decodes a covariance, which may be stored as its upper triangle only.
func unpack(cov []float64, raw []byte, e ndarray.Elem, n int, packed bool) {
	if !packed {
		e.DecodeFloat64(cov, raw)
		statsarrays.NearlySymmetric(n, cov)
		return
	}
	at := 0
	for r := range n {
		e.DecodeFloat64(cov[r*n+r:(r+1)*n], raw[at:])
		at += (n - r) * e.Size
	}
	dense.Mirror(n, cov, n)
}

// WriteSource writes statistics to path like [Statistics.WriteFile], atomically, class by class, but with only the
// upper triangles of the covariances, row by row: the array covariances is c × n(n+1)/2. If single is true, they are
// written in single precision, about seven digits. WriteSource returns an error if a covariance cannot be read or is
// invalid, the file cannot be written, or ctx is canceled.
//
// Pooled and diagonal statistics are written in their own form, in double precision: an npz with the arrays names
// (strings), counts (c), means (c×n), and covariance (n×n) or variances (c×n).
func WriteSource(ctx context.Context, path string, s *Source, single bool) error {
	if s.spread != nil {
		return s.writeSpread(path)
	}
	c, n := s.NumClasses(), s.Dim
	arrays := statsarrays.Head(s.Classes, s.Counts, s.Weights, s.Means, n, s.Columns)
	if s.cubic != nil && s.scale == nil {
		arrays = append(arrays, statsarrays.Moments(s.cubic, s.quartic, n)...)
	}
	meta := fileMeta{Kind: statsarrays.FileKind, Classes: c, Dimension: n, Parts: s.Parts, Inputs: s.Inputs,
		Labels: s.Labels, Single: s.Single || single}
	return archive.WriteLarge(path, meta, arrays, statsarrays.Triangles(c, n, single,
		func(body func(i int, cov []float64) error) error { return s.walk(ctx, body) }))
}
