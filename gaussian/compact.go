package gaussian

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/classcolumns"
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

// compact contains class statistics without a covariance for each class. It has one covariance for all classes together
// ([StructurePooled]), or the variances of each class ([StructureDiagonal]). A [Source] presents it to users.
type compact struct {
	Kind    Structure // StructurePooled or StructureDiagonal
	Classes []string  // class names, length c
	Counts  []int     // observations per class, length c
	Dim     int       // n, the number of dimensions
	Means   []float64 // c×n, row-major
	// Spread is the covariance within the classes, n×n, with the number of observations minus the number of classes as
	// the divisor. For [StructureDiagonal] it contains the variances, c×n, with the divisor count-1.
	Spread  []float64
	Columns []string // names of the columns; nil if unknown
	Inputs  *Inputs  // how rows of a table became the vectors; nil if unknown
	Parts   []Part   // the rows that the statistics are from, if known

	unmarked bool // read from a file without rao's manifest
}

func (s *compact) numClasses() int { return len(s.Counts) }

func (s *compact) total() int { return classcolumns.Total(s.Counts) }

// name returns the name of class i, or its number if it has no name.
func (s *compact) name(i int) string { return naming.Class(s.Classes, i) }

func (s *compact) mean(i int) []float64 { return s.Means[i*s.Dim : (i+1)*s.Dim] }

// source returns the statistics as a source, with the same covariance for every class, or diagonal covariances.
func (s *compact) source() *Source {
	n := s.Dim
	covariance := func(int) []float64 { return s.Spread }
	if s.Kind == StructureDiagonal {
		var cov []float64
		covariance = func(i int) []float64 {
			if cov == nil {
				cov = make([]float64, n*n)
			}
			for j, v := range s.Spread[i*n : (i+1)*n] {
				cov[j*n+j] = v
			}
			return cov
		}
	}
	return &Source{Structure: s.Kind, Classes: s.Classes, Counts: s.Counts, Dim: n, Means: s.Means, Columns: s.Columns,
		Inputs: s.Inputs,
		Parts:  s.Parts, definite: true, compact: s, each: inOrder(s.numClasses(), n, covariance)}
}

