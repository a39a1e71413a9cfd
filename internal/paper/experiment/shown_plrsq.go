package experiment

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// readFigure1 compares the spectra with section 6.1.
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
		If("means at most 0.001 from 1")
}

// readReadings adds intervals to the means over thirty repetitions.
func readReadings(r *Run) {
	t := r.table("readings")
	t.say("brackets show Student's 95 %% interval of the mean")
	t.change(func(_ []string, cell string) string { return withStudent(cell, 30) }, 1, 3)
}

// apart returns our value minus the printed value in a row, times factor.
func (t *Table) apart(label string, factor float64, ours, paper int) (points float64) {
	return factor * (t.number(label, ours) - t.number(label, paper))
}

// readTable2 compares the values of table 2 with ours.
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

// coursePoints returns the training and test errors of both forms at an epoch.
func (t *Table) coursePoints(epoch string) (errors [4]float64) {
	for k, column := range []int{2, 3, 5, 6} {
		errors[k] = t.number(epoch, column)
	}
	return errors
}

// sayErrorsOf1000 adds the uncertainty of an error on a thousand matrices.
func (t *Table) sayErrorsOf1000() {
	t.say("95 %% intervals are about ±%.1f points at 5 %% and ±%.1f at 50 %%",
		100*halfWidth(0.05, 1000), 100*halfWidth(0.5, 1000))
}

// readFigure3 compares the errors on SynI with section 6.1.3.
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
		"They rise to %.1f %% in the first epochs. After epoch 40 they stay within %.1f points of their final "+
			"values.",
		highest, settled).If("never more than 5 points above the end")
	for _, name := range []string{"course-SynI", "course-SynII", "mdrm"} {
		r.table(name).sayErrorsOf1000()
	}
}

// readFigure4PLRSQ compares σ² with section 6.1.3.
func readFigure4PLRSQ(r *Run) {
	t := r.table("sigma2")
	r.Claim("With β(t) = β(t−1)^1.1 σ² changes very fast at first (figure 4a).",
		t.number("32", 1) < 0.2*0.45 && t.number("32", 2) > 0.5*0.45,
		"By epoch 32 of 100 it falls from 0.45 to %s and stays there. With β = 0.99 it is %s at epoch 32.",
		t.cell("32", 1), t.cell("32", 2)).
		If("below a fifth of its start by epoch 32, above a half with β = 0.99")
	r.table("course-SynII").sayErrorsOf1000()
}

// readTable3 compares the accuracies with tables 3 and 4.
func readTable3(r *Run) {
	t := r.table("accuracy")
	var parts []string
	most := 0.0
	for _, row := range t.Rows[:5] {
		a, b := t.apart(row[0], 100, 1, 2), t.apart(row[0], 100, 4, 5)
		parts = append(parts, fmt.Sprintf("%s %+.1f and %+.1f", row[0], a, b))
		most = math.Max(most, math.Max(math.Abs(a), math.Abs(b)))
	}
	r.Claim("The accuracies are as printed in tables 3 and 4.", most <= 0.5,
		"Differences from the paper in points, on SynI and SynII: "+
			"%s.", strings.Join(parts, "; ")).If("at most half a point")
}

// readTable5 adds the claims that follow from the other methods in table 5.
func readTable5(r *Run) {
	t := r.table("accuracy")
	for k, c := range r.result.Claims {
		if strings.HasPrefix(c.Says, "Six categories are harder") {
			r.result.Claims[k].Found += fmt.Sprintf(" MDRM: %.2f, %.2f and %.2f %%.", t.number("6", 5),
				t.number("7", 5), t.number("8", 5))
		}
	}
	for k, says := range []string{
		"K-means of Jayasumana et al. (2015) reaches 75.00, 73.00, 74.60, 66.50, 59.64 and 58.31 %.",
		"Kernel k-means of Jayasumana et al. (2015) reaches 94.83, 87.50, 85.90, 74.50, 73.14 and 71.44 %.",
		"MDRM reaches 88.76, 83.61, 68.85, 60.03, 63.46 and 63.16 %."} {
		var off []string
		most := 0.0
		for _, row := range t.Rows {
			d := t.apart(row[0], 1, 2*k+1, 2*k+2)
			off, most = append(off, fmt.Sprintf("%+.1f", d)), math.Max(most, math.Abs(d))
		}
		r.Claim(says, most <= 1, "The differences are %s points.", strings.Join(off, ", ")).
			If("at most one point in every row")
	}
}

