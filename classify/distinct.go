package classify

import (
	"context"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"rao/spd"
)

// Distinctiveness measures how distinct classes of SPD matrices are (Lotte and Jeunet 2018; for more than two classes
// as in pyRiemann). It is the distance between the class means, divided by the mean distance of the matrices from the
// mean of their class:
//
//	d(M_1, M_2) / ((s_1 + s_2)/2)  for two classes,  Σ_c d(M_c, M) / Σ_c s_c  for more,
//
// where s_c is the mean distance of the matrices of class c from their mean M_c, and M the mean of the class means.
// Labels are counted from 0. A class without matrices is left out. The result is infinite if all matrices within each
// class are equal. It returns the same errors as [FitMDM], also if fewer than two classes have matrices. It panics with
// mat.ErrShape unless there is one label per matrix.
func Distinctiveness(ctx context.Context, x *spd.Stack, labels []int, metric spd.Metric) (float64, error) {
	if err := x.Validate(); err != nil {
		return 0, err
	}
	if len(labels) != x.Count {
		panic(mat.ErrShape)
	}
	labels, names := present(labels)
	m, err := FitMDM(ctx, x, labels, names, MDMOptions{Metric: metric})
	if err != nil {
		return 0, err
	}
	var own, apart mat.Dense
	if err := m.Distances(ctx, &own, x); err != nil {
		return 0, err
	}
	counts, spread := make([]float64, len(names)), make([]float64, len(names))
	for i, l := range labels {
		counts[l]++
		spread[l] += own.At(i, l)
	}
	within := 0.0
	for c := range spread {
		within += spread[c] / counts[c]
	}
	if len(names) == 2 {
		d, err := spd.Distance(m.Metric, m.Means.View(0), m.Means.View(1))
		return d / (within / 2), err
	}
	center, _, err := spd.Mean(ctx, m.Means, nil, m.Metric, spd.MeanOptions{})
	if err != nil {
		return 0, err
	}
	if err := spd.Distances(ctx, &apart, m.Metric, m.Means, spd.StackFrom(center)); err != nil {
		return 0, err
	}
	return mat.Sum(&apart) / within, nil
}

// present renumbers the labels that occur from 0, and names them by their old numbers.
func present(labels []int) ([]int, []string) {
	var names []string
	number := map[int]int{}
	for _, l := range slices.Compact(slices.Sorted(slices.Values(labels))) {
		number[l] = len(names)
		names = append(names, strconv.Itoa(l))
	}
	out := make([]int, len(labels))
	for i, l := range labels {
		out[i] = number[l]
	}
	return out, names
}
