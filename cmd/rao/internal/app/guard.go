package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/dataset"
	"rao/internal/format/archive"
)

// OutputAnnotation marks a flag that names an output. The value of the annotation is the kind of output.
const OutputAnnotation = "rao_output"

// OutputFlag registers a flag that names a file or folder to write, and --force. Every output must be registered here,
// because Guard checks no others.
func OutputFlag(cmd *cobra.Command, value *string, name string, kind OutputKind, usage string) {
	f, form := cmd.Flags(), "FILE"
	if kind.Folder() {
		form = "FOLDER"
	}
	TextVar(f, value, name, form, *value, usage) // the current value becomes the default
	annotate(f, name, OutputAnnotation, string(kind))
	if f.Lookup("force") == nil {
		f.Bool("force", false, "replace a read-only file or one that rao did not write")
	}
}

// output is a file or folder that a command is about to write.
type output struct {
	flag, path string
	kind       OutputKind
	target     archive.Target
}

// Guard checks the outputs on the command line before any work starts. An output must be writable, must not be an input
// or another output, and must not replace a file that rao did not write.
func (a *App) Guard(cmd *cobra.Command, args []string) error {
	force, _ := cmd.Flags().GetBool("force")
	outs, err := outputsOf(cmd)
	if err != nil {
		return err
	}
	a.outputs = outs
	inputs := inputsOf(cmd, args)
	for i := range outs {
		o := &outs[i]
		if err := o.refuseInputs(inputs); err != nil {
			return err
		}
		if err := o.checkExtension(); err != nil {
			return err
		}
		for _, other := range outs[:i] {
			if o.target.Path == other.target.Path && !o.target.Direct {
				return Usagef("--%s and --%s name the same file, %s", other.flag, o.flag, o.path)
			}
		}
		if err := o.mayReplace(force); err != nil {
			return err
		}
		if archive.IsStdout(o.path) {
			a.Out = &checkedWriter{w: a.Err, a: a} // the file itself is written to standard output
		}
		if !o.kind.Folder() {
			if err := archive.Probe(o.path); err != nil {
				return err
			}
		}
	}
	return nil
}

// outputsOf finds the outputs on the command line.
func outputsOf(cmd *cobra.Command) ([]output, error) {
	var outs []output
	var first error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		kind := f.Annotations[OutputAnnotation]
		if kind == nil || f.Value.String() == "" {
			return
		}
		o := output{flag: f.Name, path: f.Value.String(), kind: OutputKind(kind[0])}
		var err error
		if o.kind.Folder() {
			o.target, err = locateFolder(o.path)
		} else {
			o.target, err = archive.Locate(o.path)
		}
		if first == nil {
			first = err
		}
		outs = append(outs, o)
	})
	return outs, first
}

// locateFolder does for a folder what archive.Locate does for a file.
func locateFolder(path string) (archive.Target, error) {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		abs, err := filepath.Abs(path)
		return archive.Target{Path: abs}, err
	}
	if err != nil {
		return archive.Target{}, fmt.Errorf("%s: %w; choose another folder", path, cause(err))
	}
	if !st.IsDir() {
		return archive.Target{}, fmt.Errorf("%s is a file, but a folder is needed; choose another name", path)
	}
	real, err := filepath.EvalSymlinks(path)
	return archive.Target{Path: real, Info: st}, err
}

// input is a text on the command line that may name a file. where describes its place for messages.
type input struct{ where, path string }

// inputsOf lists all texts on the command line that may name an input: the arguments and the values of all flags that
// are not outputs. Texts that do not name a file are harmless.
func inputsOf(cmd *cobra.Command, args []string) []input {
	var in []input
	add := func(where, value string) {
		files, _ := dataset.Files(value) // a command reports problems when it opens the files
		for _, v := range slices.Concat(strings.Split(value, ","), files,
			[]string{value, strings.TrimPrefix(value, "@")}) {
			in = append(in, input{where, v})
			for _, of := range companions {
				for _, c := range of(v) {
					in = append(in, input{where, c})
				}
			}
		}
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Annotations[OutputAnnotation] != nil {
			return
		}
		values := []string{f.Value.String()}
		if s, ok := f.Value.(pflag.SliceValue); ok {
			values = s.GetSlice()
		}
		for _, v := range values {
			add("--"+f.Name, v)
		}
	})
	for _, arg := range args {
		add("the argument", arg)
	}
	return in
}

