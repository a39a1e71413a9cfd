package pipeline

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/subclasses"
	"rao/internal/subclassrows"
)

// oneTable writes a table of three classes. The rows of the first class come first.
func oneTable(t *testing.T, rows int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("u,v,w,kind\n")
	for i := range rows {
		class := i % 3
		if i < rows/8 {
			class = 0
		}
		fmt.Fprintf(&b, "%.6f,%.6f,%d,c%d\n", math.Sin(float64(i*i))+float64(class), math.Cos(float64(7*i)), i*i%11,
			class)
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// cut deals a table into shards and decides how they are read.
func cut(t *testing.T, path string, size int64, opt dataset.OpenOptions) ([]Shard, dataset.OpenOptions) {
	t.Helper()
	shards, err := Shards(context.Background(), path, size)
	if err != nil {
		t.Fatal(err)
	}
	open, err := ResolveOptions(context.Background(), shards, opt, true)
	if err != nil {
		t.Fatal(err)
	}
	return shards, open
}

// A file that is split into parts gives the same result as rao stats --span for each part followed by rao stats merge.
func TestAFileIsCut(t *testing.T) {
	ctx := context.Background()
	path := oneTable(t, 400)
	shards, open := cut(t, path, 2000, dataset.OpenOptions{})
	if len(shards) < 5 || shards[1].Span[0] != shards[0].Span[1] || shards[4].Of != len(shards) {
		t.Fatalf("%+v", shards)
	}
	s, err := gaussian.MergeInOrder(len(shards), func(i int) (*gaussian.Statistics, error) {
		return dataset.Statistics(ctx, path, dataset.StatisticsOptions{Open: dataset.OpenOptions{Span: shards[i].Span},
			Moments: true})
	})
	if err != nil {
		t.Fatal(err)
	}
	want, got := filepath.Join(t.TempDir(), "want.npz"), filepath.Join(t.TempDir(), "got.npz")
	if err := s.WriteFile(want); err != nil {
		t.Fatal(err)
	}
	if err := run(t, func(s beam.Scope) error {
		return Stats(s, shards, StatsOptions{Open: open, Moments: true, Out: got})
	}); err != nil {
		t.Fatal(err)
	}
	same(t, got, want)
	if s.Total() != 400 {
		t.Errorf("%d rows", s.Total())
	}
}

// Shards without selected rows contribute nothing. If all shards are like this, the job fails.
func TestShardsWithoutRows(t *testing.T) {
	shards, open := cut(t, oneTable(t, 400), 700, dataset.OpenOptions{})
	for _, free := range []bool{false, true} {
		open.Where = []string{"kind=c1"}
		got := filepath.Join(t.TempDir(), "got.npz")
		stats := func(s beam.Scope) error { return Stats(s, shards, StatsOptions{Open: open, Free: free, Out: got}) }
		if err := run(t, stats); err != nil {
			t.Fatal(err)
		}
		if s, err := gaussian.ReadFile(got); err != nil || !slices.Equal(s.Classes, []string{"c1"}) || s.Total() < 100 {
			t.Errorf("%v, %v", s, err)
		}
		os.Remove(got)
		open.Where = []string{"kind=none"}
		if err := run(t, stats); err == nil || !strings.Contains(err.Error(), errNoRows.Error()) {
			t.Error(err)
		}
	}
}

// Sub-classes of shards are clustered in one basis and merged at once, as by the tool.
func TestSubclassesAreThoseOfTheTool(t *testing.T) {
	ctx := context.Background()
	path := oneTable(t, 900)
	shards, open := cut(t, path, 6000, dataset.OpenOptions{})
	whole, err := gaussian.MergeInOrder(len(shards), func(i int) (*gaussian.Statistics, error) {
		return dataset.Statistics(ctx, path, dataset.StatisticsOptions{Open: dataset.OpenOptions{Span: shards[i].Span}})
	})
	if err != nil {
		t.Fatal(err)
	}
	basis, err := subclasses.BasisOf(whole, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, opt := range []SubclassesOptions{
		{Most: 2, Basis: basis, Seed: 3},
		{Components: 2},
		{Subspace: 2},
	} {
		opt.Open, opt.Out = open, filepath.Join(t.TempDir(), "got.npz")
		if err := run(t, func(s beam.Scope) error { return Subclasses(s, shards, opt) }); err != nil {
			t.Fatal(err)
		}
		of := subclasses.Options{Most: opt.Most, Basis: basis, Seed: opt.Seed}
		if opt.Subspace > 0 {
			of.Most, of.Basis = 1, subspaceOf(t, path, shards, 2)
		}
		var parts []*subclasses.Statistics
		for _, shard := range shards {
			s, err := subclassrows.Estimate(ctx, path, dataset.OpenOptions{Span: shard.Span},
				subclassrows.Options{Of: of})
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, s)
		}
		s, err := subclasses.Merge(of.Most, nil, parts...)
		want := filepath.Join(t.TempDir(), "want.npz")
		if err == nil {
			err = s.WriteFile(want)
		}
		if err != nil {
			t.Fatal(err)
		}
		same(t, opt.Out, want)
	}
}

// subspaceOf returns the basis of a subspace from sums over the shards, added up in their order.
func subspaceOf(t *testing.T, path string, shards []Shard, dim int) *subclasses.Basis {
	t.Helper()
	var parts []*gaussian.Statistics
	names := []string{"c0", "c1", "c2"}
	counts, means := make([]int, 3), make([]float64, 9)
	for _, shard := range shards {
		acc := gaussian.NewAccumulator(3, 1)
		sums := make([]float64, 9)
		var columns []string
		err := dataset.Blocks(context.Background(), path, dataset.OpenOptions{Span: shard.Span, RequireLabels: true},
			50,
			func(d *dataset.Data, _ int) error {
				x, labels, classes := d.X, d.Labels, d.Classes
				columns = d.Vars["columns"].Strings
				for i, l := range labels {
					class := slices.Index(names, classes[l])
					counts[class]++
					for j := range 3 {
						sums[class*3+j] += x.At(i, j)
					}
				}
				return acc.Add(x.Matrix(), make([]int, len(labels)))
			})
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range sums {
			means[k] += v
		}
		s, err := acc.Finish(nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Columns = columns
		parts = append(parts, s)
	}
	all, err := parts[0], error(nil)
	for _, p := range parts[1:] {
		if all, err = gaussian.Merge(all, p); err != nil {
			t.Fatal(err)
		}
	}
	for k := range means {
		means[k] /= float64(counts[k/3])
	}
	b, err := subclasses.Subspace(all, counts, means, dim)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Whatever a runner does, every shard is counted exactly once, or the job fails.
func TestAShardThatComesTwiceIsAnError(t *testing.T) {
	acc := gaussian.NewAccumulator(2, 1)
	if err := acc.Add(mat.NewDense(2, 2, []float64{1, 2, 3, 5}), []int{0, 0}); err != nil {
		t.Fatal(err)
	}
	s, err := acc.Finish([]string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	body, err := packStatistics(s)
	if err != nil {
		t.Fatal(err)
	}
	a, b := part{[]int{4}, body}.encode(), part{[]int{7}, body}.encode()
	if p, err := mergeParts(ofStatistics, [][]byte{b, a}); err != nil || len(p.body) == 0 {
		t.Error(err)
	}
	if _, err := mergeParts(ofStatistics, [][]byte{a, b, a}); err == nil ||
		!strings.Contains(err.Error(), "shard 4 was counted more than once") {
		t.Error(err)
	}
	both, err := join(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := join(both, b); err == nil || !strings.Contains(err.Error(), "shard 7 was counted more than once") {
		t.Error(err)
	}
}

// Statistics have the same bits after encoding and decoding, and truncated bytes are an error.
func TestStatisticsTravel(t *testing.T) {
	s, err := dataset.Statistics(context.Background(), oneTable(t, 60), dataset.StatisticsOptions{Moments: true})
	if err != nil {
		t.Fatal(err)
	}
	b, err := packStatistics(s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := unpackStatistics(b)
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{filepath.Join(t.TempDir(), "a.npz"), filepath.Join(t.TempDir(), "b.npz")}
	if err := errors.Join(s.WriteFile(paths[0]), got.WriteFile(paths[1])); err != nil {
		t.Fatal(err)
	}
	same(t, paths[1], paths[0])
	for n := range len(b) {
		if _, err := unpackStatistics(b[:n]); err == nil {
			t.Fatalf("%d of %d bytes are enough", n, len(b))
		}
	}
}

// With a separate file of labels, each shard reads its part of the data and of the labels.
func TestLabelsBesideTheFile(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	const rows, cols = 120, 3
	x := []byte(header("<f4", fmt.Sprintf("(%d, %d)", rows, cols)))
	y := []byte(header("|u1", fmt.Sprintf("(%d,)", rows)))
	for i := range rows {
		for j := range cols {
			v := float32(math.Sin(float64(i*(j+2)))) + float32(i%3*j)
			x = binary.LittleEndian.AppendUint32(x, math.Float32bits(v))
		}
		y = append(y, byte(i%3))
	}
	path, labels := filepath.Join(dir, "x.npy"), filepath.Join(dir, "y.npy")
	for name, data := range map[string][]byte{path: x, labels: y} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shards, err := Shards(ctx, path, 500)
	if err != nil || len(shards) < 3 {
		t.Fatalf("%d shards, %v", len(shards), err)
	}
	if err := OneFile(shards); err != nil {
		t.Error(err)
	}
	s, err := gaussian.MergeInOrder(len(shards), func(i int) (*gaussian.Statistics, error) {
		return dataset.Statistics(ctx, path, dataset.StatisticsOptions{
			Open: dataset.OpenOptions{Labels: labels, Span: shards[i].Span}})
	})
	want, got := filepath.Join(dir, "want.npz"), filepath.Join(dir, "got.npz")
	if err == nil {
		err = s.WriteFile(want)
	}
	if err != nil {
		t.Fatal(err)
	}
	open, err := ResolveOptions(ctx, shards, dataset.OpenOptions{Labels: labels}, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t, func(s beam.Scope) error {
		return Stats(s, shards,
			StatsOptions{Open: open, Out: got})
	}); err != nil {
		t.Fatal(err)
	}
	same(t, got, want)
	if OneFile([]Shard{{Files: []string{"a", "b"}}}) == nil || OneFile([]Shard{{Files: []string{"gs://a/b"}}}) == nil {
		t.Error("several files, or files that are copied, pass")
	}
}

// header begins an npy file.
func header(kind, shape string) string {
	return fmt.Sprintf("\x93NUMPY\x01\x00\x76\x00%-117s\n",
		"{'descr': '"+kind+"', 'fortran_order': False, 'shape': "+shape+", }")
}
