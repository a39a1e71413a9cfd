package gaussian

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/classcolumns"
	"rao/internal/faults"
	"rao/internal/format/archive"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/moments"
	"rao/internal/naming"
	"rao/internal/par"
	"rao/internal/provenance"
	"rao/internal/rows"
	"rao/internal/statsarrays"
	"rao/internal/text"
)

// present makes the source yield the spread as the covariance of every class, or as diagonal covariances. It returns s.
func (s *Source) present() *Source {
	n, spread := s.Dim, s.spread
	covariance := func(int) []float64 { return spread }
	if s.Structure == statsarrays.Diagonal {
		var cov []float64
		covariance = func(i int) []float64 {
			if cov == nil {
				cov = make([]float64, n*n)
			}
			for j, v := range spread[i*n : (i+1)*n] {
				cov[j*n+j] = v
			}
			return cov
		}
	}
	s.definite, s.each = true, inOrder(s.NumClasses(), n, covariance)
	return s
}

// spreadShape returns the shape of the spread.
func (s *Source) spreadShape() []int {
	if s.Structure == statsarrays.Diagonal {
		return []int{s.NumClasses(), s.Dim}
	}
	return []int{s.Dim, s.Dim}
}

// validate returns an error unless the fields are consistent and the spread is possible for real data.
func (s *Source) validate() error {
	c, n, shape := s.NumClasses(), s.Dim, s.spreadShape()
	switch {
	case s.Structure != statsarrays.Pooled && s.Structure != statsarrays.Diagonal:
		return fmt.Errorf("the statistics are of kind %s; they must be pooled or diagonal", s.Structure)
	case c < 1 || n < 1:
		return fmt.Errorf("the statistics have %d classes and %d dimensions; at least one of each is needed", c, n)
	case len(s.Classes) != c || len(s.Means) != c*n || len(s.spread) != shape[0]*shape[1]:
		return fmt.Errorf("the statistics have %d classes and %d dimensions, which does not match %d names, %d values "+
			"of the means and %d values of the spread", c, n, len(s.Classes), len(s.Means), len(s.spread))
	}
	name := func(i int) string { return naming.Class(s.Classes, i) }
	if i := slices.IndexFunc(s.Counts, func(n int) bool { return n < 0 }); i >= 0 {
		return fmt.Errorf("class %s has %d observations; the number must be 0 or more", name(i), s.Counts[i])
	}
	for i := range c {
		if err := statsarrays.CheckMeans(s.mean(i), name(i)); err != nil {
			return err
		}
	}
	if err := statsarrays.Distinct(s.Classes); err != nil {
		return err
	}
	if err := statsarrays.CheckColumns(s.Columns, n); err != nil {
		return err
	}
	if err := s.Inputs.validate(s.Columns, n); err != nil {
		return err
	}
	if s.Structure == statsarrays.Diagonal {
		if k := slices.IndexFunc(s.spread, func(x float64) bool { return !vec.Finite(x) || x < 0 }); k >= 0 {
			return fmt.Errorf("class %s: the variance of column %d is %v; it must be finite and 0 or more", name(k/n),
				k%n, s.spread[k])
		}
		return nil
	}
	all := statsarrays.Arrays{Classes: []string{"all"}, Counts: []int{vec.Total(s.Counts)}, Dim: n,
		Means: s.mean(0), Covariances: s.spread}
	if err := all.Check(); err != nil {
		return fmt.Errorf("the pooled covariance: %w", err)
	}
	return all.CheckDefinite()
}

// CompactAccumulator computes pooled or diagonal statistics in one pass over rows that are added in any number of
// calls. The bits depend neither on how the rows were split over calls nor on GOMAXPROCS. It needs the memory of the
// result, plus one matrix for pooled statistics.
type CompactAccumulator struct {
	out  Source       // spread contains sums of squares while rows are added
	all  *Accumulator // all classes as one, for pooled statistics
	rows int
}

// NewCompactAccumulator returns an accumulator for rows of dim values in the given number of classes. It panics if
// either is below one, or if kind is neither pooled nor diagonal.
func NewCompactAccumulator(kind Structure, dim, classes int) *CompactAccumulator {
	if dim < 1 || classes < 1 || kind != statsarrays.Pooled && kind != statsarrays.Diagonal {
		panic("gaussian: compact statistics need a kind, at least one dimension and at least one class")
	}
	a := &CompactAccumulator{out: Source{Structure: kind, Counts: make([]int, classes), Dim: dim,
		Means: make([]float64, classes*dim)}}
	if kind == statsarrays.Pooled {
		a.all = NewAccumulator(dim, 1)
	} else {
		a.out.spread = make([]float64, classes*dim)
	}
	return a
}

