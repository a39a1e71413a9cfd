package datafigures

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/classifiers"
	"rao/model"
	"rao/report"
)

// patterned is a classifier that has spatial patterns of its classes.
type patterned interface {
	Patterns(class int) (*classifiers.ClassPatterns, error)
}

// PatternTable lists the number of spatial patterns per class of a model such as enuc. It returns nil for models
// without patterns.
func PatternTable(m *model.Model) (*report.Table, error) {
	e, ok := m.Classifier.(patterned)
	if !ok {
		return nil, nil
	}
	table := &report.Table{Header: []string{"class", "patterns", "weights of the leading ones"}}
	for k, class := range m.Classes {
		p, err := e.Patterns(k)
		if err != nil {
			return nil, err
		}
		weights := ""
		for _, w := range p.Weights[:min(patternsShown, len(p.Weights))] {
			weights += fmt.Sprintf("%+.3g ", w)
		}
		table.Rows = append(table.Rows, []string{class, fmt.Sprint(len(p.Weights)), weights})
	}
	return table, nil
}

// patternsShown is the largest number of patterns per class whose weights are listed.
const patternsShown = 3

// pointsShown is the approximate largest number of observations in a figure.
const pointsShown = 1500

// planesOf returns the pairs of the first dims dimensions.
func planesOf(dims int) [][2]int {
	var planes [][2]int
	for i := range dims {
		for j := i + 1; j < dims; j++ {
			planes = append(planes, [2]int{i, j})
		}
	}
	return planes
}

// Features draws pairs of the first features of the data, with class ellipses and observations as points. It returns
// nil if the model has fewer than 2 or more than 1000 features, or classes are too small for covariances.
func Features(ctx context.Context, m *model.Model, d *dataset.Data, dims int) (*report.Figure, error) {
	z, err := m.Transform(ctx, model.BatchOf(d))
	if err != nil || z.X == nil || z.Dim() < 2 || z.Dim() > 1000 {
		return nil, err
	}
	return classPlanes("Features and their classes", "feature", z.X, d, dims), nil
}

// classPlanes draws classes and some of their observations, the rows of x. It returns nil if there are too few
// observations for covariances.
func classPlanes(title, axis string, x mat.Matrix, d *dataset.Data, dims int) *report.Figure {
	stats, err := gaussian.Estimate(x, d.Labels, d.Classes)
	if err != nil {
		return nil
	}
	_, dim := x.Dims()
	var points []float64
	var labels []int
	seen, most := make([]int, len(d.Classes)), max(10, pointsShown/len(d.Classes))
	for i, l := range d.Labels {
		if seen[l]++; seen[l] <= most {
			points, labels = append(points, mat.Row(nil, i, x)...), append(labels, l)
		}
	}
	return report.Ellipses(title, stats, nil, planesOf(min(dim, dims)), report.EllipsesOptions{Axis: axis,
		Points: mat.NewDense(len(labels), dim, points), Labels: labels})
}
