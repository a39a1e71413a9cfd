// Package datapart identifies the observations of a data set, for records of provenance.
package datapart

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/provenance"
)

// Of returns the provenance part that identifies the observations of d, with the given kind of row hashes.
func Of(d *dataset.Data, hashing provenance.Hashing) provenance.Part {
	b := provenance.Builder{Hashing: hashing}
	Add(&b, d)
	return b.Part()
}

// Add adds the observations of d to b.
func Add(b *provenance.Builder, d *dataset.Data) {
	switch {
	case d.Stack != nil:
		var rows mat.Dense
		rows.SetRawMatrix(blas64.General{Rows: d.Stack.Count, Cols: d.Stack.Dim * d.Stack.Dim, Stride: d.Stack.Stride,
			Data: d.Stack.Data})
		b.AddAll(&rows)
	case d.X != nil:
		b.AddAll(d.X)
	}
}