// Add adds the rows of x; labels[i] in [0,classes) is the class of row i. It returns the same errors as
// [Accumulator.Add]. After an error, the accumulator cannot be used.
func (a *CompactAccumulator) Add(x mat.Matrix, labels []int) error {
	in, n := rows.New(x), a.out.Dim
	if err := indices.CheckOnePer("label", len(labels), "row", in.Rows); err != nil {
		return err
	}
	if in.Cols != n && in.Rows > 0 {
		return indices.CheckColumns(in.Cols, n, "the statistics have")
	}
	for i, l := range labels {
		if err := indices.CheckLabel("row", a.rows+i, l, len(a.out.Counts)); err != nil {
			return err
		}
	}
	if err := in.CheckFinite(); err != nil {
		return err
	}
	if a.all != nil {
		if err := a.all.Add(x, make([]int, len(labels))); err != nil {
			return err
		}
	}
	block := min(max((1<<20)/n, 16), in.Rows)
	buf := make([]float64, block*n)
	for first := 0; first < in.Rows; first += block {
		k := min(block, in.Rows-first)
		in.Block(buf, first, first+k, nil)
		a.addBlock(buf[:k*n], labels[first:first+k])
	}
	a.rows += in.Rows
	return nil
}

// addBlock adds rows by Welford's update, with columns in parallel.
func (a *CompactAccumulator) addBlock(x []float64, labels []int) {
	n := a.out.Dim
	weights := make([]float64, len(labels)) // weight of each row in the mean of its class so far
	for i, l := range labels {
		a.out.Counts[l]++
		weights[i] = 1 / float64(a.out.Counts[l])
	}
	par.For(n, 256, func(_, lo, hi int) {
		for i, l := range labels {
			row, mean, w := x[i*n+lo:i*n+hi], a.out.Means[l*n+lo:l*n+hi], weights[i]
			if a.out.spread == nil {
				for j, v := range row {
					mean[j] += (v - mean[j]) * w
				}
				continue
			}
			squares := a.out.spread[l*n+lo : l*n+hi]
			for j, v := range row {
				d := v - mean[j]
				mean[j] += d * w
				squares[j] += d * (v - mean[j])
			}
		}
	})
}

// Finish returns the statistics. The accumulator cannot be used afterwards. names are the class names, one per class;
// another number is an error.
func (a *CompactAccumulator) Finish(names []string) (*Source, error) {
	s := &a.out
	c, n := len(s.Counts), s.Dim
	if len(names) != c {
		return nil, fmt.Errorf("the number of class names is %d, but the number of classes is %d; every class needs "+
			"one name", len(names), c)
	}
	s.Classes = slices.Clone(names)
	if s.Structure == statsarrays.Diagonal {
		s.divide()
		return s.present(), nil
	}
	all, err := a.all.Finish(nil)
	if err != nil {
		return nil, err
	}
	_, between := moments.Between(s.Means, classcolumns.Shares(s.Counts, nil), n)
	s.spread = all.Covariances
	total := float64(vec.Total(s.Counts))
	within := 1 / math.Max(1, total-float64(c))
	for j := range s.spread {
		s.spread[j] = ((total-1)*s.spread[j] - total*between[j]) * within
	}
	for j := range n { // rounding may leave the variance of a constant column slightly below zero
		s.spread[j*n+j] = math.Max(0, s.spread[j*n+j])
	}
	return s.present(), nil
}

// MergeSources returns the statistics of the union of the parts' observations. The parts must be pooled or all be
// diagonal, of the same dimension, and not scaled; [Merge] merges full statistics. Classes and columns are matched by
// name, as in Merge. It returns an error for doubts, such as rows in common, unless they are confirmed by name, for
// example "rows"; see [MergeInOrder].
func MergeSources(sources []*Source, confirmed ...string) (*Source, error) {
	if len(sources) == 0 {
		return nil, faults.Count(0, 1, "there are no statistics to merge; give at least one part")
	}
	if err := provenance.CheckDoubts(confirmed); err != nil {
		return nil, err
	}
	if p := slices.IndexFunc(sources, func(s *Source) bool { return s.spread == nil }); p >= 0 {
		return nil, fmt.Errorf("part %d is not pooled or diagonal, or it is scaled; merge statistics as they were "+
			"computed", p+1)
	}
	d, parts := provenance.Merging{Confirmed: confirmed}, slices.Clone(sources)
	first, columns := parts[0], []string(nil)
	var all joining
	for p, s := range parts {
		if err := s.validate(); err != nil {
			return nil, fmt.Errorf("part %d: %w", p+1, err)
		}
		switch {
		case s.Structure != first.Structure:
			return nil, fmt.Errorf("part %d is %s, but part 1 is %s; merge statistics of one kind", p+1, s.Structure,
				first.Structure)
		case s.Dim != first.Dim:
			return nil, fmt.Errorf("part %d has %s, but part 1 has %d; merge statistics of the same columns",
				p+1, text.Plural(s.Dim, "column", "columns"), first.Dim)
		}
		if err := d.Add(provenance.Member{Classes: s.Classes, Columns: s.Columns, Total: vec.Total(s.Counts),
			Parts: s.Parts, Unmarked: s.unmarked, Counts: s.Counts, Means: s.Means}); err != nil {
			return nil, err
		}
		if columns == nil {
			columns = s.Columns
		}
		var err error
		if parts[p], err = s.matchColumns(columns); err != nil {
			return nil, fmt.Errorf("part %d: %w", p+1, err)
		}
		all.add(s.Classes, vec.Total(s.Counts), parts[p].Inputs, s.Parts)
	}
	in, err := joinInputs(all.inputs, all.totals)
	if err != nil {
		return nil, err
	}
	names, n := all.names(), first.Dim
	out := &Source{Structure: first.Structure, Classes: slices.Clone(names), Counts: make([]int, len(names)), Dim: n,
		Means: make([]float64, len(names)*n), Columns: slices.Clone(columns), Inputs: in, Parts: all.sources()}
	shape := out.spreadShape()
	out.spread = make([]float64, shape[0]*shape[1])
	for _, s := range parts {
		out.addSquares(s)
	}
	out.divide()
	return out.present(), nil
}