// companions are functions that list the files that are read together with a file.
var companions []func(path string) []string

// RegisterCompanions adds a function that lists the files that are read together with path, or nil if there are none.
// An output must not replace them.
func RegisterCompanions(of func(path string) []string) { companions = append(companions, of) }

// refuseInputs returns an error if the output exists and is an input, possibly under another name, or is in an input
// folder.
func (o *output) refuseInputs(inputs []input) error {
	if o.target.Info == nil {
		return nil // the output does not exist yet
	}
	for _, in := range inputs {
		st, err := os.Stat(in.path)
		if err != nil {
			continue
		}
		switch {
		case o.kind.Folder() && !st.IsDir() && inside(in.path, o.target.Path):
			return Usagef("--%s %s is the folder of %s, which %s names; name another folder",
				o.flag, o.path, in.path, in.where)
		case !o.kind.Folder() && st.IsDir() && inside(o.target.Path, in.path):
			return Usagef("--%s %s is a file of the folder %s, which %s names; name another file",
				o.flag, o.path, in.path, in.where)
		case st.Mode().IsRegular() && os.SameFile(st, o.target.Info), st.IsDir() && os.SameFile(st, o.target.Info):
			return Usagef("--%s %s is the same file as %s, which %s names: an output must not be an input; name "+
				"another file", o.flag, o.path, in.path, in.where)
		}
	}
	return nil
}

func inside(file, folder string) bool {
	file, err1 := realPath(file)
	folder, err2 := realPath(folder)
	if err1 != nil || err2 != nil {
		return false
	}
	rel, err := filepath.Rel(folder, file)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// realPath returns the absolute path with symbolic links resolved.
func realPath(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// checkExtension returns a usage error if a file has an extension that the output cannot have. A name without an
// extension is accepted, except for figures, whose format depends on it.
func (o *output) checkExtension() error {
	ext := strings.ToLower(filepath.Ext(o.path))
	form, ok := Formats[o.kind]
	if !ok || ext == "" && o.kind != FigureOutput || o.target.Direct || slices.Contains(form.Extensions, ext) {
		return nil
	}
	return Usagef("--%s %s: %s (%s); name it %s%s", o.flag, o.path, form.written, strings.Join(form.Extensions, ", "),
		strings.TrimSuffix(o.path, filepath.Ext(o.path)), form.Extensions[0])
}

// mayReplace returns an error if the output exists and may be replaced only with --force.
func (o *output) mayReplace(force bool) error {
	t := o.target
	if force || t.Info == nil || t.Direct {
		return nil
	}
	if t.Info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("--%s %s is read-only; replace it with --force, or name another file",
			o.flag, o.path)
	}
	if !o.kind.ours(t.Path, t.Info) {
		if o.kind.Folder() {
			return fmt.Errorf("--%s %s is not %s; use --force to write to it, or name another folder", o.flag, o.path,
				o.kind)
		}
		return fmt.Errorf("--%s %s is a file that is not %s; use --force to replace it, or name another file", o.flag,
			o.path, o.kind)
	}
	return nil
}

// outcome describes the state of the outputs after a command was interrupted.
func (a *App) outcome() string {
	var words []string
	for _, o := range a.outputs {
		if o.target.Direct {
			continue
		}
		now, err := os.Stat(o.target.Path)
		switch {
		case err != nil:
			words = append(words, o.path+" was not written")
		case o.target.Info == nil && !o.kind.Folder():
			words = append(words, o.path+" was written before that")
		case o.kind.Folder():
			words = append(words, o.path+" contains the output written before that")
		case os.SameFile(now, o.target.Info):
			words = append(words, o.path+" is unchanged")
		default:
			words = append(words, o.path+" was replaced before that")
		}
	}
	return strings.Join(slices.Compact(words), "; ")
}
