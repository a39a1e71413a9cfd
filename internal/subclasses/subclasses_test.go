package subclasses

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/indices"
	"rao/internal/moments"
	"rao/internal/testkit"
)

// mixtures returns rows of two classes, of three and two well separated clusters.
func mixtures(seed uint64, rows, n int) (x *mat.Dense, labels, clusters []int) {
	rng := rand.New(rand.NewPCG(seed, 77))
	x = mat.NewDense(rows, n, nil)
	for i := range rows {
		k := rng.IntN(5)
		clusters, labels = append(clusters, k), append(labels, k/3)
		for j := range n {
			x.Set(i, j, rng.NormFloat64()*float64(1+j%3))
		}
		x.Set(i, k%n, x.At(i, k%n)+40)
	}
	return x, labels, clusters
}

// estimateAll returns the statistics of rows with labels.
func estimateAll(t *testing.T, x mat.Matrix, labels []int) *gaussian.Statistics {
	t.Helper()
	return testkit.Must(gaussian.Estimate(x, labels, []string{"a", "b"}))(t)
}

func subclassesOf(t *testing.T, x mat.Matrix, labels []int, opt Options) *Statistics {
	t.Helper()
	return testkit.Must(Estimate(context.Background(), RowsOf(x, labels, []string{"a", "b"}), opt))(t)
}

// inBlocks hands out the rows in blocks of the given sizes, again and again.
func inBlocks(x *mat.Dense, labels []int, sizes ...int) Rows {
	return func(each func(x mat.Matrix, labels []int, classes []string) error) error {
		_, n := x.Dims()
		for lo, k := 0, 0; lo < len(labels); k++ {
			hi := min(lo+sizes[k%len(sizes)], len(labels))
			if err := each(x.Slice(lo, hi, 0, n), labels[lo:hi], []string{"a", "b"}); err != nil {
				return err
			}
			lo = hi
		}
		return nil
	}
}

func bitsOf(s *Statistics) string {
	return fmt.Sprintf("%v %v %x %s", s.Of, s.Components.Counts, math.Float64bits(s.Basis.Variance),
		fmt.Sprint(s.Components.Counts, s.Components.Means, s.Components.Covariances))
}

// The clusters of well separated mixtures are found, with their counts.
func TestSubclassesFindClusters(t *testing.T) {
	x, labels, clusters := mixtures(1, 900, 6)
	s := subclassesOf(t, x, labels, Options{Most: 3, Seed: 2})
	want := indices.Tally(clusters, 5)
	slices.Sort(want[:3])
	slices.Reverse(want[:3])
	if !slices.Equal(s.Of[:3], []int{0, 0, 0}) || !slices.Equal(s.Components.Counts[:3], want[:3]) {
		t.Errorf("components of classes %v with counts %v, want %v", s.Of, s.Components.Counts, want)
	}
	if s.Components.Classes[1] != "a/2" || s.Sites != 1 || s.Stages != 0 {
		t.Errorf("%v, %d sites, %d stages", s.Components.Classes, s.Sites, s.Stages)
	}
}

// The components of a class make the statistics of the class, in the coordinates.
func TestSubclassesAddUpToTheirClasses(t *testing.T) {
	x, labels, _ := mixtures(3, 700, 6)
	s := subclassesOf(t, x, labels, Options{Most: 4, Components: 4})
	whole := testkit.Must(gaussian.Estimate(x, labels, nil))(t)
	want := whole.Affine(s.Basis.Center, []float64{1}).Project(s.Basis.Components)
	got := s.ClassStatistics()
	testkit.Close(t, "means", got.Means, want.Means, 1e-10)
	testkit.Close(t, "covariances", got.Covariances, want.Covariances, 1e-8)
	testkit.EqualSlices(t, got.Counts, want.Counts, "counts")
	shifted := s.Scaled(0.5, false).ClassStatistics()
	raw := whole.Affine(nil, []float64{0.5}).Project(s.Basis.Components)
	testkit.Close(t, "means not centered", shifted.Means, raw.Means, 1e-10)
	testkit.Close(t, "scaled covariances", shifted.Covariances, raw.Covariances, 1e-8)
}