// readTable6 adds the claims that follow from the methods in table 6 that are also run here.
func readTable6(r *Run) {
	t := r.table("kappa")
	mean := len(t.Header) - 2
	tssm, tslda, mdrm := t.number("TSSM+LDA", mean), t.number("TSLDA", mean), t.number("MDRM", mean)
	most := max(math.Abs(tssm-0.59), math.Abs(tslda-0.57), math.Abs(mdrm-0.52))
	r.Claim("TSSM+LDA, TSLDA and MDRM have mean kappas of 0.59, 0.57 and 0.52.", most <= 0.015,
		"%.3f, %.3f and %.3f.", tssm, tslda, mdrm).If("at most 0.015 away")
}

// readFigure7PLRSQ compares the times of PLRSQ with the recorded times of VGG-11. Without a record the claims are
// marked as not tested.
func readFigure7PLRSQ(r *Run) { r.claimTimes(recordedOf("plrsq-fig6-vgg"), recordedOf("plrsq-decide")) }

// claimTimes is like readFigure7PLRSQ, for given results of the network and of the time of decisions.
func (r *Run) claimTimes(network, decide *Result) {
	epoch, decisions := "An epoch of PLRSQ takes less time than one of VGG-11 (section 6.2).",
		"The test time of PLRSQ is less than half of the test time of VGG-11 (section 6.2)."
	if network == nil || decide == nil {
		r.Claim(epoch, false, "The network is not recorded (plrsq-fig6-vgg).").If("less at every size").Needs(false)
		r.Claim(decisions, false, "The network is not recorded (plrsq-fig6-vgg).").If("less than half").Needs(false)
		return
	}
	costs := (&Run{result: network}).table("network")
	var list []string
	faster := true
	for _, row := range costs.Rows {
		ours, theirs := r.table("samples").number(row[0], 1), costs.number(row[0], 2)/100
		faster = faster && ours < theirs
		list = append(list, fmt.Sprintf("%.3f and %.3f s with %s images", ours, theirs, row[0]))
	}
	r.Claim(epoch, faster, "PLRSQ and VGG-11: %s.", strings.Join(list, "; ")).If("less at every size")
	tests := math.NaN()
	if m := testImages.FindStringSubmatch(costs.Header[3]); m != nil {
		tests, _ = strconv.ParseFloat(m[1], 64)
	}
	ours := (&Run{result: decide}).table("decisions").number("PLRSQ, five prototypes per class", 1)
	theirs := costs.number(costs.Rows[0][0], 3) * 10000 / tests
	r.Claim(decisions, ours < theirs/2, "%.2f s for 10000 matrices, and %.1f s for 10000 images (from the time of "+
		"%.0f).", ours, theirs, tests).If("less than half")
}

// testImages matches the number of test images in the heading of a network's time.
var testImages = regexp.MustCompile(`seconds for ([0-9]+) test images`)

// recordedOf returns the recorded result of an experiment, or nil if there is none.
func recordedOf(id string) *Result {
	r, err := (&Experiment{ID: id}).Recorded()
	if err != nil {
		return nil
	}
	return r
}

