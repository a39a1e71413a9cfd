package predict

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/datafigures"
	"rao/internal/datapart"
	"rao/internal/predictions"
	"rao/internal/provenance"
	"rao/internal/scoring"
	"rao/internal/text"
	"rao/method"
	"rao/model"
	"rao/report"
)

// coverages are the fractions of observations that are accepted when evaluate reports the error with rejection.
var coverages = []float64{1, 0.9, 0.8, 0.7, 0.5}

// riskAt contains the error rate of the most certain decisions. Coverage is the fraction of decisions that are
// accepted.
type riskAt struct {
	Coverage  float64 `json:"coverage"`
	Risk      float64 `json:"risk"`
	Threshold float64 `json:"threshold"`
}

// evaluateResult contains the scores, and the error when uncertain decisions are rejected.
type evaluateResult struct {
	*scoring.Scores
	AURC text.Number `json:"aurc"`
	Risk []riskAt    `json:"risk_coverage"`
	// Overlap is the fraction of the observations that were used to fit the model, if the model file records its
	// training rows.
	Overlap float64 `json:"overlap,omitempty"`
	// Measures include 95 % bootstrap intervals.
	Measures  []scoring.Measure `json:"measures"`
	Positive  string            `json:"positive,omitempty"`  // the positive class if there are two classes
	Threshold float64           `json:"threshold,omitempty"` // smallest probability for which Positive is chosen
	// By are the variables that define the groups, separated by commas.
	By     string        `json:"by,omitempty"`
	Groups []groupResult `json:"groups,omitempty"`
	// DecisionSeconds is the time per decision, from which bits per minute are computed; 0 if unknown.
	DecisionSeconds float64 `json:"decision_seconds,omitempty"`
}

func evaluateCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var html string
	var allow bool
	var measures measureFlags
	var by []string
	cmd := &cobra.Command{
		Use:   "evaluate",
		Short: "Score a model on labeled data",
		Long: `Classify labeled data and compare the decisions with the labels. The output contains the
accuracy, Cohen's kappa, areas under the ROC and the precision-recall curve, precision,
recall and F1, log loss, the calibration error over 15 bins, the confusion matrix, and the
error when the least certain decisions are rejected. A note warns if the model was fitted
to some of the observations. --html writes a page with figures.

With two classes, precision, recall, F1 and the areas describe the class --positive. The
model decides for this class if its probability is --threshold or more. With more classes,
the measures are means over the classes, each against the rest. Intervals are bootstrap
percentiles over the observations.

For a regression model, the measures are R2, the mean absolute error and the root mean
squared error. The true numbers are in the variable that has the name of the target, or in
--y.`,
		Example: "  rao evaluate --model model.rao --data test.npz\n" +
			"  rao evaluate --model model.rao --data test.npz --html report.html",
		Args: app.NoArgs,
	}
	path := app.ModelFlag(cmd)
	data.Add(cmd, "data", "labeled data of the shape the model was fitted to")
	data.AddWeights(cmd)
	app.ListVar(cmd.Flags(), &by, "groups", "NAME,...",
		"variables, separated by commas, whose groups are also scored one by one")
	app.AllowOverlap(cmd, &allow)
	a.HashesFlag(cmd, app.HashesIn)
	measures.add(cmd)
	app.OutputFlag(cmd, &html, "html", app.PageOutput, "html file to write: one page with the figures")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if html != "" && data.Opt.Weights != "" {
			return app.Usagef("--html ignores row weights; leave out --html or --weight-column")
		}
		m, err := a.ModelFor(cmd.Context(), *path, &data, nil)
		if err != nil {
			return err
		}
		if m.Target() != "" {
			if html != "" {
				return app.Usagef("--html works only with models that predict classes; %s predicts the number "+
					"%s", *path, m.Target())
			}
			if by != nil {
				return app.Usagef("--groups works only with models that predict classes; %s predicts the number "+
					"%s", *path, m.Target())
			}
			if data.Opt.Weights != "" {
				return app.Usagef("--weight-column works only with models that predict classes; %s predicts the "+
					"number %s",
					*path, m.Target())
			}
			return evaluateValues(cmd.Context(), a, m, &data, allow)
		}
		groups := &groupMeasures{by: by, of: func() (*scoring.Measurer, error) { return measures.measurer(m) }}
		data.Opt.Table.Variables = by
		measures.useThreshold(cmd, m)
		measurer, err := measures.measurer(m)
		if err != nil {
			return err
		}
		e, err := evaluateModel(cmd.Context(), a, m, &data, html != "", measurer, groups)
		if err != nil {
			return err
		}
		r := e.result()
		measures.measure(a, cmd, measurer, m.Classes, r)
		r.By, r.Groups = strings.Join(by, ","), groups.results()
		r.Overlap = a.WarnOverlap(m, e.source, e.part.Part(), allow)
		if html != "" {
			if err := writeEvaluation(html, m, e, r); err != nil {
				return err
			}
			a.Note("wrote page %s", html)
		}
		return a.Emit(r, func() { printScores(a, m.Classes, r) })
	}
	return cmd
}