// Neither the reader's blocks nor GOMAXPROCS change the result, with a basis computed from the rows or a given one.
func TestSubclassesGiveTheSameBits(t *testing.T) {
	x, labels, _ := mixtures(5, 2500, 7)
	given := testkit.Must(BasisOf(estimateAll(t, x, labels), 5))(t)
	for _, basis := range []*Basis{nil, given} {
		opt := Options{Seed: 9, Basis: basis}
		want := bitsOf(subclassesOf(t, x, labels, opt))
		for _, sizes := range [][]int{{1}, {1000}, {3, 1024, 77}} {
			for _, procs := range []int{1, 2, 8} {
				before := runtime.GOMAXPROCS(procs)
				s, err := Estimate(context.Background(), inBlocks(x, labels, sizes...), opt)
				runtime.GOMAXPROCS(before)
				testkit.NoError(t, err)
				testkit.Equal(t, bitsOf(s), want, "blocks of", sizes, "at GOMAXPROCS", procs, "other bits")
			}
		}
	}
}

// The order of the parts does not change any bit of a merge. The result records how the sub-classes were made and
// counts all observations.
func TestMergeOfSubclassesDoesNotDependOnTheOrder(t *testing.T) {
	x, labels, _ := mixtures(6, 1500, 6)
	basis := testkit.Must(BasisOf(estimateAll(t, x, labels), 6))(t)
	var parts []*Statistics
	for p := range 5 {
		own := x.Slice(300*p, 300*(p+1), 0, 6)
		parts = append(parts, subclassesOf(t, own, labels[300*p:300*(p+1)],
			Options{Basis: basis, Seed: uint64(p)}))
	}
	whole := testkit.Must(Merge(3, nil, parts...))(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		rng.Shuffle(5, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		again := testkit.Must(Merge(3, nil, parts...))(t)
		testkit.Equal(t, bitsOf(again), bitsOf(whole), "another order gives other bits")
	}
	if whole.Sites != 5 || whole.Stages != 1 || whole.Components.Total() != 1500 {
		t.Errorf("%d sites, %d stages, %d observations", whole.Sites, whole.Stages, whole.Components.Total())
	}
	pair := testkit.Must(Merge(3, nil, parts[:2]...))(t)
	staged, err := Merge(0, nil, append(parts[2:], pair)...)
	if err != nil || staged.Sites != 5 || staged.Stages != 2 || staged.Most != 0 {
		t.Errorf("%d sites, %d stages, at most %d: %v", staged.Sites, staged.Stages, staged.Most, err)
	}
	central := subclassesOf(t, x, labels, Options{Basis: basis, Most: 3})
	testkit.Close(t, "classes of the merge", whole.ClassStatistics().Covariances,
		central.ClassStatistics().Covariances, 1e-8)
}

func TestMergeOfSubclassesRefuses(t *testing.T) {
	x, labels, _ := mixtures(6, 300, 6)
	a, b := subclassesOf(t, x, labels, Options{}),
		subclassesOf(t, x.Slice(0, 200, 0, 6), labels[:200], Options{})
	testkit.ErrorContains(t, testkit.ErrorOf(Merge(0, nil, a, b)), "different bases", "other bases")
	testkit.Fails(t, testkit.ErrorOf(Merge(0, nil)), "no parts pass")
	testkit.Fails(t, testkit.ErrorOf(Merge(-1, nil, a)), "-1 sub-classes pass")
}

// Ward's merges and the shrinkage agree with an independent program in numpy (testdata/ward.json): nine components of
// one class, merged to two and until none has fewer than twenty rows.
func TestWardAndShrinkage(t *testing.T) {
	type component struct {
		Count      int
		Mean       []float64
		Covariance [][]float64
	}
	var g struct {
		Counts   []int
		Means    [][]float64
		Scatters [][][]float64
		Two      []component `json:"2"`
		Nine     []component `json:"9"`
	}
	testkit.ReadJSON(t, "testdata/ward.json", &g)
	for most, want := range map[int][]component{2: g.Two, 9: g.Nine} {
		var list []*moments.Class
		for k, n := range g.Counts {
			list = append(list, &moments.Class{Rows: n, Count: float64(n), Mean: slices.Clone(g.Means[k]),
				Scatter: slices.Concat(g.Scatters[k]...)})
		}
		rand.New(rand.NewPCG(uint64(most), 1)).Shuffle(len(list),
			func(i, j int) { list[i], list[j] = list[j], list[i] })
		s := &Statistics{Classes: []string{"x"}, Basis: &Basis{Components: mat.NewDense(3, 3, nil)}}
		s.set([][]*moments.Class{ward(list, most)})
		shrunk := s.Shrunk()
		if len(shrunk.Counts) != len(want) {
			t.Fatalf("%d components remain of %d, want %d", len(shrunk.Counts), most, len(want))
		}
		for k, w := range want {
			match := func(i int) bool {
				return shrunk.Counts[i] == w.Count &&
					math.Abs(shrunk.Mean(i)[0]-w.Mean[0]) < 1e-9
			}
			i := 0
			for i < len(want)-1 && !match(i) {
				i++ // equal counts: numpy does not sort by the means
			}
			testkit.Equal(t, shrunk.Counts[i], w.Count, "component", k, "observations")
			testkit.Close(t, "mean", shrunk.Mean(i), w.Mean, 1e-12)
			testkit.Close(t, "covariance", classstats.CovarianceOf(shrunk, i), slices.Concat(w.Covariance...), 1e-12)
		}
	}
}

// With few or equal rows, components are valid and contain all rows. The default limit depends on the number of rows.
func TestSubclassesOfLittle(t *testing.T) {
	x, labels, _ := mixtures(8, 60, 4)
	s := subclassesOf(t, x, labels, Options{Most: 50})
	for k, n := range s.Components.Counts {
		if lo, hi := s.members(s.Of[k]); hi-lo > 1 && n < smallest {
			t.Errorf("component %s has %d rows", s.Components.Classes[k], n)
		}
	}
	same := mat.NewDense(90, 3, nil)
	for i := range 90 {
		same.SetRow(i, []float64{1, 2, float64(i % 2)})
	}
	s = subclassesOf(t, same, slices.Concat(make([]int, 45), slices.Repeat([]int{1}, 45)), Options{Most: 4})
	if err := s.Validate(); err != nil || s.Components.Total() != 90 {
		t.Errorf("equal rows: %d observations, %v", s.Components.Total(), err)
	}
	if componentsFor(49, 0) != 1 || componentsFor(100, 0) != 2 || componentsFor(5000, 0) != 16 ||
		componentsFor(5000, 30) != 30 {
		t.Error("the number of components by rows has changed")
	}
}

func TestSubclassesNameWhatIsWrong(t *testing.T) {
	x, labels, _ := mixtures(8, 60, 4)
	bad := mat.DenseCopyOf(x)
	bad.Set(17, 2, math.NaN())
	small := testkit.Must(BasisOf(estimateAll(t, x.Slice(0, 60, 0, 3), labels), 3))(t)
	canceled := testkit.Canceled()
	for _, c := range []struct {
		what, want string
		ctx        context.Context
		x          mat.Matrix
		labels     []int
		opt        Options
	}{
		{"NaN", "row 17, column 2 is NaN", context.Background(), bad, labels, Options{}},
		{"one row", "class b has too few observations (1)", context.Background(), x.Slice(0, 3, 0, 4), []int{0, 0, 1},
			Options{}},
		{"no class", "label 2", context.Background(), x, slices.Repeat([]int{2}, 60), Options{}},
		{"other columns", "the basis has 3", context.Background(), x, labels, Options{Basis: small}},
		{"short labels", "labels is 5, but the number of rows is 60", context.Background(), x, labels[:5], Options{}},
		{"negative", "must not be negative", context.Background(), x, labels, Options{Most: -1}},
		{"canceled", "canceled", canceled, x, labels, Options{}},
	} {
		_, err := Estimate(c.ctx, RowsOf(c.x, c.labels, []string{"a", "b"}), c.opt)
		testkit.ErrorContains(t, err, c.want, c.what)
	}
	stop := errors.New("disk on fire")
	_, err := Estimate(context.Background(),
		func(func(mat.Matrix, []int, []string) error) error { return stop }, Options{})
	testkit.ErrorIs(t, err, stop, "the reader's error is lost")
}
