package report

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/internal/indices"
	"rao/internal/modelinfo"
	"rao/lvq"
	"rao/model"
	"rao/spd"
)

// patternsShown is the maximum number of patterns per class in a figure.
const patternsShown = 3

// Learned draws the learned parameters of a model: filters as images, class means and prototypes as matrices, and, if
// the channels are electrodes, prototypes and spatial patterns as scalp maps. name is the name of the model in titles.
// A model without any of these parameters has no figures. If a figure cannot be computed, it returns an error and the
// figures before it.
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

// drawings draw the figures of what a model has learned. Each returns nil for a model of another type.
var drawings = []func(*model.Model) (*Figure, error){
	drawing(classMeans),
	drawing(prototypes),
	drawing(prototypePower),
	patterns,
}

// drawing returns an entry for the classifiers of type T, which may be an interface.
func drawing[T any](draw func(*model.Model, T) (*Figure, error)) func(*model.Model) (*Figure, error) {
	return func(m *model.Model) (*Figure, error) {
		if c, ok := m.Classifier.(T); ok {
			return draw(m, c)
		}
		return nil, nil
	}
}

// filterImages draws the filters of a model of images, and returns nil for other models.
func filterImages(m *model.Model, name string) *Figure {
	filters, shape := m.Filters(), m.Input.Image
	if filters == nil {
		return nil
	}
	if n, _ := filters.Dims(); shape[0]*shape[1]*max(1, shape[2]) != n {
		return nil
	}
	return Filters("Filters of "+name, filters, shape)
}

// classMeans draws the class means relative to their common mean, which shows the differences between the classes.
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

func prototypes(m *model.Model, p *lvq.PLRSQ) (*Figure, error) {
	return logarithms("Prototypes of "+m.Method+", as matrix logarithms", m, p.Prototypes,
		indices.Pick(m.Classes, p.Labels))
}

// logarithms draws the logarithms of matrices, which makes matrices of very different size comparable.
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
	return matricesFigure(title, matrices, logs.Dim, names, channels), nil
}

// prototypePower draws the logarithm of the prototypes' power at each electrode, or returns nil if the channels are not
// known electrodes.
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
		return nil, nil // the channels are not electrodes
	}
	return f, nil
}

// patterns draws the leading spatial patterns of each class or direction. It returns nil if the model has none or the
// channels are not known electrodes.
func patterns(m *model.Model) (*Figure, error) {
	f, err := modelinfo.Spatial(m)
	if err != nil || f == nil || f.Patterns == nil {
		return nil, err
	}
	n, count := f.Patterns.Dims()
	if len(m.Input.Channels) != n {
		return nil, nil
	}
	var maps [][]float64
	var names []string
	drawn := map[string]int{}
	for j := range count {
		name := fmt.Sprintf("pattern %d", j+1)
		if f.Of != nil {
			if drawn[f.Of[j]]++; drawn[f.Of[j]] > patternsShown {
				continue
			}
			name = fmt.Sprintf("%s %+.2g", f.Of[j], f.Weights[j])
		}
		maps, names = append(maps, mat.Col(nil, j, f.Patterns)), append(names, name)
	}
	title := "Spatial patterns of the filters"
	if f.Of != nil {
		title = "Spatial patterns and their weights"
	}
	fig, err := ScalpMap(title, m.Input.Channels, maps, names, ScalpOptions{Separate: true})
	if err != nil {
		return nil, nil // the channels are not electrodes
	}
	return fig, nil
}
