package gaussian

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/format/archive"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
	"rao/internal/testkit"
)

// compactFrom adds the rows in blocks of the given size.
func compactFrom(t *testing.T, kind Structure, x *mat.Dense, labels []int, names []string, block int) *Source {
	t.Helper()
	rows, n := x.Dims()
	a := NewCompactAccumulator(kind, n, len(names))
	for lo := 0; lo < rows; lo += block {
		hi := min(lo+block, rows)
		testkit.NoError(t, a.Add(x.Slice(lo, hi, 0, n), labels[lo:hi]))
	}
	return testkit.Must(a.Finish(names))(t)
}

// variancesOf returns the variances of each column, class by class, of full statistics.
func variancesOf(s *Statistics) (out []float64) {
	for i := range s.Counts {
		for j := range s.Dim {
			out = append(out, s.Covariance(i).At(j, j))
		}
	}
	return out
}

// pooledOf returns the pooled covariance within the classes of full statistics.
func pooledOf(s *Statistics) []float64 {
	out := make([]float64, s.Dim*s.Dim)
	for i, n := range s.Counts {
		for j, v := range s.cov(i) {
			out[j] += float64(n-1) / float64(s.Total()-s.NumClasses()) * v
		}
	}
	return out
}

// Pooled and diagonal statistics equal the statistics computed from full ones, and have the same bits for any division
// into blocks.
func TestCompactStatisticsAreThoseOfFullOnes(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	x, labels := sample(21, 900, 7, 4, 50)
	full := estimate(t, x, labels)
	for kind, want := range map[Structure][]float64{statsarrays.Pooled: pooledOf(full),
		statsarrays.Diagonal: variancesOf(full)} {
		s := compactFrom(t, kind, x, labels, names, 900)
		testkit.Close(t, string(kind), s.spread, want, 1e-9)
		testkit.Close(t, string(kind)+" means", s.Means, full.Means, 1e-12)
		testkit.EqualSlices(t, s.Counts, full.Counts, kind, "counts")
		old := runtime.GOMAXPROCS(3)
		other := compactFrom(t, kind, x, labels, names, 37)
		runtime.GOMAXPROCS(old)
		testkit.EqualSlices(t, other.spread, s.spread, kind, "in other blocks other bits")
		testkit.EqualSlices(t, other.Means, s.Means, kind, "in other blocks other bits")
	}
}

// Merged parts equal the statistics of all rows, even if one part lacks a class.
func TestMergeCompact(t *testing.T) {
	names := []string{"a", "b", "c"}
	x, labels := sample(22, 600, 5, 3, 10)
	full := estimate(t, x, labels)
	for kind, want := range map[Structure][]float64{statsarrays.Pooled: pooledOf(full),
		statsarrays.Diagonal: variancesOf(full)} {
		var first, second []int
		for i, l := range labels {
			if l == 0 || i%3 == 0 {
				first = append(first, i)
			} else {
				second = append(second, i)
			}
		}
		pick := func(rows []int, names []string, shift int) *Source {
			y, l := mat.NewDense(len(rows), 5, nil), make([]int, len(rows))
			for k, r := range rows {
				y.SetRow(k, x.RawRowView(r))
				l[k] = labels[r] - shift
			}
			return compactFrom(t, kind, y, l, names, 100)
		}
		all := testkit.Must(MergeSources([]*Source{pick(first, names, 0), pick(second, names[1:], 1)}))(t)
		testkit.Close(t, string(kind), all.spread, want, 1e-9)
		testkit.Close(t, string(kind)+" means", all.Means, full.Means, 1e-12)
		if !slices.Equal(all.Counts, full.Counts) || !slices.Equal(all.Classes, names) {
			t.Errorf("%s: %v of %v", kind, all.Counts, all.Classes)
		}
	}
	pooled := compactFrom(t, statsarrays.Pooled, x, labels, names, 600)
	diagonal := compactFrom(t, statsarrays.Diagonal, x, labels, names, 600)
	testkit.ErrorContains(t, testkit.ErrorOf(MergeSources([]*Source{pooled, diagonal})), "one kind", "two kinds")
}

