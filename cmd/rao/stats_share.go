package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/gaussian"
)

// hashesFlag registers --hashes, which says how the rows behind a file are recorded in it.
func hashesFlag(a *app.App, cmd *cobra.Command, usage string) {
	cmd.Flags().Var(hashesValue{a}, "hashes", usage)
}

// What --hashes means where rows are recorded, and where they are looked for.
const (
	hashesOut = "how rows are recorded: none keeps their number alone, for files to be shared; FILE is a secret key " +
		"that sites share, 32 random bytes; without the flag whoever has a row can find out whether it was part"
	hashesIn = "file with the key by which the rows behind the model are recorded"
)

// hashesValue reads the value of --hashes into the app.
type hashesValue struct{ a *app.App }

func (v hashesValue) Set(s string) (err error) {
	v.a.Hashing, err = readHashing(s)
	return err
}
func (v hashesValue) String() string { return "" }
func (v hashesValue) Type() string   { return "none|FILE" }

// largestKey is the most bytes of a file that is a key, and not data given by mistake.
const largestKey = 4096

// readHashing reads the value of --hashes.
func readHashing(value string) (gaussian.Hashing, error) {
	if value == "none" {
		return gaussian.NoHashes(), nil
	}
	f, err := os.Open(value)
	if err != nil {
		return gaussian.Hashing{}, fmt.Errorf("none or a file with a key is wanted: %w", err)
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return gaussian.Hashing{}, fmt.Errorf("%s is no file", value)
	}
	key, err := io.ReadAll(io.LimitReader(f, largestKey+1))
	if err != nil {
		return gaussian.Hashing{}, err
	}
	if len(key) > largestKey {
		return gaussian.Hashing{}, fmt.Errorf("%s has more than %d bytes, so it is no key; make one with "+
			"openssl rand -hex 32", value, largestKey)
	}
	h, err := gaussian.KeyedHashes(key)
	if err != nil {
		return h, fmt.Errorf("%s: %w; make one with openssl rand -hex 32", value, err)
	}
	return h, nil
}

// revealFlags are what a user confirms that statistics give away.
type revealFlags struct{ single bool }

func (f *revealFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.single, "allow-single", false,
		"write classes of one row too, whose mean is that row")
}

// check refuses classes of one row unless they are confirmed.
func (f *revealFlags) check(classes []string, counts []int) error {
	err := gaussian.CheckSingles(classes, counts)
	var single *gaussian.SingleRowError
	if err == nil || f.single || !errors.As(err, &single) {
		return nil
	}
	return fmt.Errorf("%w; add rows, leave small classes out with --min-count, or confirm with --allow-single", err)
}

// warnSpanned says which classes have so few rows that their covariance tells who was part.
func warnSpanned(a *app.App, classes []string, counts []int, columns int, what string) {
	names := gaussian.Spanned(classes, counts, columns)
	if len(names) == 0 {
		return
	}
	if n := len(names); n > 5 {
		names = append(names[:5:5], fmt.Sprintf("%d more", n-5))
	}
	a.Note("no more rows than the %d %s: %s. Whoever has a row can tell whether it was part of these classes, and "+
		"few rows can be rebuilt; share the file only with those who may see the rows", columns, what,
		strings.Join(names, ", "))
}

// doubtFlags are the doubts about a merge that a user confirms.
type doubtFlags struct {
	overlap bool
	list    []string
}

func (f *doubtFlags) add(cmd *cobra.Command) {
	app.AllowOverlap(cmd, &f.overlap)
	cmd.Flags().Var(&doubtsValue{&f.list}, "confirm", "what is right although it looks wrong, with commas between: "+
		"manifest, a file that rao did not write; counts, more rows than a file was made from; columns, that only "+
		"some files name; classes, names that look like two encodings")
}

// confirmed lists what a merge need not ask about.
func (f *doubtFlags) confirmed() []gaussian.Doubt {
	var all []gaussian.Doubt
	for _, name := range f.list {
		all = append(all, gaussian.Doubt(name))
	}
	if f.overlap {
		all = append(all, gaussian.DoubtRows)
	}
	return all
}

// explain names the files of a doubt, and the flag that confirms it.
func (f *doubtFlags) explain(err error, paths []string) error {
	file := func(part int) string { return paths[part] }
	var columns *gaussian.ColumnsError
	if errors.As(err, &columns) && columns.Parts != nil {
		return errors.New(columns.Text(file))
	}
	var doubt *gaussian.DoubtError
	if !errors.As(err, &doubt) {
		return err
	}
	text := doubt.Text(file)
	if doubt.Doubt == gaussian.DoubtRows {
		return fmt.Errorf("%s; leave one out, or say --allow-overlap", text)
	}
	return fmt.Errorf("%s; mend the file, or say --confirm %s if that is right", text, doubt.Doubt)
}

// doubtsValue is a flag that takes names of doubts.
type doubtsValue struct{ list *[]string }

func (v *doubtsValue) Set(s string) error {
	for name := range strings.SplitSeq(s, ",") {
		if d := gaussian.Doubt(name); d == gaussian.DoubtRows || !slices.Contains(gaussian.Doubts(), d) {
			return fmt.Errorf("%q is none of manifest, counts, columns and classes", name)
		}
		*v.list = append(*v.list, name)
	}
	return nil
}
func (v *doubtsValue) String() string { return "" }
func (v *doubtsValue) Type() string   { return "LIST" }
