package gaussian

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/provenance"
	"rao/internal/statsarrays"
	"rao/internal/testkit"
)

var background = context.Background()

// stored writes statistics as triangles and opens the file.
func stored(t *testing.T, s *Statistics, single bool) *Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.npz")
	testkit.NoError(t, WriteSource(background, path, s.Source(), single))
	src := testkit.Must(OpenSource(path))(t)
	t.Cleanup(func() { src.Close() })
	return src
}

// Files of triangles and files of full covariances preserve all bits, or seven digits in single precision.
func TestSourceOfAFileIsTheStatistics(t *testing.T) {
	x, labels := sample(7, 500, 9, 4, 3)
	want := estimate(t, x, labels)
	want.Classes = []string{"a", "b", "µ", "d"}
	want.Parts = []provenance.Part{{Rows: 500}}
	got := testkit.Must(stored(t, want, false).Load(background))(t)
	if digest(got) != digest(want) || !slices.Equal(got.Classes, want.Classes) || len(got.Parts) != 1 {
		t.Errorf("what came back differs: %+v", got)
	}
	small := testkit.Must(stored(t, want, true).Load(background))(t)
	for k, v := range small.Covariances {
		if v != float64(float32(want.Covariances[k])) {
			t.Fatalf("in single precision value %d is %v, want %v", k, v, want.Covariances[k])
		}
	}
	whole := filepath.Join(t.TempDir(), "s.npz")
	testkit.NoError(t, want.WriteFile(whole))
	packed := filepath.Join(t.TempDir(), "p.npz")
	testkit.NoError(t, WriteSource(background, packed, want.Source(), false))
	for _, path := range []string{whole, packed} {
		src := testkit.Must(OpenSource(path))(t)
		a, err1 := src.Load(background)
		b, err2 := ReadFile(path)
		testkit.NoError(t, errors.Join(err1, err2, src.Close()))
		testkit.Equal(t, digest(a), digest(want), path, "what came back differs")
		testkit.Equal(t, digest(b), digest(want), path, "what came back differs")
	}
}

// The source reads files of numpy, compressed or not.
func TestSourceOfNumpysFiles(t *testing.T) {
	for _, file := range []string{"plain.npz", "named.npz"} {
		src := testkit.Must(OpenSource(filepath.Join("testdata", file)))(t)
		s := testkit.Must(src.Load(background))(t)
		testkit.Close(t, file, s.Covariances, []float64{2, .5, .5, 1, 1, 0, 0, 3}, 0)
		testkit.NoError(t, src.Close())
	}
}

// A source computes the same results in passes as the statistics in memory, with and without scaling, for few and many
// filters.
func TestSourceComputesWhatStatisticsDo(t *testing.T) {
	const n = 70
	x, labels := sample(8, 700, n, 5, 0)
	s := estimate(t, x, labels)
	shift, scale := make([]float64, n), make([]float64, n)
	for j := range n {
		shift[j], scale[j] = float64(j), 1+float64(j%3)
	}
	for name, c := range map[string]struct {
		src  *Source
		want *Statistics
	}{
		"in a file": {stored(t, s, false), s},
		"in memory": {s.Source(), s},
		"scaled":    {stored(t, s, false).Affine(shift, scale), s.Affine(shift, scale)},
		"scaled in memory, twice": {s.Source().Affine(shift, []float64{2}).Affine(nil, scale),
			s.Affine(shift, []float64{2}).Affine(nil, scale)},
	} {
		for _, m := range []int{3, 60} {
			f := mat.NewDense(n, m, nil)
			f.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(i*m + j)) }, f)
			got := testkit.Must(c.src.Project(background, f))(t)
			want := c.want.Project(f)
			testkit.Close(t, name+": projected means", got.Means, want.Means, 1e-10)
			testkit.Close(t, name+": projected covariances", got.Covariances, want.Covariances, 1e-8)
		}
		mean, within, between, total, err := c.src.Pooled(background)
		testkit.NoError(t, err)
		a, b, d, e := c.want.Pooled(nil)
		testkit.Close(t, name+": pooled mean", mean, a, 1e-9)
		for k, pair := range [][2]*mat.SymDense{{within, b}, {between, d}, {total, e}} {
			if !mat.EqualApprox(pair[0], pair[1], 1e-9) {
				t.Errorf("%s: pooled covariance %d differs", name, k)
			}
		}
		variances := testkit.Must(c.src.Variances(background))(t)
		testkit.Close(t, name+": variances", variances, variancesOf(c.want), 1e-10)
		again, err := c.src.Affine(nil, []float64{3}).Variances(background) // of the survey that was made
		testkit.NoError(t, err)
		testkit.Close(t, name+": variances, scaled later", again,
			variancesOf(c.want.Affine(nil, []float64{3})), 1e-9)
	}
}

