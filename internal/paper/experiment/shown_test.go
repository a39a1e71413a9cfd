package experiment

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rao/evaluate"
	"rao/internal/testkit"
)

// allRecorded returns the recorded results as they are shown.
func allRecorded(t *testing.T) []*Result {
	t.Helper()
	var all []*Result
	for _, e := range List() {
		r := testkit.Must(e.Recorded())(t)
		if r != nil {
			all = append(all, r.Shown())
		}
	}
	if len(all) == 0 {
		t.Fatal("nothing is recorded")
	}
	return all
}

// No displayed claim or cell contains NaN or an infinity.
func TestShownClaimsAreComplete(t *testing.T) {
	for _, r := range allRecorded(t) {
		for _, c := range r.Claims {
			if strings.Contains(c.Found, "NaN") || strings.Contains(c.Found, "%!") {
				t.Errorf("%s: %q found %s", r.ID, c.Says, c.Found)
			}
		}
		for _, table := range r.Tables {
			for _, row := range table.Rows {
				if len(row) != len(table.Header) || slices.ContainsFunc(row, func(c string) bool {
					return strings.Contains(c, "NaN") || strings.Contains(c, "[]")
				}) {
					t.Errorf("%s, table %s: %v", r.ID, table.Name, row)
				}
			}
		}
	}
}

// Every claim of a paper has a criterion next to it.
func TestClaimsOfPapersHaveThresholds(t *testing.T) {
	for _, r := range allRecorded(t) {
		if e, err := Lookup(r.ID); err != nil || r.Paper == OurPaper || e.pageOf() == "beyond" {
			continue
		}
		for _, c := range r.Claims {
			if c.Threshold == "" {
				t.Errorf("%s: no threshold of %q", r.ID, c.Says)
			}
		}
	}
}

// Displayed texts are full sentences, with one space between words.
func TestShownAreSentences(t *testing.T) {
	for _, r := range allRecorded(t) {
		for _, c := range r.Shown().Claims {
			for _, s := range []string{c.Says, c.Found, c.Why} {
				if s != "" && !strings.HasSuffix(s, ".") || strings.Contains(s, "our target") {
					t.Errorf("%s: %q", r.ID, s)
				}
			}
		}
		if p := r.Protocol; strings.Contains(p, "  ") || p != strings.TrimSpace(p) {
			t.Errorf("%s: spaces in %q", r.ID, p)
		}
	}
	for text, want := range map[string]string{"": "", "0.1": "0.1.", "as is": "As is.", "smSQFA wins.": "smSQFA wins.",
		"σ² falls": "Σ² falls."} {
		testkit.Equal(t, fullStop(text), want, text, "becomes")
	}
}

// Tables of accuracies, kappas and errors of decisions give intervals, in cells or words.
func TestEveryAccuracyHasItsInterval(t *testing.T) {
	decides := regexp.MustCompile(`(?i)accuracy|kappa|error`)
	intervals := regexp.MustCompile(`(?i)interval|\[[0-9.]+, [0-9.]+\]`)
	for _, r := range allRecorded(t) {
		if e, err := Lookup(r.ID); err != nil || e.Version != r.Version {
			continue
		}
		for _, table := range r.Tables {
			head := table.Caption + " " + strings.Join(table.Header, " ")
			if !decides.MatchString(head) || simulated[r.ID+" "+table.Name] {
				continue
			}
			cells := ""
			for _, row := range table.Rows {
				cells += strings.Join(row, " ")
			}
			if !intervals.MatchString(head + cells) {
				t.Errorf("%s, table %s has no intervals: %s", r.ID, table.Name, head)
			}
		}
	}
}

// simulated are the tables without intervals: their accuracies are simulations of exact values in the same table, or
// they contain other errors or only p-values.
var simulated = map[string]bool{
	"sqfa-fig10 curves": true, "sqfa-fig11 slices": true, "beyond-eeg calibration": true,
	"privacy reconstruction": true,
}

// Displaying a result does not change it, and displaying it twice gives the same.
func TestShownLeavesTheResult(t *testing.T) {
	e := testkit.Must(Lookup("plrsq-eth80"))(t)
	r, err := e.Recorded()
	if err != nil || r == nil {
		t.Fatal(r, err)
	}
	table := func(r *Result) *Table { return (&Run{result: r}).table("accuracy") }
	rows, remarks := len(table(r).Rows), len(r.Remarks)
	s := r.Shown()
	if s.Shown() != s || len(r.Remarks) != remarks || len(table(r).Rows) != rows || len(table(s).Rows) == rows {
		t.Errorf("recorded %v, shown %v", table(r).Rows, table(s).Rows)
	}
}

