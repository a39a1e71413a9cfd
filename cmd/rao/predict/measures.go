package predict

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/recipes"
	"rao/internal/scoring"
	"rao/internal/text"
	"rao/model"
)

// measureFlags set the positive class, its threshold and the number of bootstrap resamples.
type measureFlags struct {
	positive  string
	threshold float64
	resamples int
	seconds   float64
}

// resampledRows is the largest number of observations for which intervals are computed without --bootstrap.
const resampledRows = 100_000

func (f *measureFlags) add(cmd *cobra.Command) {
	app.TextVar(cmd.Flags(), &f.positive, "positive", "CLASS", "",
		"with two classes: the class that precision, recall, F1 and the areas describe; by default the last")
	app.NumberFlag(cmd.Flags(), &f.threshold, "threshold", 0, 0, 1,
		"with two classes: decide for the positive class at or above this probability; by default the model's own "+
			"threshold; 0 decides for the more probable class")
	app.NumberFlag(cmd.Flags(), &f.seconds, "decision-seconds", 0, 0, 1e6,
		"seconds per decision, for the bits per minute; by default the window of the model's signal")
	app.CountFlag(cmd.Flags(), &f.resamples, "bootstrap", 1000, 0, 1_000_000,
		"bootstrap resamples for the intervals, 0 for none; by default none above 100,000 observations")
}

// useThreshold sets the threshold to that of the model, unless --threshold is given.
func (f *measureFlags) useThreshold(cmd *cobra.Command, m *model.Model) {
	if m.Threshold == 0 || cmd.Flags().Changed("threshold") {
		return
	}
	if f.threshold = m.Threshold; f.positive == m.Classes[0] {
		f.threshold = 1 - m.Threshold
	}
}

// measurer returns the measurer for the classes of the model. It is an error if the flags do not fit the classes.
func (f *measureFlags) measurer(m *model.Model) (*scoring.Measurer, error) {
	classes := m.Classes
	f.seconds = cmp.Or(f.seconds, recipes.Seconds(m.Input.Recipe))
	opt := scoring.MeasureOptions{Threshold: f.threshold, Resamples: f.resamples, Seconds: f.seconds}
	var err error
	if opt.First, err = app.FirstIsPositive(f.positive, classes); err != nil {
		return nil, err
	}
	measurer, err := scoring.NewMeasurer(len(classes), opt)
	if err != nil {
		return nil, app.Usagef("--threshold: %v", err)
	}
	return measurer, nil
}

// measure adds the measures to the result. With a threshold it also recomputes the accuracy, the balanced accuracy,
// kappa and the confusion matrix, because the decisions differ.
func (f *measureFlags) measure(a *app.App, cmd *cobra.Command, m *scoring.Measurer, classes []string,
	r *evaluateResult) {
	if r.N > resampledRows && !cmd.Flags().Changed("bootstrap") {
		m.Resamples(0)
		a.Note("confidence intervals are left out for more than %d observations; --bootstrap 1000 computes "+
			"them", resampledRows)
	}
	r.Measures, r.Threshold, r.DecisionSeconds = m.Measures(), f.threshold, f.seconds
	if len(classes) == 2 {
		if r.Positive = f.positive; r.Positive == "" {
			r.Positive = classes[1]
		}
	}
	if f.threshold > 0 {
		s := m.Decided()
		r.Accuracy, r.BalancedAccuracy, r.Kappa, r.Confusion = s.Accuracy, s.BalancedAccuracy, s.Kappa, s.Confusion
		r.Weighted = s.Weighted
	}
}

func measureRows(r *evaluateResult) (rows [][]string) {
	if r.Positive != "" {
		from := ""
		if r.Threshold > 0 {
			from = fmt.Sprintf("at probability %g or above", r.Threshold)
		}
		rows = append(rows, []string{"positive class", text.Cell(r.Positive), from})
	}
	for _, name := range scoring.MeasureNames {
		if r.DecisionSeconds == 0 && strings.Contains(name, "bits") {
			continue // bits per minute need the time per decision
		}
		cells := []string{scoring.MeasureTitle(name), "-", ""}
		if m := scoring.Named(r.Measures, name); m != nil {
			cells[1] = scoring.FormatMeasure(name, m.Value)
			if m.Interval != nil {
				cells[2] = scoring.FormatMeasure(name, m.Interval.Low) + " to " +
					scoring.FormatMeasure(name, m.Interval.High)
			}
		}
		rows = append(rows, cells)
	}
	return append(rows, []string{"log loss", fmt.Sprintf("%.4f", r.LogLoss), ""},
		[]string{"calibration error", fmt.Sprintf("%.4f", r.ECE), ""})
}
