package subclasses

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/kmeans"
	"rao/internal/linalg/vec"
	"rao/internal/moments"
	"rao/internal/rows"
	"rao/internal/statsarrays"
)

// Rows reads all labeled rows once, in the same order every time. It calls each with blocks of any size until all rows
// are read, or until each returns an error, which Rows then returns. labels[i] is the class of row i of a block, an
// index into the class names, which are the same in every call. The arguments of each are valid until it returns.
type Rows func(each func(x mat.Matrix, labels []int, classes []string) error) error

// RowsOf returns the rows of a matrix.
func RowsOf(x mat.Matrix, labels []int, classes []string) Rows {
	return func(each func(x mat.Matrix, labels []int, classes []string) error) error {
		return each(x, labels, classes)
	}
}

// Options are the options of [Estimate]. The zero value is a good default.
type Options struct {
	Most       int    // largest number of components per class; 0: chosen from the number of its rows
	Components int    // number of components in the basis; default DefaultComponents. Ignored with Basis.
	Basis      *Basis // the coordinates; nil: computed from the rows
	// Subspace, if not 0, is the number of dimensions of the basis, for learning filters with many classes. Half of the
	// dimensions are then discriminants of the classes instead of principal components.
	Subspace int
	Seed     uint64 // seed of the sample and the clustering
	Progress rao.Progress
}

// Estimate clusters the rows of each class and returns the statistics of the clusters. It reads the rows
// twice: once for the basis and a sample of bounded size, and once for the statistics of the rows nearest to each
// center. The centers are computed from the sample, on its 40 leading principal components, by k-means++ (Arthur and
// Vassilvitskii 2007) and 15 rounds of Lloyd's algorithm. Clusters of fewer than 20 rows are merged with others by
// Ward's criterion.
//
// The result depends neither on the sizes of the blocks nor on GOMAXPROCS. It needs memory for the statistics and for
// a sample of at most 2²⁴ values. It returns an error if a row has a NaN or infinity, or if a class has fewer than two
// rows.
func Estimate(ctx context.Context, read Rows, opt Options) (*Statistics, error) {
	if opt.Most < 0 || opt.Components < 0 || opt.Subspace < 0 {
		return nil, fmt.Errorf("the numbers of sub-classes (%d), components (%d) and dimensions (%d) must not be "+
			"negative",
			opt.Most, opt.Components, opt.Subspace)
	}
	opt.Components = cmp.Or(opt.Components, DefaultComponents)
	e := &subclassing{opt: opt, basis: opt.Basis}
	if err := e.firstPass(ctx, read); err != nil {
		return nil, err
	}
	e.cluster()
	e.opt.Progress.Send(rao.Event{Stage: "statistics of sub-classes"})
	if err := e.secondPass(ctx, read); err != nil {
		return nil, err
	}
	return e.result()
}

type subclassing struct {
	opt     Options
	classes []string
	basis   *Basis
	sample  *rowSample
	centers []*kmeans.Points // by class
	means   []float64        // c×n: sums of the rows of each class, if the subspace needs them
	sums    *gaussian.Accumulator
}

