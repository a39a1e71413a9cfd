package experiment

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// These are the columns in the table of a comparison.
const (
	comparedAccuracy = iota + 1
	comparedInterval
	comparedP
	comparedFit
)

// readFigure4 compares the accuracies on MNIST with the claims of v1 about its figure 5.
func readFigure4(r *Run) {
	t := r.table("accuracy")
	at := func(label string) float64 { return t.number(label, comparedAccuracy) }
	above := true
	for _, l := range []string{"smSQFA", "LDA", "PCA", "ICA", "FA"} {
		above = above && at("SQFA") > at(l) && t.p(l) < 0.05
	}
	r.Claim("SQFA is more accurate than all other methods except LMNN, which is equally accurate (v1, section 4.3; "+
		"v1 has no BDM).", above && t.p("LMNN") >= 0.05, "SQFA %.2f %%, LMNN %.2f %%, p = %s.",
		at("SQFA"), at("LMNN"), t.cell("LMNN", comparedP)).If("larger, p < 0.05; LMNN p ≥ 0.05")
	r.Claim("LDA features outperform smSQFA features (v1, section 4.3).", at("LDA") > at("smSQFA"),
		"LDA %.2f %%, smSQFA %.2f %%.", at("LDA"), at("smSQFA")).
		If("larger accuracy")
}

// readFigure5SQFA compares the speed task with the claims of v1 about its figure 6.
func readFigure5SQFA(r *Run) {
	t := r.table("accuracy")
	r.Claim("SQFA and smSQFA should perform near-identically, because the class means contain little information (v1, "+
		"section 4.4).",
		t.p("smSQFA") >= 0.05, "SQFA %s %%, smSQFA %s %%, p = %s.", t.cell("SQFA", comparedAccuracy),
		t.cell("smSQFA", comparedAccuracy), t.cell("smSQFA", comparedP)).
		If("p ≥ 0.05")
	r.Remark("v1 calls the difference between AMA-Gauss and SQFA relatively small. In our run it is %.1f points.",
		t.number("AMA-Gauss", comparedAccuracy)-t.number("SQFA", comparedAccuracy))
}

// readFigure7 compares the speed task with the claims of v1 about its figure 8.
func readFigure7(r *Run) {
	t := r.table("accuracy")
	best, above := "FR", true
	for _, l := range []string{"BW", "LE", "E", "KL"} {
		if t.number(l, comparedAccuracy) > t.number(best, comparedAccuracy) {
			best, above = l, t.p(l) >= 0.05
		}
	}
	r.Claim("No distance of v1 (BW, LE, E, KL) performs better than FR, and LE performs as well (v1, figure 8 and "+
		"section A.3.3).", above && t.p("LE") >= 0.05,
		"FR %.2f %%; the best of v1's five, %s, %.2f %%, p = %s.", t.number("FR", comparedAccuracy), best,
		t.number(best, comparedAccuracy), t.cell(best, comparedP)).
		If("p ≥ 0.05 against the best and against LE")
	readFollowers(r)
}

// readFollowers compares the middle of the order with section A.2.3.
func readFollowers(r *Run) {
	t := r.table("accuracy")
	at := func(label string) float64 { return t.number(label, comparedAccuracy) }
	low, top := math.Min(at("Bhatt"), at("KL")), math.Max(at("FR"), at("LE"))
	r.Claim("FR and LE are closely followed by Bhatt and KL (section A.2.3).",
		low > math.Max(at("BW"), math.Max(at("BWN"), at("E"))) && top-low < 5,
		"Bhatt %.2f and KL %.2f %%, at most %.1f points below the best.", at("Bhatt"), at("KL"), top-low).
		If("the next two, within five points")
}

