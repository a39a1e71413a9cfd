// Package filecheck reads files of every kind to their end and reports whether they are complete and valid.
package filecheck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rao"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/datapart"
	"rao/internal/format/archive"
	"rao/internal/format/table"
	"rao/internal/linalg/vec"
	"rao/internal/privacy"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
	"rao/internal/subclasses"
	"rao/internal/suggest"
	"rao/internal/text"
	"rao/model"
)

// Verdict is the result for one file. The JSON names must not change.
type Verdict struct {
	File  string `json:"file"`
	Kind  string `json:"kind"`
	OK    bool   `json:"ok"`
	What  string `json:"what,omitempty"`  // description of a valid file
	Error string `json:"error,omitempty"` // fault of an invalid file
	// Unknown is true if the kind of the file is not known, so nothing was checked. Error then explains this.
	Unknown bool   `json:"unknown,omitempty"`
	Digest  string `json:"digest,omitempty"`
	// SignedBy is the file of the key that signed the file. It is set only if keys were given.
	SignedBy string `json:"signed_by,omitempty"`
}

// Reader reads a kind of file that other packages register, such as recordings. Its package calls [Register].
type Reader struct {
	Kind   string
	Claims func(path string) bool // reports whether the name belongs to this kind; the content may resemble data
	// Read reads to the end. The error wraps [dataset.ErrUnknownFormat] if the file is not of this kind.
	Read func(path string) (what string, err error)
}

var readers []Reader

// Register adds a reader. Call it in an init function.
func Register(r Reader) { readers = append(readers, r) }

var errStudy = errors.New("the folder is a BIDS study, and verify reads files; give its recordings, such as " +
	"sub-*/*/*_eeg.*")

// File reads a file of any known kind to its end.
func File(ctx context.Context, path string) Verdict {
	v := Verdict{File: path, Kind: "file"}
	err := v.read(ctx)
	v.Unknown = errors.Is(err, dataset.ErrUnknownFormat) || errors.Is(err, errStudy)
	switch v.OK = err == nil; {
	case errors.Is(err, errStudy):
		v.Error = err.Error()
	case v.Unknown:
		v.Error = "rao does not recognize this kind of file, so nothing was checked; verify reads " + kinds()
	case err != nil:
		asFlag := func(option, value string) string { return strings.TrimSpace("--" + option + " " + value) }
		v.Error = strings.TrimPrefix(rao.Spell(err, asFlag), path+": ")
	}
	return v
}

func (v *Verdict) read(ctx context.Context) error {
	if st, err := os.Stat(v.File); errors.Is(err, fs.ErrNotExist) {
		return errors.New("no such file or folder; check the name")
	} else if err != nil {
		return err
	} else if !st.Mode().IsRegular() && !st.IsDir() {
		return errors.New("it is a pipe, a socket or a device, which may never end; give a file, or - for standard " +
			"input")
	} else if st.Mode().IsRegular() && st.Size() == 0 {
		return errors.New("the file is empty; copy it again, or run the program that writes it again")
	} else if st.Mode().IsRegular() {
		switch kind, err := archive.Kind(v.File); {
		case err == nil && kind == "model":
			return v.readModel()
		case statsarrays.IsFile(v.File):
			return v.readStatistics()
		case err == nil && kind == "subclasses":
			return v.readSubclasses()
		case err == nil && kind == "basis":
			return v.readBasis()
		case err == nil && kind == privacy.FileKind:
			return v.readPrivate()
		case archive.Marked(v.File):
			if err == nil {
				err = fmt.Errorf("a file of kind %q is unknown to this version of rao (%s); use a newer version", kind,
					rao.Version)
			}
			return err
		}
		if privacy.IsLedger(v.File) {
			v.Kind = "ledger"
			l, err := privacy.ReadLedger(v.File)
			if err == nil {
				v.What = l.Describe()
			}
			return err
		}
	}
	for _, r := range readers {
		if r.Claims(v.File) {
			return v.readWith(r)
		}
	}
	if _, err := os.Stat(filepath.Join(v.File, "dataset_description.json")); err == nil {
		return errStudy
	}
	kind, err := dataset.FormatOf(v.File)
	if err != nil {
		return v.readOther(err)
	}
	v.Kind = "data (" + kind + ")"
	if err = v.readData(ctx); err != nil && kind == "table" {
		if err = v.readTexts(err); errors.Is(err, dataset.ErrUnknownFormat) {
			return v.readOther(err) // such as the text of a BrainVision header
		}
	}
	return err
}

