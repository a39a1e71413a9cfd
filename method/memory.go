package method

import (
	"fmt"
	"reflect"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/heldout"
	"rao/internal/memory"
	"rao/internal/subclasses"
)

// Copies is the peak number of float64 arrays of each size that a fit has in memory, in addition to its data.
// [Spec.Memory] uses it for its estimate.
type Copies struct {
	Classes     float64 // class covariances, c·n² values
	Square      float64 // n² values
	Rows        float64 // the observations, N·n values; N·n² for matrices of order n
	Pairs       float64 // one value for every two observations, N² values
	Coordinates float64 // tangent vectors of the matrices, N·p values with p = n(n+1)/2
	Tangent     float64 // p² values, or N² if there are fewer matrices
	Relevance   float64 // p² values, for any number of matrices
}

const fewerChannels = "use fewer channels, or {reduce}"

// Memory estimates the peak memory of a fit with these options, in bytes, in addition to its data or statistics. It is
// zero if an option is invalid.
func (s Spec) Memory(src TrainingData) Footprint {
	options, err := s.options()
	if err != nil {
		return Footprint{}
	}
	return Footprint(src.memory(s.Method, options))
}

// Footprint is an estimate of the memory of a fit in bytes, with its largest part and advice on how to reduce this
// part. The advice may contain options in braces, as in [rao.Optionf].
type Footprint struct {
	Bytes        float64
	Largest      float64 // bytes of the largest part
	What, Remedy string
}

func (s InMemory) memory(m *Method, options any) memory.Footprint {
	switch d := s.Data; {
	case d.Stack != nil:
		return m.onMatrices(d, options)
	case d.X != nil:
		return m.onRows(d, options)
	}
	return memory.Footprint{}
}

func (s Statistics) memory(m *Method, options any) memory.Footprint {
	f := m.onStatistics(s.Stats.NumClasses(), s.Stats.Dim, s.Spare, options)
	if o, ok := options.(planner); ok && o.validates() {
		addDrawn(&f, s.Stats)
	}
	return f
}

// addDrawn adds the memory of the rows that a fit of SQFA draws from statistics to validate its noise.
func addDrawn(f *memory.Footprint, s *gaussian.Statistics) {
	f.Add(float64(heldout.DrawnValues(s)), fmt.Sprintf("%d rows drawn from the statistics, and their folds",
		s.Total()), memory.FewerColumns)
}

func (Subclasses) memory(*Method, any) memory.Footprint { return memory.Footprint{} }

// memory implements TrainingData. A fit in a subspace needs memory for the covariances in that subspace only. Any other
// fit reads all covariances into memory and may overwrite them.
func (s Stored) memory(m *Method, options any) memory.Footprint {
	c, n := s.Source.NumClasses(), s.Source.Dim
	q, err := s.subspace(options)
	if err != nil || q == 0 {
		f := m.onStatistics(c, n, true, options)
		f.AddCovariances(1, c, n)
		return f
	}
	q += int(filtersOf(options).Filters)
	f := memory.Footprint{Bytes: memory.Workspaces}
	f.Add(storedCopies*float64(c)*float64(q)*float64(q), fmt.Sprintf("the covariances of %d classes in %d columns", c,
		q), "use a smaller {subspace}")
	f.Add(storedSquares*float64(n)*float64(n), fmt.Sprintf("matrices of order %d", n), memory.FewerColumns)
	return f
}

// A fit in a subspace of q dimensions, with the covariances in a file, needs memory for storedCopies arrays of c·q²
// values and storedSquares arrays of n² values.
const storedCopies, storedSquares = 4, 8

func (m *Method) onStatistics(c, n int, spare bool, options any) memory.Footprint {
	f := memory.Footprint{Bytes: memory.Workspaces}
	k := m.copies(options, 0)
	if spare {
		k.Classes = max(0, k.Classes-1)
	}
	m.add(&f, k, float64(c), 0, float64(n))
	return f
}

