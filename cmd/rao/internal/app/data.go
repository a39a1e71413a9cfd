package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao"
	"rao/dataset"
	"rao/internal/format/table"
	"rao/internal/predictions"
	"rao/internal/text"
	"rao/model"
)

// DataFlags contains the flags that are common to all commands that read data.
type DataFlags struct {
	Spec string
	Opt  dataset.OpenOptions
	Head string
	CSV  string
	Drop string

	Optional bool // [App.ModelFor] does not require data

	predicts bool // whether labels have no use, so nothing is said about data without labels

	learns                        bool // whether AddLearning registered the flags that are stored in a model
	categories, missing, keep, id string
}

// Add registers the flag name for the data, and the flags that select variables and rows. If a command has two data
// flags, they share the selection flags.
func (d *DataFlags) Add(cmd *cobra.Command, name, usage string) {
	TextVar(cmd.Flags(), &d.Spec, name, "DATA", "", usage)
	if cmd.Flags().Lookup("x") != nil {
		return
	}
	InGroup(cmd.Flags(), TitleData, d.Pick)
}

// Pick registers the flags that select variables and rows.
func (d *DataFlags) Pick(f *pflag.FlagSet) {
	TextVar(f, &d.Opt.Labels, "labels", "FILE", "", "file of labels, for data without labels (IDX, npy, csv)")
	TextVar(f, &d.Opt.X, "x", "NAME", "",
		"variable of the observations (npz, mat), or of vectors (parquet)")
	TextVar(f, &d.Opt.Y, "y", "NAME", "",
		"variable of the labels (npz, mat), or label column of a table, or none; by default the variable y, or a "+
			"column with a usual name, the only text column, or the last column")
	LinesVar(f, &d.Opt.Where, "where", "NAME=VALUE", "keep the rows where NAME=VALUE; may be repeated")
	TextVar(f, &d.Head, "header", "auto|yes|no", "auto", "whether the first line is a header")
	TextVar(f, &d.CSV, "csv", "WHAT=HOW,...", "", "format of a csv file, separated by commas: "+csvHelp)
	TextVar(f, &d.Drop, "drop", "COLUMN,...", "",
		"columns of a table to leave out, by name or number from 0; none also keeps unnamed columns of row numbers")
}

// OnlyOfTables removes the options that do not apply to the format of d from d, if they apply to the format of other.
// It is for commands in which two data flags share these options.
func (d *DataFlags) OnlyOfTables(other *DataFlags) {
	named, text := dataset.Named(d.Spec)
	otherNamed, otherText := dataset.Named(other.Spec)
	if !named && otherNamed && d.Opt.Y != "none" {
		d.Opt.Y = ""
	}
	if !text && otherText {
		d.Head, d.CSV = "auto", ""
	}
}

// AddSpan registers --span, the part of one file to read.
func (d *DataFlags) AddSpan(cmd *cobra.Command) {
	cmd.Flags().Var(&FlagValue{Form: "FROM:TO", Parse: d.parseSpan}, "span", "the part of one file to read: rows of "+
		"npy, row groups of parquet, or the rows of a csv that start within these bytes")
}

// parseSpan sets the part of one file from FROM:TO.
func (d *DataFlags) parseSpan(text string) error {
	from, to, ok := strings.Cut(text, ":")
	a, err1 := strconv.ParseInt(from, 10, 64)
	b, err2 := strconv.ParseInt(to, 10, 64)
	if !ok || err1 != nil || err2 != nil || a < 0 || b <= a {
		return errors.New("it must be FROM:TO with two increasing whole numbers, such as 0:1000")
	}
	d.Opt.Span = [2]int64{a, b}
	return nil
}

// Options returns the options that the flags set for opening the data.
func (d *DataFlags) Options() (dataset.OpenOptions, error) {
	opt := d.Opt
	if opt.Labels != "" && opt.Y != "" && opt.Y != "none" {
		return opt, Usagef("--labels and --y both name the labels; give one of them")
	}
	if d.Head == "yes" || d.Head == "no" {
		yes := d.Head == "yes"
		opt.Header = &yes
	}
	opt.Table.Drop = text.SplitList(d.Drop)
	if err := d.form(&opt); err != nil {
		return opt, err
	}
	return opt, parseCSV(d.CSV, &opt.Table)
}