// tableExtensions are the extensions of text files that must be tables.
var tableExtensions = []string{".csv", ".tsv", ".tab", ".txt", ".dat", ".data"}

// readTexts checks that a text file with texts or empty cells is a complete table: every row has the same number of
// columns, at least two. other is the error of reading it as numbers.
func (v *Verdict) readTexts(other error) error {
	var option *rao.OptionError
	var value *rao.ValueError
	rows, texts, empty, columns, err := scan(v.File)
	ext := filepath.Ext(strings.TrimSuffix(strings.ToLower(v.File), ".gz"))
	switch known := slices.Contains(tableExtensions, ext); {
	case !known && (err != nil || columns < 2 || rows == 0):
		return fmt.Errorf("%w: %w", dataset.ErrUnknownFormat, other)
	case err != nil:
		return err
	case columns < 2 || !errors.As(other, &option) && !(errors.As(other, &value) && math.IsNaN(value.Value)):
		return other
	}
	v.What = fmt.Sprintf("%s of %s, %d with texts, %s", text.Plural(rows, "row", "rows"),
		text.Plural(columns, "column", "columns"), texts, text.Plural(empty, "empty cell", "empty cells"))
	return nil
}

// scan reads a table and counts its rows, its columns with texts, its empty cells and its columns.
func scan(path string) (rows, texts, empty, columns int, err error) {
	t, err := table.Open(path, table.Options{})
	if err != nil {
		return 0, 0, 0, 0, err
	}
	defer t.Close()
	isText := make([]bool, len(t.Columns))
	for {
		fields, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, 0, 0, 0, err
		}
		rows++
		for i, f := range fields {
			if _, number := t.Float(f); len(f) == 0 {
				empty++
			} else if !number {
				isText[i] = true
			}
		}
	}
	for _, is := range isText {
		if is {
			texts++
		}
	}
	return rows, texts, empty, len(isText), nil
}

// kinds lists the kinds of files that can be verified.
func kinds() string {
	names := []string{"models", "statistics", "ledgers", "data"}
	for _, r := range readers {
		names = append(names, r.Kind+"s")
	}
	return suggest.And(names)
}

// readOther tries the registered readers on a file that is not data. other is the error of reading the file as data.
func (v *Verdict) readOther(other error) error {
	for _, r := range readers {
		switch err := v.readWith(r); {
		case err == nil:
			return nil
		case !errors.Is(err, dataset.ErrUnknownFormat):
			return err
		}
	}
	return other
}

// readWith reads the file with r and sets its kind and description.
func (v *Verdict) readWith(r Reader) error {
	what, err := r.Read(v.File)
	if err != nil {
		return err
	}
	v.Kind, v.What = r.Kind, what
	return nil
}

func (v *Verdict) readModel() error {
	v.Kind = "model"
	m, err := model.Load(v.File)
	if err != nil {
		return err
	}
	v.Digest = m.Training.Digest
	v.What = fmt.Sprintf("%s of %s", m.Method, text.Plural(len(m.Classes), "class", "classes"))
	if m.Training.Counts != nil {
		v.What += fmt.Sprintf(", fitted to %d observations", vec.Total(m.Training.Counts))
	}
	if m.Version != "" {
		v.What += " by rao " + m.Version
	}
	if m.Kernel != "" {
		v.What += " with the kernel " + m.Kernel
	}
	return nil
}

