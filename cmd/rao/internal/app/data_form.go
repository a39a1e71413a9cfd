package app

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/dataset"
	"rao/internal/suggest"
)

// missingWays are what --missing takes, in the order of help.
var missingWays = []string{"error", "drop", "median", "mean"}

// AddLearning registers what add does, and the flags that say how a table becomes
// observations. A model keeps that, so that only verbs that learn have them.
func (d *DataFlags) AddLearning(cmd *cobra.Command, name, usage string) {
	d.Add(cmd, name, usage)
	d.learns = true
	InGroup(cmd.Flags(), TitleData, d.shape)
}

// shape registers the flags that say how a table becomes observations.
func (d *DataFlags) shape(f *pflag.FlagSet) {
	TextVar(f, &d.categories, "categories", "auto|COLUMN,...", "",
		"columns of texts: auto, or names")
	TextVar(f, &d.missing, "missing", "error|drop|median|mean", "error",
		"a missing value: error, drop its row, or fill in the column's median or mean")
	TextVar(f, &d.keep, "keep", "COLUMN,...", "", "the only columns that are features")
	TextVar(f, &d.id, "id-column", "COLUMN", "", "column that names the rows, and is no feature")
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
	opt.Table.Categories, opt.Table.Keep, opt.Table.ID = SplitList(d.categories), SplitList(d.keep), d.id
	opt.Table.Learn = opt.Table.Missing != dataset.MissingError || opt.Table.Categories != nil ||
		opt.Table.Keep != nil ||
		opt.Table.ID != "" || opt.Table.Drop != nil
	return nil
}