// Files of each kind can be read again. A reader of another kind names the kind of the file in its error.
func TestCompactFiles(t *testing.T) {
	names := []string{"left", "right"}
	x, labels := sample(23, 200, 3, 2, 0)
	full := estimate(t, x, labels)
	for _, kind := range []Structure{statsarrays.Pooled, statsarrays.Diagonal} {
		s := compactFrom(t, kind, x, labels, names, 200)
		s.Parts = []provenance.Part{{Rows: 200}}
		path := filepath.Join(t.TempDir(), "s.npz")
		testkit.NoError(t, s.writeSpread(path))
		got := testkit.Must(readCompact(path))(t)
		if !slices.Equal(got.spread, s.spread) || !slices.Equal(got.Classes, names) || got.Structure != kind ||
			len(got.Parts) != 1 || statsarrays.FileForm(path) != string(kind) {
			t.Errorf("%s: what came back differs: %+v", kind, got)
		}
		testkit.ErrorContains(t, testkit.ErrorOf(ReadFile(path)), string(kind), kind, "read as full")
		src, err := OpenSource(path)
		if err != nil || src.Structure != kind {
			t.Fatalf("%s as a source: %v", kind, err)
		}
		taken := testkit.Must(src.Affine(nil, []float64{2}).Load(background))(t)
		want := make([]float64, 0, 18) // of both classes
		for i := range 2 {
			cov := pooledOf(full)
			if kind == statsarrays.Diagonal {
				cov = make([]float64, 9)
				for j := range 3 {
					cov[j*4] = full.cov(i)[j*4]
				}
			}
			for _, v := range cov {
				want = append(want, 4*v)
			}
		}
		testkit.Close(t, string(kind)+" as covariances", taken.Covariances, want, 1e-9)
	}
	path := filepath.Join(t.TempDir(), "full.npz")
	testkit.NoError(t, full.WriteFile(path))
	if _, err := readCompact(path); err == nil || statsarrays.FileForm(path) != statsarrays.Full {
		t.Errorf("full statistics read as pooled ones: %v", err)
	}
}

// An npz from numpy with one covariance or with variances is a file of pooled or diagonal statistics.
func TestPlainCompactFiles(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	x, labels := sample(22, 200, 5, 4, 50)
	for _, kind := range []Structure{statsarrays.Pooled, statsarrays.Diagonal} {
		s := compactFrom(t, kind, x, labels, names, 200)
		written, plain := filepath.Join(t.TempDir(), "w.npz"), filepath.Join(t.TempDir(), "p.npz")
		testkit.NoError(t, s.writeSpread(written))
		withoutManifest(t, written, plain)
		if !statsarrays.IsFile(plain) || statsarrays.FileForm(plain) != string(kind) {
			t.Errorf("%s: statistics %v of kind %s", kind, statsarrays.IsFile(plain), statsarrays.FileForm(plain))
		}
		got := testkit.Must(readCompact(plain))(t)
		testkit.Close(t, string(kind), got.spread, s.spread, 0)
		if src, err := OpenSource(plain); err != nil || src.Structure != kind {
			t.Errorf("%s: source %v", kind, err)
		}
		_, err := ReadFile(plain)
		testkit.ErrorContains(t, err, "its statistics are "+string(kind), kind, "as full statistics")
		var doubt *provenance.DoubtError
		if _, err := MergeSources([]*Source{got, got}); !errors.As(err, &doubt) ||
			doubt.Doubt != provenance.DoubtManifest {
			t.Errorf("%s: a merge of files without a manifest: %v", kind, err)
		}
	}
}

// withoutManifest copies an archive without rao.json, as numpy would write it.
func withoutManifest(t *testing.T, from, to string) {
	t.Helper()
	z := testkit.Must(zip.OpenReader(from))(t)
	defer z.Close()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range z.File {
		if f.Name != archive.Manifest {
			testkit.NoError(t, w.Copy(f))
		}
	}
	testkit.NoError(t, errors.Join(w.Close(), os.WriteFile(to, out.Bytes(), 0o600)))
}

// Pooled and diagonal statistics are written, read and merged as sources. Scaled or full sources are not.
func TestMergeSources(t *testing.T) {
	names := []string{"a", "b"}
	x, labels := sample(23, 200, 4, 2, 10)
	for _, kind := range []Structure{statsarrays.Pooled, statsarrays.Diagonal} {
		part := func(lo, hi int) *Source {
			a := NewCompactAccumulator(kind, 4, 2)
			testkit.NoError(t, a.Add(x.Slice(lo, hi, 0, 4), labels[lo:hi]))
			s := testkit.Must(a.Finish(names))(t)
			path := filepath.Join(t.TempDir(), "part.npz")
			testkit.NoError(t, WriteSource(background, path, s, false))
			read, err := OpenSource(path)
			if err != nil || read.Structure != kind {
				t.Fatalf("%s statistics are read as %s, %v", kind, read.Structure, err)
			}
			return read
		}
		want := testkit.Must(part(0, 200).Load(background))(t)
		merged := testkit.Must(MergeSources([]*Source{part(0, 90), part(90, 200)}))(t)
		got := testkit.Must(merged.Load(background))(t)
		testkit.Close(t, string(kind)+": covariances", got.Covariances, want.Covariances, 1e-9)
		for _, other := range []*Source{part(0, 90).Affine(nil, []float64{2}), estimate(t, x, labels).Source()} {
			testkit.ErrorContains(t, testkit.ErrorOf(MergeSources([]*Source{part(90, 200), other})),
				"part 2 is not pooled or diagonal", kind)
		}
	}
}
