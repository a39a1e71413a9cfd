package spd

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

// threeGroups returns matrices of three classes, and the same matrices as recorded from three people. Those of the
// second and third person are changed by a power, a small rotation and a congruence.
func threeGroups(t *testing.T) (base, x *Stack, groups, labels []int) {
	t.Helper()
	g, all := readAdaptGolden(t)
	ctx, n := context.Background(), g.Dim
	base = new(Stack)
	testkit.Must(Center(ctx, base, all))(t)
	x = NewStack(3*base.Count, n)
	rng := rand.New(rand.NewPCG(12, 1))
	for p := range 3 {
		moved := base.Select(indices.Range(base.Count))
		if p > 0 {
			k := mat.NewDense(n, n, nil)
			for i := range n {
				for j := range i {
					v := 0.1 * rng.NormFloat64()
					k.Set(i, j, v)
					k.Set(j, i, -v)
				}
			}
			var q mat.Dense
			q.Exp(k)
			one := vec.Identity(n)
			testkit.NoError(t, errors.Join(Pow(moved, moved, 1+0.3*float64(p)), congruences(moved, moved,
				q.RawMatrix().Data),
				recenter(moved, moved, one, g.Start)))
		}
		copy(x.Data[p*len(base.Data):], moved.Data)
		for i := range base.Count {
			groups, labels = append(groups, p), append(labels, i%3)
		}
	}
	return base, x, groups, labels
}

// Differences between people are removed, and the labels of the left-out person affect only the rotation.
func TestAlignGroups(t *testing.T) {
	base, x, groups, labels := threeGroups(t)
	ctx := context.Background()
	o := AlignOptions{Groups: groups, Labels: labels, Classes: 3, Target: 0, Scale: true, Rotate: true}
	out := new(Stack)
	held := testkit.Must(AlignGroups(ctx, out, x, o))(t)
	carried := new(Stack)
	testkit.NoError(t, held.Apply(carried, x.Slice(0, base.Count)))
	testkit.Close(t, "later matrices of the target group", carried.Data, out.Data[:len(base.Data)], 1e-12)
	part := func(s *Stack, p int) []float64 { return s.Data[p*len(base.Data) : (p+1)*len(base.Data)] }
	testkit.Close(t, "second and third", part(out, 1), part(out, 2), 1e-5)
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	again := x.Select(indices.Range(x.Count))
	if _, err := AlignGroups(ctx, again, again, o); err != nil || !slices.Equal(again.Data, out.Data) {
		t.Errorf("in place, with one worker: other bits (%v)", err)
	}

	plain, blind := new(Stack), new(Stack)
	o.Scale, o.Rotate = false, false
	testkit.Must(AlignGroups(ctx, plain, x, o))(t)
	testkit.Close(t, "centered", part(plain, 0), base.Data, 1e-7)
	o.Labels = slices.Clone(labels)
	for i, g := range groups {
		if g == 0 {
			o.Labels[i] = -1
		}
	}
	o.Scale = true
	testkit.Must(AlignGroups(ctx, blind, x, o))(t)
	o.Labels = labels
	testkit.Must(AlignGroups(ctx, plain, x, o))(t)
	testkit.EqualSlices(t, plain.Data, blind.Data, "centering and scaling look at the labels of the group that is held")
}

// Euclidean alignment makes the arithmetic mean of every recording the identity, and differs from centering by the
// Riemannian mean.
func TestEuclideanAlignment(t *testing.T) {
	_, x, groups, labels := threeGroups(t)
	ctx := context.Background()
	o := AlignOptions{Groups: groups, Labels: labels, Classes: 3, Euclid: true}
	out, riemann := new(Stack), new(Stack)
	testkit.Must(AlignGroups(ctx, out, x, o))(t)
	identity := vec.Identity(x.Dim)
	for g := range 3 {
		mean, count := make([]float64, len(identity)), 0
		for k, of := range groups {
			if of == g {
				count++
				for i, v := range out.At(k) {
					mean[i] += v
				}
			}
		}
		for i := range mean {
			mean[i] /= float64(count)
		}
		testkit.Close(t, "mean", mean, identity, 1e-10)
	}
	o.Euclid = false
	if _, err := AlignGroups(ctx, riemann, x, o); err != nil || slices.Equal(riemann.Data, out.Data) {
		t.Errorf("the same as by the Riemannian mean, %v", err)
	}
}

func TestAlignGroupsRefusals(t *testing.T) {
	_, x, groups, labels := threeGroups(t)
	lacking := slices.Clone(labels)
	for i, g := range groups {
		if g == 1 && lacking[i] == 2 {
			lacking[i] = -1
		}
	}
	nobody := make([]int, len(labels))
	for i, g := range groups {
		if nobody[i] = -1; g == 0 {
			nobody[i] = 0
		}
	}
	for want, o := range map[string]AlignOptions{
		"or is the only group":    {Groups: make([]int, x.Count), Labels: labels, Classes: 3},
		"group 7 cannot be left":  {Groups: groups, Labels: labels, Classes: 3, Target: 7},
		"groups, 1 recordings":    {Groups: groups, Recordings: []int{0}, Labels: labels, Classes: 3},
		"from 0 to 1, or -1":      {Groups: groups, Labels: labels, Classes: 2},
		"no labeled matrix of cl": {Groups: groups, Labels: lacking, Classes: 3, Rotate: true},
		"no scale to align to":    {Groups: groups, Labels: nobody, Classes: 3, Scale: true},
		"supports only centering": {Groups: groups, Labels: labels, Classes: 3, Euclid: true, Scale: true},
		"is less than their or":   {Groups: groups, Recordings: indices.Range(x.Count), Labels: labels, Classes: 3},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(AlignGroups(context.Background(), new(Stack), x, o)), want)
	}
}

// Errors name the group and the recording as the caller numbers them.
func TestAlignGroupsNamesGroups(t *testing.T) {
	_, x, groups, labels := threeGroups(t)
	for i := range groups {
		groups[i] += 5
	}
	bad := slices.Index(groups, 6)
	x.At(bad)[0] = -100
	o := AlignOptions{Groups: groups, Labels: labels, Classes: 3, Target: 5}
	for _, want := range []string{"group 6: matrix ", "group 6, recording 11: matrix "} {
		err := testkit.ErrorOf(AlignGroups(context.Background(), new(Stack), x, o))
		testkit.ErrorContains(t, err, fmt.Sprintf("%s%d is not positive definite", want, bad))
		o.Recordings = slices.Repeat([]int{11}, x.Count)
	}
}