// addSquares adds s to out, in which the spread has sums of squares, with the formulas of Chan, Golub and LeVeque.
func (out *Source) addSquares(s *Source) {
	n := s.Dim
	if s.Structure == statsarrays.Pooled {
		vec.Axpy(out.spread, math.Max(0, float64(vec.Total(s.Counts)-s.nonempty())), s.spread)
	}
	d := make([]float64, n)
	for k, name := range s.Classes {
		b := float64(s.Counts[k])
		if b == 0 {
			continue
		}
		i := slices.Index(out.Classes, name)
		a, mean := float64(out.Counts[i]), out.mean(i)
		for j, v := range s.mean(k) {
			d[j] = v - mean[j]
			mean[j] += d[j] * b / (a + b)
		}
		weight := a * b / (a + b)
		if s.Structure == statsarrays.Diagonal {
			squares := out.spread[i*n : (i+1)*n]
			for j, v := range s.spread[k*n : (k+1)*n] {
				squares[j] += (b-1)*v + weight*d[j]*d[j]
			}
		} else if weight > 0 {
			for j, v := range d {
				vec.Axpy(out.spread[j*n:(j+1)*n], weight*v, d)
			}
		}
		out.Counts[i] += s.Counts[k]
	}
}

// nonempty returns the number of classes with observations.
func (s *Source) nonempty() int {
	return indices.Count(s.Counts, func(n int) bool { return n > 0 })
}

// divide converts sums of squares to a spread.
func (s *Source) divide() {
	pooled := math.Max(1, float64(vec.Total(s.Counts)-s.nonempty()))
	for k := range s.spread {
		if s.Structure == statsarrays.Pooled {
			s.spread[k] /= pooled
		} else {
			s.spread[k] /= math.Max(1, float64(s.Counts[k/s.Dim]-1))
		}
	}
}

// writeSpread writes pooled or diagonal statistics to path, atomically.
func (s *Source) writeSpread(path string) error {
	if err := s.validate(); err != nil {
		return err
	}
	c, n := s.NumClasses(), s.Dim
	meta := fileMeta{Kind: statsarrays.FileKind, Form: string(s.Structure), Classes: c, Dimension: n, Parts: s.Parts,
		Inputs: s.Inputs}
	return archive.Write(path, meta, append(statsarrays.Head(s.Classes, s.Counts, nil, s.Means, n, s.Columns),
		archive.Array{Name: statsarrays.SpreadName(string(s.Structure)), Shape: s.spreadShape(), Float64: s.spread}))
}

// readCompact reads pooled or diagonal statistics from a file written by [WriteSource], or a numpy npz with the arrays
// means, counts, and covariance or variances and, optionally, names and columns. The error names the missing or invalid
// array.
func readCompact(path string) (*Source, error) {
	var meta fileMeta
	arrays, err := archive.Read(path, &meta)
	unmarked := errors.Is(err, archive.ErrNoManifest)
	if unmarked {
		names := statsarrays.Names
		if form := statsarrays.FileForm(path); form != statsarrays.Full {
			meta.Form = form
			names = append([]string{statsarrays.SpreadName(form)}, names...)
		}
		arrays, err = statsarrays.ReadPlain(path, names)
	}
	if err != nil {
		return nil, err
	}
	s, err := compactOf(arrays, &meta)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s.unmarked = unmarked
	return s, nil
}

func compactOf(arrays []archive.Array, meta *fileMeta) (*Source, error) {
	if meta.Form != statsarrays.Pooled && meta.Form != statsarrays.Diagonal {
		return nil, fmt.Errorf("its statistics are %q; they must be pooled or diagonal", meta.Form)
	}
	h, err := statsarrays.ReadHead(arrays)
	if err != nil {
		return nil, err
	}
	if err := meta.check(h.Classes, h.Columns, h.Dim); err != nil {
		return nil, err
	}
	s := &Source{Structure: Structure(meta.Form), Classes: h.Classes, Counts: h.Counts, Dim: h.Dim, Means: h.Means,
		Columns: h.Columns, Parts: meta.Parts, Inputs: meta.Inputs}
	s.spread, err = statsarrays.Values(statsarrays.ByName(arrays), statsarrays.SpreadName(meta.Form),
		s.spreadShape()...)
	if err != nil {
		return nil, err
	}
	return s.present(), s.validate()
}
