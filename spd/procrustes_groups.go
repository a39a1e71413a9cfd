package spd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
)

// AlignOptions contains the data and options of [AlignGroups], which aligns the recordings of several groups, such as
// people.
type AlignOptions struct {
	// Groups is the group of each matrix, and Recordings its recording; nil means one recording per group.
	Groups, Recordings []int
	// Labels is the class of each matrix, 0..Classes-1, or −1 if it is unknown or must not be used.
	Labels  []int
	Classes int // number of classes
	// Target is the group to be classified. Scaling and rotation aim at the other groups.
	Target int
	// Euclid centers by the arithmetic mean of each recording (Euclidean alignment) instead of the Riemannian mean. It
	// needs no iteration and cannot be combined with Scale or Rotate.
	Euclid bool
	// Scale raises the matrices of each recording to a power, which gives the recording the mean dispersion of the
	// labeled recordings of the other groups.
	Scale bool
	// Rotate rotates each group to move its class means towards the class means of the other groups.
	Rotate bool
}

// AlignGroups centers each recording of x by its own mean, and scales and rotates it according to the options
// (Rodrigues, Jutten and Congedo 2019). dst may be x. Rotate requires labeled matrices of every class in every group.
// Errors name the matrix, its group and its recording. If the error is a *rao.NotConvergedError of a mean or a
// rotation, dst is usable.
//
// It returns the alignment of the last recording of the target group, for later matrices of that recording.
func AlignGroups(ctx context.Context, dst, x *Stack, o AlignOptions) (*Alignment, error) {
	if x == nil {
		return nil, errNil
	}
	if err := o.check(x.Count); err != nil {
		return nil, err
	}
	var unsettled error
	keep := func(err error) error {
		if rao.IsNotConverged(err) && ctx.Err() == nil {
			unsettled, err = errors.Join(unsettled, err), nil
		}
		return err
	}
	ids := o.recordings()
	aim, err := o.dispersion(ctx, x, indices.GroupsInOrder(ids, x.Count), keep)
	if err != nil {
		return nil, err
	}
	var fitted []*Alignment // by the number of the recording
	out := new(Stack)
	err = adaptEach(out, x, ids, o.name, func(dst, part *Stack) error {
		if o.Euclid {
			mean, _, err := Mean(ctx, part, nil, Euclid, MeanOptions{})
			if err != nil {
				return err
			}
			a := &Alignment{Mean: mean, Power: 1}
			fitted = append(fitted, a)
			return a.Apply(dst, part)
		}
		a, err := fitAlignment(ctx, part, aim)
		if err != nil {
			return err
		}
		fitted = append(fitted, a)
		return a.Apply(dst, part)
	})
	if err != nil {
		return nil, err
	}
	held := fitted[o.lastOf(ids)]
	if o.Rotate {
		if held.Rotation, err = o.rotate(ctx, out, keep); err != nil {
			return nil, err
		}
	}
	dst.fit(x.Count, x.Dim)
	copy(dst.Data, out.Data)
	return held, unsettled
}

// lastOf returns the number of the last recording of the target group.
func (o *AlignOptions) lastOf(ids []int) (last int) {
	for i, g := range o.Groups {
		if g == o.Target {
			last = max(last, ids[i])
		}
	}
	return last
}

func (o *AlignOptions) check(n int) error {
	if len(o.Groups) != n || o.Recordings != nil && len(o.Recordings) != n || len(o.Labels) != n {
		return fmt.Errorf("alignment: there are %[2]d groups, %[3]d recordings and %[4]d labels for %[1]d matrices; "+
			"every matrix needs one of each",
			n, len(o.Groups), len(o.Recordings), len(o.Labels))
	}
	another := func(g int) bool { return g != o.Target }
	if !slices.Contains(o.Groups, o.Target) || !slices.ContainsFunc(o.Groups, another) {
		return faults.Option("alignment: group %d cannot be left out, because it has no matrices or is the only "+
			"group; choose another group", o.Target)
	}
	if o.Rotate && o.Classes < 1 {
		return faults.Option("alignment: a rotation needs labeled matrices, but there are no classes; give labels, " +
			"or leave the rotation out")
	}
	if o.Euclid && (o.Scale || o.Rotate) {
		return faults.Option("alignment by the arithmetic mean supports only centering; leave scale and rotation out")
	}
	for i, l := range o.Labels {
		if err := indices.CheckLabel("matrix", i, l, o.Classes); err != nil && l != -1 {
			return fmt.Errorf("alignment: %w, or -1", err)
		}
	}
	return nil
}

