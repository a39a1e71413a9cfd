package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/eeg"
	"rao/gaussian"
	"rao/internal/format/archive"
	"rao/internal/text"
	"rao/model"
)

// verified is what verify finds out about a file; its JSON names do not change.
type verified struct {
	File   string `json:"file"`
	Kind   string `json:"kind"`
	OK     bool   `json:"ok"`
	What   string `json:"what,omitempty"`  // of a good file
	Error  string `json:"error,omitempty"` // of a bad one
	Digest string `json:"digest,omitempty"`
}

type verifyResult struct {
	Files []verified `json:"files"`
	Bad   int        `json:"bad"`
}

func verifyCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE...",
		Short: "Whether files are whole and valid, and what they are",
		Long: `Read models, statistics files, data files and recordings to their end and say what each
is and whether it is whole: digests of every array, shapes that fit together, values
that a fit can have made, covariances that data can have, data that are finite. The
exit status is 1 when a file is not.`,
		Example: "  rao verify model.rao statistics.npz train.npz",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return app.Usagef("give one file or more")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var r verifyResult
			for _, path := range args {
				v, err := verifyArgument(cmd.Context(), a, path)
				if err != nil {
					return err
				}
				if err := cmd.Context().Err(); err != nil {
					return err
				}
				if !v.OK {
					r.Bad++
				}
				r.Files = append(r.Files, v)
			}
			err := a.Emit(&r, func() {
				for _, v := range r.Files {
					if v.OK {
						fmt.Fprintf(a.Out, "%s: %s, %s\n", text.Visible(v.File), v.Kind, text.Visible(v.What))
					} else {
						fmt.Fprintf(a.Out, "%s: bad: %s\n", text.Visible(v.File), text.Visible(v.Error))
					}
				}
			})
			if err == nil && r.Bad > 0 {
				err = fmt.Errorf("%d of %s not whole or not valid", r.Bad, text.Plural(len(r.Files), "file is",
					"files are"))
			}
			return err
		},
	}
}

// verifyArgument verifies a file, or standard input for -.
func verifyArgument(ctx context.Context, a *app.App, spec string) (verified, error) {
	path, done, err := a.Spooled(ctx, spec)
	if err != nil {
		return verified{}, err
	}
	defer done()
	v := verify(ctx, path)
	if spec == "-" {
		v.File, v.Error = app.StandardInput, strings.ReplaceAll(v.Error, path, app.StandardInput)
	}
	return v, nil
}

// verify reads a file of any kind that the tool knows.
func verify(ctx context.Context, path string) verified {
	v := verified{File: path, Kind: "file"}
	err := v.read(ctx)
	if v.OK = err == nil; err != nil {
		v.Error = err.Error()
	}
	return v
}

func (v *verified) read(ctx context.Context) error {
	if st, err := os.Stat(v.File); errors.Is(err, fs.ErrNotExist) {
		return errors.New("no such file or folder")
	} else if err != nil {
		return err
	} else if !st.Mode().IsRegular() && !st.IsDir() {
		return errors.New("it is a pipe, a socket or a device, which may never end; verify reads files, and standard " +
			"input for -")
	} else if st.Mode().IsRegular() {
		switch kind, err := archive.Kind(v.File); {
		case err == nil && kind == "model":
			return v.readModel()
		case err == nil && kind == "statistics":
			return v.readStatistics()
		case err == nil && kind == "subclasses":
			return v.readSubclasses()
		case err == nil && kind == "basis":
			return v.readBasis()
		}
	}
	// MAT and gzip by their first bytes
	for _, end := range []string{".set", ".fif", ".fif.gz", ".xdf", ".xdfz", ".xdf.gz"} {
		if strings.HasSuffix(strings.ToLower(v.File), end) {
			return v.readRecording(nil)
		}
	}
	kind, err := dataset.Kind(v.File)
	if err != nil {
		return v.readRecording(err)
	}
	v.Kind = "data (" + kind + ")"
	return v.readData(ctx)
}

