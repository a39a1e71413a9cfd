package subclasses

import (
	"flag"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"rao/internal/classstats"
	"rao/internal/testkit"
	"rao/internal/testkit/fileform"
)

//go:generate go test -count=1 -run ^TestFormOfFiles$ . -update

var update = flag.Bool("update", false, "write the schemas of files of sub-classes and the page of their fields")

// The published schemas of files of sub-classes and of a basis, and the page of their fields, match the json tags.
func TestFormOfFiles(t *testing.T) {
	for kind, typ := range map[string]reflect.Type{subclassesKind: reflect.TypeFor[subclassesMeta](),
		basisKind: reflect.TypeFor[basisMeta]()} {
		meta := fileform.Rules{}.OfKind(typ, kind)
		fileform.Check(t, kind, "rao.json of a file of "+kind, meta, meta.Table(), *update)
	}
}

// keptSubclasses are the numbers of a kept file.
type keptSubclasses struct {
	Classes, Columns []string
	Counts           []int
	Means            []float64
	Covariances      [][]float64
}

// Sub-classes and bases of format 1 are read with the same values as when they were written. The files of testdata/kept
// are never rewritten: a change that breaks them breaks users' files.
func TestKeptSubclassesAreReadTheSame(t *testing.T) {
	const dir = "testdata/kept"
	var kept map[string]keptSubclasses
	testkit.ReadJSON(t, filepath.Join(dir, "values.json"), &kept)
	for name, want := range kept {
		path, kind := filepath.Join(dir, name), subclassesKind
		var got keptSubclasses
		if name == "basis.npz" {
			kind = basisKind
			b := testkit.Must(ReadBasis(path))(t)
			got = keptSubclasses{Columns: b.Columns, Means: slices.Concat(b.Center, b.Variances),
				Covariances: [][]float64{b.Components.RawMatrix().Data}}
		} else {
			s := testkit.Must(Read(path))(t)
			c := s.Components
			got = keptSubclasses{Classes: c.Classes, Columns: c.Columns, Counts: c.Counts, Means: c.Means}
			for k := range c.Counts {
				got.Covariances = append(got.Covariances, classstats.CovarianceOf(c, k))
			}
		}
		fileform.ValidateFile(t, kind, path)
		if !slices.Equal(got.Classes, want.Classes) || !slices.Equal(got.Columns, want.Columns) ||
			!slices.Equal(got.Counts, want.Counts) || !near(got.Means, want.Means) ||
			!slices.EqualFunc(got.Covariances, want.Covariances, near) {
			t.Errorf("%s holds %+v, held %+v", name, got, want)
		}
	}
}

// near reports whether numbers are equal to rounding.
func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*max(1, math.Abs(y)) })
}
