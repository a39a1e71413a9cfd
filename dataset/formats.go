package dataset

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"rao"
	"rao/internal/faults"
	"rao/internal/format/gunzip"
	"rao/internal/format/idx"
	"rao/internal/format/matfile"
)

// Format is a file or folder format that [Open] reads.
type Format struct {
	Name       string                 // for example "npz"; used in errors and by [FormatOf]
	Extensions []string               // file name extensions, for example ".npz"
	Magic      func(head []byte) bool // whether the first bytes, at most 4096, identify this format; may be nil
	// Load reads the observations, with labels and variables if present. It uses only the options that name variables
	// (X, Y, Header); Open then applies the others.
	Load func(ctx context.Context, path string, opt OpenOptions) (*Data, error)
	// Columns opens a file of named columns, as an alternative to Load. Such files are streamed and support all
	// options.
	Columns func(path string) (Columns, error)
}

// format is an entry of the table of kinds.
type format struct {
	name, what string // description in the list of all kinds; empty: use name
	exts       []string
	magic      func(head []byte) bool // conclusive test of the first bytes
	looks      func(head []byte) bool // used if no magic bytes match
	packed     bool                   // also reads gzip-compressed files
	text       bool                   // a table of text
	unnamed    bool                   // files have no named variables
	// rows opens a file as a source of rows. It stores the name of a file of labels that it finds in opt.
	rows func(ctx context.Context, path string, opt *OpenOptions) (source, error)
	// load reads the data instead of rows; for registered formats
	load func(ctx context.Context, path string, opt OpenOptions) (*raw, error)
	// columnar is true if rows opens a columnSource.
	columnar bool
	// labels opens a file of labels; may be nil
	labels func(path string) (labelRows, error)
	spans  func(path string, size int64) ([][2]int64, error) // parts that rows can read separately; may be nil
	// labelSpans is true if a part can have its labels in another file, which has the labels of all rows.
	labelSpans bool
}

// formats are the kinds of files, in the order of detection. folder is the kind of folders.
var formats struct {
	sync.Mutex
	list   []*format
	folder *format
}

func init() { // in init, because labels may be files of any kind, so formats refer to this table
	formats.list = []*format{
		{name: "npz", exts: []string{".npz"}, magic: starts("PK\x03\x04", "PK\x05\x06"), rows: arrays(npzRows)},
		{name: "npy", exts: []string{".npy"}, magic: starts("\x93NUMPY"), unnamed: true,
			rows: arrays(npyRows), labels: openNpyLabels, spans: npySpans, labelSpans: true},
		{name: "table", what: "csv, tsv", exts: []string{".csv", ".tsv", ".txt"}, looks: isText, packed: true,
			text: true, unnamed: true, rows: textRows, labels: openColumnLabels, spans: tableSpans},
		{name: "MAT", what: "MAT (version 4 to 7.3)", exts: []string{".mat"}, looks: func(head []byte) bool {
			return matfile.Sniff(head[:min(len(head), 128)])
		}, rows: arrays(matRows)},
		{name: "IDX", looks: idx.Sniff, packed: true, unnamed: true, labels: openIdxLabels, rows: arrays(idxRows)},
		{name: "CIFAR-10", what: "CIFAR-10 .bin", exts: []string{".bin"}, packed: true, unnamed: true,
			rows: arrays(func(path string, _ *OpenOptions) (*arrayRows, error) { return cifarRows(path) })},
	}
	formats.folder = &format{name: "folder", unnamed: true,
		rows: arrays(func(path string, _ *OpenOptions) (*arrayRows, error) { return folderRows(path) })}
}

// RegisterFormat adds a file format to [Open]. Format packages call it in an init function. It panics if the name is
// already registered, or if the format has no name, neither Load nor Columns, or no way to detect it.
func RegisterFormat(f Format) {
	if f.Name == "" || (f.Load == nil) == (f.Columns == nil) || f.Magic == nil && len(f.Extensions) == 0 {
		panic("dataset: a format needs a name, a way to load it, and a first few bytes or an extension")
	}
	formats.Lock()
	defer formats.Unlock()
	if slices.ContainsFunc(formats.list, func(o *format) bool { return o.name == f.Name }) {
		panic("dataset: two formats are named " + f.Name)
	}
	entry := &format{name: f.Name, exts: f.Extensions, magic: f.Magic}
	if f.Columns != nil {
		entry.rows, entry.spans, entry.columnar = columnRows(f.Columns), columnSpans(f.Columns), true
	} else {
		entry.load = loadWith(f.Load)
	}
	formats.list = append(slices.Clone(formats.list), entry)
}

// loadWith adapts the Load of a registered format.
func loadWith(load func(context.Context, string, OpenOptions) (*Data, error)) func(context.Context, string,
	OpenOptions) (*raw, error) {
	return func(ctx context.Context, path string, opt OpenOptions) (*raw, error) {
		d, err := load(ctx, path, opt)
		if err != nil {
			return nil, err
		}
		r := rawOf(d)
		r.source = path
		return r, nil
	}
}

// FormatOf returns the format that Open would use for a file or folder: "npz", "npy", "MAT", "IDX", "CIFAR-10",
// "table", "folder", or the name of a registered format. It returns an error for an unknown format.
func FormatOf(path string) (string, error) {
	f, err := formatOf(path)
	if err != nil {
		return "", err
	}
	return f.name, nil
}

