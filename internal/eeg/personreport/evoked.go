package personreport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/eeg"
	"rao/internal/modelinfo"
	"rao/method"
	"rao/recipe"
	"rao/report"
)

// responses draws the mean trial of each class, at the channels where the classes differ most.
func responses(t *eeg.Trials, start float64) report.Section {
	sec := report.Section{Heading: "Responses to the events"}
	signal := t.Recipe.Signal
	if len(signal.Bands) > 1 {
		sec.Text = "The mean responses are drawn for trials of one band."
		return sec
	}
	mean, counts := averages(t)
	channels, samples := len(signal.Channels), mean[0].RawMatrix().Cols
	shown := most(channels, func(c int) float64 {
		largest := 0.0
		for k := range samples {
			low, high := math.Inf(1), math.Inf(-1)
			for class := range mean {
				if counts[class] > 0 {
					low, high = math.Min(low, mean[class].At(c, k)), math.Max(high, mean[class].At(c, k))
				}
			}
			largest = math.Max(largest, high-low)
		}
		return largest
	})
	unit, label := 1.0, ""
	if signal.Unit == "V" {
		unit, label = 1e6, "µV"
	}
	var figures []*report.Figure
	for _, c := range shown {
		var lines []report.Line
		for class, name := range t.Classes {
			if counts[class] == 0 {
				continue
			}
			line := report.Line{Name: fmt.Sprintf("%s (%d)", name, counts[class])}
			for k := range samples {
				line.X = append(line.X, start+float64(k)/signal.Rate)
				line.Y = append(line.Y, unit*mean[class].At(c, k))
			}
			lines = append(lines, line)
		}
		figures = append(figures, report.Lines(signal.Channels[c], lines, report.PlotOptions{
			X: report.Axis{Label: "seconds after the event"}, Y: report.Axis{Label: label}}))
	}
	sec.Figures = []*report.Figure{report.Panels("Mean responses", len(figures), figures...)}
	sec.Note = "Mean over the trials of each class, whose number is in parentheses, at the channels where the " +
		"classes differ most."
	return sec
}

// averages returns the mean trial of each class, channels × samples, and the number of trials of each class.
func averages(t *eeg.Trials) (mean []*mat.Dense, counts []int) {
	n, width := t.Signals.Dims()
	channels := len(t.Recipe.Signal.Channels)
	counts = make([]int, len(t.Classes))
	for range t.Classes {
		mean = append(mean, mat.NewDense(channels, width/channels, nil))
	}
	for k := range n {
		class := t.Labels[k]
		counts[class]++
		sum := mean[class].RawMatrix().Data
		for i, v := range t.Signals.RawRowView(k) {
			sum[i] += v
		}
	}
	for class, m := range mean {
		m.Scale(1/math.Max(1, float64(counts[class])), m)
	}
	return mean, counts
}

// most returns the three channels for which value is largest, in channel order.
func most(channels int, value func(c int) float64) []int {
	values, order := make([]float64, channels), make([]int, channels)
	for c := range order {
		values[c], order[c] = value(c), c
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	order = order[:min(3, channels)]
	slices.Sort(order)
	return order
}

// learnedPatterns draws the patterns of the spatial filters that the method learns from the trials.
func learnedPatterns(ctx context.Context, t *eeg.Trials, spec method.Spec) report.Section {
	figure, err := func() (*report.Figure, error) {
		m, err := spec.Fit(ctx, method.InMemory{Data: t.Data()}, nil)
		if m == nil || err != nil && !rao.HasModel(err) {
			return nil, err
		}
		f, err := modelinfo.Spatial(m)
		if err == nil && (f == nil || f.Patterns == nil) {
			err = fmt.Errorf("%s has no spatial filters", spec)
		}
		if err != nil {
			return nil, err
		}
		return drawPatterns(fmt.Sprintf("Spatial patterns of %s", spec), f.Patterns, t.Recipe)
	}()
	return patternSection(figure, err)
}

// drawPatterns draws the first eight patterns as scalp maps.
func drawPatterns(title string, patterns *mat.Dense, r *recipe.Recipe) (*report.Figure, error) {
	rows, count := patterns.Dims()
	if rows != len(r.Signal.Channels) {
		return nil, errors.New("the filters belong to several bands")
	}
	count = min(count, 8)
	maps, names := make([][]float64, count), make([]string, count)
	for j := range count {
		maps[j], names[j] = mat.Col(nil, j, patterns), fmt.Sprintf("pattern %d", j+1)
	}
	return report.ScalpMap(title, r.Signal.Channels, maps, names, report.ScalpOptions{Separate: true})
}

func patternSection(figure *report.Figure, err error) report.Section {
	sec := report.Section{Heading: "Spatial patterns"}
	if err != nil {
		sec.Text = fmt.Sprintf("The patterns are not drawn: %v.", err)
		return sec
	}
	sec.Figures = []*report.Figure{figure}
	sec.Note = "A pattern shows how a source appears at the electrodes. Its sign has no meaning."
	return sec
}