// An altered file is detected at the end of the first pass, a truncated one before it, and an impossible covariance is
// named.
func TestSourceOfADamagedFile(t *testing.T) {
	x, labels := sample(9, 300, 6, 3, 0)
	s := estimate(t, x, labels)
	path := filepath.Join(t.TempDir(), "s.npz")
	write := func(s *Statistics) []byte {
		t.Helper()
		testkit.NoError(t, WriteSource(background, path, s.Source(), false))
		return testkit.Must(os.ReadFile(path))(t)
	}
	load := func(b []byte) error {
		t.Helper()
		testkit.NoError(t, os.WriteFile(path, b, 0o644))
		src, err := OpenSource(path)
		if err != nil {
			return err
		}
		defer src.Close()
		_, err = src.Load(background)
		return err
	}
	good := write(s)
	at := bytes.Index(good, []byte("covariances.npy"))
	bad := bytes.Clone(good)
	bad[at+200] ^= 1 // the last bits of a value
	testkit.ErrorContains(t, load(bad), "does not match", "an altered value")
	testkit.Fails(t, load(good[:at+300]), "a file that is cut off was read")
	wrong := s.Clone()
	wrong.cov(1)[0] = math.NaN()
	testkit.ErrorContains(t, load(write(wrong)), "class 1: the variance of column 0 is", "a NaN")
	wrong = s.Clone()
	wrong.cov(2)[1], wrong.cov(2)[6] = 1e3, 1e3
	testkit.ErrorContains(t, load(write(wrong)), "class 2 is not positive semidefinite", "an indefinite covariance")
}

// An error of the caller ends a pass, and the next pass works.
func TestSourceEndsAPassEarly(t *testing.T) {
	x, labels := sample(10, 300, 6, 5, 0)
	src := stored(t, estimate(t, x, labels), false)
	boom, seen := errors.New("boom"), 0
	if err := src.walk(background, func(i int, _ []float64) error {
		if seen++; i == 2 {
			return boom
		}
		return nil
	}); err != boom || seen != 3 {
		t.Errorf("after %d classes: %v", seen, err)
	}
	ctx := testkit.Canceled()
	testkit.ErrorIs(t, src.walk(ctx, func(int, []float64) error { return nil }), context.Canceled, "canceled")
	testkit.NoError(t, testkit.ErrorOf(src.Load(background)))
}

func FuzzOpenSource(f *testing.F) {
	s := New([]string{"a", "b"}, 2)
	s.Counts = []int{3, 4}
	for i := range 2 {
		s.cov(i)[0], s.cov(i)[3] = 1, 2
	}
	path := filepath.Join(f.TempDir(), "s.npz")
	for _, single := range []bool{true, false} {
		testkit.NoError(f, WriteSource(background, path, s.Source(), single))
		b := testkit.Must(os.ReadFile(path))(f)
		f.Add(testkit.Reseal(b))
	}
	pooled := &Source{Structure: statsarrays.Pooled, Classes: []string{"a"}, Counts: []int{3}, Dim: 1,
		Means: []float64{1}, spread: []float64{2}}
	testkit.NoError(f, pooled.writeSpread(path))
	b := testkit.Must(os.ReadFile(path))(f)
	f.Add(testkit.Reseal(b))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := testkit.TempFile(t, "s.npz", testkit.Reseal(data))
		src, err := OpenSource(path)
		if err != nil {
			return
		}
		defer src.Close()
		if s, err := src.Load(background); err == nil {
			testkit.NoError(t, s.check())
		}
	})
}

// Statistics in memory are a source without a copy, and scaling that source does not change them.
func TestStreamOfStatisticsInMemory(t *testing.T) {
	x, labels := sample(5, 60, 4, 2, 0)
	s := estimate(t, x, labels)
	before := s.Clone()
	src := testkit.Must(s.Stream(background))(t)
	if got := testkit.Must(src.Load(background))(t); got != s {
		t.Error("the statistics were copied")
	}
	scaled := testkit.Must(src.Affine(nil, []float64{2}).Load(background))(t)
	testkit.Close(t, "scaled", scaled.Covariances, s.Affine(nil, []float64{2}).Covariances, 1e-12)
	testkit.Close(t, "the statistics", s.Covariances, before.Covariances, 0)
	s.Counts[0] = 1
	for name, src := range map[string]interface {
		Stream(context.Context) (*Source, error)
	}{"in memory": s, "source": s.Source()} {
		if _, err := src.Stream(background); err == nil {
			t.Errorf("%s: one observation of a class was accepted", name)
		}
	}
}
