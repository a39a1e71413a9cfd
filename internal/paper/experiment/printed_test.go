package experiment

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// readPaper returns the text of a paper without markup, with one space between words.
func readPaper(t *testing.T, name string) string {
	t.Helper()
	b := testkit.Must(os.ReadFile(testkit.External(t, "papers", name)))(t)
	text := regexp.MustCompile(`\\(mathbf|textbf)|</?b>|[${}*]`).ReplaceAllString(string(b), "")
	text = strings.NewReplacer(`\pm`, " ± ", `\times`, "×", "0. 29", "0.29", "S 1", "S1",
		"S 7", "S7", "S 8", "S8").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}

// A row of a table that is labeled as the paper's equals a row of the paper's own table, digit for digit.
func TestPrintedRowsAreThePapers(t *testing.T) {
	text := readPaper(t, "plrsq.txt")
	has := func(table string, cells ...any) {
		t.Helper()
		row := strings.Join(strings.Fields(fmt.Sprintln(cells...)), " ")
		testkit.Contains(t, text, " "+row+" ", table, "has no row", row)
	}
	has("table 1", "SynI 2 2 4 10 250 4 250 4 250 4")
	has("table 1", "SynII 4 1 4 10 250 4 250 4 250 4")
	for set, name := range synNames {
		has("table 2", name, rates[0].paper[set], rates[1].paper[set], rates[2].paper[set])
	}
	if want := "89.23 (± 0.98)"; !strings.Contains(text, want) || rates[3].paper[1] != "89.23 ± 0.98" {
		t.Errorf("section 6.1.2 does not have %s as it is here, %s", want, rates[3].paper[1])
	}
	has("table 3", "MDRM", mdrmPrinted[0], mdrmPrinted[1])
	for _, s := range new(Run).synMethods() {
		has("table 3 or 4", s.label, s.paper[0], s.paper[1])
		one, two := strings.Split(s.chosen[0], "; "), strings.Split(s.chosen[1], "; ")
		for k := range one {
			if one[k] != "–" {
				has("table B.7", one[k], two[k])
			}
		}
	}
	for k := range ethPrinted.km {
		c := k + 3
		has("table 5", c, fmt.Sprintf("%.2f %.2f", ethPrinted.km[k], ethPrinted.kkm[k]), ethPrinted.mdrm[k],
			ethPrinted.plrsqSD[k])
		has("table B.8", c, ethPrinted.prototypes[k], ethPrinted.sigma2[k])
		if !strings.HasPrefix(ethPrinted.plrsqSD[k], fmt.Sprintf("%.2f ±", ethPrinted.plrsq[k])) {
			t.Errorf("table 5, %d categories: %v and %v", c, ethPrinted.plrsq[k], ethPrinted.plrsqSD[k])
		}
	}
	for _, b := range bciPrinted {
		label := b.label
		if place, ok := strings.CutSuffix(label, " of the competition"); ok {
			label = place[:1] + "^" + place[1:]
		}
		row := []any{label, fmt.Sprintf("%.2f", b.mean)}
		for _, k := range b.kappa {
			row = append(row, fmt.Sprintf("%.2f", k))
		}
		has("table 6", row...)
	}
	for k, b := range bciSelected {
		has("table B.9", fmt.Sprintf("S%d", k+1), b.prototypes, b.epochs, b.sigma2)
	}
}

// Every decimal number in a statement about a paper, or in a row labeled as the paper's, occurs in the paper.
func TestQuotedNumbersAreThePapers(t *testing.T) {
	texts := map[string]string{"PLRSQ": readPaper(t, "plrsq.txt"),
		"SQFA": readPaper(t, "sqfa-v3.txt") + readPaper(t, "sqfa-v1.txt")}
	number := regexp.MustCompile(`[0-9]+\.[0-9]+`)
	section := regexp.MustCompile(`(?:sections?|appendix|tables?) [0-9A-F.]+(?: and [0-9A-F.]+)*`)
	checked := 0
	for _, r := range allRecorded(t) {
		text, ok := texts[r.Paper]
		if !ok {
			continue
		}
		for _, c := range r.Claims {
			for _, v := range number.FindAllString(section.ReplaceAllString(c.Says, ""), -1) {
				if checked++; !strings.Contains(text, v) {
					t.Errorf("%s says %q of the paper, which has no %s", r.ID, c.Says, v)
				}
			}
		}
	}
	if checked < 30 {
		t.Errorf("only %d numbers were found", checked)
	}
}
