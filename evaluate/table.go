package evaluate

import (
	"fmt"
	"io"
	"text/tabwriter"
	"unicode/utf8"
)

// WriteTable writes scores as a text table with one line per name and aligned columns. It returns an error if names and
// scores differ in length, an element of scores is nil, or writing fails.
func WriteTable(w io.Writer, names []string, scores []*Scores) error {
	if len(names) != len(scores) {
		return fmt.Errorf("the number of names is %d, but the number of scores is %d; every score needs one name",
			len(names), len(scores))
	}
	width := len("name")
	for _, name := range names {
		width = max(width, utf8.RuneCountInString(name))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%-*s\tn\taccuracy\tbalanced\tkappa\tlog loss\tece\t\n", width, "name")
	for i, s := range scores {
		if s == nil {
			return fmt.Errorf("the scores of %q are missing", names[i])
		}
		fmt.Fprintf(t, "%-*s\t%d\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t\n", width, names[i], s.N, s.Accuracy,
			s.BalancedAccuracy, s.Kappa, s.LogLoss, s.ECE)
	}
	return t.Flush()
}