// readFigure8 compares the normalized distance with section A.2.3.
func readFigure8(r *Run) {
	t := r.table("accuracy")
	between := 0
	var found []string
	for _, column := range []int{1, 4, 7} {
		bw, bwn, fr := t.number("BW", column), t.number("BWN", column), t.number("FR", column)
		if bw < bwn && bwn < fr-5 {
			between++
		}
		found = append(found, fmt.Sprintf("%.2f, %.2f and %.2f", bw, bwn, fr))
	}
	r.Claim("BWN is better than BW and considerably worse than the best performers at every noise (figure 8).",
		between == 3,
		"BW, BWN and FR: %s %%.", strings.Join(found, "; ")).If("order of the accuracies; five points below FR")
}

// readFigure11 compares the slices of figure 11 with section A.3.
func readFigure11(r *Run) {
	var rho []float64
	for _, slice := range []string{"0.00", "0.56", "1.12"} {
		var odds, distance []float64
		for _, row := range r.table("slices").Rows {
			if row[0] == slice {
				o, _ := leadingNumber(row[4])
				d, _ := leadingNumber(row[5])
				odds, distance = append(odds, o), append(distance, d)
			}
		}
		rho = append(rho, stat.Correlation(odds, distance, nil))
	}
	r.Claim("In the slices at 0 and 0.56 the Fisher-Rao distance and the log-odds are very similar; in the slice "+
		"at 1.12 they are less similar (section A.3).", rho[0] > 0.98 && rho[1] > 0.98 && rho[2] < rho[1],
		"Their correlation along the slices is %.4f, %.4f and %.4f.", rho[0], rho[1], rho[2]).
		If("above 0.98; smaller")
}

// readFigure12 compares training times with footnote 6 and section 4.2.
func readFigure12(r *Run) {
	t := r.table("seconds")
	at := func(label string) float64 { return t.number(label, 2) }
	r.Claim("LMNN is considerably slower than the other best-performing methods, SQFA and BDM (footnote 6).",
		at("LMNN") > 2*math.Max(at("SQFA"), at("BDM")),
		"LMNN takes %.2f s on a tenth of the rows. SQFA takes %.2f s and BDM %.2f s, including the statistics of all "+
			"rows.",
		at("LMNN"), at("SQFA"), at("BDM")).If("at least twice the time of both")
	r.Claim("SQFA trains two orders of magnitude faster than LMNN (v1, section 4.3 and appendix D).",
		at("LMNN") >= 30*at("SQFA"), "LMNN takes %.1f times as long.", at("LMNN")/math.Max(at("SQFA"), 1e-9)).
		If("at least 30 times")
}

// readFigure12Speed compares the time on the videos with appendix D.
func readFigure12Speed(r *Run) {
	digits := recordedOf("sqfa-fig12-mnist")
	if digits == nil {
		return
	}
	videos, images := r.table("seconds").number("SQFA", 2), (&Run{result: digits}).table("seconds").number("SQFA", 2)
	r.Claim("SQFA takes longer on this set than on the others (appendix D).", videos > images,
		"It takes %.2f s, and %.2f s on MNIST.", videos, images).If("longer than on MNIST")
}

// readFigure13 returns a function that adds intervals to the first table. The intervals on the test set follow from the
// number of test observations, and the intervals on the draws from the other tables.
func readFigure13(tests int) func(r *Run) {
	return func(r *Run) {
		both := r.table("both")
		both.say("brackets show Wilson's 95 %% intervals. The test set has %d observations", tests)
		both.change(func(_ []string, cell string) string { return withWilson(cell, 100, tests) }, 1)
		for i, name := range []string{"gaussian-none", "gaussian-learned", "gaussian-all"} {
			from := r.table(name)
			both.change(func(row []string, cell string) string {
				return fmt.Sprintf("%s [%s]", cell,
					strings.Replace(from.cell(row[0], comparedInterval), " to ", ", ", 1))
			}, i+2)
		}
	}
}

// readNoiseChoice returns a function that adds intervals to the accuracies on the held-out fifth, which contains held
// rows.
func readNoiseChoice(held int) func(r *Run) {
	return func(r *Run) {
		t := r.table("noise")
		t.say("brackets show Wilson's 95 %% intervals from %d observations", held)
		t.change(func(_ []string, cell string) string { return withWilson(cell, 100, held) }, 2)
	}
}