// recordings returns the number of each matrix's recording, counted over all groups.
func (o *AlignOptions) recordings() []int {
	type key struct{ group, recording int }
	number := map[key]int{}
	out := make([]int, len(o.Groups))
	for i, g := range o.Groups {
		k := key{group: g}
		if o.Recordings != nil {
			k.recording = o.Recordings[i]
		}
		if _, ok := number[k]; !ok {
			number[k] = len(number)
		}
		out[i] = number[k]
	}
	return out
}

// name returns the group of matrix i, and its recording if there are recordings, for errors.
func (o *AlignOptions) name(i int) string {
	if o.Recordings == nil {
		return fmt.Sprintf("group %d", o.Groups[i])
	}
	return fmt.Sprintf("group %d, recording %d", o.Groups[i], o.Recordings[i])
}

// dispersion returns the mean dispersion of the labeled recordings of the groups other than Target, or 0 without Scale.
func (o *AlignOptions) dispersion(ctx context.Context, x *Stack, recordings [][]int,
	keep func(error) error) (float64, error) {
	if !o.Scale {
		return 0, nil
	}
	sum, count := 0.0, 0.0
	for _, rows := range recordings {
		if o.Groups[rows[0]] == o.Target || !slices.ContainsFunc(rows, func(i int) bool { return o.Labels[i] >= 0 }) {
			continue
		}
		part := x.Select(rows)
		mean, _, err := Mean(ctx, part, nil, Riemann, MeanOptions{})
		if err := keep(err); err != nil {
			return 0, err
		}
		d, err := Dispersion(part, mean)
		if err != nil {
			return 0, err
		}
		sum, count = sum+d, count+1
	}
	if count == 0 {
		return 0, faults.Data("alignment: no other group has labels, so there is no scale to align to; leave the " +
			"scale out")
	}
	return sum / count, nil
}

// rotate rotates each group of the centered stack in place, and returns the rotation of the target group.
func (o *AlignOptions) rotate(ctx context.Context, x *Stack, keep func(error) error) (held *mat.Dense, err error) {
	groups := indices.GroupsInOrder(o.Groups, x.Count)
	means := make([]*Stack, len(groups))
	for g, rows := range groups {
		means[g] = NewStack(o.Classes, x.Dim)
		for c := range o.Classes {
			var of []int
			for _, i := range rows {
				if o.Labels[i] == c {
					of = append(of, i)
				}
			}
			if len(of) == 0 {
				return nil, faults.Count(0, 1, "alignment: group %d has no labeled matrix of class %d (counted from "+
					"0), so it cannot be rotated; leave the rotation out", o.Groups[rows[0]], c)
			}
			if err := setMean(ctx, means[g], c, x.Select(of), keep); err != nil {
				return nil, err
			}
		}
	}
	target := NewStack(o.Classes, x.Dim)
	for c := range o.Classes {
		all := NewStack(0, x.Dim)
		for g, rows := range groups {
			if o.Groups[rows[0]] != o.Target {
				all.Data = append(all.Data, means[g].At(c)...)
				all.Count++
			}
		}
		if err := setMean(ctx, target, c, all, keep); err != nil {
			return nil, err
		}
	}
	for g, rows := range groups {
		a := &Alignment{Mean: mat.NewSymDense(x.Dim, vec.Identity(x.Dim)), Power: 1}
		if _, err := a.turn(ctx, means[g], target, nil); keep(err) != nil {
			return nil, err
		}
		part := x.Select(rows)
		if err := a.Apply(part, part); err != nil {
			return nil, err
		}
		put(x, part, rows)
		if o.Groups[rows[0]] == o.Target {
			held = a.Rotation
		}
	}
	return held, nil
}

func setMean(ctx context.Context, dst *Stack, k int, x *Stack, keep func(error) error) error {
	mean, _, err := Mean(ctx, x, nil, Riemann, MeanOptions{})
	if err := keep(err); err != nil {
		return err
	}
	dst.Set(k, mean)
	return nil
}

// put copies the matrices of part to dst at the indices rows.
func put(dst, part *Stack, rows []int) {
	for k, i := range rows {
		copy(dst.At(i), part.At(k))
	}
}
