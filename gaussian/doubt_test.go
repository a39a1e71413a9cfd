package gaussian

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/format/archive"
	"rao/internal/format/npy"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
	"rao/internal/testkit"
)

// siteOf returns statistics of 40 random rows of a site, with named columns.
func siteOf(t *testing.T, seed uint64, classes, columns []string) *Statistics {
	t.Helper()
	const rows = 40
	r := rand.New(rand.NewPCG(seed, 9))
	n := max(3, len(columns))
	x, labels := mat.NewDense(rows, n, nil), make([]int, rows)
	for i := range labels {
		labels[i] = i % len(classes)
		for j := range n {
			x.Set(i, j, r.NormFloat64()+float64(j*labels[i]))
		}
	}
	a := NewAccumulator(n, len(classes))
	a.CollectMoments()
	testkit.NoError(t, a.Add(x, labels))
	s := testkit.Must(a.Statistics(classes))(t)
	s.Columns = columns
	s.Parts = []provenance.Part{partOf(mat64(x))}
	return s
}

func mat64(x *mat.Dense) [][]float64 {
	n, _ := x.Dims()
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = x.RawRowView(i)
	}
	return rows
}

// shuffled returns the statistics as if the columns had come in another order.
func shuffled(t *testing.T, s *Statistics, columns ...string) *Statistics {
	t.Helper()
	return testkit.Must(s.MatchColumns(columns))(t)
}

// A merge of full, pooled or diagonal statistics matches columns in another order by name. The error for missing
// columns names them.
func TestMergeMatchesColumns(t *testing.T) {
	abc := []string{"a", "b", "c"}
	s, u := siteOf(t, 1, []string{"x", "y"}, abc), siteOf(t, 2, []string{"x", "y"}, abc)
	moved := shuffled(t, u, "c", "a", "b")
	if slices.Equal(moved.Means, u.Means) {
		t.Fatal("nothing was moved")
	}
	want := testkit.Must(Merge(s, u))(t)
	got := testkit.Must(Merge(s, moved))(t)
	if !slices.Equal(got.Columns, abc) || !slices.Equal(got.Means, want.Means) ||
		!slices.Equal(got.Covariances, want.Covariances) || !slices.Equal(got.Cubic, want.Cubic) {
		t.Error("the merge of columns in another order differs")
	}
	testkit.EqualSlices(t, shuffled(t, moved, abc...).Covariances, u.Covariances, "columns that were moved back")
	u.Columns = []string{"a", "d", "c"}
	var bad *provenance.ColumnsError
	if _, err := Merge(s, u); !errors.As(err, &bad) || !slices.Equal(bad.Missing, []string{"b"}) ||
		!slices.Equal(bad.Unknown, []string{"d"}) || !strings.Contains(err.Error(), "missing: b; unexpected: d") {
		t.Errorf("other columns: %v", err)
	}
	for _, kind := range []Structure{statsarrays.Pooled, statsarrays.Diagonal} {
		parts := make([]*Source, 2)
		for i, order := range [][]int{{0, 1, 2}, {2, 0, 1}} {
			a := NewCompactAccumulator(kind, 3, 1)
			x := mat.NewDense(4, 3, nil)
			for k := range 4 {
				for j, c := range order {
					x.Set(k, j, float64((k+1)*(c+2)*(c+k)%7))
				}
			}
			testkit.NoError(t, a.Add(x, make([]int, 4)))
			parts[i] = testkit.Must(a.Finish([]string{"x"}))(t)
			for _, c := range order {
				parts[i].Columns = append(parts[i].Columns, abc[c])
			}
		}
		same := []string{provenance.DoubtRows}
		got, err1 := MergeSources([]*Source{parts[0], parts[1]}, same...)
		want, err2 := MergeSources([]*Source{parts[0], parts[0]}, same...)
		if err1 != nil || err2 != nil || !slices.Equal(got.Means, want.Means) || !slices.Equal(got.Columns, abc) {
			t.Fatalf("%s: %v, %v, %v and %v", kind, err1, err2, got, want)
		}
		for i, v := range got.spread {
			if d := v - want.spread[i]; d > 1e-12 || d < -1e-12 {
				t.Errorf("%s: spread %v, want %v", kind, got.spread, want.spread)
			}
		}
	}
}

// Files of all kinds store the names of the columns.
func TestFilesKeepColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.npz")
	columns := []string{"alpha", "beta", "γ"}
	s := siteOf(t, 3, []string{"x", "y"}, columns)
	write := map[string]func() error{
		"full":   func() error { return s.WriteFile(path) },
		"single": func() error { return WriteSource(t.Context(), path, s.Source(), true) },
	}
	for name, f := range write {
		testkit.NoError(t, f())
		got := testkit.Must(ReadFile(path))(t)
		testkit.EqualSlices(t, got.Columns, columns, name, got)
		src := testkit.Must(OpenSource(path))(t)
		loaded, err := src.Load(t.Context())
		if err != nil || !slices.Equal(src.Columns, columns) || !slices.Equal(loaded.Columns, columns) {
			t.Errorf("%s: source %v, %v", name, src.Columns, err)
		}
		src.Close()
	}
	s.Columns = columns[:2]
	if s.WriteFile(path) == nil {
		t.Error("two names for three columns are written")
	}
}