// readFigure5 compares figure 5b with section 6.2, and clips intervals to 100 %.
func readFigure5(r *Run) {
	rows, agree := r.table("prototypes").Rows, 0
	for _, row := range rows {
		three, _ := leadingNumber(row[1])
		six, _ := leadingNumber(row[2])
		eight, _ := leadingNumber(row[len(row)-1])
		if len(row) > 4 { // the larger grid contains all numbers of categories from 3 to 8
			six, _ = leadingNumber(row[4])
		}
		if three > eight && eight > six {
			agree++
		}
	}
	r.Claim("The same holds for every number of prototypes (figure 5b).", agree == len(rows),
		"It holds at %d of %d numbers.", agree, len(rows)).
		If("at every number")
	for _, name := range []string{"sigma2", "prototypes"} {
		r.table(name).change(func(_ []string, cell string) string { return clipped(cell, 100) }, 1, 2, 3)
	}
}

// readETH adds the paper's rows of PLRSQ and MDRM to the table, and the differences of PLRSQ as a remark.
func readETH(r *Run) {
	t := r.table("accuracy")
	plrsq, mdrm := []string{"paper, PLRSQ"}, []string{"paper, MDRM"}
	var off []string
	for k := range 6 {
		plrsq, mdrm = append(plrsq, ethPrinted.plrsqSD[k]), append(mdrm, ethPrinted.mdrm[k])
		off = append(off, fmt.Sprintf("%+.1f", t.number("PLRSQ", k+1)-ethPrinted.plrsq[k]))
	}
	t.Rows = append(t.Rows, append(plrsq, "89.09", "–"), append(mdrm, "63.16", "–"))
	t.say("brackets show the 95 %% interval of the mean")
	r.Remark("In this protocol, PLRSQ differs from the paper's values by %s and %s points for 3 to 8 categories.",
		strings.Join(off[:5], ", "), off[5])
}

// readFigure6 adds the claims of figure 6 from the run with the network.
func readFigure6(r *Run) {
	r.result.Claims = nil
	if network := recordedOf("plrsq-fig6-vgg"); network != nil {
		r.result.Claims = slices.Clone(network.Claims)
		r.Remark("The verdicts on the claims are from the experiment plrsq-fig6-vgg, which uses some of the same " +
			"draws.")
		return
	}
	for _, says := range figure6Claims {
		r.Claim(says, false, "The network is not recorded (plrsq-fig6-vgg).").If("mean over the draws").Needs(false)
	}
}

// readGroups adds intervals to the fractions of correctly grouped images.
func readGroups(r *Run) {
	t := r.table("groups")
	t.say("brackets show Wilson's 95 %% intervals from 600, 1000 and 1600 test images")
	for k, images := range []int{600, 1000, 1600} {
		t.change(func(row []string, cell string) string {
			if strings.HasPrefix(row[0], "paper") {
				return cell
			}
			return withWilson(cell, 100, images)
		}, k+1)
	}
}

// sayKappas returns a function that adds the uncertainty of kappas of 288 trials, and of means over the subjects, to
// the captions of the named tables.
func sayKappas(names ...string) func(r *Run) {
	return func(r *Run) {
		for _, n := range names {
			r.table(n).say("95 %% intervals are about ±%.2f for a kappa and ±%.2f for a mean of nine",
				kappaHalfWidth, kappaHalfWidth/math.Sqrt(float64(len(bciSubjects))))
		}
	}
}

// readBCI is sayKappas for our own protocol. It also adds the uncertainty of errors.
func readBCI(r *Run) {
	sayKappas("kappa", "best")(r)
	r.table("certainty").say("an error on 288 trials has a 95 %% interval of about ±%.3f at 0.2 and ±%.3f at 0.5",
		halfWidth(0.2, 288), halfWidth(0.5, 288))
}

// readRepresent clips intervals of three repetitions to 100 %.
func readRepresent(r *Run) {
	for _, name := range synNames {
		r.table("represent-"+name).change(func(_ []string, cell string) string { return clipped(cell, 100) }, 1)
	}
}