func TestIntervalsOfCells(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{withWilson("80.00", 100, 100), "80.00 [71.12, 86.66]"}, // by hand, z = 1.96
		{withWilson("0.5", 1, 10), "0.5 [0.2, 0.8]"},
		{withWilson("–", 100, 10), "–"},
		{withWilson("80.00 ± 1.00", 100, 10), "80.00 ± 1.00"},
		{withStudent("10.00 ± 2.00", 4), "10.00 ± 2.00 [6.82, 13.18]"}, // t(3) = 3.182
		{withStudent("10.00", 4), "10.00"},
		{clipped("97.92 ± 1.77 [82.03, 113.80]", 100), "97.92 ± 1.77 [82.03, 100.00]"},
		{clipped("97.92", 100), "97.92"},
	} {
		testkit.Equal(t, c.got, c.want)
	}
}

// The standard error of an area under the curve at chance is 1/√(6n), and smaller for a larger area.
func TestErrorOfAUC(t *testing.T) {
	for _, c := range []struct{ area, want float64 }{{0.5, 0.002887}, {0.563, 0.002858}, {0.845, 0.001971}} {
		testkit.Near(t, errorOfAUC(c.area, 20000), c.want, 2e-6, "area", c.area)
	}
}

// The bound is the p-value of McNemar's exact test of methods without common errors. Every common error makes p
// smaller.
func TestBoundOfMcNemar(t *testing.T) {
	p := func(shared int) float64 {
		const n, a, b = 60, 6, 14
		truth, x, y := make([]int, n), make([]int, n), make([]int, n)
		for i := range a {
			x[i] = 1
		}
		for i := range b {
			y[a-shared+i] = 1
		}
		r := testkit.Must(evaluate.McNemar(truth, x, y, false))(t)
		return r.P
	}
	testkit.Near(t, mostP(6, 14), p(0), 1e-9)
	for shared := 1; shared <= 6; shared++ {
		if p(shared) > p(shared-1) {
			t.Errorf("%d errors in common have p %g, %d have %g", shared, p(shared), shared-1, p(shared-1))
		}
	}
}

// mostP returns the p-value of McNemar's exact test of two methods with a and b errors, none of which are common to
// both. With common errors, p cannot be larger.
func mostP(a, b int) float64 {
	low, n := min(a, b), float64(a+b)
	p := 0.0
	for k := 0; k <= low; k++ {
		p += math.Exp(lchoose(n, float64(k)) - n*math.Ln2)
	}
	return math.Min(1, 2*p)
}

func lchoose(n, k float64) float64 {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(n - k + 1)
	return a - b - c
}

// The times of the network are compared per epoch, and per 10000 images, once they are recorded.
func TestTimesOfTheNetwork(t *testing.T) {
	ours := func() *Run {
		r := &Run{result: &Result{}}
		r.Table("samples", "", "matrices", "seconds per epoch").Add(200, 0.01)
		return r
	}
	r := ours()
	r.claimTimes(nil, nil)
	for _, c := range r.result.Claims {
		if !c.Untested {
			t.Errorf("tested without a network: %+v", c)
		}
	}
	decide, network := &Run{result: &Result{}}, &Run{result: &Result{}}
	decide.Table("decisions", "", "what", "seconds").Add("PLRSQ, five prototypes per class", 5.0)
	costs := network.Table("network", "", "images", "parameters", "seconds to train", "seconds for 1000 test images")
	costs.Add(200, 129000000, 0.8, 1.01)
	for _, want := range []bool{false, true} { // 0.008 s and 10.1 s, then 0.8 s
		r = ours()
		r.claimTimes(network.result, decide.result)
		if c := r.result.Claims; len(c) != 2 || c[0].Holds != want || !c[1].Holds || c[0].Untested || c[1].Untested {
			t.Errorf("claims %+v %+v", c[0], c[1])
		}
		costs.Rows[0][2] = "80"
	}
	testkit.Contains(t, r.result.Claims[1].Found, "10.1 s for 10000 images")
}