// validate returns an error unless the fields are consistent and the spread is possible for real data.
func (s *compact) validate() error {
	c, n := len(s.Counts), s.Dim
	size := n * n
	if s.Kind == StructureDiagonal {
		size = c * n
	}
	switch {
	case s.Kind != StructurePooled && s.Kind != StructureDiagonal:
		return fmt.Errorf("the statistics are of kind %s; they must be pooled or diagonal", s.Kind)
	case c < 1 || n < 1:
		return fmt.Errorf("the statistics have %d classes and %d dimensions; at least one of each is needed", c, n)
	case len(s.Classes) != c || len(s.Means) != c*n || len(s.Spread) != size:
		return fmt.Errorf("the statistics have %d classes and %d dimensions, which does not match %d names, %d values "+
			"of the means and %d values of the spread", c, n, len(s.Classes), len(s.Means), len(s.Spread))
	}
	if i := slices.IndexFunc(s.Counts, func(n int) bool { return n < 0 }); i >= 0 {
		return fmt.Errorf("class %s has %d observations; the number must be 0 or more", s.name(i), s.Counts[i])
	}
	for i := range c {
		if err := statsarrays.CheckMeans(s.Means[i*n:(i+1)*n], s.name(i)); err != nil {
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
	if s.Kind == StructureDiagonal {
		if k := slices.IndexFunc(s.Spread, func(x float64) bool { return !vec.Finite(x) || x < 0 }); k >= 0 {
			return fmt.Errorf("class %s: the variance of column %d is %v; it must be finite and 0 or more", s.name(k/n),
				k%n, s.Spread[k])
		}
		return nil
	}
	all := statsarrays.Arrays{Classes: []string{"all"}, Counts: []int{s.total()}, Dim: n, Means: s.mean(0),
		Covariances: s.Spread}
	if err := all.Check(); err != nil {
		return fmt.Errorf("the pooled covariance: %w", err)
	}
	return all.CheckDefinite()
}

// CompactAccumulator computes pooled or diagonal statistics in one pass over rows that are added in any number of
// calls. The bits depend neither on how the rows were split over calls nor on GOMAXPROCS. It needs the memory of the
// result, plus one matrix for pooled statistics.
type CompactAccumulator struct {
	out  compact      // Spread contains sums of squares while rows are added
	all  *Accumulator // all classes as one, for pooled statistics
	rows int
}

// NewCompactAccumulator returns an accumulator for rows of dim values in the given number of classes. It panics if
// either is below one, or if kind is neither pooled nor diagonal.
func NewCompactAccumulator(kind Structure, dim, classes int) *CompactAccumulator {
	if dim < 1 || classes < 1 || kind != StructurePooled && kind != StructureDiagonal {
		panic("gaussian: compact statistics need a kind, at least one dimension and at least one class")
	}
	a := &CompactAccumulator{out: compact{Kind: kind, Counts: make([]int, classes), Dim: dim,
		Means: make([]float64, classes*dim)}}
	if kind == StructurePooled {
		a.all = NewAccumulator(dim, 1)
	} else {
		a.out.Spread = make([]float64, classes*dim)
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
			if a.out.Spread == nil {
				for j, v := range row {
					mean[j] += (v - mean[j]) * w
				}
				continue
			}
			squares := a.out.Spread[l*n+lo : l*n+hi]
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
	s, err := a.compact(names)
	if err != nil {
		return nil, err
	}
	return s.source(), nil
}

func (a *CompactAccumulator) compact(names []string) (*compact, error) {
	s := &a.out
	c, n := len(s.Counts), s.Dim
	if len(names) != c {
		return nil, fmt.Errorf("the number of class names is %d, but the number of classes is %d; every class needs "+
			"one name", len(names), c)
	}
	s.Classes = slices.Clone(names)
	if s.Kind == StructureDiagonal {
		s.divide()
		return s, nil
	}
	all, err := a.all.Finish(nil)
	if err != nil {
		return nil, err
	}
	_, between := moments.Between(s.Means, classcolumns.Shares(s.Counts, nil), n)
	s.Spread = all.Covariances
	total := float64(s.total())
	within := 1 / math.Max(1, total-float64(c))
	for j := range s.Spread {
		s.Spread[j] = ((total-1)*s.Spread[j] - total*between[j]) * within
	}
	for j := range n { // rounding may leave the variance of a constant column slightly below zero
		s.Spread[j*n+j] = math.Max(0, s.Spread[j*n+j])
	}
	return s, nil
}

// MergeSources returns the statistics of the union of the parts' observations. The parts must be pooled or all be
// diagonal, of the same dimension, and not scaled; [Merge] merges full statistics. Classes and columns are matched by
// name, as in Merge. It returns an error for doubts, such as rows in common, unless they are confirmed by name, for
// example "rows"; see [MergeInOrder].
func MergeSources(sources []*Source, confirmed ...string) (*Source, error) {
	if len(sources) == 0 {
		return nil, errors.New("there are no statistics to merge; give at least one part")
	}
	if err := provenance.CheckDoubts(confirmed); err != nil {
		return nil, err
	}
	parts := make([]*compact, len(sources))
	for p, s := range sources {
		if parts[p] = s.compacted(); parts[p] == nil {
			return nil, fmt.Errorf("part %d is not pooled or diagonal, or it is scaled; merge statistics as they were "+
				"computed", p+1)
		}
	}
	s, err := mergeCompact(confirmed, parts)
	if err != nil {
		return nil, err
	}
	return s.source(), nil
}

// compacted returns the pooled or diagonal statistics of a source, or nil if it has none.
func (s *Source) compacted() *compact {
	if s.compact == nil {
		return nil
	}
	c := *s.compact
	c.Classes, c.Columns, c.Inputs, c.Parts = s.Classes, s.Columns, s.Inputs, s.Parts
	return &c
}

func mergeCompact(confirmed []string, parts []*compact) (*compact, error) {
	d := provenance.Merging{Confirmed: confirmed}
	first, columns := parts[0], []string(nil)
	var all joining
	for p, s := range parts {
		if err := s.validate(); err != nil {
			return nil, fmt.Errorf("part %d: %w", p+1, err)
		}
		switch {
		case s.Kind != first.Kind:
			return nil, fmt.Errorf("part %d is %s, but part 1 is %s; merge statistics of one kind", p+1, s.Kind,
				first.Kind)
		case s.Dim != first.Dim:
			return nil, fmt.Errorf("part %d has %s, but part 1 has %d; merge statistics of the same columns",
				p+1, text.Plural(s.Dim, "column", "columns"), first.Dim)
		}
		if err := d.Add(provenance.Member{Classes: s.Classes, Columns: s.Columns, Total: s.total(),
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
		all.add(s.Classes, s.total(), parts[p].Inputs, s.Parts)
	}
	in, err := joinInputs(all.inputs, all.totals)
	if err != nil {
		return nil, err
	}
	names, n := all.names(), first.Dim
	c, spread := len(names), n
	if first.Kind == StructureDiagonal {
		spread = c
	}
	out := &compact{Kind: first.Kind, Classes: slices.Clone(names), Counts: make([]int, c), Dim: n,
		Means: make([]float64, c*n), Spread: make([]float64, spread*n), Columns: slices.Clone(columns), Inputs: in,
		Parts: all.sources()}
	for _, s := range parts {
		out.addSquares(s)
	}
	out.divide()
	return out, nil
}

// addSquares adds s to out, in which Spread has sums of squares, with the formulas of Chan, Golub and LeVeque.
func (out *compact) addSquares(s *compact) {
	n := s.Dim
	if s.Kind == StructurePooled {
		vec.Axpy(out.Spread, math.Max(0, float64(s.total()-s.nonempty())), s.Spread)
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
		if s.Kind == StructureDiagonal {
			squares := out.Spread[i*n : (i+1)*n]
			for j, v := range s.Spread[k*n : (k+1)*n] {
				squares[j] += (b-1)*v + weight*d[j]*d[j]
			}
		} else if weight > 0 {
			for j, v := range d {
				vec.Axpy(out.Spread[j*n:(j+1)*n], weight*v, d)
			}
		}
		out.Counts[i] += s.Counts[k]
	}
}

// nonempty returns the number of classes with observations.
func (s *compact) nonempty() int {
	c := 0
	for _, n := range s.Counts {
		if n > 0 {
			c++
		}
	}
	return c
}

// divide converts sums of squares to a spread.
func (s *compact) divide() {
	pooled := math.Max(1, float64(s.total()-s.nonempty()))
	for k := range s.Spread {
		if s.Kind == StructurePooled {
			s.Spread[k] /= pooled
		} else {
			s.Spread[k] /= math.Max(1, float64(s.Counts[k/s.Dim]-1))
		}
	}
}

// spreadName returns the name of the array with the spread of statistics of a kind.
func (k Structure) spreadName() string { return statsarrays.SpreadName(string(k)) }

// writeFile writes the statistics to path, atomically: a zip that numpy can open as npz, with the arrays names
// (strings), counts (c), means (c×n), and covariance (n×n) or variances (c×n).
func (s *compact) writeFile(path string) error {
	if err := s.validate(); err != nil {
		return err
	}
	c, n := s.numClasses(), s.Dim
	shape := []int{n, n}
	if s.Kind == StructureDiagonal {
		shape = []int{c, n}
	}
	meta := fileMeta{Kind: statsarrays.FileKind, Form: string(s.Kind), Classes: c, Dimension: n, Parts: s.Parts,
		Inputs: s.Inputs}
	return archive.Write(path, meta, append(statsarrays.Head(s.Classes, s.Counts, nil, s.Means, n, s.Columns),
		archive.Array{Name: s.Kind.spreadName(), Shape: shape, Float64: s.Spread}))
}

// readCompact reads pooled or diagonal statistics from a file written by [WriteSource], or a numpy npz with the arrays
// means, counts, and covariance or variances and, optionally, names and columns. The error names the missing or invalid
// array.
func readCompact(path string) (*compact, error) {
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

func compactOf(arrays []archive.Array, meta *fileMeta) (*compact, error) {
	kind, ok := kindNamed(meta.Form)
	if !ok || kind == StructureFull {
		return nil, fmt.Errorf("its statistics are %q; they must be pooled or diagonal", meta.Form)
	}
	h, err := statsarrays.ReadHead(arrays)
	if err != nil {
		return nil, err
	}
	c, n := len(h.Counts), h.Dim
	if err := meta.check(h.Classes, h.Columns, n); err != nil {
		return nil, err
	}
	s := &compact{Kind: kind, Classes: h.Classes, Counts: h.Counts, Dim: n, Means: h.Means,
		Columns: h.Columns, Parts: meta.Parts, Inputs: meta.Inputs}
	shape := []int{n, n}
	if kind == StructureDiagonal {
		shape = []int{c, n}
	}
	if s.Spread, err = statsarrays.Values(statsarrays.ByName(arrays), kind.spreadName(), shape...); err != nil {
		return nil, err
	}
	return s, s.validate()
}