func (v *Verdict) readStatistics() error {
	v.Kind = "statistics"
	if form := statsarrays.FileForm(v.File); form != statsarrays.Full {
		s, err := gaussian.OpenSource(v.File)
		if err != nil {
			return err
		}
		defer s.Close()
		v.What = form + ", " + statisticsText(s.NumClasses(), s.Dim, vec.Total(s.Counts), s.Columns, s.Parts)
		return nil
	}
	s, err := gaussian.ReadFile(v.File)
	if err != nil {
		return err
	}
	v.What = statisticsText(s.NumClasses(), s.Dim, s.Total(), s.Columns, s.Parts)
	return nil
}

func statisticsText(classes, dim, total int, columns []string, parts []provenance.Part) string {
	named := "without column names"
	if columns != nil {
		named = "with column names"
	}
	return fmt.Sprintf("%s in %s, %s in %s, %s, %s", text.Plural(classes, "class", "classes"),
		text.Plural(dim, "dimension", "dimensions"), text.Plural(total, "observation", "observations"),
		text.Plural(len(parts), "part", "parts"), named, hashesText(parts))
}

// hashesText describes in words whether the parts have hashes of their rows, and whether a key was used.
func hashesText(parts []provenance.Part) string {
	text := "no row hashes"
	for i := range parts {
		switch {
		case parts[i].Key != "":
			text = "row hashes with a key"
		case provenance.Hashed(parts[i]):
			return "row hashes without a key"
		}
	}
	return text
}

func (v *Verdict) readSubclasses() error {
	v.Kind = "statistics of sub-classes"
	s, err := subclasses.Read(v.File)
	if err != nil {
		return err
	}
	n, d := s.Basis.Dims()
	v.What = fmt.Sprintf("%d components of %s in %d of %d dimensions, %d observations, %s", len(s.Of),
		text.Plural(s.NumClasses(), "class", "classes"), d, n,
		s.Components.Total(), s.History()) + ", " + hashesText(s.Parts)
	return nil
}

func (v *Verdict) readPrivate() error {
	v.Kind = "private statistics"
	r, err := privacy.ReadFile(v.File)
	if err != nil {
		return err
	}
	v.What = r.Describe()
	return nil
}

func (v *Verdict) readBasis() error {
	v.Kind = "basis"
	b, err := subclasses.ReadBasis(v.File)
	if err != nil {
		return err
	}
	n, d := b.Dims()
	v.What = fmt.Sprintf("%d principal components of %d columns", d, n)
	return nil
}

func (v *Verdict) readData(ctx context.Context) error {
	d, err := dataset.Open(ctx, v.File, dataset.OpenOptions{Matrices: true})
	if err != nil {
		return err
	}
	if err := d.Check(); err != nil {
		return err
	}
	made, err := v.provenance()
	if err != nil {
		return err
	}
	p := datapart.Of(d, provenance.Hashing{})
	v.Digest = p.Digest
	if d.Stack != nil {
		v.What = fmt.Sprintf("%s of order %d", text.Plural(d.N(), "matrix", "matrices"), d.Stack.Dim)
	} else {
		_, cols := d.X.Dims()
		v.What = fmt.Sprintf("%s of %s", text.Plural(d.N(), "row", "rows"), text.Plural(cols, "value", "values"))
	}
	if d.Classes != nil {
		v.What += ", " + text.Plural(len(d.Classes), "class", "classes")
	}
	if made != nil {
		v.What += fmt.Sprintf(", as rao %s wrote them with the kernel %s", made.Version, made.Kernel)
	}
	return nil
}

// provenance checks the digests stored in an npz file.
func (v *Verdict) provenance() (*provenance.File, error) {
	if v.Kind != "data (npz)" {
		return nil, nil
	}
	return provenance.CheckFile(v.File)
}