const csvHelp = "delimiter=comma|semicolon|tab|blank, decimal=comma, encoding=latin-1, comments=none"

func parseCSV(s string, opt *dataset.TableOptions) error {
	for _, item := range text.SplitList(s) {
		if name, ok := strings.CutPrefix(item, "delimiter="); ok && table.Delimiters[name] != 0 {
			opt.Delimiter = table.Delimiters[name]
			continue
		}
		switch item {
		case "decimal=comma":
			opt.DecimalComma = true
		case "encoding=latin-1":
			opt.Latin1 = true
		case "comments=none":
			opt.NoComments = true
		case "decimal=point", "encoding=utf-8", "comments=#":
		default:
			return Usagef("--csv: there is no setting %q; choose from %s", item, csvHelp)
		}
	}
	return nil
}

// readers explain how to read files that are not data. Each returns a clause about a file or folder, or "".
var readers []func(path string) (command string)

// RegisterReader adds a function that is called for data that cannot be read. If it recognizes the file, for example as
// a recording, it returns a clause that names the command for it, such as "it is a recording: rao eeg cov computes
// covariances of its trials". Otherwise it returns "".
func RegisterReader(command func(path string) string) { readers = append(readers, command) }

// otherKind replaces an error of reading data if they are files for another command.
func otherKind(err error, spec string) error {
	if err == nil {
		return nil
	}
	first, _, _ := strings.Cut(spec, ",")
	for _, command := range readers {
		if verb := command(first); verb != "" {
			return fmt.Errorf("%s is not data that this command reads; %s", spec, verb)
		}
	}
	return err
}

// NoteReading prints the choices made while reading data on one line, and stores them for the JSON output.
func (a *App) NoteReading(r *dataset.Reading) {
	a.readings = append(a.readings, r)
	a.Note("%s", r.Spelled(func(why error) string { return rao.Spell(why, flagOfOption) }))
}

// Open reads the data into memory. If labeled is true, data without labels are an error.
func (d *DataFlags) Open(ctx context.Context, a *App, name string, labeled bool) (*dataset.Data, error) {
	return d.OpenWith(ctx, a, name, labeled, nil)
}

// OpenWith opens data like [DataFlags.Open], for a caller that processes rows while later rows are being read; see
// [dataset.OpenWith].
func (d *DataFlags) OpenWith(ctx context.Context, a *App, name string, labeled bool,
	begin func(d *dataset.Data) (func(lo, hi int) error, error)) (*dataset.Data, error) {
	spec, opt, done, err := d.Source(ctx, a, name, labeled)
	if err != nil {
		return nil, err
	}
	defer done()
	if info, err := os.Stat(spec); err == nil { // reduces garbage in the first pass
		spareMemory(info.Size())
	}
	show, clear := a.reading(d.Spec)
	defer clear()
	if begin != nil {
		begin = seen(begin, show)
	}
	var data *dataset.Data
	if begin == nil || d.Spec == "-" {
		data, err = dataset.Open(ctx, spec, opt)
	} else {
		data, err = dataset.OpenWith(ctx, spec, opt, begin)
	}
	if err != nil {
		return nil, otherKind(FromInput(err, d.Spec, spec), d.Spec)
	}
	if d.Spec == "-" {
		data.Source = StandardInput
	}
	SpareMemory(data)
	return data, nil
}

// Source returns the name and the options with which the data are opened. done removes a copy of standard input.
func (d *DataFlags) Source(ctx context.Context, a *App, name string, labeled bool) (spec string,
	opt dataset.OpenOptions, done func(), err error) {
	if d.Spec == "" {
		return "", opt, nil, Usagef("--%s is required: a file, a folder of class folders, or the name of a set", name)
	}
	if opt, err = d.Options(); err != nil {
		return "", opt, nil, err
	}
	if labeled && opt.Y == "none" && opt.Labels == "" {
		return "", opt, nil, Usagef("--y none leaves the labels out, but this command needs them; leave it out")
	}
	opt.RequireLabels, opt.OnReading = labeled, a.noteReadings(d.Spec, d.predicts)
	spec, done, err = a.Spooled(ctx, d.Spec)
	return spec, opt, done, err
}

