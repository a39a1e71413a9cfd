package dataset

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"rao"
)

// indexClasses maps the label of each observation to 0..c-1 and returns the names in order: numeric if every name is a
// number, otherwise lexical.
func indexClasses(names []string) (labels []int, classes []string) {
	at := make(map[string]int)
	for _, s := range names {
		if _, ok := at[s]; !ok {
			at[s] = 0
			classes = append(classes, s)
		}
	}
	sortClasses(classes)
	for i, s := range classes {
		at[s] = i
	}
	labels = make([]int, len(names))
	for i, s := range names {
		labels[i] = at[s]
	}
	return labels, classes
}

// alike returns the first two names of classes that differ only in upper and lower case or blanks. It returns empty
// strings if there are none.
func alike(classes []string) (a, b string) {
	seen := map[string]string{}
	for _, name := range classes {
		key := strings.ToLower(strings.Join(strings.Fields(name), ""))
		if other, ok := seen[key]; ok {
			return other, name
		}
		seen[key] = name
	}
	return "", ""
}

func sortClasses(classes []string) {
	numbers := make(map[string]float64, len(classes))
	for _, s := range classes {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			slices.Sort(classes)
			return
		}
		numbers[s] = v
	}
	slices.SortFunc(classes, func(a, b string) int {
		return cmp.Or(cmp.Compare(numbers[a], numbers[b]), strings.Compare(a, b))
	})
}

// Decimal numbers may be names of classes (for example the speeds of a stimulus). They are treated as measurements if
// there are more than fewClasses distinct values and fewer than two observations per value, or more than manyClasses
// distinct values.
const (
	fewClasses  = 50
	manyClasses = 200
)

// noLabels is the value of OpenOptions.Y that leaves labels out.
const noLabels = "none"

// namesLabels reports whether Y is the name of a variable or column.
func (o *OpenOptions) namesLabels() bool { return o.Y != "" && o.Y != noLabels }

// checkClasses returns an error if required labels of n rows are measurements or differ in every row. Most likely the
// wrong column was used.
func (o *OpenOptions) checkClasses(source string, n int, classes []string) error {
	few := len(classes) <= fewClasses || len(classes) <= manyClasses && 2*len(classes) <= n
	if o.RequireLabels && !few && measured(classes) {
		return rao.Optionf("y", "%s: the labels are %d different fractional numbers (%s, …) for %d "+
			"observations, which look like measurements, not classes; name the column or variable of the classes "+
			"with {y}, or their file with {labels}",
			source, len(classes), strings.Join(classes[:3], ", "), n)
	}
	if named := o.Y != "" || o.Labels != ""; o.RequireLabels && !named && n > 2 &&
		len(classes) == n {
		return rao.Optionf("y", "%s: each of the %d rows has a different label (%s, …), so this is not a "+
			"column of classes; name the column or variable of the classes with {y}, or their file "+
			"with {labels}",
			source, n, strings.Join(classes[:2], ", "))
	}
	return nil
}