// writePlain writes an npz as numpy would, without a manifest.
func writePlain(t *testing.T, path string, arrays []archive.Array) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := range arrays {
		w, err := z.Create(arrays[i].Name + ".npy")
		if err == nil {
			err = npy.Write(w, &arrays[i])
		}
		testkit.NoError(t, err)
	}
	testkit.NoError(t, errors.Join(z.Close(), os.WriteFile(path, b.Bytes(), 0o600)))
}

// The error for an npz file from numpy with a mistake names the unknown array, or the repeated or empty name.
func TestPlainStatisticsWithMistakes(t *testing.T) {
	s := siteOf(t, 1, []string{"x", "y"}, nil)
	arrays := append(statsarrays.Head(s.Classes, s.Counts, nil, s.Means, 3, nil),
		archive.Array{Name: "covariances", Shape: []int{2, 3, 3}, Float64: s.Covariances})
	texts := func(name string, values ...string) archive.Array {
		return archive.Array{Name: name, Shape: []int{len(values)}, Strings: values}
	}
	pooled := archive.Array{Name: "covariance", Shape: []int{3, 3}, Float64: make([]float64, 9)}
	variances := archive.Array{Name: "variances", Shape: []int{2, 3}, Float64: make([]float64, 6)}
	compact := append(slices.Clone(arrays[:3]), pooled)
	with := func(list []archive.Array, a archive.Array) []archive.Array { return append(slices.Clone(list), a) }
	for want, list := range map[string][]archive.Array{
		`array "column" is unknown; these statistics can contain columns, counts, cov`: with(arrays,
			texts("column", "a", "b", "c")),
		`array "covariance" is unknown`:                       with(arrays, pooled),
		`array "variances" is unknown`:                        with(compact, variances),
		`array "name" is unknown`:                             with(compact, texts("name", "a")),
		`columns 0 and 2 (counted from 0) are both named "a"`: with(arrays, texts("columns", "a", "b", "a")),
		`class 1 has an empty name`:                           with(arrays[1:], texts("names", "x", "")),
		`the class name "x" occurs twice, so `:                with(arrays[1:], texts("names", "x", "x")),
	} {
		path := filepath.Join(t.TempDir(), "s.npz")
		writePlain(t, path, list)
		_, err := OpenSource(path)
		testkit.ErrorContains(t, err, want)
	}
}

// A merge that may be wrong is a typed error, which names the parts and can be confirmed.
func TestMergesRejectUnknownDoubts(t *testing.T) {
	s := siteOf(t, 1, []string{"x", "y"}, nil)
	_, merge := MergeInOrder(1, func(int) (*Statistics, error) { return s, nil }, "hashes")
	_, sources := MergeSources([]*Source{s.Source()}, "rows", "hashes")
	for _, err := range []error{merge, sources} {
		var unknown *rao.UnknownError
		if !errors.As(err, &unknown) || unknown.Name != "hashes" {
			t.Errorf("got %v", err)
		}
	}
}

