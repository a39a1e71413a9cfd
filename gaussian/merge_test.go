package gaussian

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rao/internal/testkit"
)

func part(t *testing.T, x *mat.Dense, labels []int, lo, hi, classes int) *Statistics {
	t.Helper()
	_, n := x.Dims()
	a := newCollecting(n, classes)
	return finish(t, a, a.Add(x.Slice(lo, hi, 0, n), labels[lo:hi]))
}

// However the rows are split in two, merging the parts gives the statistics of all rows, and subtracting one part gives
// the other.
func TestSplitMergeSubtract(t *testing.T) {
	x, labels := sample(21, 400, 4, 3, 10)
	whole := part(t, x, labels, 0, 400, 3)
	rapid.Check(t, func(r *rapid.T) {
		at := rapid.IntRange(40, 360).Draw(r, "at")
		a, b := part(t, x, labels, 0, at, 3), part(t, x, labels, at, 400, 3)
		merged := testkit.Must(Merge(a, b))(t)
		same(t, "merged", merged, whole, 1e-12)
		rest := testkit.Must(Subtract(whole, a))(t)
		same(t, "rest", rest, b, 1e-10)
	})
}

func TestMergeMatchesClassesByName(t *testing.T) {
	x, labels := sample(22, 300, 3, 2, 0)
	a, b := part(t, x, labels, 0, 150, 2), part(t, x, labels, 150, 300, 2)
	a.Classes, b.Classes = []string{"10", "2"}, []string{"2", "7"}
	m, err := Merge(a, b)
	testkit.NoError(t, err)
	if !slices.Equal(m.Classes, []string{"2", "7", "10"}) {
		t.Fatalf("names %v", m.Classes)
	}
	testkit.EqualSlices(t, m.Counts, []int{a.Counts[1] + b.Counts[0], b.Counts[1], a.Counts[0]}, "counts")
	b.Classes = []string{"x", "2"}
	if m, _ = Merge(a, b); !slices.Equal(m.Classes, []string{"10", "2", "x"}) {
		t.Errorf("lexical names %v", m.Classes)
	}
	b.Classes = []string{"10", "2"}
	b.Cubic, b.Quartic = nil, nil
	if m, _ = Merge(a, b); m.Quartic != nil {
		t.Error("higher moments of a part without them were invented")
	}
	if m, err = Merge(a); err != nil || digest(m) != digest(a) {
		t.Errorf("merging one part changed it (%v)", err)
	}
}

func TestSubtractEverythingLeavesNothing(t *testing.T) {
	x, labels := sample(23, 100, 3, 2, 0)
	s := part(t, x, labels, 0, 100, 2)
	rest := testkit.Must(Subtract(s, s))(t)
	if rest.Total() != 0 || slices.Max(rest.Covariances) != 0 || slices.Max(rest.Quartic) != 0 {
		t.Errorf("something is left: %v", rest)
	}
}

func TestMergeAndSubtractErrors(t *testing.T) {
	x, labels := sample(24, 200, 3, 2, 0)
	s, small := part(t, x, labels, 0, 200, 2), part(t, x, labels, 0, 50, 2)
	other := s.Project(mat.NewDense(3, 2, nil))
	stranger, twice, broken := s.Clone(), s.Clone(), s.Clone()
	stranger.Classes = []string{"0", "z"}
	twice.Classes = []string{"1", "1"}
	broken.Means = nil
	merge := func(parts ...*Statistics) error { _, err := Merge(parts...); return err }
	subtract := func(a, b *Statistics) error { _, err := Subtract(a, b); return err }
	for want, err := range map[string]error{
		"no statistics":                                                        merge(),
		"part 2 has 2 columns, but part 1 has 3":                               merge(s, other),
		"part 2: the class name \"1\" occurs twice":                            merge(s, twice),
		"part 2: the means of the statistics have 0 values":                    merge(s, broken),
		"dimension 2 cannot be subtracted from statistics of dimension 3":      subtract(s, other),
		"class z cannot be subtracted":                                         subtract(s, stranger),
		"observations of class 0 cannot be subtracted, because there are only": subtract(small, s),
		"occurs twice, so classes cannot":                                      subtract(s, twice),
		"the means of the statistics have 0 values, but 2 classes ":            subtract(broken, s),
	} {
		testkit.ErrorContains(t, err, want)
	}
}
