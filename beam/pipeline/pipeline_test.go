package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/predictions"
	"rao/internal/provenance"
	"rao/internal/subclasses"
	"rao/method"
)

func TestMain(m *testing.M) { ptest.Main(m) }

// written writes rows to files of several forms and returns the folder.
func written(t *testing.T, files, rows int) string {
	t.Helper()
	dir := t.TempDir()
	const cols = 3
	for f := range files {
		x, labels := make([]float32, rows*cols), make([]int, rows)
		for i := range labels {
			labels[i] = (i + f) % 3
			for j := range cols {
				x[i*cols+j] = float32(math.Sin(float64((f*rows+i)*(j+2))) + float64(labels[i]*j))
			}
		}
		d := &dataset.Data{X: dataset.NewTable(rows, cols, x), Labels: labels, Classes: []string{"ape", "bee", "cat"}}
		if err := dataset.WriteFile(filepath.Join(dir, fmt.Sprintf("part-%02d.npz", f)), d); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// shardsOf deals the files of a folder into shards of n.
func shardsOf(t *testing.T, dir string, n int) []Shard {
	t.Helper()
	st, err := os.Stat(filepath.Join(dir, "part-00.npz"))
	if err != nil {
		t.Fatal(err)
	}
	shards, err := Shards(context.Background(), filepath.Join(dir, "part-*.npz"), int64(n)*st.Size())
	if err != nil {
		t.Fatal(err)
	}
	return shards
}

func run(t *testing.T, build func(s beam.Scope) error) error {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	if err := build(s); err != nil {
		return err
	}
	return ptest.Run(p)
}

// The pipeline writes the bytes that rao stats of every shard and rao stats merge write.
func TestStatisticsAreThoseOfTheTool(t *testing.T) {
	ctx := context.Background()
	dir := written(t, 5, 40)
	shards := shardsOf(t, dir, 2)
	if len(shards) != 3 {
		t.Fatalf("%d shards", len(shards))
	}
	want := filepath.Join(t.TempDir(), "want.npz")
	s, err := gaussian.MergeInOrder(len(shards), func(i int) (*gaussian.Statistics, error) {
		spec, done, err := shards[i].local(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
		s, err := dataset.Statistics(ctx, spec, dataset.StatisticsOptions{})
		if err != nil {
			return nil, err
		}
		part := filepath.Join(t.TempDir(), "part.npz")
		if err := s.WriteFile(part); err != nil {
			return nil, err
		}
		return gaussian.ReadFile(part)
	})
	if err == nil {
		err = s.WriteFile(want)
	}
	if err != nil {
		t.Fatal(err)
	}
	open, err := ResolveOptions(ctx, shards, dataset.OpenOptions{}, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, free := range []bool{false, true} {
		got := filepath.Join(t.TempDir(), "got.npz")
		if err := run(t, func(s beam.Scope) error {
			return Stats(s, shards,
				StatsOptions{Open: open, Out: got, Free: free})
		}); err != nil {
			t.Fatal(err)
		}
		if !free {
			same(t, got, want)
			continue
		}
		a, err1 := gaussian.ReadFile(got)
		b, err2 := gaussian.ReadFile(want)
		if err1 != nil || err2 != nil || a.Total() != b.Total() {
			t.Fatal(err1, err2)
		}
		for i, v := range a.Covariances {
			if math.Abs(v-b.Covariances[i]) > 1e-9*(1+math.Abs(v)) {
				t.Errorf("covariances differ at %d: %v, %v", i, v, b.Covariances[i])
			}
		}
	}
}

func same(t *testing.T, got, want string) {
	t.Helper()
	a, err1 := os.ReadFile(got)
	b, err2 := os.ReadFile(want)
	if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("%s and %s differ (%v, %v)", got, want, err1, err2)
	}
}

// More than 64 shards go through a tree, as in rao stats merge.
func TestManyShardsAreATree(t *testing.T) {
	ctx := context.Background()
	dir := written(t, 70, 9)
	shards := shardsOf(t, dir, 1)
	if len(shards) != 70 {
		t.Fatalf("%d shards", len(shards))
	}
	want := filepath.Join(t.TempDir(), "want.npz")
	s, err := gaussian.MergeInOrder(70, func(i int) (*gaussian.Statistics, error) {
		return dataset.Statistics(ctx, shards[i].Files[0], dataset.StatisticsOptions{})
	})
	if err == nil {
		err = s.WriteFile(want)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := filepath.Join(t.TempDir(), "got.npz")
	if err := run(t, func(s beam.Scope) error { return Stats(s, shards, StatsOptions{Out: got}) }); err != nil {
		t.Fatal(err)
	}
	same(t, got, want)
}

// Scores of several files equal the scores of the tool, with one output file per input file.
func TestScoresAreThoseOfTheTool(t *testing.T) {
	ctx := context.Background()
	dir := written(t, 3, 30)
	shards := shardsOf(t, dir, 2)
	d, err := dataset.Open(ctx, filepath.Join(dir, "part-00.npz"), dataset.OpenOptions{RequireLabels: true})
	if err != nil {
		t.Fatal(err)
	}
	sqfa, err := method.Lookup("sqfa")
	if err != nil {
		t.Fatal(err)
	}
	m, err := sqfa.Fit(ctx, method.InMemory{Data: d}, method.Settings{}.With("filters", "2").With("noise", "0.1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(t.TempDir(), "m.rao")
	if err := m.Save(saved); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	for _, transform := range []bool{false, true} {
		if err := run(t, func(s beam.Scope) error {
			return Score(s, shards, ScoreOptions{Model: b, Transform: transform, Out: out})
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, shard := range shards {
		for _, file := range shard.Files {
			blocks := func(fn func(*dataset.Data, int) error) error {
				return dataset.Blocks(ctx, file, dataset.OpenOptions{}, 0, fn)
			}
			var p, z bytes.Buffer
			if _, err := predictions.Write(ctx, &p, m, blocks); err != nil {
				t.Fatal(err)
			}
			if _, err := predictions.WriteFeatures(ctx, &z, m, blocks); err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string][]byte{".csv": p.Bytes(), ".npy": z.Bytes()} {
				got, err := os.ReadFile(filepath.Join(out, filepath.Base(file)+name))
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s%s differs (%v)", file, name, err)
				}
			}
		}
	}
}

func TestFaultsOfDataEndTheJob(t *testing.T) {
	dir := written(t, 2, 20)
	if err := os.WriteFile(filepath.Join(dir, "part-01.npz"), []byte("PK\x03\x04 damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "no.npz")
	err := run(t, func(s beam.Scope) error { return Stats(s, shardsOf(t, dir, 1), StatsOptions{Out: out}) })
	if err == nil {
		t.Error("a damaged file was passed over")
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("statistics were written")
	}
}

// tables writes csv files, each with a line of names, and returns their shards.
func tables(t *testing.T, texts ...string) []Shard {
	t.Helper()
	dir, most := t.TempDir(), 0
	for f, text := range texts {
		most = max(most, len(text))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part-%02d.csv", f)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shards, err := Shards(context.Background(), filepath.Join(dir, "part-*.csv"), int64(most))
	if err != nil || len(shards) != len(texts) {
		t.Fatalf("%d shards, %v", len(shards), err)
	}
	return shards
}

// Shards with different column orders are matched by name, and the file contains the names. This also holds for
// sub-classes and a subspace.
func TestShardsKeepTheNamesOfColumns(t *testing.T) {
	ctx := context.Background()
	ordered := tables(t, "x,y,c\n1,20.5,a\n2,21,b\n4,22,a\n3,27,b\n", "x,y,c\n5,25,a\n6.5,29,b\n7,26,a\n9,24,b\n")
	other := tables(t, "x,y,c\n1,20.5,a\n2,21,b\n4,22,a\n3,27,b\n", "y,c,x\n25,a,5\n29,b,6.5\n26,a,7\n24,b,9\n")
	var files []string
	for _, shards := range [][]Shard{ordered, other} {
		open, err := ResolveOptions(ctx, shards, dataset.OpenOptions{Y: "c"}, true)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "s.npz")
		files = append(files, out)
		if err := run(t, func(s beam.Scope) error {
			return Stats(s, shards, StatsOptions{Open: open, Out: out})
		}); err != nil {
			t.Fatal(err)
		}
		for _, opt := range []SubclassesOptions{{Most: 1}, {Subspace: 2}} {
			opt.Open, opt.Out = open, out+".sub"
			if err := run(t, func(s beam.Scope) error { return Subclasses(s, shards, opt) }); err != nil {
				t.Fatal(err)
			}
			s, err := subclasses.Read(opt.Out)
			if err != nil || fmt.Sprint(s.Basis.Columns) != "[x y]" {
				t.Errorf("the columns of sub-classes are %v, %v", s.Basis.Columns, err)
			}
		}
	}
	s, err := gaussian.ReadFile(files[1])
	if err != nil || fmt.Sprint(s.Columns) != "[x y]" || fmt.Sprint(s.Means) != "[4.25 23.375 5.125 25.25]" {
		t.Errorf("columns %v, means %v, %v", s.Columns, s.Means, err)
	}
	same(t, files[1], files[0])
}

// Shards whose labels look like two encodings end the job.
func TestShardsOfTwoEncodings(t *testing.T) {
	shards := tables(t, "x,y,c\n1,2,0\n2,2.5,1\n", "x,y,c\n5,2,no\n6.5,2,yes\n")
	out := filepath.Join(t.TempDir(), "s.npz")
	err := run(t, func(s beam.Scope) error {
		return Stats(s, shards, StatsOptions{Open: dataset.OpenOptions{Y: "c"}, Out: out})
	})
	if _, e := os.Stat(out); err == nil || e == nil {
		t.Errorf("0, 1 and no, yes are put together: %v, %v", err, e)
	}
}

// A class with a single row in total is an error unless it is confirmed, and no hashes are stored if none are
// requested.
func TestSingleRowsAndNoHashes(t *testing.T) {
	shards := tables(t, "x,y,c\n1,2,a\n2,2.5,b\n3,1,a\n", "x,y,c\n5,2,a\n6.5,2,c\n4,9,b\n")
	out := filepath.Join(t.TempDir(), "s.npz")
	for _, free := range []bool{false, true} {
		opt := StatsOptions{Open: dataset.OpenOptions{Y: "c"}, Free: free, Hashes: Hashes{None: true}, Out: out}
		if err := run(t, func(s beam.Scope) error { return Stats(s, shards, opt) }); err == nil {
			t.Error("a class of one row is written")
		}
		opt.Single = true
		if err := run(t, func(s beam.Scope) error { return Stats(s, shards, opt) }); err != nil {
			t.Fatal(err)
		}
		s, err := gaussian.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range s.Parts {
			if provenance.Hashed(p) || p.Rows != 3 {
				t.Errorf("the parts are %v", s.Parts)
			}
		}
	}
}

// Rows of files that the tool and the pipeline made with the same key are recognized in each other, and rows of files
// with different keys are not.
func TestKeyedHashesAreThoseOfTheTool(t *testing.T) {
	table := "x,y,c\n1,2,a\n2,2.5,b\n3,1,a\n5,4,b\n"
	path := filepath.Join(t.TempDir(), "shared.key")
	if err := os.WriteFile(path, []byte("0123456789abcdef0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := provenance.ReadHashKey(path)
	if err != nil {
		t.Fatal(err)
	}
	shards := tables(t, table)
	open := dataset.OpenOptions{Y: "c"}
	tool, err := dataset.Statistics(context.Background(), shards[0].Files[0],
		dataset.StatisticsOptions{Open: open, HashKey: key})
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string][]provenance.Part{}
	for name, hashes := range map[string]Hashes{"same": {Key: key}, "other": {Key: []byte("another key, long enough")}} {
		out := filepath.Join(t.TempDir(), name+".npz")
		if err := run(t, func(s beam.Scope) error {
			return Stats(s, shards, StatsOptions{Open: open, Hashes: hashes, Out: out})
		}); err != nil {
			t.Fatal(err)
		}
		s, err := gaussian.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		parts[name] = s.Parts
	}
	if share := provenance.LargestOverlap(tool.Parts[0], parts["same"]); share != 1 {
		t.Errorf("with one key %g of the rows are found again", share)
	}
	if share := provenance.LargestOverlap(tool.Parts[0], parts["other"]); share != 0 {
		t.Errorf("with another key %g of the rows are found", share)
	}
	out := filepath.Join(t.TempDir(), "sub.npz")
	if err := run(t, func(s beam.Scope) error {
		return Subclasses(s, shards, SubclassesOptions{Open: open, Most: 1, Components: 2, Hashes: Hashes{Key: key},
			Out: out})
	}); err != nil {
		t.Fatal(err)
	}
	if s, err := subclasses.Read(out); err != nil || s.Parts[0].Key != tool.Parts[0].Key {
		t.Errorf("sub-classes: %v, %v", s, err)
	}
}

// A model of a table with texts and missing values decides on raw tables as the tool does.
func TestScoresOfTables(t *testing.T) {
	ctx := context.Background()
	var texts [2]string
	for f := range texts {
		text := "id,x,kind,class\n"
		for i := range 60 {
			x := fmt.Sprint(float64(i*7%11) + float64(3*(i%2)))
			if i%9 == 0 {
				x = ""
			}
			text += fmt.Sprintf("r%d,%s,%s,%s\n", i, x, []string{"a", "b", ""}[i%3], []string{"no", "yes"}[i%2])
		}
		texts[f] = text
	}
	shards := tables(t, texts[:]...)
	file := shards[0].Files[0]
	d, err := dataset.Open(ctx, file, dataset.OpenOptions{RequireLabels: true, Y: "class",
		Table: dataset.TableOptions{Learn: true, Categories: []string{"auto"}, ID: "id", Missing: "mean"}})
	if err != nil {
		t.Fatal(err)
	}
	lda, err := method.Lookup("lda-raw")
	if err != nil {
		t.Fatal(err)
	}
	m, err := lda.Fit(ctx, method.InMemory{Data: d}, method.Settings{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(t.TempDir(), "m.rao")
	if err := m.Save(saved); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}
	open, err := ResolveOptions(ctx, shards, dataset.OpenOptions{Features: m.Input.Columns, Form: m.Input.Table}, false)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := run(t, func(s beam.Scope) error {
		return Score(s, shards, ScoreOptions{Open: open, Model: b, Out: out})
	}); err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if _, err := predictions.Write(ctx, &want, m, func(fn func(*dataset.Data, int) error) error {
		return dataset.Blocks(ctx, file, dataset.OpenOptions{Form: m.Input.Table}, 0, fn)
	}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(out, filepath.Base(file)+".csv"))
	if err != nil || !bytes.Equal(got, want.Bytes()) || !bytes.HasPrefix(got, []byte("id,label")) {
		t.Errorf("%v: %.200s", err, got)
	}
}
