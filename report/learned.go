package report

import (
	"context"
	"fmt"
	"math"

	"rao"
	"rao/classify"
	"rao/lvq"
	"rao/model"
	"rao/spd"
)

// patternsShown is how many patterns of a class a figure draws, those of most weight.
const patternsShown = 3

// Learned draws what a model learned: filters as images, class means and prototypes as matrices and, where
// the channels are electrodes, prototypes and spatial patterns as maps of the scalp. A model
// that learned none of these has no figures.
func Learned(m *model.Model, name string) ([]*Figure, error) {
	var list []*Figure
	if f := filterImages(m, name); f != nil {
		list = append(list, f)
	}
	for _, draw := range drawings {
		f, err := draw(m)
		if err != nil {
			return list, err
		}
		if f != nil {
			list = append(list, f)
		}
	}
	return list, nil
}

// drawings are the figures of classifiers, one entry per figure. Each returns nil for a classifier of another type.
var drawings = []func(*model.Model) (*Figure, error){
	drawing(classMeans),
	drawing(prototypes),
	drawing(prototypePower),
	drawing(patterns),
}

// drawing makes an entry for the classifiers of type T, which may be an interface.
func drawing[T any](draw func(*model.Model, T) (*Figure, error)) func(*model.Model) (*Figure, error) {
	return func(m *model.Model) (*Figure, error) {
		if c, ok := m.Classifier.(T); ok {
			return draw(m, c)
		}
		return nil, nil
	}
}

// patterned is a classifier whose classes have spatial patterns.
type patterned interface {
	Dim() int
	Patterns(class int) (*classify.ClassPatterns, error)
}

// filterImages draws the filters of a model whose observations are images as they come, nil
// for others.
func filterImages(m *model.Model, name string) *Figure {
	filters, shape := m.Filters(), m.Input.Image
	if filters == nil {
		return nil
	}
	if n, _ := filters.Dims(); shape[0]*shape[1]*max(1, shape[2]) != n {
		return nil
	}
	return FilterImages("Filters of "+name, filters, shape)
}

// classMeans draws the class means as seen from their common mean, so that what all share is
// not there and what tells them apart is.
func classMeans(m *model.Model, c *classify.MDM) (*Figure, error) {
	center, _, err := spd.Mean(context.Background(), c.Means, nil, spd.Riemann, spd.MeanOptions{})
	if err != nil && !rao.HasModel(err) {
		return nil, err
	}
	about := spd.NewStack(c.Means.Count, c.Means.Dim)
	if err := spd.Recenter(about, c.Means, center, nil); err != nil {
		return nil, err
	}
	return logarithms("Class means of "+m.Method+" about their common mean, as logarithms", m, about, m.Classes)
}

// prototypes draws the prototypes with the names of their classes.
func prototypes(m *model.Model, p *lvq.PLRSQ) (*Figure, error) {
	names := make([]string, len(p.Labels))
	for i, l := range p.Labels {
		names[i] = m.Classes[l]
	}
	return logarithms("Prototypes of "+m.Method+", as matrix logarithms", m, p.Prototypes, names)
}

// logarithms draws the logarithms of matrices, in which those of very different size can be
// compared.
func logarithms(title string, m *model.Model, x *spd.Stack, names []string) (*Figure, error) {
	logs := spd.NewStack(x.Count, x.Dim)
	if err := spd.Log(logs, x); err != nil {
		return nil, err
	}
	matrices := make([][]float64, logs.Count)
	for i := range matrices {
		matrices[i] = logs.At(i)
	}
	var channels []string
	if len(m.Input.Channels) == logs.Dim {
		channels = m.Input.Channels
	}
	return Matrices(title, matrices, logs.Dim, names, channels), nil
}

// prototypePower draws the logarithm of the prototypes' power at each electrode, nil when
// the channels are not known electrodes.
func prototypePower(m *model.Model, p *lvq.PLRSQ) (*Figure, error) {
	if len(m.Input.Channels) != p.Prototypes.Dim {
		return nil, nil
	}
	maps := make([][]float64, p.Prototypes.Count)
	names := make([]string, len(maps))
	for i := range maps {
		maps[i] = make([]float64, p.Prototypes.Dim)
		for j := range maps[i] {
			maps[i][j] = math.Log(p.Prototypes.At(i)[j*(p.Prototypes.Dim+1)])
		}
		names[i] = m.Classes[p.Labels[i]]
	}
	f, err := ScalpMap("Logarithm of the prototypes' power", m.Input.Channels, maps, names, ScalpOptions{})
	if err != nil {
		return nil, nil // channels that are not electrodes
	}
	return f, nil
}

// patterns draws the leading spatial patterns of each class, nil when the channels are not
// known electrodes.
func patterns(m *model.Model, e patterned) (*Figure, error) {
	if len(m.Input.Channels) != e.Dim() {
		return nil, nil
	}
	var maps [][]float64
	var names []string
	for k, class := range m.Classes {
		p, err := e.Patterns(k)
		if err != nil {
			return nil, err
		}
		for j, w := range p.Weights[:min(patternsShown, len(p.Weights))] {
			pattern := make([]float64, e.Dim())
			for i := range pattern {
				pattern[i] = p.Patterns.At(i, j)
			}
			maps, names = append(maps, pattern), append(names, fmt.Sprintf("%s %+.2g", class, w))
		}
	}
	if len(maps) == 0 {
		return nil, nil
	}
	f, err := ScalpMap("Spatial patterns of the classes and their weights", m.Input.Channels, maps, names,
		ScalpOptions{Separate: true})
	if err != nil {
		return nil, nil // channels that are not electrodes
	}
	return f, nil
}