func TestDoubtsAboutMerges(t *testing.T) {
	site := func(seed uint64, classes ...string) *Statistics { return siteOf(t, seed, classes, nil) }
	with := func(s *Statistics, change func(*Statistics)) *Statistics { change(s); return s }
	unhashed := provenance.Builder{Hashing: provenance.NoHashes()}
	unhashed.AddAll(testkit.Dense(testkit.MixedRows(1, 40)))
	forget := func(s *Statistics) { s.Parts = []provenance.Part{unhashed.Part()} }
	unknown := func(s *Statistics) { s.Parts = nil }
	ordered := func(order ...int) *Statistics { // of the same rows, whose columns come in this order
		x, names := testkit.Dense(testkit.MixedRows(5, 40)), make([]string, 3)
		y := mat.NewDense(40, 3, nil)
		for j, k := range order {
			names[j] = string(rune('a' + k))
			y.SetCol(j, mat.Col(nil, k, x))
		}
		a := NewAccumulator(3, 1)
		testkit.NoError(t, a.Add(y, make([]int, 40)))
		s := testkit.Must(a.Statistics([]string{"x"}))(t)
		s.Columns, s.Parts = names, []provenance.Part{partOf(mat64(y))}
		return s
	}
	keyed := testkit.Must(provenance.KeyedHashes([]byte("0123456789abcdef")))(t)
	by := provenance.Builder{Hashing: keyed}
	by.AddAll(testkit.Dense(testkit.MixedRows(2, 40)))
	var large, few provenance.Builder // a file and a few of its rows
	rows := testkit.Dense(testkit.MixedRows(2, 4000))
	large.AddAll(rows)
	few.AddAll(mat.DenseCopyOf(rows.Slice(0, 40, 0, 3)))
	of := func(seed int, b *provenance.Builder) *Statistics {
		return with(site(uint64(seed), "x", "y"), func(s *Statistics) { s.Parts = []provenance.Part{b.Part()} })
	}
	plain := filepath.Join(t.TempDir(), "plain.npz")
	bare := site(1, "x", "y")
	writePlain(t, plain, append(statsarrays.Head(bare.Classes, bare.Counts, nil, bare.Means, 3, nil),
		archive.Array{Name: "covariances", Shape: []int{2, 3, 3}, Float64: bare.Covariances}))
	unmarked := testkit.Must(ReadFile(plain))(t)
	for _, c := range []struct {
		doubt string
		a, b  *Statistics
		text  string
	}{
		{provenance.DoubtManifest, site(2, "x", "y"), unmarked, "part 2 was not written by rao"},
		{provenance.DoubtCounts, site(1, "x", "y"),
			with(site(2, "x", "y"), func(s *Statistics) { s.Counts[0] = 999 }),
			"part 2 counts 1019 rows, but was made from 40"},
		{provenance.DoubtColumns, site(1, "x", "y"), with(site(2, "x", "y"), func(s *Statistics) {
			s.Columns = []string{"a", "b", "c"}
		}), "part 2 names its columns but part 1 does not"},
		{provenance.DoubtRows, site(1, "x", "y"), site(1, "x", "y"),
			"part 1 and part 2 have about 100 % of the rows of part 2"},
		{provenance.DoubtRows, of(1, &large), of(2, &few),
			"part 1 and part 2 have about 100 % of the rows of part 2"},
		{provenance.DoubtRows, of(1, &few), of(2, &large),
			"part 1 and part 2 have about 100 % of the rows of part 1"},
		{provenance.DoubtRows, with(site(1, "x", "y"), forget), with(site(1, "x", "y"), forget),
			"part 1 and part 2 have the same counts and means"},
		{provenance.DoubtRows, ordered(0, 1, 2), ordered(2, 0, 1), "part 1 and part 2 have the same counts and means"},
		{provenance.DoubtRows, site(1, "x", "y"), with(site(2, "x", "y"), func(s *Statistics) {
			s.Parts = []provenance.Part{by.Part()}
		}), "hashes with different keys"},
		{provenance.DoubtClasses, site(1, "0", "1"), site(2, "no", "yes"), "look like"},
		{provenance.DoubtClasses, site(1, "false", "true"), site(2, "no", "yes"), "(false, true)"},
		{provenance.DoubtClasses, site(1, "0", "1"), site(2, "-1", "1"), "(-1, 1)"},
		{provenance.DoubtClasses, site(1, "cat", "dog"), site(2, "3", "7"), "words in part 1 but numbers in part 2"},
		{provenance.DoubtClasses, site(1, "1", "2"), site(2, "1.0", "2.0"),
			`the class "1.0", which look like the same`},
		{provenance.DoubtClasses, site(1, "Cat", "dog"), site(2, "cat ", "dog"), `the class "cat "`},
		{"", site(1, "0", "1"), site(2, "1", "2"), ""},
		{"", with(site(1, "x", "y"), unknown), with(site(1, "x", "y"), unknown), ""},
		{"", site(1, "cat", "dog"), site(2, "fox", "owl"), ""},
		{"", site(1, "no", "yes"), site(2, "yes"), ""},
	} {
		_, err := Merge(c.a, c.b)
		var doubt *provenance.DoubtError
		if c.doubt == "" {
			testkit.NoError(t, err, c.a.Classes, "and", c.b.Classes)
			continue
		}
		if !errors.As(err, &doubt) || doubt.Doubt != c.doubt || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %q", c.doubt, err, c.text)
			continue
		}
		if s := doubt.Text(func(p int) string { return fmt.Sprintf("file%d.npz", p) }); strings.Contains(s, "part ") ||
			strings.Contains(s, "%!") || !strings.Contains(s, "file") {
			t.Errorf("%s: %s", c.doubt, s)
		}
		both := []*Statistics{c.a, c.b}
		sum := testkit.Must(MergeInOrder(2, func(i int) (*Statistics, error) { return both[i], nil }, c.doubt))(t)
		testkit.Equal(t, sum.Total(), c.a.Total()+c.b.Total(), c.doubt, "confirmed")
	}
}

func partOf(rows [][]float64) provenance.Part {
	var b provenance.Builder
	b.AddAll(testkit.Dense(rows))
	return b.Part()
}
