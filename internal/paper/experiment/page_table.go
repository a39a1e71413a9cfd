package experiment

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// longTable is the number of rows above which a page shows only every sixth row and the last row of a curve, which has
// numbers in the first column.
const longTable = 20

// curve reports whether the page leaves out rows of the table. A few groups of rows with the same first number, such as
// draws, are not a curve.
func (t *Table) curve() bool {
	_, err := strconv.ParseFloat(t.Rows[0][0], 64)
	grouped := t.Rows[0][0] == t.Rows[1%len(t.Rows)][0]
	return err == nil && len(t.Rows) > longTable && !(grouped && len(t.Rows) <= 2*longTable)
}

func (t *Table) markdown(b *strings.Builder) {
	head := make([]string, len(t.Header))
	for i, h := range t.Header {
		head[i] = cell(h)
	}
	caption, step := t.Caption, 1
	if t.curve() {
		caption, step = caption+". Some rows are left out", 6
	}
	if strings.Contains(caption, ". ") { // several sentences
		caption += "."
	}
	fmt.Fprintf(b, "%s\n\n| %s |\n|", caption, strings.Join(head, " | "))
	for i := range head {
		if t.numeric(i) {
			b.WriteString("---:|")
		} else {
			b.WriteString("---|")
		}
	}
	b.WriteByte('\n')
	for i, row := range t.Rows {
		if i%step != 0 && i != len(t.Rows)-1 {
			continue
		}
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = cell(t.tidied(i, c, row[0]))
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
	b.WriteByte('\n')
}

// numericCell matches a cell with one number, perhaps with its unit, spread or interval.
var numericCell = regexp.MustCompile(`^([<>≥≤+−-]? ?[\d.]+(e[+-]?\d+)?( ?%)?( ± [\d.]+)?( to -?[\d.]+)?` +
	`( ?[(\[][^)\]]*[)\]])?|\([\d.]+\))$`)

// numeric reports whether a column has only numbers and empty cells.
func (t *Table) numeric(column int) bool {
	numbers := 0
	for _, row := range t.Rows {
		switch c := row[column]; {
		case numericCell.MatchString(c):
			numbers++
		case c != "" && c != "-" && c != "–":
			return false
		}
	}
	return numbers > 0
}

// plainNumber matches a number with its fraction, perhaps with an interval.
var plainNumber = regexp.MustCompile(`^([+-]?\d+(?:\.(\d+))?)( \[.*)?$`)

// parameters are the headings of columns of settings, whose numbers are written as they were set.
var parameters = []string{"ε", "noise", "shrinkage chosen", "target"}

// tidied writes a cell as a page shows it: p-values with three significant digits, and the numbers of a column of
// measurements with the same number of decimals, or of significant digits if their sizes differ.
func (t *Table) tidied(column int, c, label string) string {
	h := t.Header[column]
	if h == "p" || strings.HasPrefix(h, "p ") || label == "p" || strings.HasPrefix(label, "p ") ||
		strings.HasPrefix(t.Caption, "p-value") {
		return roundedP(c)
	}
	if c == "1e-05" {
		return "0.00001"
	}
	m := plainNumber.FindStringSubmatch(c)
	if column == 0 || slices.Contains(parameters, h) || label == "trials" || m == nil || c == "0" {
		return c
	}
	percent := strings.Contains(h, "%") || strings.Contains(t.Caption, "percent") && !strings.HasSuffix(h, ", s") &&
		!strings.Contains(h, "second")
	v, _ := strconv.ParseFloat(m[1], 64)
	text := strconv.FormatFloat(v, 'f', t.decimalsOf(column, v, percent), 64)
	if strings.HasPrefix(c, "+") {
		text = "+" + text
	}
	if len(text) < len(m[1]) && !percent {
		return c
	}
	return text + m[3]
}

// decimalsOf returns the number of decimals for the value v in a column of measurements.
func (t *Table) decimalsOf(column int, v float64, percent bool) int {
	lengths := map[int]bool{} // numbers of decimals in the column
	most, significant := 0, 0
	largest := 0.0
	for _, row := range t.Rows {
		m := plainNumber.FindStringSubmatch(row[column])
		if m == nil || row[0] == "p" || strings.HasPrefix(row[0], "p ") {
			continue
		}
		w, _ := strconv.ParseFloat(m[1], 64)
		largest = math.Max(largest, math.Abs(w))
		if n := len(m[2]); n > 0 {
			lengths[n] = true
			most = max(most, n)
			digits := strings.NewReplacer(".", "", "-", "", "+", "").Replace(m[1])
			significant = max(significant, len(strings.TrimLeft(digits, "0")))
		}
	}
	switch whole := int(math.Floor(math.Log10(math.Abs(v)))) + 1; {
	case percent && most >= 2 && largest > 20 && largest <= 100:
		return 2
	case len(lengths) <= 1:
		return most
	case significant < 3 || significant > 4:
		return 0 // the caller keeps the cell as it is
	default:
		return max(0, min(significant-whole, most))
	}
}

// cell escapes the character that would end a table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
