package datafigures

import (
	"context"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/linalg/vec"
	"rao/model"
	"rao/report"
	"rao/spd"
)

// Named is a figure with the name of its files.
type Named struct {
	Name   string
	Figure *report.Figure
}

// Classes draws the figures for labeled data: features with class ellipses, matrices in their tangent space, and power
// at electrodes. Figures that do not apply are left out.
func Classes(ctx context.Context, m *model.Model, d *dataset.Data) ([]Named, error) {
	var figures []Named
	if m.Features() > 0 {
		f, err := Features(ctx, m, d, drawnFeatures)
		if err != nil {
			return nil, err
		}
		if f != nil {
			figures = append(figures, Named{"features", f})
		}
	}
	f, err := tangentMap(ctx, d)
	if err != nil {
		return nil, err
	}
	if f != nil {
		figures = append(figures, Named{"tangent-space", f})
	}
	if f := powerMaps(d); f != nil {
		figures = append(figures, Named{"class-power", f})
	}
	return figures, nil
}

// drawnFeatures is the number of features that are drawn in pairs.
const drawnFeatures = 4

// tangentMap draws matrices by the two leading principal components of their tangent vectors at the common mean. It
// returns nil if d has no matrices of order 2 to 44, fewer than 3 or more than 20000 of them, or matrices without a
// mean.
func tangentMap(ctx context.Context, d *dataset.Data) (*report.Figure, error) {
	if d.Stack == nil || d.Stack.Dim < 2 || d.Stack.Dim > 44 || d.N() < 3 || d.N() > 20000 {
		return nil, ctx.Err()
	}
	mean, _, err := spd.Mean(ctx, d.Stack, nil, spd.Riemann, spd.MeanOptions{})
	if err != nil {
		return nil, ctx.Err() // matrices that the model has to repair
	}
	t := mat.NewDense(d.N(), vec.PackedLen(d.Stack.Dim), nil)
	if err := spd.TangentVectors(ctx, t, d.Stack, mean); err != nil {
		return nil, ctx.Err()
	}
	all, err := gaussian.Estimate(t, make([]int, d.N()), []string{"all"})
	if err != nil {
		return nil, ctx.Err()
	}
	pca, err := feature.FitPCA(all, feature.PCAOptions{Filters: 2})
	if err != nil {
		return nil, ctx.Err()
	}
	z := mat.NewDense(d.N(), 2, nil)
	pca.Transform(z, t)
	return classPlanes("Matrices in the tangent space of their mean", "principal component", z, d, 2), nil
}

// powerMaps draws the logarithm of the classes' power at the electrodes, minus its mean over the classes, with one row
// per band. It returns nil if the channels are not electrodes.
func powerMaps(d *dataset.Data) *report.Figure {
	v := d.Vars["channels"]
	if d.Stack == nil || v == nil || len(v.Strings) != d.Stack.Dim || len(d.Classes) < 2 {
		return nil
	}
	electrodes, bands, ok := byBand(v.Strings)
	if !ok {
		return nil
	}
	power := classPowers(d)
	var maps [][]float64
	var names []string
	for b, band := range bands {
		for k, class := range d.Classes {
			maps = append(maps, power[k][b*len(electrodes):(b+1)*len(electrodes)])
			if band != "" {
				class += ", " + band
			}
			names = append(names, class)
		}
	}
	opt := report.ScalpOptions{}
	if len(bands) > 1 {
		opt.Columns = len(d.Classes)
	}
	f, err := report.ScalpMap("Logarithm of the classes' power minus its mean", electrodes, maps, names, opt)
	if err != nil {
		return nil // the channels are not electrodes
	}
	return f
}

// byBand splits channel names in the form of recipe.Signal.Names, which lists the electrodes band by band. ok is false
// if the bands have different electrodes.
func byBand(channels []string) (electrodes, bands []string, ok bool) {
	for i, c := range channels {
		name, band, _ := strings.Cut(c, " ")
		if i == 0 || band != bands[len(bands)-1] {
			bands = append(bands, band)
		}
		if len(bands) == 1 {
			electrodes = append(electrodes, name)
		} else if electrodes[i%len(electrodes)] != name {
			return nil, nil, false
		}
	}
	return electrodes, bands, len(bands)*len(electrodes) == len(channels)
}

// classPowers returns the mean logarithm of each class's power at each channel, minus the mean over the classes.
func classPowers(d *dataset.Data) [][]float64 {
	n := d.Stack.Dim
	power, counts := make([][]float64, len(d.Classes)), d.Counts()
	for k := range power {
		power[k] = make([]float64, n)
	}
	for i, l := range d.Labels {
		for j := range n {
			power[l][j] += math.Log(d.Stack.At(i)[j*(n+1)]) / float64(max(1, counts[l]))
		}
	}
	for j := range n {
		mean := 0.0
		for k := range power {
			mean += power[k][j] / float64(len(power))
		}
		for k := range power {
			power[k][j] -= mean
		}
	}
	return power
}
