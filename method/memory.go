package method

import (
	"fmt"
	"runtime"
	"strconv"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/memory"
	"rao/model"
	"rao/sqfa"
)

// Copies are how many arrays of each size a fit holds at a time at most, beyond its data:
// what [Method.Memory] estimates from. All are of float64.
type Copies struct {
	Classes     float64 // covariances of the classes, c·n² values
	Square      float64 // n² values
	Rows        float64 // the observations, N·n values; N·n² for matrices of order n
	Pairs       float64 // a value for every two observations, N²
	Coordinates float64 // tangent vectors of matrices, N·p values with p = n(n+1)/2
	Tangent     float64 // p² values, or N² when the matrices are fewer
}

const fewerChannels = "use fewer channels, or {reduce}"

// Memory estimates what a fit with the settings holds at most, beyond its data or
// statistics.
func (m *Method) Memory(src Source, set Settings) memory.Footprint { return src.memory(m, set) }

func (s InMemory) memory(m *Method, set Settings) memory.Footprint {
	switch d := s.Data; {
	case d.Stack != nil:
		return m.onMatrices(d, set)
	case d.X != nil:
		return m.onRows(d, set)
	}
	return memory.Footprint{}
}

func (s Statistics) memory(m *Method, set Settings) memory.Footprint {
	return m.onStatistics(s.Stats.NumClasses(), s.Stats.Dim, s.Spare, set)
}

func (s Stored) memory(m *Method, set Settings) memory.Footprint { return m.onStored(s.Source, set) }

func (Subclasses) memory(*Method, Settings) memory.Footprint { return memory.Footprint{} }

func (s OnDisk) memory(m *Method, set Settings) memory.Footprint { return m.onDisk(s.Data, set) }

// onStored is the memory for statistics in a file: the few dimensions that filters are
// learned in, or all covariances, which are read and may be overwritten.
func (m *Method) onStored(s *gaussian.Source, set Settings) memory.Footprint {
	c, n := s.NumClasses(), s.Dim
	q := m.Count(set, "subspace")
	if q == 0 && c > manyClasses && n >= manyColumns && m.Streams {
		q = max(manyDimensions, dimensionsPerFilter*m.Count(set, "filters"))
	}
	if q += m.Count(set, "filters"); !m.Streams || q < 1 || q >= n {
		f := m.onStatistics(c, n, true, set)
		f.AddCovariances(1, c, n)
		return f
	}
	f := memory.Footprint{Bytes: memory.Workspaces}
	f.Add(storedCopies*float64(c)*float64(q)*float64(q), fmt.Sprintf("the covariances of %d classes in %d columns", c,
		q), "use a smaller {subspace}")
	f.Add(storedSquares*float64(n)*float64(n), fmt.Sprintf("matrices of order %d", n), memory.FewerColumns)
	return f
}

// storedCopies and storedSquares are the arrays of c q² and of n² values that a fit in a
// subspace of q dimensions holds at a time, the covariances being in their file.
const storedCopies, storedSquares = 4, 8

func (m *Method) onStatistics(c, n int, spare bool, set Settings) memory.Footprint {
	f := memory.Footprint{Bytes: memory.Workspaces}
	k := m.copies(set, 0)
	if spare {
		k.Classes = max(0, k.Classes-1)
	}
	m.add(&f, k, float64(c), 0, float64(n))
	return f
}

func (m *Method) onRows(d *dataset.Data, set Settings) memory.Footprint {
	rows, cols := d.X.Dims()
	f := memory.Footprint{Bytes: memory.Workspaces}
	dim := float64(cols)
	if m.wide(d) {
		dim = float64(rows)
		f.Add(3*float64(rows)*float64(cols), fmt.Sprintf("the span of %d observations of %d columns", rows, cols),
			memory.FewerRows)
	}
	m.add(&f, m.copies(set, rows), float64(len(d.Classes)), float64(rows), dim)
	if most, asked := m.subclasses(set); asked {
		f.Add(gaussian.SubclassValues(rows, int(dim), len(d.Classes), most),
			fmt.Sprintf("the sample of %d observations and the statistics of their sub-classes", rows),
			"use fewer sub-classes, or fewer columns with {drop}")
	}
	return f
}

// subclasses returns how many components a class may have at most, 0 for as many as its
// rows allow, and whether the settings ask for sub-classes at all.
func (m *Method) subclasses(set Settings) (most int, asked bool) {
	o, err := m.Option("subclasses")
	if err != nil {
		return 0, false
	}
	value, given := set.Get("subclasses")
	if !given {
		value = o.Default
	}
	if most, err = strconv.Atoi(value); err != nil {
		return 0, true // auto
	}
	refine, _ := set.Get("refine")
	classifier, _ := set.Get("classifier")
	return most, most > 1 || refine == "true" && classifier == "mixture"
}

// add adds the copies of a method of vectors.
func (m *Method) add(f *memory.Footprint, k Copies, classes, rows, dim float64) {
	f.AddCovariances(k.Classes, int(classes), int(dim))
	f.Add(k.Square*dim*dim, fmt.Sprintf("matrices of order %.0f", dim), memory.FewerColumns)
	f.Add(k.Rows*rows*dim, fmt.Sprintf("%.0f observations of %.0f columns", rows, dim), memory.FewerRows)
	f.Add(k.Pairs*rows*rows, fmt.Sprintf("every two of %.0f observations", rows), memory.FewerRows)
}

