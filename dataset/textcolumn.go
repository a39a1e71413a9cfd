package dataset

import (
	"cmp"
	"maps"
	"regexp"
	"slices"

	"rao"
)

// mostValues is the largest number of texts of a column. A column with more texts contains names and not categories.
const mostValues = 1000

// mostCounted is the largest number of different texts of a column that are counted to find the most frequent.
const mostCounted = 100_000

// textColumn is a column with a kind that depends on its first value.
type textColumn struct {
	name    string
	decided bool
	text    bool            // its values are categories
	date    bool            // its values are dates
	top     bool            // only the most frequent texts are kept
	missing int             // number of rows without a value
	values  map[string]*int // number of occurrences of each text, as spelled in the file
	n       float64         // how many numbers were summed, if the column is summed
	sum     float64
	skipped bool // its numbers are not read in the first pass, because the file declares that none is missing
}

// decide determines the kind of the column from its first value.
func (c *textColumn) decide(texts bool, first string) error {
	c.decided = true
	c.date = texts && isDate(first)
	c.text = texts && !c.date
	switch {
	case !c.text:
	case decimalComma.MatchString(first):
		return rao.Optionf("csv", "column %q: %.40q is a number with a decimal comma; set {csv=decimal=comma}, write "+
			"numbers with a decimal point, or treat the column as categories with {categories=auto,%s}",
			c.name, first, c.name)
	case otherDate.MatchString(first):
		return rao.Optionf("drop", "column %q: %.40q looks like a date, but only ISO 8601 dates such as 2024-02-29 "+
			"are read; rewrite the column, leave it out with {drop}, or treat it as categories with "+
			"{categories=auto,%s}", c.name, first, c.name)
	}
	return nil
}

// decimalComma and otherDate match texts that are numbers or dates and should not become categories.
var (
	decimalComma = regexp.MustCompile(`^[+-]?\d+,\d+([eE][+-]?\d+)?$`)
	otherDate    = regexp.MustCompile(`^\d{1,2}[./-]\d{1,2}[./-]\d{2}(\d{2})?([ T]\d{1,2}:\d{2}.*)?$` +
		`|^\d{4}[./]\d{1,2}[./]\d{1,2}\b`)
)

// texts reports whether the column is read as texts, which is also true if its kind is not yet decided.
func (c *textColumn) texts() bool { return c.text || c.date || !c.decided }

// summed reports whether the numbers of the column are summed in the first pass over columnar files.
func (c *textColumn) summed() bool { return !c.texts() && !c.skipped }

func (c *textColumn) addField(field []byte) error {
	if n := c.values[string(field)]; n != nil {
		*n++
		return nil
	}
	return c.addTexts(string(field), 1)
}

// addTexts processes n fields with the same text.
func (c *textColumn) addTexts(field string, n int) error {
	if count := c.values[field]; count != nil {
		*count += n
		return nil
	}
	if isMissing(field) {
		c.missing += n
		return nil
	}
	if !c.text {
		return nil
	}
	if c.values == nil {
		c.values = map[string]*int{}
	}
	c.values[field] = &n
	return c.bounded(len(c.values))
}

// bounded returns an error if the column has more different texts than can be counted.
func (c *textColumn) bounded(values int) error {
	most := mostValues
	if c.top {
		most = mostCounted
	}
	if values > most {
		return rao.Optionf("drop", "column %q has more than %d different texts, too many for categories; leave it "+
			"out with {drop}, name it with {id-column} if it names the rows, or keep the most frequent texts with "+
			"{categories=auto,top:20}", c.name, most)
	}
	return nil
}

// mostFrequent returns the texts, or the n most frequent if n is not 0, and the number of rows with another text.
// Equally frequent texts are sorted by name.
func (c *textColumn) mostFrequent(n int) (values []string, rest int) {
	counts := map[string]int{}
	for text, k := range c.values {
		counts[labelText(text)] += *k
	}
	values = slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	if n == 0 || len(values) <= n {
		return values, 0
	}
	for _, v := range values[n:] {
		rest += counts[v]
	}
	return values[:n:n], rest
}