func (v *verified) readModel() error {
	v.Kind = "model"
	m, err := model.Load(v.File)
	if err != nil {
		return err
	}
	v.Digest = m.Training.Digest
	v.What = fmt.Sprintf("%s of %s, fitted to %d observations by rao %s", m.Method,
		text.Plural(len(m.Classes), "class", "classes"), sum(m.Training.Counts), m.Version)
	if m.Kernel != "" {
		v.What += " with the kernel " + m.Kernel
	}
	return nil
}

func (v *verified) readStatistics() error {
	v.Kind = "statistics"
	if kind := gaussian.FileKind(v.File); kind != gaussian.KindFull {
		s, err := gaussian.ReadCompact(v.File)
		if err != nil {
			return err
		}
		v.What = kind.String() + ", " + statisticsText(s.NumClasses(), s.Dim, s.Total(), s.Columns, s.Parts)
		return nil
	}
	s, err := gaussian.ReadFile(v.File)
	if err != nil {
		return err
	}
	v.What = statisticsText(s.NumClasses(), s.Dim, s.Total(), s.Columns, s.Parts)
	return nil
}

func statisticsText(classes, dim, total int, columns []string, parts []gaussian.Part) string {
	named := "without names of columns"
	if columns != nil {
		named = "with names of columns"
	}
	return fmt.Sprintf("%s in %d dimensions, %d observations in %s, %s, %s", text.Plural(classes, "class", "classes"),
		dim,
		total, text.Plural(len(parts), "part", "parts"), named, hashesText(parts))
}

// hashesText says how rows are recorded.
func hashesText(parts []gaussian.Part) string {
	text := "no hashes of rows"
	for i := range parts {
		switch {
		case parts[i].Key != "":
			text = "hashes of rows with a key"
		case parts[i].Hashed():
			return "hashes of rows without a key"
		}
	}
	return text
}

func (v *verified) readSubclasses() error {
	v.Kind = "statistics of sub-classes"
	s, err := gaussian.ReadSubclasses(v.File)
	if err != nil {
		return err
	}
	n, d := s.Basis.Dims()
	v.What = fmt.Sprintf("%d components of %s in %d of %d dimensions, %d observations, %s", len(s.Of),
		text.Plural(s.NumClasses(), "class", "classes"), d, n,
		s.Components.Total(), madeOf(s)) + ", " + hashesText(s.Parts)
	return nil
}

func (v *verified) readBasis() error {
	v.Kind = "basis"
	b, err := gaussian.ReadBasis(v.File)
	if err != nil {
		return err
	}
	n, d := b.Dims()
	v.What = fmt.Sprintf("%d principal components of %d columns", d, n)
	return nil
}

func (v *verified) readData(ctx context.Context) error {
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
	p := app.PartOf(d, gaussian.Hashing{})
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

// provenance checks the digests that an npz file carries.
func (v *verified) provenance() (*dataset.Provenance, error) {
	if v.Kind != "data (npz)" {
		return nil, nil
	}
	return dataset.CheckProvenance(v.File)
}

// readRecording reads a recording to its end; other is the error of what else it might
// be.
func (v *verified) readRecording(other error) error {
	rec, err := eeg.OpenRecording(v.File, eeg.RecordingOptions{Kinds: []string{eeg.AllKinds}, AsStored: true})
	if err != nil {
		return errors.Join(other, err)
	}
	defer rec.Close()
	v.Kind = "recording"
	const block = 4096
	buf := make([]float64, block*len(rec.Channels))
	for at := 0; at < rec.Samples(); at += block {
		n := min(block, rec.Samples()-at)
		if err := rec.Read(buf[:n*len(rec.Channels)], at, n); err != nil {
			return err
		}
	}
	v.What = fmt.Sprintf("%s of %d samples at %g Hz", text.Plural(len(rec.Channels), "channel", "channels"),
		rec.Samples(),
		rec.Rate)
	return nil
}

func sum(counts []int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}
