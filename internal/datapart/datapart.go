// Package datapart identifies the observations of a data set, for records of provenance.
package datapart

import (
	"maps"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/provenance"
	"rao/spd"
)

// Of returns the provenance part that identifies the observations of d, with the given kind of row hashes.
func Of(d *dataset.Data, hashing provenance.Hashing) provenance.Part {
	b := provenance.Builder{Hashing: hashing}
	Add(&b, d)
	return b.Part()
}

// Add adds the observations of d to b. The order of named columns or channels does not change their hashes.
func Add(b *provenance.Builder, d *dataset.Data) {
	switch {
	case d.Stack != nil:
		AddMatrices(b, d.Stack, names(d, "channels", d.Stack.Dim))
	case d.X != nil:
		_, n := d.X.Dims()
		AddVectors(b, d.X, names(d, "columns", n))
	}
}

// AddVectors adds the rows of x to b. The names of the columns are nil if they are unknown.
func AddVectors(b *provenance.Builder, x mat.Matrix, columns []string) {
	b.Hashing = b.Hashing.ByName(columns)
	b.AddAll(x)
}

// AddMatrices adds the matrices of x to b. The names of the channels are nil if they are unknown.
func AddMatrices(b *provenance.Builder, x *spd.Stack, channels []string) {
	b.Hashing = b.Hashing.ByChannel(channels)
	var rows mat.Dense
	rows.SetRawMatrix(blas64.General{Rows: x.Count, Cols: x.Dim * x.Dim, Stride: x.Stride, Data: x.Data})
	b.AddAll(&rows)
}

// names returns the n names in a variable of d, or nil if there are none.
func names(d *dataset.Data, variable string, n int) []string {
	if v := d.Vars[variable]; v != nil && len(v.Strings) == n {
		return v.Strings
	}
	return nil
}

// Like returns d for a comparison of its observations with the observations behind a model, whose columns and channels
// have the given names. If the model has no names, neither has the result. If only d has no names, it gets the model's.
func Like(d *dataset.Data, columns, channels []string) *dataset.Data {
	out, vars := *d, maps.Clone(d.Vars)
	if vars == nil {
		vars = map[string]*dataset.Array{}
	}
	for variable, want := range map[string][]string{"columns": columns, "channels": channels} {
		if want == nil {
			delete(vars, variable)
		} else if vars[variable] == nil {
			vars[variable] = &dataset.Array{Strings: want}
		}
	}
	out.Vars = vars
	return &out
}
