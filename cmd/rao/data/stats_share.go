package data

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/provenance"
	"rao/internal/suggest"
)

// revealFlags confirm that statistics may reveal single rows.
type revealFlags struct{ single bool }

func (f *revealFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.single, "allow-single", false,
		"also write classes with one row, although their mean is that row")
}

// check returns an error if a class has only one row, unless --allow-single is given.
func (f *revealFlags) check(classes []string, counts []int) error {
	err := provenance.CheckSingles(classes, counts)
	var single *provenance.SingleRowError
	if err == nil || f.single || !errors.As(err, &single) {
		return nil
	}
	return fmt.Errorf("%w; add rows, leave small classes out with --min-count, or confirm with --allow-single", err)
}

// warnSpanned warns about classes with so few rows that their covariance reveals who took part.
func warnSpanned(a *app.App, classes []string, counts []int, columns int, what string) {
	names := provenance.Spanned(classes, counts, columns)
	if len(names) == 0 {
		return
	}
	a.Note("classes with no more rows than the %d %s: %s. Anyone who has a row can check whether it was used, and "+
		"the rows of very small classes can be reconstructed; share the file only with people who may see the "+
		"rows", columns, what, suggest.Some(names, 5))
}

// doubtFlags list the doubts about a merge that the user has confirmed.
type doubtFlags struct {
	overlap bool
	list    []string
}

func (f *doubtFlags) add(cmd *cobra.Command) {
	app.AllowOverlap(cmd, &f.overlap)
	cmd.Flags().Var(&app.FlagValue{Form: "LIST", Parse: f.addDoubts}, "confirm",
		"confirm what looks wrong, separated by commas: manifest, a file that rao did not write; counts, more rows "+
			"than a file was made from; columns, named in only some files; classes, names that look like two encodings")
}

func (f *doubtFlags) confirmed() []string {
	if f.overlap {
		return append(f.list, provenance.DoubtRows)
	}
	return f.list
}

// explain rewrites the error of a merge. The new error names the files and the flag that confirms the doubt.
func (f *doubtFlags) explain(err error, paths []string) error {
	file := func(part int) string { return paths[part] }
	var columns *provenance.ColumnsError
	if errors.As(err, &columns) && columns.Parts != nil {
		return errors.New(columns.Text(file))
	}
	var doubt *provenance.DoubtError
	if !errors.As(err, &doubt) {
		return err
	}
	text := doubt.Text(file)
	if doubt.Doubt == provenance.DoubtRows {
		return fmt.Errorf("%s; leave one out, or use --allow-overlap", text)
	}
	return fmt.Errorf("%s; correct the file, or confirm with --confirm %s", text, doubt.Doubt)
}

// addDoubts adds the doubts in a comma-separated list.
func (f *doubtFlags) addDoubts(list string) error {
	for name := range strings.SplitSeq(list, ",") {
		if name == provenance.DoubtRows || !slices.Contains(provenance.Doubts(), name) {
			return fmt.Errorf("%q is not one of manifest, counts, columns and classes", name)
		}
		f.list = append(f.list, name)
	}
	return nil
}
