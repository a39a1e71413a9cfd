package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao"
	"rao/dataset"
	"rao/method"
	"rao/model"
)

// dataFlags are the flags of every verb that takes data.
type dataFlags struct {
	spec string
	opt  dataset.OpenOptions
	head string
	csv  string
	drop string

	learns                        bool // the flags of tables that a model keeps are registered
	categories, missing, keep, id string
}

// add registers --name and the flags that pick variables and rows. The flags that
// pick are registered once a command: a second data argument shares them.
func (d *dataFlags) add(cmd *cobra.Command, name, usage string) {
	textVar(cmd.Flags(), &d.spec, name, "DATA", "", usage)
	if cmd.Flags().Lookup("x") != nil {
		return
	}
	inGroup(cmd.Flags(), titleData, d.pick)
}

// pick registers the flags that say what of the data is meant.
func (d *dataFlags) pick(f *pflag.FlagSet) {
	textVar(f, &d.opt.Labels, "labels", "FILE", "", "file of labels, for data that hold none (IDX, npy, csv)")
	textVar(f, &d.opt.X, "x", "NAME,...", "",
		"variable that holds the observations (npz, mat), or columns of a parquet file, "+
			"separated by commas")
	textVar(f, &d.opt.Y, "y", "NAME", "",
		"variable that holds the labels (npz, mat), or a column of a parquet file")
	linesVar(f, &d.opt.Where, "where", "NAME=VALUE", "keep the rows where NAME=VALUE; may be repeated")
	textVar(f, &d.opt.LabelColumn, "label-column", "COLUMN", "",
		"name or number of the label column of a csv, tsv or parquet "+
			"file, or none; by default one with a usual name, the only one of text, or the last")
	textVar(f, &d.head, "header", "auto|yes|no", "auto", "first line of a csv or tsv is a header: auto, yes, no")
	textVar(f, &d.csv, "csv", "WHAT=HOW,...", "", "what a csv does not say, separated by commas: "+csvHelp)
	textVar(f, &d.drop, "drop", "COLUMN,...", "",
		"columns of a csv, tsv or parquet file to leave out, by name or number from 0, "+
			"separated by commas; none keeps also nameless ones that count the rows")
}

// addSpan registers --span.
func (d *dataFlags) addSpan(cmd *cobra.Command) {
	cmd.Flags().Var(textFlag{&d.opt.Span, "FROM:TO"}, "span", "the part of one file to read: rows of npy, row "+
		"groups of parquet, or the rows of a csv that begin in these bytes")
}

// options returns how to open the data.
func (d *dataFlags) options() (dataset.OpenOptions, error) {
	opt := d.opt
	switch d.head {
	case "", "auto":
	case "yes", "no":
		yes := d.head == "yes"
		opt.Header = &yes
	default:
		return opt, usagef("--header takes auto, yes or no, not %q", d.head)
	}
	opt.Table.Drop = splitList(d.drop)
	if err := d.form(&opt); err != nil {
		return opt, err
	}
	return opt, parseCSV(d.csv, &opt.Table)
}

const csvHelp = "delimiter=comma|semicolon|tab|blank, decimal=comma, encoding=latin-1, comments=none"

// parseCSV reads --csv.
func parseCSV(s string, opt *dataset.TableOptions) error {
	for _, item := range splitList(s) {
		switch item {
		case "delimiter=comma":
			opt.Delimiter = ','
		case "delimiter=semicolon":
			opt.Delimiter = ';'
		case "delimiter=tab":
			opt.Delimiter = '\t'
		case "delimiter=blank":
			opt.Delimiter = ' '
		case "decimal=comma":
			opt.DecimalComma = true
		case "encoding=latin-1":
			opt.Latin1 = true
		case "comments=none":
			opt.NoComments = true
		case "decimal=point", "encoding=utf-8", "comments=#":
		default:
			return usagef("--csv %q: want %s", item, csvHelp)
		}
	}
	return nil
}

// told keeps what was decided while data were read, for the JSON of the verb, and says
// it in one line.
func (a *app) told(r *dataset.Reading) {
	a.readings = append(a.readings, r)
	a.note("%s", r)
}

// open reads the data whole. With labeled, data without labels are an error.
func (d *dataFlags) open(ctx context.Context, a *app, name string, labeled bool) (*dataset.Data, error) {
	return d.openWith(ctx, a, name, labeled, nil)
}

