package gaussian

import (
	"path/filepath"
	"testing"

	"rao/internal/format/archive"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
	"rao/internal/testkit"
)

// A statistics file with values that no data can produce is an error.
func TestStatisticsFilesAreValidated(t *testing.T) {
	write := func(change func(a map[string]*archive.Array)) string {
		arrays := []archive.Array{
			{Name: "names", Shape: []int{2}, Strings: []string{"a", "b"}},
			{Name: "counts", Shape: []int{2}, Int64: []int64{5, 6}},
			{Name: "means", Shape: []int{2, 2}, Float64: []float64{0, 1, 2, 3}},
			{Name: "covariances", Shape: []int{2, 2, 2}, Float64: []float64{2, 1, 1, 2, 1, 1, 1, 1}},
		}
		by := map[string]*archive.Array{}
		for i := range arrays {
			by[arrays[i].Name] = &arrays[i]
		}
		change(by)
		path := filepath.Join(t.TempDir(), "s.npz")
		meta := fileMeta{Kind: statsarrays.FileKind, Classes: 2, Dimension: 2}
		testkit.NoError(t, archive.Write(path, meta, arrays))
		return path
	}
	testkit.Equal(t, testkit.Must(ReadFile(write(func(map[string]*archive.Array) {})))(t).Counts[1], 6, "a good file")
	for _, c := range []struct {
		what, want string
		change     func(a map[string]*archive.Array)
	}{
		{"indefinite", "class b is not positive semidefinite", func(a map[string]*archive.Array) {
			a["covariances"].Float64 = []float64{2, 1, 1, 2, 1, 3, 3, 1}
		}},
		{"slightly indefinite", "class a is not positive semidefinite", func(a map[string]*archive.Array) {
			a["covariances"].Float64 = []float64{1, 1.001, 1.001, 1, 1, 1, 1, 1}
		}},
		{"one name twice", `"a" occurs twice`, func(a map[string]*archive.Array) {
			a["names"].Strings = []string{"a", "a"}
		}},
		{"spread of one observation", "class b has 1 observation but a nonzero covariance",
			func(a map[string]*archive.Array) { a["counts"].Int64 = []int64{5, 1} }},
		{"a mean of no rows that rao reads", "the mean of column 1 is 1e+300, so large that its square overflows",
			func(a map[string]*archive.Array) { a["means"].Float64[1] = 1e300 }},
		{"negative count", "it must be a whole number", func(a map[string]*archive.Array) {
			a["counts"].Int64 = []int64{5, -1}
		}},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(ReadFile(write(c.change))), c.want, c.what)
	}
}

// If the metadata of a file describe other arrays, every reader returns an error.
func TestMetadataMatchTheArrays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.npz")
	s := New([]string{"a", "b"}, 2)
	for _, meta := range []fileMeta{{Kind: statsarrays.FileKind, Classes: 3, Dimension: 2},
		{Kind: statsarrays.FileKind, Classes: 2}} {
		testkit.NoError(t, archive.Write(path, meta, append(statsarrays.Head(s.Classes, s.Counts, nil, s.Means, 2, nil),
			archive.Array{Name: "covariances", Shape: []int{2, 2, 2}, Float64: s.Covariances})))
		_, err := ReadFile(path)
		_, err2 := OpenSource(path)
		for _, err := range []error{err, err2} {
			testkit.ErrorContains(t, err, "but the arrays have 2 classes in 2 dimensions", meta)
		}
	}
}

// Parts stay with statistics through files and merging.
func TestPartsGoWithStatistics(t *testing.T) {
	dir := t.TempDir()
	var list []*Statistics
	for seed := range uint64(2) {
		rows := testkit.MixedRows(seed+1, 40)
		acc := newCollecting(3, 2)
		testkit.NoError(t, acc.Add(testkit.Dense(rows), testkit.Alternate(len(rows), 2)))
		s := testkit.Must(acc.Statistics([]string{"a", "b"}))(t)
		s.Parts = []provenance.Part{partOf(rows)}
		path := filepath.Join(dir, "s.npz")
		testkit.NoError(t, s.WriteFile(path))
		s = testkit.Must(ReadFile(path))(t)
		list = append(list, s)
	}
	all, err := Merge(list...)
	if err != nil || len(all.Parts) != 2 || provenance.LargestOverlap(all.Parts[0], all.Parts[1:]) != 0 {
		t.Errorf("%v, %v", all.Parts, err)
	}
	list[0].Parts = nil
	if all, err = Merge(list...); err != nil || all.Parts != nil {
		t.Errorf("parts %v of statistics of which one does not know its own", all.Parts)
	}
}