func (m *Method) onRows(d *dataset.Data, options any) memory.Footprint {
	rows, cols := d.X.Dims()
	f := memory.Footprint{Bytes: memory.Workspaces}
	dim := float64(cols)
	if m.wide(d) {
		dim = float64(rows)
		f.Add(3*float64(rows)*float64(cols), fmt.Sprintf("the span of %d observations of %d columns", rows, cols),
			memory.FewerRows)
	}
	m.add(&f, m.copies(options, rows), float64(len(d.Classes)), float64(rows), dim)
	if o, ok := options.(interface {
		addRows(f *memory.Footprint, d *dataset.Data, dim int)
	}); ok {
		o.addRows(&f, d, int(dim))
	}
	return f
}

// addSubclasses adds the memory of sub-classes of the rows: at most most per class, or as many as the rows allow if
// most is 0, and copies of their covariances.
func addSubclasses(f *memory.Footprint, d *dataset.Data, dim, most, copies int) {
	f.Add(subclasses.MaxValues(d.N(), dim, len(d.Classes), most, copies),
		fmt.Sprintf("the sample of %d observations and the statistics of their sub-classes", d.N()),
		"use fewer sub-classes, or fewer columns with {drop}")
}

// add adds the memory of the copies k to the footprint of a method of vectors.
func (m *Method) add(f *memory.Footprint, k Copies, classes, rows, dim float64) {
	f.AddCovariances(k.Classes, int(classes), int(dim))
	f.Add(k.Square*dim*dim, fmt.Sprintf("matrices of order %.0f", dim), memory.FewerColumns)
	f.Add(k.Rows*rows*dim, fmt.Sprintf("%.0f observations of %.0f columns", rows, dim), memory.FewerRows)
	f.Add(k.Pairs*rows*rows, fmt.Sprintf("all pairs of %.0f observations", rows), memory.FewerRows)
}

// copies returns the copies of a fit with these options to the given number of rows, or to statistics alone if rows
// is 0.
func (m *Method) copies(options any, rows int) Copies {
	k := m.Traits.Memory
	if o, ok := options.(planner); ok && rows > 0 {
		more := o.rowCopies(rows)
		k.Classes, k.Rows = k.Classes+more.Classes, k.Rows+more.Rows
	}
	return k
}

func (m *Method) onMatrices(d *dataset.Data, options any) memory.Footprint {
	n, count, k := float64(d.Stack.Dim), float64(d.Stack.Count), m.Traits.Memory
	if o := manifoldOf(options); o != nil {
		for _, stage := range []bool{o.Repair != "none", o.Adapt != "none", o.Reduce.kind != "",
			o.Whiten != "none"} {
			if stage {
				k.Rows++ // the matrices of this stage
			}
		}
	}
	p := n * (n + 1) / 2
	f := memory.Footprint{Bytes: memory.Workspaces}
	f.Add(k.Rows*count*n*n, fmt.Sprintf("%.0f matrices of order %.0f", count, n), fewerChannels)
	f.Add(k.Pairs*count*count, fmt.Sprintf("all pairs of %.0f matrices", count), memory.FewerRows)
	f.Add(k.Coordinates*count*p, fmt.Sprintf("%.0f tangent vectors of %.0f coordinates", count, p), fewerChannels)
	side := min(p, count)
	f.Add(k.Tangent*side*side,
		fmt.Sprintf("the covariance of %.0f tangent coordinates of matrices of order %.0f", p, n), fewerChannels)
	f.Add(k.Relevance*p*p, fmt.Sprintf("the relevance of all pairs of %.0f tangent coordinates", p), fewerChannels)
	if next := followerOf(options); k.Coordinates > 0 && next.Method != nil && !next.Method.Matrices {
		next.Method.add(&f, next.Method.copies(next.parsed.options, d.Stack.Count), float64(len(d.Classes)), count, p)
	}
	return f
}

// followerOf returns the method that learns from the output of the method with these options. If there is none, its
// Method is nil.
func followerOf(options any) Spec {
	v := reflect.ValueOf(options).Elem().FieldByName("Classifier")
	if !v.IsValid() {
		return Spec{}
	}
	f, _ := v.Interface().(Follower)
	return f.next
}
