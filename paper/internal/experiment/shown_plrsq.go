package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// readFigure1 holds the spectra against section 6.1.
func readFigure1(r *Run) {
	t := r.table("spectra")
	var sums [4]float64
	for _, row := range t.Rows {
		for k := range sums {
			v, _ := leadingNumber(row[k+1])
			sums[k] += v
		}
	}
	off := 0.0
	for _, s := range sums {
		off = math.Max(off, math.Abs(s/float64(len(t.Rows))-1))
	}
	r.Claim("Two sets of ten eigenvalues fall linearly, one exponentially and one as 1/j, and all have the mean 1 "+
		"(section 6.1).", off < 1e-3,
		"The means are at most %.1g away from 1.", off).
		If("0.001")
}

// readReadings puts intervals behind the means of twelve repetitions.
func readReadings(r *Run) {
	t := r.table("readings")
	t.say("behind a mean its 95 %% interval (Student)")
	t.change(func(_ []string, cell string) string { return withStudent(cell, 30) }, 1, 3)
}

// apart are the differences of our means from printed ones in points, and the largest.
func (t *Table) apart(label string, factor float64, ours, paper int) (points float64) {
	return factor * (t.number(label, ours) - t.number(label, paper))
}

// readTable2 holds the values of table 2 against ours.
func readTable2(r *Run) {
	t := r.table("accuracy")
	var sets [2][]string
	most := 0.0
	for _, l := range []string{"nξ/50", "nξ/100", "nξ/200"} {
		for set := range sets {
			d := t.apart(l, 1, 1+3*set, 2+3*set)
			sets[set] = append(sets[set], fmt.Sprintf("%+.1f", d))
			most = math.Max(most, math.Abs(d))
		}
	}
	r.Claim("The accuracies are 97.50, 97.43 and 97.41 % on SynI and 89.78, 89.49 and 88.78 % on SynII.", most <= 0.5,
		"The differences are %s points on SynI and %s on SynII.", strings.Join(sets[0], ", "),
		strings.Join(sets[1], ", ")).If("at most half a point")
}

// coursePoints are the training and test errors of a trace's columns at an epoch.
func (t *Table) coursePoints(epoch string) (errors [4]float64) {
	for k, column := range []int{2, 3, 5, 6} {
		errors[k] = t.number(epoch, column)
	}
	return errors
}

// sayErrorsOf1000 says how far errors of a thousand matrices can be trusted.
func (t *Table) sayErrorsOf1000() {
	t.say("95 %% intervals are about ±%.1f points at 5 %% and ±%.1f at 50 %%",
		100*halfWidth(0.05, 1000), 100*halfWidth(0.5, 1000))
}

// readFigure3 holds the errors on SynI against section 6.1.3.
func readFigure3(r *Run) {
	t := r.table("course-SynI")
	last := t.coursePoints(t.Rows[len(t.Rows)-1][0])
	highest, settled := 0.0, 0.0
	for _, row := range t.Rows {
		epoch, _ := leadingNumber(row[0])
		for k, v := range t.coursePoints(row[0]) {
			highest = math.Max(highest, v)
			if epoch >= 40 {
				settled = math.Max(settled, math.Abs(v-last[k]))
			}
		}
	}
	r.Claim("On SynI training and test error of the two converge to similar values.",
		math.Abs(last[0]-last[2]) <= 0.5 && math.Abs(last[1]-last[3]) <= 0.5,
		"Training error %.2f and %.2f %%, test error %.2f and %.2f %%.", last[0], last[2], last[1], last[3]).
		If("at most half a point apart")
	r.Claim("On SynI training and test error fluctuate slightly.", highest-last[1] < 5,
		"They go up to %.1f %% in the first epochs; from epoch 40 on they stay within %.1f points of their end.",
		highest, settled).If("never more than 5 points above the end")
	for _, name := range []string{"course-SynI", "course-SynII", "mdrm"} {
		r.table(name).sayErrorsOf1000()
	}
}

// readFigure4PLRSQ holds σ² against section 6.1.3.
func readFigure4PLRSQ(r *Run) {
	t := r.table("sigma2")
	r.Claim("With β(t) = β(t−1)^1.1 σ² changes very fast at first (figure 4a).",
		t.number("32", 1) < 0.2*0.45 && t.number("32", 2) > 0.5*0.45,
		"By epoch 32 of 100 it falls from 0.45 to %s and stays there; with β = 0.99 it is %s.",
		t.cell("32", 1), t.cell("32", 2)).
		If("below a fifth of its start by epoch 32, above a half with β = 0.99")
	r.table("course-SynII").sayErrorsOf1000()
}

