package examine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rao"
	"rao/internal/linalg/vec"
	"rao/internal/text"
	"rao/model"
)

// Limits are the largest drifts of each kind that are not reported. The JSON names must not change.
type Limits struct {
	Shift    text.Number `json:"shift"`
	Outliers text.Number `json:"outliers"`
	Balance  text.Number `json:"balance"`
	Missing  text.Number `json:"missing"` // missing values in excess of the training data, by column
	Unseen   text.Number `json:"unseen"`  // texts that are not in the training data, by column
}

// DefaultLimits are the default limits in the syntax of [ParseLimits].
const DefaultLimits = "shift=0.5,outliers=0.05,balance=0.25,missing=0.1,unseen=0.05"

// ParseLimits parses NAME=NUMBER,... and uses the defaults for the other limits.
func ParseLimits(s string) (Limits, error) {
	l := Limits{0.5, 0.05, 0.25, 0.1, 0.05}
	at := map[string]*text.Number{"shift": &l.Shift, "outliers": &l.Outliers, "balance": &l.Balance,
		"missing": &l.Missing, "unseen": &l.Unseen}
	for _, item := range text.SplitList(s) {
		name, value, ok := strings.Cut(item, "=")
		v, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil || !vec.NotNegative(v) {
			return l, rao.Optionf("limit", "{limit} %q is not NAME=NUMBER with a number of at least 0, such as "+
				"%s", item, DefaultLimits)
		}
		if at[name] == nil {
			return l, rao.Optionf("limit", "{limit}: %w", &rao.UnknownError{Kind: "limit", Name: name,
				Known: []string{"shift", "outliers", "balance", "missing", "unseen"}})
		}
		*at[name] = text.Number(v)
	}
	return l, nil
}

// Drift describes differences from the training data of a model. The JSON names must not change.
type Drift struct {
	*model.Drift
	Outliers text.Number `json:"outliers"`
	Balance  text.Number `json:"balance"`
	Limit    Limits      `json:"limit"`
	Beyond   []string    `json:"beyond"` // sentences about exceeded limits
}

// Judge compares the drift with the limits. It sorts d.Values with [SortByShift].
func Judge(d *model.Drift, l Limits) *Drift {
	r := &Drift{Drift: d, Outliers: text.Number(d.Outliers), Balance: text.Number(d.Balance), Limit: l,
		Beyond: []string{}}
	beyond := func(format string, args ...any) { r.Beyond = append(r.Beyond, fmt.Sprintf(format, args...)) }
	SortByShift(d)
	for _, c := range d.Values {
		if Beyond(&c, float64(l.Shift)) {
			beyond("%s is shifted by %.3g", c.Name, c.Shift)
		}
	}
	if d.Outliers > float64(l.Outliers) {
		beyond("%s are outliers", text.Percent(d.Outliers))
	}
	if d.Balance > float64(l.Balance) {
		beyond("the balance of the classes differs by %.2f", d.Balance)
	}
	for _, c := range d.Columns {
		if Excess(&c) > float64(l.Missing) {
			beyond("%s has no value in %s of the rows, compared with %s of the training "+
				"rows", c.Name, text.Percent(c.Missing), text.Percent(c.Training))
		}
		if c.Unseen > float64(l.Unseen) {
			beyond("%s has texts that are not in the training data in %s of the rows", c.Name, text.Percent(c.Unseen))
		}
	}
	return r
}

// Excess returns the share of missing values minus the share in the training data.
func Excess(c *model.ColumnShare) float64 { return c.Missing - c.Training }

// Beyond reports whether the shift exceeds limit by more than three standard errors.
func Beyond(c *model.DriftColumn, limit float64) bool {
	return math.Abs(c.Shift) > limit+3/math.Sqrt(float64(max(1, c.N)))
}

// SortByShift sorts the columns by the magnitude of the shift, largest first.
func SortByShift(d *model.Drift) {
	slices.SortStableFunc(d.Values, func(a, b model.DriftColumn) int {
		return cmp.Compare(math.Abs(b.Shift), math.Abs(a.Shift))
	})
}
