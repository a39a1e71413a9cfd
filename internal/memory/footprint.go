package memory

import "fmt"

// Footprint is an estimate of the memory of a job in bytes, with its largest part and advice on how to reduce this
// part. The advice may contain options in braces, as in [rao.Optionf].
type Footprint struct {
	Bytes        float64
	Largest      float64 // bytes of the largest part
	What, Remedy string
}

// Workspaces is the size of packed blocks and scratch memory of all processors, in bytes.
const Workspaces = 16 << 20

// Add adds an array with the given number of float64 values. what names the array, and remedy is the advice.
func (f *Footprint) Add(values float64, what, remedy string) {
	bytes := 8 * values
	f.Bytes += bytes
	if bytes > f.Largest {
		f.Largest, f.What, f.Remedy = bytes, what, remedy
	}
}

// Plus returns the footprint of two jobs that run at the same time.
func (f Footprint) Plus(g Footprint) Footprint {
	if g.Largest > f.Largest {
		f.Largest, f.What, f.Remedy = g.Largest, g.What, g.Remedy
	}
	f.Bytes += g.Bytes
	return f
}

// These texts advise users whose job needs too much memory.
const (
	FewerColumns  = "use fewer columns with {drop}, fewer features with a model such as PCA, or fewer classes"
	FewerRows     = "use fewer observations with {where}"
	FewerMatrices = "use fewer matrices with {where}"
)

// Statistics returns the footprint of the means and covariances of classes.
func Statistics(classes, columns int) Footprint {
	f := Footprint{Bytes: Workspaces}
	f.AddCovariances(1, classes, columns)
	return f
}

// AddCovariances adds several copies of the covariances of the classes.
func (f *Footprint) AddCovariances(times float64, classes, columns int) {
	f.Add(times*float64(classes)*float64(columns)*float64(columns),
		fmt.Sprintf("the covariances of %d classes in %d columns", classes, columns), FewerColumns)
}

// Summation returns the footprint of computing the statistics of classes row by row, with rows buffered in blocks.
func Summation(classes, columns int) Footprint {
	f := Statistics(classes, columns)
	f.Bytes += 4 * float64(min(1024*classes*columns, 1<<25))
	return f
}

// Distances returns the footprint of the distances of all pairs of matrices, with the copies of the matrices that a
// metric makes.
func Distances(count, order int) Footprint {
	var f Footprint
	n, k := float64(order), float64(count)
	f.Add(k*k, fmt.Sprintf("the distances of %d matrices", count), FewerMatrices)
	f.Add(3*k*n*n, Matrices(count, order), FewerMatrices)
	return f
}

// ClassDistances returns the footprint of the distances of all pairs of classes, with matrices for each pair.
func ClassDistances(classes, columns int) Footprint {
	f := Statistics(classes, columns)
	n, pairs := float64(columns), float64(classes)*float64(classes-1)/2
	f.Add(3*n*n*pairs, fmt.Sprintf("the pairs of %d classes in %d columns", classes, columns),
		"use fewer columns, or fewer features with a model such as PCA")
	return f
}

// Matrices describes a number of matrices for a message.
func Matrices(count, order int) string { return fmt.Sprintf("%d matrices of order %d", count, order) }