// firstPass computes the basis, unless it is given, and draws the sample.
func (e *subclassing) firstPass(ctx context.Context, read Rows) error {
	var whole *gaussian.Accumulator
	err := read(func(x mat.Matrix, labels []int, classes []string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.sample == nil {
			_, n := x.Dims()
			if err := e.fits(n); err != nil {
				return err
			}
			e.classes = slices.Clone(classes)
			e.sample = newRowSample(n, len(e.classes), e.opt.Seed)
			if e.basis == nil {
				whole = gaussian.NewAccumulator(n, 1)
			}
			if e.basis == nil && e.opt.Subspace > 0 {
				e.means = make([]float64, len(e.classes)*n)
			}
		}
		if err := e.sample.add(x, labels); err != nil {
			return err
		}
		if e.means != nil {
			e.addRows(x, labels)
		}
		if whole != nil {
			return whole.Add(x, make([]int, len(labels)))
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case e.sample == nil:
		return faults.Count(0, 2, "there are no rows to compute sub-classes from; give at least two per class")
	}
	for i, n := range e.sample.counts {
		if n < 2 {
			return faults.Count(n, 2,
				"class %s has too few observations (%d) for a covariance, which needs at least two; "+
					"remove the class or add data", e.classes[i], n)
		}
	}
	if whole == nil {
		return nil
	}
	s, err := whole.Finish(nil)
	if err != nil {
		return err
	}
	if e.means == nil {
		e.basis, err = BasisOf(s, e.opt.Components)
		return err
	}
	for i, count := range e.sample.counts {
		for j := range s.Dim {
			e.means[i*s.Dim+j] /= float64(count)
		}
	}
	e.basis, err = Subspace(s, e.sample.counts, e.means, e.opt.Subspace)
	return err
}

// addRows adds rows to the sums of their classes.
func (e *subclassing) addRows(x mat.Matrix, labels []int) {
	in := rows.New(x)
	buf := make([]float64, in.Cols)
	for i, label := range labels {
		in.Read(buf, in.Cols, i, i+1, nil)
		vec.Axpy(e.means[label*in.Cols:(label+1)*in.Cols], 1, buf)
	}
}

// fits returns an error if rows of n columns do not match the basis.
func (e *subclassing) fits(n int) error {
	if e.basis == nil {
		return statsarrays.CheckSize(n, 1)
	}
	b, _ := e.basis.Dims()
	return indices.CheckColumns(n, b, "the basis has")
}

// cluster finds the centers of each class on the sample.
func (e *subclassing) cluster() {
	_, d := e.basis.Dims()
	e.centers = make([]*kmeans.Points, len(e.classes))
	for i := range e.classes {
		in := rows.New(e.sample.class(i))
		z := make([]float64, in.Rows*d)
		e.basis.project(z, make([]float64, in.Rows*in.Cols), in, 0, in.Rows)
		e.centers[i] = lloyd(z, d, componentsFor(e.sample.counts[i], e.opt.Most), e.opt.Seed, uint64(i))
		e.opt.Progress.Send(rao.Event{Stage: "sub-classes", Done: i + 1, Total: len(e.classes)})
	}
}

// blockOfRows is the number of rows that are projected and assigned at a time, independent of the reader's blocks.
const blockOfRows = 1024

// secondPass adds every row to the statistics of its nearest center.
func (e *subclassing) secondPass(ctx context.Context, read Rows) error {
	n, d := e.basis.Dims()
	first := make([]int, len(e.centers)+1) // by class: number of its first center
	for i, c := range e.centers {
		first[i+1] = first[i] + c.Count()
	}
	if err := statsarrays.CheckSize(d, first[len(first)-1]); err != nil {
		return err
	}
	e.sums = gaussian.NewAccumulator(d, first[len(first)-1])
	block := mat.NewDense(blockOfRows, n, nil)
	labels := make([]int, 0, blockOfRows)
	z, buf := make([]float64, blockOfRows*d), make([]float64, blockOfRows*n)
	flush := func() error {
		e.basis.project(z, buf, rows.New(block), 0, len(labels))
		for i, l := range labels {
			center, _ := e.centers[l].NearestTo(z[i*d:])
			labels[i] = first[l] + center
		}
		err := e.sums.Add(mat.NewDense(len(labels), d, z[:len(labels)*d]), labels)
		labels = labels[:0]
		return err
	}
	err := read(func(x mat.Matrix, own []int, _ []string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		in := rows.New(x)
		for i, l := range own {
			in.Read(block.RawRowView(len(labels)), n, i, i+1, nil)
			if labels = append(labels, l); len(labels) == blockOfRows {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil || len(labels) == 0 {
		return err
	}
	return flush()
}

// result merges clusters that are too small and assembles the components.
func (e *subclassing) result() (*Statistics, error) {
	s, err := e.sums.Finish(nil)
	if err != nil {
		return nil, err
	}
	out := &Statistics{Classes: slices.Clone(e.classes), Basis: e.basis, Most: e.opt.Most, Sites: 1}
	lists, k := make([][]*moments.Class, len(e.classes)), 0
	for i, c := range e.centers {
		for range c.Count() {
			if s.Counts[k] > 0 {
				lists[i] = append(lists[i], momentsOf(s, k))
			}
			k++
		}
		lists[i] = ward(lists[i], componentsFor(e.sample.counts[i], e.opt.Most))
	}
	out.set(lists)
	return out, out.Validate()
}

func (s *Statistics) set(lists [][]*moments.Class) {
	all := slices.Concat(lists...)
	_, d := s.Basis.Dims()
	s.Components = gaussian.New(make([]string, len(all)), d)
	for i, list := range lists {
		for range list {
			s.Of = append(s.Of, i)
		}
	}
	for k, m := range all {
		setComponent(s.Components, k, m)
	}
	s.nameComponents()
}

// nameComponents names the components after their classes: CLASS/1 and so on.
func (s *Statistics) nameComponents() {
	for k, i := range s.Of {
		lo, _ := s.members(i)
		s.Components.Classes[k] = s.Classes[i] + "/" + strconv.Itoa(k-lo+1)
	}
}