// Named reports whether the first file of data, or standard input ("-"), has variables or columns that options can
// name, and whether it is a table of text. It returns false for data that cannot be opened.
func Named(spec string) (named, text bool) {
	if spec == "-" {
		return true, true
	}
	files, err := filesOf(spec)
	if err != nil {
		return false, false
	}
	f, err := formatOf(files[0])
	if err != nil {
		return false, false
	}
	return !f.unnamed || f.text, f.text
}

// formatOf finds the kind of a file by its first bytes, or by its name if these are not conclusive.
func formatOf(path string) (*format, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, missing(path, err)
	}
	if st.IsDir() {
		return formats.folder, nil
	}
	g, err := gunzip.Open(path)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	head := make([]byte, 4096)
	n, err := io.ReadFull(g, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if head = head[:n]; n == 0 {
		return nil, faults.Count(0, 1, "%s: the file is empty; copy or export it again", path)
	}
	f := detectFormat(head, filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz")))
	if f == nil {
		return nil, fmt.Errorf("%s: %w; supported are %s, and folders of class folders with images", path,
			ErrUnknownFormat, kindsList())
	}
	if g.Compressed && !f.packed {
		return nil, fmt.Errorf("%s: this format cannot be read gzip-compressed; run gunzip on it first",
			path)
	}
	return f, nil
}

// detectFormat finds the kind by magic bytes, name and content, in this order.
func detectFormat(head []byte, ext string) *format {
	if bytes.HasPrefix(head, []byte("%PDF-")) { // begins with text, but is not a table
		return nil
	}
	formats.Lock()
	list := formats.list
	formats.Unlock()
	for _, certain := range []func(*format) bool{
		func(f *format) bool { return f.magic != nil && f.magic(head) },
		func(f *format) bool { return slices.Contains(f.exts, ext) },
		func(f *format) bool { return f.looks != nil && f.looks(head) },
	} {
		for _, f := range list {
			if certain(f) {
				return f
			}
		}
	}
	return nil
}

func kindsList() string {
	formats.Lock()
	defer formats.Unlock()
	var names []string
	for _, f := range formats.list {
		if f.what != "" {
			names = append(names, f.what)
		} else {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, ", ")
}

func starts(prefixes ...string) func(head []byte) bool {
	return func(head []byte) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(string(head), p) })
	}
}

// arrays adapts a source of rows with labels that can be replaced.
func arrays(rows func(path string, opt *OpenOptions) (*arrayRows, error)) func(context.Context, string,
	*OpenOptions) (source, error) {
	return func(_ context.Context, path string, opt *OpenOptions) (source, error) {
		a, err := rows(path, opt)
		return a.with(opt, err)
	}
}

// checkOptions returns an error if an option does not apply to the format.
func (f *format) checkOptions(path string, opt *OpenOptions) error {
	err := f.checkNames(path, opt)
	if err == nil && !f.text && f.load == nil { // what is registered with Load may use all options
		err = notText(path, opt)
		if err == nil && !f.columnar {
			err = notTable(path, opt)
		}
	}
	return err
}

// notText returns an error if an option describes the text of a table, because the data are not text.
func notText(path string, opt *OpenOptions) error {
	if t := &opt.Table; t.Delimiter != 0 || t.DecimalComma || t.Latin1 || t.NoComments {
		return rao.Optionf("csv", "%s: {csv} describes csv and tsv tables, but the data are not text; leave it out",
			path)
	}
	if opt.Header != nil {
		return rao.Optionf("header", "%s: {header} describes csv and tsv tables, but the data are not text; leave it "+
			"out", path)
	}
	return nil
}

// notTable returns an error if an option names columns of a table, because the data are an array.
func notTable(path string, opt *OpenOptions) error {
	if opt.Table.Drop != nil {
		return rao.Optionf("drop", "%s: {drop} works only with csv and tsv tables and with other files of columns of "+
			"single values; leave the columns out of the array", path)
	}
	return nil
}

// noVariables returns an error if an option names a variable, because the data have no variables with names.
func noVariables(path string, opt *OpenOptions) error {
	switch {
	case opt.X != "":
		return rao.Optionf("x", "%s: {x} names a variable, but the data have none; leave {x} out", path)
	case opt.namesLabels():
		return rao.Optionf("y", "%s: {y} names a variable or a column, but the data have none; leave {y} out, or give "+
			"the labels in a file with {labels}", path)
	}
	return nil
}

// checkNames returns an error if a variable is selected by its name, but the format has none.
func (f *format) checkNames(path string, opt *OpenOptions) error {
	switch {
	case !f.unnamed:
		return nil
	case !f.text:
		return noVariables(path, opt)
	case opt.X != "":
		return onlyVectors(path)
	}
	return nil
}

// openRows opens a file as a source of rows. It returns nil without an error if the file cannot be read row by row.
func openRows(ctx context.Context, path string, opt *OpenOptions) (source, error) {
	f, err := formatOf(path)
	if err == nil {
		err = cmp.Or(f.checkSpan(path, opt), f.checkOptions(path, opt))
	}
	if err != nil || f.rows == nil {
		return nil, err
	}
	changed := *opt
	s, err := f.rows(ctx, path, &changed)
	a, ok := s.(*arrayRows)
	switch {
	case !ok:
		return s, err
	case a.readAll != nil:
		s.close()
		return nil, nil
	}
	if err := a.stream(changed.Where); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}
