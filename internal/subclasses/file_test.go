package subclasses

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/format/archive"
	"rao/internal/moments"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
	"rao/internal/testkit"
)

func TestSubclassesFileRoundTrip(t *testing.T) {
	x, labels, _ := mixtures(11, 400, 5)
	s := subclassesOf(t, x, labels, Options{Components: 4, Most: 2})
	s.Classes = []string{"left", "µ/2"}
	s.nameComponents()
	var part provenance.Builder
	part.AddAll(mat.NewDense(1, 2, []float64{1, 2}))
	s.Parts = []provenance.Part{part.Part()}
	path := filepath.Join(t.TempDir(), "s.npz")
	testkit.NoError(t, s.WriteFile(path))
	got := testkit.Must(Read(path))(t)
	if bitsOf(got) != bitsOf(s) || !got.Basis.equal(s.Basis) || got.Components.Classes[2] != "µ/2/1" || got.Most != 2 ||
		len(got.Parts) != 1 || !IsFile(path) {
		t.Errorf("what came back differs: %+v", got)
	}
	if b, err := ReadBasis(path); err != nil || !b.equal(s.Basis) {
		t.Errorf("the basis of a file of sub-classes: %v", err)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(gaussian.ReadFile(path)), "subclasses",
		"sub-classes read as statistics of classes")
	alone := filepath.Join(t.TempDir(), "b.npz")
	testkit.NoError(t, s.Basis.WriteFile(alone))
	if b, err := ReadBasis(alone); err != nil || !b.equal(s.Basis) {
		t.Errorf("a basis: %v", err)
	}
	var kind *gaussian.FileKindError
	if _, err := Read(alone); !errors.As(err, &kind) || kind.Got != "basis" {
		t.Errorf("a basis read as sub-classes: %v", err)
	}
}

// Files with values that no data can produce are rejected, and the error names the problem.
func TestSubclassesFilesAreValidated(t *testing.T) {
	x, labels, _ := mixtures(12, 300, 4)
	s := subclassesOf(t, x, labels, Options{Components: 2, Most: 2})
	for _, c := range []struct {
		want   string
		change func(m *subclassesMeta, a map[string]*archive.Array)
	}{
		{"array \"mass\" is unknown", func(_ *subclassesMeta, a map[string]*archive.Array) {
			a["means"].Name = "mass"
		}},
		{"has the class number 7", func(_ *subclassesMeta, a map[string]*archive.Array) { a["of"].Int64[1] = 7 }},
		{"must ascend from 0", func(_ *subclassesMeta, a map[string]*archive.Array) { a["of"].Int64[0] = 1 }},
		{"0 sites", func(m *subclassesMeta, _ map[string]*archive.Array) { m.Sites = 0 }},
		{"3 stages contradict", func(m *subclassesMeta, _ map[string]*archive.Array) { m.Stages = 3 }},
		{"not orthonormal", func(_ *subclassesMeta, a map[string]*archive.Array) {
			a["basis_components"].Float64[0] += 0.1
		}},
		{"scale of the basis is -1", func(m *subclassesMeta, _ map[string]*archive.Array) { m.Scale = -1 }},
		{"occurs twice", func(_ *subclassesMeta, a map[string]*archive.Array) {
			a["names"].Strings = []string{"x", "x"}
		}},
		{"must be a whole number", func(_ *subclassesMeta, a map[string]*archive.Array) { a["counts"].Int64[0] = -1 }},
		{"no observations", func(_ *subclassesMeta, a map[string]*archive.Array) { a["counts"].Int64[0] = 0 }},
		{"not positive semidefinite", func(_ *subclassesMeta, a map[string]*archive.Array) {
			a["covariances"].Float64[1], a["covariances"].Float64[2] = 1e9, 1e9
		}},
		{"basis_components", func(_ *subclassesMeta, a map[string]*archive.Array) {
			a["basis_components"].Name = "quartic"
		}},
	} {
		meta := subclassesMeta{basisMeta{subclassesKind, s.Basis.Scale, s.Basis.Variance}, s.Most, s.Sites,
			s.Stages, nil, false}
		path := filepath.Join(t.TempDir(), "s.npz")
		testkit.NoError(t, s.WriteFile(path))
		arrays := testkit.Must(archive.Read(path, nil))(t)
		c.change(&meta, statsarrays.ByName(arrays))
		testkit.NoError(t, archive.Write(path, meta, arrays))
		testkit.ErrorContains(t, testkit.ErrorOf(Read(path)), c.want)
	}
}

func FuzzReadSubclasses(f *testing.F) {
	s := &Statistics{Classes: []string{"a", "b"}, Sites: 1,
		Basis: &Basis{Center: []float64{0, 1}, Variances: []float64{1}, Scale: 1, Variance: 2}}
	s.Basis.Components = mat.NewDense(2, 1, []float64{1, 0})
	s.set([][]*moments.Class{{{Rows: 5, Count: 5, Mean: []float64{1}, Scatter: []float64{4}}},
		{{Rows: 3, Count: 3, Mean: []float64{2}, Scatter: []float64{1}},
			{Rows: 2, Count: 2, Mean: []float64{3}, Scatter: []float64{1}}}})
	path := filepath.Join(f.TempDir(), "s.npz")
	testkit.NoError(f, s.WriteFile(path))
	b := testkit.Must(os.ReadFile(path))(f)
	f.Add(testkit.Reseal(b))
	f.Add(b[:len(b)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		path := testkit.TempFile(t, "f.npz", testkit.Reseal(b))
		if s, err := Read(path); err == nil && s.Validate() != nil {
			t.Errorf("sub-classes that do not pass their own check: %v", s.Validate())
		}
		if b, err := ReadBasis(path); err == nil && b.Validate() != nil {
			t.Errorf("a basis that does not pass its own check: %v", b.Validate())
		}
	})
}

// Sub-classes know that their covariances were stored in single precision.
func TestSinglePrecisionOfSubclassesIsNotForgotten(t *testing.T) {
	x, labels, _ := mixtures(3, 300, 3)
	s := subclassesOf(t, x, labels, Options{})
	path := filepath.Join(t.TempDir(), "s.npz")
	testkit.NoError(t, s.WriteFileSingle(path))
	single := testkit.Must(Read(path))(t)
	merged := testkit.Must(Merge(0, []string{"rows"}, single, s))(t)
	testkit.NoError(t, merged.WriteFile(path))
	again := testkit.Must(Read(path))(t)
	for i, s := range []*Statistics{single, merged, again} {
		if !s.Components.Single || !s.Shrunk().Single || !s.ShrunkSource().Single || !s.ClassStatistics().Single {
			t.Errorf("%d: not marked as single precision", i)
		}
	}
	if s.Components.Single || s.ClassStatistics().Single {
		t.Error("double precision is marked as single")
	}
}

// A basis file keeps the names of the columns.
func TestBasisFileRoundTrip(t *testing.T) {
	x, labels, _ := mixtures(3, 300, 3)
	s := testkit.Must(gaussian.Estimate(x, labels, []string{"a", "b"}))(t)
	s.Columns = []string{"x", "y", "z"}
	path := filepath.Join(t.TempDir(), "basis.npz")
	b, err := BasisOf(s, 2)
	if err != nil || b.WriteFile(path) != nil {
		t.Fatal(err)
	}
	if got, err := ReadBasis(path); err != nil || !slices.Equal(got.Columns, s.Columns) || !got.equal(b) {
		t.Errorf("basis: %v, %v", got, err)
	}
}