// openWith is open for one who works on rows while others are read; see [dataset.OpenWith].
func (d *dataFlags) openWith(ctx context.Context, a *app, name string, labeled bool,
	begin func(d *dataset.Data) (func(lo, hi int) error, error)) (*dataset.Data, error) {
	if d.spec == "" {
		return nil, usagef("--%s is required: a file, a folder of class folders, or the name of a set", name)
	}
	opt, err := d.options()
	if err != nil {
		return nil, err
	}
	opt.RequireLabels, opt.Told = labeled, a.tellsOf(d.spec)
	spec, done, err := a.spooled(ctx, d.spec)
	if err != nil {
		return nil, err
	}
	defer done()
	show, clear := a.reading(d.spec)
	defer clear()
	if begin != nil {
		begin = seen(begin, show)
	}
	var data *dataset.Data
	if begin == nil || d.spec == "-" {
		data, err = dataset.Open(ctx, spec, opt)
	} else {
		data, err = dataset.OpenWith(ctx, spec, opt, begin)
	}
	if err != nil {
		return nil, fromInput(err, d.spec, spec)
	}
	if d.spec == "-" {
		data.Source = standardInput
	}
	spareMemory(data)
	return data, nil
}

// reading says on a terminal that data are read, which may take a while.
func (a *app) reading(spec string) (rao.Progress, func()) {
	show, clear := a.progress("reading " + cell(spec))
	show.Send(rao.Event{})
	return show, clear
}

// seen is begin with the rows that have come shown.
func seen(begin func(d *dataset.Data) (func(lo, hi int) error, error), show rao.Progress) func(d *dataset.Data) (
	func(lo, hi int) error, error) {
	return func(d *dataset.Data) (func(lo, hi int) error, error) {
		add, err := begin(d)
		if add == nil || err != nil {
			return add, err
		}
		return func(lo, hi int) error {
			show.Send(rao.Event{Done: hi, Total: d.N()})
			return add(lo, hi)
		}, nil
	}
}

// blocks reads the data as they go; see [dataset.Blocks].
func (d *dataFlags) blocks(ctx context.Context, a *app, labeled bool, fn func(d *dataset.Data, total int) error) error {
	if d.spec == "" {
		return usagef("--data is required: a file, several, a folder of class folders, or the name of a set")
	}
	opt, err := d.options()
	if err != nil {
		return err
	}
	opt.RequireLabels, opt.Told = labeled, a.tellsOf(d.spec)
	spec, done, err := a.spooled(ctx, d.spec)
	if err != nil {
		return err
	}
	defer done()
	err = dataset.Blocks(ctx, spec, opt, dataBlock, func(block *dataset.Data, total int) error {
		if d.spec == "-" {
			block.Source = standardInput
		}
		return fn(block, total)
	})
	return fromInput(err, d.spec, spec)
}

// reader reads the data as they go, with labels or without, for what a verb does with a model.
func (d *dataFlags) reader(ctx context.Context, a *app, verb string, m *model.Model) method.Blocks {
	return func(fn func(*dataset.Data, int) error) error {
		show, clear := a.reading(d.spec)
		defer clear()
		fn, rows := method.WithinMemory(verb, m, fn), 0
		return d.blocks(ctx, a, false, func(block *dataset.Data, total int) error {
			rows += block.N()
			show.Send(rao.Event{Done: rows, Total: total})
			return fn(block, total)
		})
	}
}

// dataBlock is how many rows are read at a time.
const dataBlock = 8192

// largeData is the size in bytes from which garbage beside the data matters.
const largeData = 32 << 20

// spareMemory keeps garbage to a tenth of large data: left alone, the collector lets
// as much garbage stand as there are data, which doubles the memory of a fit. The
// data hold no pointers, so that collecting oftener costs little. GOGC overrides it.
func spareMemory(d *dataset.Data) {
	bytes := 0
	switch {
	case d.Stack != nil:
		bytes = 8 * len(d.Stack.Data)
	case d.X != nil:
		n, cols := d.X.Dims()
		bytes = 4 * n * cols
	}
	if bytes >= largeData && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(10)
	}
}

// modelFlag registers --model.
func modelFlag(cmd *cobra.Command) *string {
	path := new(string)
	textVar(cmd.Flags(), path, "model", "FILE", "", "model file that rao fit wrote")
	return path
}

func required(name, value string) error {
	if value == "" {
		return usagef("--%s is required", name)
	}
	return nil
}

// noArgs refuses positional arguments with a word on what was meant.
func noArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasAvailableSubCommands():
		return usagef("%s takes no argument %q; %s", cmd.CommandPath(), args[0], choices(cmd, args[0]))
	}
	return usagef("%s takes no argument %q; options start with --", cmd.CommandPath(), args[0])
}
