package experiment

import (
	"slices"
	"strings"
)

// sayDigits returns a function that appends to the captions of tables over what their values are means, and the
// uncertainty of an accuracy on 10000 digits, for a high and a low accuracy in percent.
func sayDigits(over string, high, low float64, names ...string) func(r *Run) {
	return func(r *Run) {
		for _, n := range names {
			r.table(n).say("values are mean ± SD%s. An accuracy on 10000 digits has a 95 %% interval of about ±%.2f "+
				"points at %g %% and ±%.2f at %g %%", over, 100*halfWidth(high/100, 10000), high,
				100*halfWidth(low/100, 10000), low)
		}
	}
}

// readPrivate is sayDigits for private statistics. It replaces the claims about single rows of the table of accuracies
// by one claim about all rows, because the table has a column with the targets.
func readPrivate(r *Run) {
	var others []*Claim
	rows, met := 0, 0
	for _, c := range r.result.Claims {
		switch {
		case !strings.HasPrefix(c.Says, "the accuracy of private"):
			others = append(others, c)
		case c.Holds:
			rows, met = rows+1, met+1
		default:
			rows++
		}
	}
	r.result.Claims = nil
	if rows > 0 {
		r.Claim("Every accuracy of private statistics reaches its target in the table.", met == rows, "%d of %d do.",
			met, rows)
	}
	r.result.Claims = append(r.result.Claims, others...)
	sayDigits(" over five draws", 96, 80, "accuracy")(r)
}

// readPrivateKinds adds the uncertainty of the accuracies.
func readPrivateKinds(r *Run) {
	r.table("kinds").say("the 95 %% interval of an accuracy of 90 %% is about ±%.1f points on 1797 optical digits, "+
		"±%.1f on 10000 digits and ±%.1f on 3000 generated rows", 100*halfWidth(0.9, 1797), 100*halfWidth(0.9, 10000),
		100*halfWidth(0.9, 3000))
}

// readClasses adds intervals to the means over five seeds.
func readClasses(r *Run) {
	t := r.table("classes")
	t.say("brackets show Student's 95 %% interval of the mean")
	t.change(func(_ []string, cell string) string { return clipped(withStudent(cell, 5), 100) }, 1, 2, 3, 4)
}

// Say appends words to the caption of a table.
func (r *Run) Say(table, words string) { r.table(table).say("%s", words) }

// WithIntervals adds Wilson intervals to the accuracies of a table. The given column contains the numbers of decisions,
// and the columns to its right contain the accuracies. Rows without a number are not changed.
func (r *Run) WithIntervals(table string, column int) {
	t := r.table(table)
	t.say("brackets show Wilson's 95 %% interval")
	for j := column + 1; j < len(t.Header); j++ {
		t.change(func(row []string, cell string) string {
			n, ok := leadingNumber(row[column])
			if !ok {
				return cell
			}
			return withWilson(cell, 1, int(n))
		}, j)
	}
}

// readBeyondETH adds intervals to the means over twenty draws.
func readBeyondETH(r *Run) {
	for _, name := range []string{"seen", "unseen"} {
		t := r.table(name)
		t.say("values are mean ± SD. Brackets show Student's 95 %% interval of the mean, as if the twenty draws did " +
			"not share images")
		t.change(func(_ []string, cell string) string { return withStudent(cell, 20) }, 1, 2, 3, 4)
	}
}

// readBeyondCIFAR adds the uncertainty of an accuracy on 1017 images.
func readBeyondCIFAR(r *Run) {
	r.table("accuracy").say("the 95 %% interval from 1017 images is about ±%.1f points", 100*halfWidth(0.6, 1017))
}

// readEEG is sayKappas for the adaptations. It leaves out the kappas of single subjects trained on session E.
func readEEG(r *Run) {
	sayKappas("kappa-T", "kappa-E", "thinned")(r)
	t := r.table("kappa-E")
	means := len(t.Header) - 1
	if means < 3 {
		return
	}
	t.Header = slices.Delete(t.Header, 3, means)
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], 3, means)
	}
}
