// Package tableoptions parses the options that describe how columns of tables become observations, for the tool and the
// Beam pipelines.
package tableoptions

import (
	"slices"
	"strconv"
	"strings"

	"rao"
	"rao/dataset"
	"rao/internal/optionvalues"
	"rao/internal/text"
	"rao/recipe"
)

// missingWays are the values of the option missing, in the order of the help text.
var missingWays = []string{"error", "drop", "median", "mean"}

// Options are the texts of the options, with commas between items. "" means the default.
type Options struct {
	Categories string // auto, column names, or top:N
	Missing    string // error, drop, median or mean
	Keep       string // names of columns
	ID         string // name of a column
}

// Set sets the table options of opt. It sets Table.Learn if an option is not the default, if columns are dropped, or if
// opt names a column of weights.
func (o Options) Set(opt *dataset.OpenOptions) error {
	t := &opt.Table
	t.Missing = optionvalues.MissingError
	if o.Missing != "" {
		if !slices.Contains(missingWays, o.Missing) {
			return rao.Optionf("missing", "{missing}: %w",
				&rao.UnknownError{Kind: "treatment of missing values", Name: o.Missing, Known: missingWays})
		}
		t.Missing = recipe.Missing(o.Missing)
	}
	var err error
	if t.Categories, t.Top, err = categories(o.Categories); err != nil {
		return err
	}
	t.Keep, t.ID = text.SplitList(o.Keep), o.ID
	t.Learn = t.Missing != optionvalues.MissingError || t.Categories != nil || t.Keep != nil || t.ID != "" ||
		t.Drop != nil || opt.Weights != ""
	return nil
}

// categories returns the names of columns, or auto, and the number of texts to keep. top:N without names means auto.
func categories(list string) (names []string, top int, err error) {
	for _, item := range text.SplitList(list) {
		number, ok := strings.CutPrefix(item, "top:")
		if !ok {
			names = append(names, item)
			continue
		}
		if top, err = strconv.Atoi(number); err != nil || top < 1 || top > 1000 {
			return nil, 0, rao.Optionf("categories", "{categories}: %.40q is not top:N with N from 1 to 1000", item)
		}
	}
	if top > 0 && names == nil {
		names = []string{"auto"}
	}
	return names, top, nil
}
