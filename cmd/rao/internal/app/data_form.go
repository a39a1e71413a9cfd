package app

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/dataset"
	"rao/internal/suggest"
	"rao/internal/text"
)

// missingWays are what --missing takes, in the order of help.
var missingWays = []string{"error", "drop", "median", "mean"}

// AddLearning registers the flags of Add and the flags for how a table becomes observations. Models store these
// settings, so only verbs that learn have these flags.
func (d *DataFlags) AddLearning(cmd *cobra.Command, name, usage string) {
	d.Add(cmd, name, usage)
	d.learns = true
	InGroup(cmd.Flags(), TitleData, d.shape)
}

// AddWeights registers the flag for row weights.
func (d *DataFlags) AddWeights(cmd *cobra.Command) {
	InGroup(cmd.Flags(), TitleData, func(f *pflag.FlagSet) {
		TextVar(f, &d.Opt.Weights, "weight-column", "COLUMN", "",
			"column with the weight of each row; 2 counts as two rows")
	})
}

// shape registers the flags that say how a table becomes observations.
func (d *DataFlags) shape(f *pflag.FlagSet) {
	TextVar(f, &d.categories, "categories", "auto|COLUMN|top:N,...", "",
		"columns of texts: auto, or names; top:N keeps the N most frequent texts of a column")
	TextVar(f, &d.missing, "missing", "error|drop|median|mean", "error",
		"missing values: error, drop the row, or fill in the median or mean of the column")
	TextVar(f, &d.keep, "keep", "COLUMN,...", "", "the only columns that are features")
	TextVar(f, &d.id, "id-column", "COLUMN", "", "column of row names, not used as a feature")
}

// form sets the options of tables.
func (d *DataFlags) form(opt *dataset.OpenOptions) error {
	if opt.Matrices {
		return nil
	}
	opt.Table.Missing = dataset.MissingError
	if !d.learns || opt.Form != nil {
		return nil
	}
	if d.missing != "" {
		if !slices.Contains(missingWays, d.missing) {
			return Usagef("--missing: %v", suggest.Unknown("way", d.missing, missingWays))
		}
		opt.Table.Missing = dataset.Missing(d.missing)
	}
	var err error
	if opt.Table.Categories, opt.Table.Top, err = categories(d.categories); err != nil {
		return err
	}
	opt.Table.Keep, opt.Table.ID = text.SplitList(d.keep), d.id
	opt.Table.Learn = opt.Table.Missing != dataset.MissingError || opt.Table.Categories != nil ||
		opt.Table.Keep != nil ||
		opt.Table.ID != "" || opt.Table.Drop != nil || opt.Weights != ""
	return nil
}

// categories reads --categories: names of columns or auto, which top:N alone means too, and how many texts to keep.
func categories(list string) (names []string, top int, err error) {
	for _, item := range text.SplitList(list) {
		text, ok := strings.CutPrefix(item, "top:")
		if !ok {
			names = append(names, item)
			continue
		}
		if top, err = strconv.Atoi(text); err != nil || top < 1 || top > 1000 {
			return nil, 0, Usagef("--categories %s: want top:N with N from 1 to 1000", item)
		}
	}
	if top > 0 && names == nil {
		names = []string{"auto"}
	}
	return names, top, nil
}

// FirstIsPositive reports whether --positive names the first of two classes. It is empty if the flag was not given.
func FirstIsPositive(positive string, classes []string) (bool, error) {
	switch {
	case positive == "":
		return false, nil
	case len(classes) != 2:
		return false, Usagef("--positive is for two classes; there are %d", len(classes))
	case !slices.Contains(classes, positive):
		return false, Usagef("--positive: %v", suggest.Unknown("class", positive, classes))
	}
	return positive == classes[0], nil
}