// copies returns the copies with the settings, for so many rows, or statistics alone (0):
// validation of the noise holds those of each fold and the whole.
func (m *Method) copies(set Settings, rows int) Copies {
	k := m.Traits.Memory
	if refine, _ := set.Get("refine"); refine == "true" && rows > 0 {
		k.Rows++
	}
	if _, err := m.Option("folds"); err != nil || rows == 0 || m.Matrices {
		return k
	}
	if _, err := m.Option("noise"); err != nil { // its folds are of something else
		return k
	}
	noise, given := set.Get("noise")
	if given && noise != "auto" {
		return k
	}
	_, held := sqfa.DealtFolds(m.Count(set, "folds"), rows)
	k.Classes += float64(held + 1)
	k.Rows++
	return k
}

func (m *Method) onMatrices(d *dataset.Data, set Settings) memory.Footprint {
	n, count, k := float64(d.Stack.Dim), float64(d.Stack.Count), m.Traits.Memory
	for _, name := range []string{"repair", "adapt", "recenter", "reduce", "whiten"} {
		if _, given := set.Get(name); given {
			k.Rows++ // the stage's matrices
		}
	}
	p := n * (n + 1) / 2
	f := memory.Footprint{Bytes: memory.Workspaces}
	f.Add(k.Rows*count*n*n, fmt.Sprintf("%.0f matrices of order %.0f", count, n), fewerChannels)
	f.Add(k.Pairs*count*count, fmt.Sprintf("every two of %.0f matrices", count), memory.FewerRows)
	f.Add(k.Coordinates*count*p, fmt.Sprintf("%.0f tangent vectors of %.0f coordinates", count, p), fewerChannels)
	side := min(p, count)
	f.Add(k.Tangent*side*side,
		fmt.Sprintf("the covariance of %.0f tangent coordinates of matrices of order %.0f", p, n), fewerChannels)
	if next, own := m.follower(set); k.Coordinates > 0 && next != nil && !next.Matrices {
		next.add(&f, next.copies(own, d.Stack.Count), float64(len(d.Classes)), count, p)
	}
	return f
}

// follower returns the method that the settings name as the classifier, nil for none.
func (m *Method) follower(set Settings) (*Method, Settings) {
	o, err := m.Option("classifier")
	if err != nil {
		return nil, nil
	}
	name, given := set.Get("classifier")
	if !given {
		name = o.Default
	}
	next, err := Follower(name).parse()
	if err != nil || name == "none" {
		return nil, nil
	}
	return next.Method, next.Settings
}

// TuningMemory is what a search over settings takes: the training parts of the folds with their
// statistics, and a fit on each processor.
func (m *Method) TuningMemory(d *dataset.Data, set Settings, folds int) memory.Footprint {
	fit := m.Memory(InMemory{Data: d}, set)
	var f memory.Footprint
	for range min(runtime.GOMAXPROCS(0), folds) {
		f = f.Plus(fit)
	}
	f.Add(float64(folds)*valuesOf(d), fmt.Sprintf("the training parts of %d folds", folds), "use fewer folds "+
		"with {cv}, or fewer observations with {where}")
	if d.X != nil && m.Covariances(d) {
		_, dim := d.X.Dims()
		n := float64(dim)
		f.Add(float64(folds)*float64(len(d.Classes))*n*n,
			fmt.Sprintf("the covariances of %d classes in %d columns for each of %d folds", len(d.Classes), dim, folds),
			"use fewer folds with {cv}, or fewer columns with {drop}")
	}
	return f
}

// valuesOf is the size of the data in values of float64.
func valuesOf(d *dataset.Data) float64 {
	if d.Stack != nil {
		return float64(len(d.Stack.Data))
	}
	if d.X == nil {
		return 0
	}
	rows, cols := d.X.Dims()
	return float64(rows) * float64(cols)
}

// decisionMemory is what predictions, scores and features of data take beyond the data.
func decisionMemory(m *model.Model, d *dataset.Data) memory.Footprint {
	var f memory.Footprint
	n, values := float64(d.N()), valuesOf(d)
	const remedy = "use fewer observations at a time with {where}"
	if d.Stack != nil && model.StageOf[*model.Adaptation](m) != nil {
		f.Add(2*values, fmt.Sprintf("%d matrices as adapted", d.N()), remedy)
	}
	f.Add(n*float64(len(m.Classes)), fmt.Sprintf("the probabilities of %d classes", len(m.Classes)), remedy)
	if out, err := m.Output(); err == nil && d.Stack != nil {
		f.Add(n*float64(out.Dim)*float64(out.Dim), fmt.Sprintf("what becomes of %d matrices", d.N()), remedy)
	}
	return f
}

// WithinMemory returns fn for blocks of data that a model decides on, with a check before each
// block that the decisions fit in memory; job names what is done in the error.
func WithinMemory(job string, m *model.Model, fn func(d *dataset.Data, total int) error) func(*dataset.Data,
	int) error {
	return func(d *dataset.Data, total int) error {
		if err := memory.Check(job, decisionMemory(m, d)); err != nil {
			return err
		}
		return fn(d, total)
	}
}