// reading shows on a terminal that data are being read. The returned function ends the display.
func (a *App) reading(spec string) (rao.Progress, func()) {
	return a.Progress("reading " + text.Cell(spec))
}

// seen wraps begin to show how many rows have been read.
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

// Blocks reads the data in blocks of rows; see [dataset.Blocks].
func (d *DataFlags) Blocks(ctx context.Context, a *App, labeled bool, fn func(d *dataset.Data, total int) error) error {
	spec, opt, done, err := d.Source(ctx, a, "data", labeled)
	if err != nil {
		return err
	}
	defer done()
	show, clear := a.reading(d.Spec)
	defer clear()
	rows := 0
	err = dataset.Blocks(ctx, spec, opt, DataBlock, func(block *dataset.Data, total int) error {
		if d.Spec == "-" {
			block.Source = StandardInput
		}
		if err := fn(block, total); err != nil {
			return err
		}
		rows += block.N()
		show.Send(rao.Event{Done: rows, Total: total})
		return nil
	})
	return otherKind(FromInput(err, d.Spec, spec), d.Spec)
}

// Reader reads the data in blocks for a command that applies a model. The data may have labels or not.
func (d *DataFlags) Reader(ctx context.Context, a *App, verb string, m *model.Model) predictions.Blocks {
	d.predicts = true
	return func(fn func(*dataset.Data, int) error) error {
		return d.Blocks(ctx, a, false, predictions.WithinMemory(verb, m, fn))
	}
}

// DataBlock is the number of rows that are read at a time.
const DataBlock = 8192

// largeData is the size in bytes above which SpareMemory limits garbage.
const largeData = 32 << 20

// SpareMemory limits garbage to a tenth of the size of large data. By default the garbage collector allows as much
// garbage as there are data, which would double the memory of a fit. The data contain no pointers, so frequent
// collections are cheap. The environment variable GOGC overrides the limit.
func SpareMemory(d *dataset.Data) {
	bytes := 0
	switch {
	case d.Stack != nil:
		bytes = 8 * len(d.Stack.Data)
	case d.X != nil:
		n, cols := d.X.Dims()
		bytes = 4 * n * cols
	}
	spareMemory(int64(bytes))
}

func spareMemory(bytes int64) {
	if bytes >= largeData && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(10)
	}
}

// ModelFlag registers --model.
func ModelFlag(cmd *cobra.Command) *string {
	path := new(string)
	TextVar(cmd.Flags(), path, "model", "FILE", "", "model file that rao fit wrote")
	return path
}

// ModelFor reads the model in the file path and sets up data for it. It returns a usage error if --data is missing,
// unless data.Optional is set, or if the output out is required (not nil) but empty.
func (a *App) ModelFor(ctx context.Context, path string, data *DataFlags, out *string) (*model.Model, error) {
	if err := Required("model", path); err != nil {
		return nil, err
	}
	if out != nil {
		if err := Required("out", *out); err != nil {
			return nil, err
		}
	}
	if !data.Optional {
		if err := Required("data", data.Spec); err != nil {
			return nil, err
		}
	}
	m, err := a.LoadModel(ctx, path)
	if err != nil {
		return nil, err
	}
	data.Opt.Features, data.Opt.Form = m.Input.Columns, m.Input.Table
	return m, nil
}

// Required returns a usage error if the value of a flag is empty.
func Required(name, value string) error {
	if value == "" {
		return Usagef("--%s is required", name)
	}
	return nil
}

// NoArgs returns a usage error for positional arguments and suggests a flag or command that was probably meant.
func NoArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasAvailableSubCommands():
		return Usagef("%s accepts no argument %q; %s", cmd.CommandPath(), args[0], choices(cmd, args[0]))
	}
	if name := fileFlag(cmd, args[0]); name != "" {
		return Usagef("%s accepts no argument %q; did you mean --%s %s?", cmd.CommandPath(), args[0], name, args[0])
	}
	if data := cmd.Flags().Lookup("data"); data != nil && data.Changed {
		if _, err := os.Stat(args[0]); err == nil {
			return Usagef("%s accepts no argument %q; separate several files of --data by commas", cmd.CommandPath(),
				args[0])
		}
	}
	return Usagef("%s accepts no argument %q; options start with --", cmd.CommandPath(), args[0])
}
