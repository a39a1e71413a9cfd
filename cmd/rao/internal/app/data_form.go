package app

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao"
	"rao/dataset"
	"rao/internal/optionvalues"
	"rao/internal/tableoptions"
)

// AddLearning registers the flags of [DataFlags.Add] and the flags that turn a table into observations. A model stores
// how tables were read, so only commands that learn have the second kind of flags.
func (d *DataFlags) AddLearning(cmd *cobra.Command, name, usage string) {
	d.Add(cmd, name, usage)
	d.Learn(cmd.Flags())
}

// Learn registers the flags that turn a table into observations.
func (d *DataFlags) Learn(flags *pflag.FlagSet) {
	d.learns = true
	InGroup(flags, TitleData, d.shape)
}

// AddWeights registers the flag that names the column with row weights.
func (d *DataFlags) AddWeights(cmd *cobra.Command) {
	InGroup(cmd.Flags(), TitleData, func(f *pflag.FlagSet) {
		TextVar(f, &d.Opt.Weights, "weight-column", "COLUMN", "",
			"column with the weight of each row; 2 counts as two rows")
	})
}

func (d *DataFlags) shape(f *pflag.FlagSet) {
	TextVar(f, &d.categories, "categories", "auto|COLUMN|top:N,...", "",
		"text columns: auto, or names; top:N keeps the N most frequent values of a column")
	TextVar(f, &d.missing, "missing", "error|drop|median|mean", "error",
		"missing values: error, drop the row, or fill in the median or mean of the column")
	TextVar(f, &d.keep, "keep", "COLUMN,...", "", "the only columns to use as features")
	TextVar(f, &d.id, "id-column", "COLUMN", "", "column of row names, not used as a feature")
}

func (d *DataFlags) form(opt *dataset.OpenOptions) error {
	if opt.Matrices {
		return nil
	}
	if !d.learns || opt.Form != nil {
		opt.Table.Missing = optionvalues.MissingError
		return nil
	}
	return AsUsage(tableoptions.Options{Categories: d.categories, Missing: d.missing, Keep: d.keep, ID: d.id}.Set(opt))
}

// FirstIsPositive reports whether positive, the value of --positive, is the first of two classes. It returns false if
// positive is empty.
func FirstIsPositive(positive string, classes []string) (bool, error) {
	switch {
	case positive == "":
		return false, nil
	case len(classes) != 2:
		return false, Usagef("--positive works only with two classes, but there are %d; leave it out", len(classes))
	case !slices.Contains(classes, positive):
		return false, Usagef("--positive: %v", &rao.UnknownError{Kind: "class", Name: positive, Known: classes})
	}
	return positive == classes[0], nil
}