// readTable3 holds what else section 6.1 and tables 3 and 4 say.
func readTable3(r *Run) {
	t := r.table("accuracy")
	var parts []string
	most := 0.0
	for _, row := range t.Rows[:5] {
		a, b := t.apart(row[0], 100, 1, 2), t.apart(row[0], 100, 4, 5)
		parts = append(parts, fmt.Sprintf("%s %+.1f and %+.1f", row[0], a, b))
		most = math.Max(most, math.Max(math.Abs(a), math.Abs(b)))
	}
	r.Claim("The accuracies printed in tables 3 and 4.", most <= 0.5,
		"Differences from the paper in points, on SynI and SynII: "+
			"%s.", strings.Join(parts, "; ")).If("at most half a point")
}

// readFigure5 holds figure 5b against section 6.2, and cuts intervals off at 100 %.
func readFigure5(r *Run) {
	rows, agree := r.table("prototypes").Rows, 0
	for _, row := range rows {
		three, _ := leadingNumber(row[1])
		six, _ := leadingNumber(row[2])
		eight, _ := leadingNumber(row[len(row)-1])
		if len(row) > 4 { // the complete grid has all of 3 to 8 categories
			six, _ = leadingNumber(row[4])
		}
		if three > eight && eight > six {
			agree++
		}
	}
	r.Claim("The same holds for every number of prototypes (figure 5b).", agree == len(rows),
		"At %d of %d.", agree, len(rows)).
		If("at every number")
	for _, name := range []string{"sigma2", "prototypes"} {
		r.table(name).change(func(_ []string, cell string) string { return clipped(cell, 100) }, 1, 2, 3)
	}
}

// readETH sets all printed columns next to ours.
func readETH(r *Run) {
	t := r.table("accuracy")
	plrsq, mdrm := []string{"paper, PLRSQ"}, []string{"paper, MDRM"}
	var off []string
	for k := range 6 {
		plrsq, mdrm = append(plrsq, ethPrinted.plrsqSD[k]), append(mdrm, ethPrinted.mdrm[k])
		off = append(off, fmt.Sprintf("%+.1f", t.number("PLRSQ", k+1)-ethPrinted.plrsq[k]))
	}
	t.Rows = append(t.Rows, append(plrsq, "89.09", "–"), append(mdrm, "63.16", "–"))
	t.say("behind it the mean's 95 %% interval; below, what the paper prints")
	r.Remark("PLRSQ in this protocol minus the paper's values, in points for 3 to 8 categories: "+
		"%s.", strings.Join(off, ", "))
}

// readFigure6 has the claims of figure 6 as the run with the network found them.
func readFigure6(r *Run) {
	r.result.Claims = nil
	if network, err := (&Experiment{ID: "plrsq-fig6-vgg"}).Recorded(); err == nil && network != nil {
		r.result.Claims = slices.Clone(network.Claims)
		r.Remark("The claims are those of plrsq-fig6-vgg, below, which has draws of its own.")
		return
	}
	for _, says := range figure6Claims {
		r.Claim(says, false, "See plrsq-fig6-vgg.").If("mean over the draws").Needs(false)
	}
}

// readGroups puts intervals behind shares of the images that were grouped.
func readGroups(r *Run) {
	t := r.table("groups")
	t.say("with 95 %% intervals (Wilson) of 600, 1000 and 1600 test images")
	for k, images := range []int{600, 1000, 1600} {
		t.change(func(row []string, cell string) string {
			if strings.HasPrefix(row[0], "paper") {
				return cell
			}
			return withWilson(cell, 100, images)
		}, k+1)
	}
}

// sayKappas says how far kappas of 288 trials, and means over the subjects, can be trusted.
func sayKappas(names ...string) func(r *Run) {
	return func(r *Run) {
		for _, n := range names {
			r.table(n).say("a kappa of 288 trials has a 95 %% interval of about ±%.2f, a mean of nine of ±%.2f",
				kappaHalfWidth, kappaHalfWidth/math.Sqrt(float64(len(bciSubjects))))
		}
	}
}

// readBCI does so for our own protocol.
func readBCI(r *Run) {
	sayKappas("kappa", "best")(r)
	r.table("certainty").say("an error of 288 trials has a 95 %% interval of about ±%.3f at 0.2 and ±%.3f at 0.5",
		halfWidth(0.2, 288), halfWidth(0.5, 288))
}

// readRepresent cuts intervals of three repetitions off at 100 %.
func readRepresent(r *Run) {
	for _, name := range synNames {
		r.table("represent-"+name).change(func(_ []string, cell string) string { return clipped(cell, 100) }, 1)
	}
}
