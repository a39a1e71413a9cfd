package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rao/dataset"
	"rao/method"
)

const beyondCSPProtocol = "The data are subjects A01 to A09 of BCI competition IV, set 2a, with session T for " +
	"training and session E for testing. Scores are Cohen's kappa. Common spatial patterns of 22×22 covariances of " +
	"one band are learned in three ways: for the four classes together, for each class against the rest, and from " +
	"Riemannian class means. A short run has subject A01 and 8 filters."

var beyondCSPNotes = []string{
	"The log-variances of the filtered signals go to a linear discriminant, or their covariances to the nearest " +
		"class mean.",
	"The number of filters (4, 8, 12 or 16) and the shrinkage of the class means (0 or 0.1) are chosen by the " +
		"accuracy in the five folds of session T that come with the data. All other methods use their default " +
		"options.",
	"The kappas of the PLRSQ paper are means of its printed values for the nine subjects. Its table 6 prints 0.52 " +
		"for the second of the competition.",
	"The PLRSQ paper says that the first three methods of the competition build on CSP or on its filter-bank form " +
		"(section 6.3).",
}

// cspForms are ways to use common spatial patterns.
var cspForms = []struct {
	label string
	set   method.Settings
}{
	{"CSP, log-variances + LDA", nil},
	{"CSP of one class versus the rest, log-variances + LDA",
		method.Settings{{Name: "one-versus-rest", Value: "true"}}},
	{"CSP of Riemannian class means, log-variances + LDA", method.Settings{{Name: "metric", Value: "riemann"}}},
	{"CSP, covariances + MDM", method.Settings{{Name: "classifier", Value: "mdm"}}},
}

// cspSearch selects the number of filters and the shrinkage in the folds of session T. It returns a fitter with the
// selected values, and these values as text.
func (r *Run) cspSearch(ctx context.Context, s *bciSession, set method.Settings) (fitter, string, error) {
	var fits []fitter
	var names []string
	for _, filters := range []string{"4", "8", "12", "16"} {
		if r.Short && filters != "8" {
			continue
		}
		for _, shrinkage := range []string{"0", "0.1"} {
			fits = append(fits, byMethod("csp", set.With("filters", filters).With("shrinkage", shrinkage)...))
			names = append(names, filters+", "+shrinkage)
		}
	}
	best, err := r.bestInFolds(ctx, s, len(fits), func(i int, train, test *dataset.Data) (float64, error) {
		return learner{label: "CSP", fit: fits[i]}.accuracy(ctx, train, test, r.Seed)
	})
	return fits[best], names[best], err
}

// beyondCSP compares common spatial patterns with the winners of the competition.
func beyondCSP(ctx context.Context, r *Run) error {
	subjects, err := r.openSubjects(ctx, 1)
	if err != nil {
		return err
	}
	t := r.Table("csp", "Kappa on session E", header(subjects, []string{"method"}, "mean", "mean in the paper")...)
	chosen := r.Table("chosen", "Filters and shrinkage chosen within session T",
		header(subjects, []string{"method"})...)
	means := map[string]float64{}
	add := func(label string, fit func(s *bciSession) (fitter, error)) error {
		var all []float64
		for _, s := range subjects {
			f, err := fit(s)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", s.name, label, err)
			}
			v, err := kappaBy(ctx, f, s.train, s.test)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", s.name, label, err)
			}
			all = append(all, v)
		}
		means[label] = average(all)
		t.Add(slices.Concat([]any{label}, thousandths(append(all, means[label])), []any{""})...)
		return nil
	}
	for i, form := range cspForms {
		row := []any{form.label}
		if err := add(form.label, func(s *bciSession) (fitter, error) {
			fit, name, err := r.cspSearch(ctx, s, form.set)
			row = append(row, name)
			return fit, err
		}); err != nil {
			return err
		}
		chosen.Add(row...)
		r.progress("forms", i+1, len(cspForms))
	}
	for _, label := range []string{"ENuc", "TSLDA", "MDM"} {
		fit := byMethod(strings.ToLower(label))
		if err := add(label, func(*bciSession) (fitter, error) { return fit, nil }); err != nil {
			return err
		}
	}
	for _, b := range bciPrinted {
		row := []any{b.label + " (PLRSQ paper)"}
		for k := range subjects {
			row = append(row, Printed(fmt.Sprintf("%.2f", b.kappa[k])))
		}
		t.Add(append(row, Printed(fmt.Sprintf("%.3f", average(b.kappa[:len(subjects)]))),
			Printed(fmt.Sprintf("%.2f", b.mean)))...)
	}
	r.cspClaims(len(subjects), means)
	return nil
}

func (r *Run) cspClaims(subjects int, means map[string]float64) {
	best := cspForms[0].label
	for _, form := range cspForms {
		if means[form.label] > means[best] {
			best = form.label
		}
	}
	first := average(bciPrintedOf("1st of the competition").kappa[:subjects])
	third := average(bciPrintedOf("3rd of the competition").kappa[:subjects])
	r.Claim("CSP of one band has a lower kappa than the winner of the competition", means[best] < first,
		"%s: %.3f compared with %.3f", best, means[best], first)
	r.Claim("CSP of one band has a higher kappa than the third of the competition", means[best] > third,
		"%.3f compared with %.3f", means[best], third)
	r.Claim("ENuc on all channels has a higher kappa than every form of CSP", means["ENuc"] > means[best],
		"%.3f compared with %.3f",
		means["ENuc"], means[best])
	r.Remark("Only covariances of one band are available for this set, so a filter bank cannot be run. The " +
		"best form of CSP is chosen by its kappa on session E, and all other settings on session T.")
}