// evaluation accumulates a model's decisions on labeled data.
type evaluation struct {
	source string
	scores *scoring.Scorer
	curve  *scoring.RiskCurve
	part   provenance.Builder
	seen   []datafigures.Named // figures of the first block
}

// evaluateModel classifies the data one block at a time and scores the decisions.
func evaluateModel(ctx context.Context, a *app.App, m *model.Model, data *app.DataFlags, draw bool,
	measurer *scoring.Measurer, groups *groupMeasures) (*evaluation, error) {
	e := &evaluation{scores: scoring.NewScorer(len(m.Classes)), part: provenance.Builder{Hashing: a.Hashing}}
	var notes model.Prediction
	err := data.Blocks(ctx, a, true, predictions.WithinMemory("evaluate", m, func(d *dataset.Data, _ int) error {
		truth, p, err := method.PredictLabeled(ctx, m, d)
		if err != nil {
			return err
		}
		notes.AddNotes(p)
		if draw && e.seen == nil {
			if e.seen, err = datafigures.Classes(ctx, m, d); err != nil {
				return err
			}
		}
		e.source = d.Source
		datapart.Add(&e.part, datapart.Like(d, m.Input.Columns, m.Input.Channels))
		if err := groups.add(d, truth, p.LogPosterior); err != nil {
			return err
		}
		if err := measurer.Add(truth, p.LogPosterior, d.Weights); err != nil {
			return err
		}
		return e.scores.Add(truth, p.LogPosterior, d.Weights)
	}))
	if err != nil {
		return nil, err
	}
	for _, s := range notes.Notes {
		a.Note("%s: %s", e.source, s)
	}
	if e.curve, _ = e.scores.Risk(); e.scores.Scores().Weighted != nil {
		return e, nil
	}
	var exact bool
	if e.curve, exact = e.scores.Risk(); !exact {
		a.Note("%s: more than a million observations: the risk curve groups observations whose error probabilities "+
			"agree to 0.03 %%", e.source)
	}
	return e, nil
}

func (e *evaluation) result() *evaluateResult {
	r := &evaluateResult{Scores: e.scores.Scores(), AURC: text.Number(e.curve.AURC)}
	if r.Weighted != nil { // the curve ignores weights
		r.AURC = text.Number(math.NaN())
		return r
	}
	for _, c := range coverages {
		risk, threshold := e.curve.At(c)
		r.Risk = append(r.Risk, riskAt{c, risk, threshold})
	}
	return r
}

func printScores(a *app.App, classes []string, r *evaluateResult) {
	s := r.Scores
	a.Table([]string{"observations", fmt.Sprint(s.N), "95 % interval"}, measureRows(r))
	printGroups(a, r)
	if r.Risk != nil {
		fmt.Fprintln(a.Out, "\nerror when only the most certain observations are decided")
		rows := make([][]string, len(r.Risk))
		for i, c := range r.Risk {
			rows[i] = []string{text.Percent(c.Coverage), text.Percent(c.Risk), fmt.Sprintf("%.3f", c.Threshold)}
		}
		a.Table([]string{"decided", "error", "probability of at least"}, rows)
	}
	if len(classes) > app.Printable {
		return
	}
	of := ""
	if s.Weighted != nil {
		of = " of the weights"
	}
	fmt.Fprintf(a.Out, "\nconfusion%s (rows: true class, columns: decision)\n", of)
	rows := make([][]string, len(classes))
	for i, name := range classes {
		rows[i] = []string{text.Cell(name)}
		for j, n := range s.Confusion[i] {
			cell := fmt.Sprint(n)
			if s.Weighted != nil {
				cell = fmt.Sprintf("%.6g", s.Weighted[i][j])
			}
			rows[i] = append(rows[i], cell)
		}
	}
	header := []string{""}
	for _, name := range classes {
		header = append(header, text.Cell(name))
	}
	a.Table(header, rows)
}

func writeEvaluation(path string, m *model.Model, e *evaluation, r *evaluateResult) error {
	s := report.Section{Heading: "Scores", Table: &report.Table{
		Header: []string{"observations", fmt.Sprint(r.N), "95 % interval"}, Rows: measureRows(r)}}
	if len(m.Classes) <= app.Printable {
		s.Figures = append(s.Figures, report.Confusion("Confusions", r.Confusion, m.Classes))
	}
	s.Figures = append(s.Figures, report.Reliability(r.Scores), report.RiskCoverage(e.curve))
	p := report.Page{Title: "Evaluation of the " + m.Method + " model", Subtitle: e.source,
		Sections: []report.Section{s}, Footer: "rao " + app.Version}
	if len(e.seen) > 0 {
		seen := report.Section{Heading: "The observations"}
		for _, f := range e.seen {
			seen.Figures = append(seen.Figures, f.Figure)
		}
		p.Sections = append(p.Sections, seen)
	}
	figures, err := report.Learned(m, m.Method)
	if err != nil {
		return err
	}
	if len(figures) > 0 {
		p.Sections = append(p.Sections, report.Section{Heading: "What it learned", Figures: figures})
	}
	return p.WriteFile(path)
}
