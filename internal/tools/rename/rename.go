package main

import (
	"bytes"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// validPath matches the paths that go get accepts: a host with a dot, then plain elements.
var validPath = regexp.MustCompile(`^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`)

// rename changes the path of the module in dir and returns the number of changed files. It reads all files before it
// writes any.
func rename(dir, path string) (int, error) {
	if !validPath.MatchString(path) {
		return 0, fmt.Errorf("%q is not a module path that can be fetched; it begins with a host, such as "+
			"example.org/rao",
			path)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return 0, fmt.Errorf("%w; run it in the root of the module, or name it with -dir", err)
	}
	m := regexp.MustCompile(`(?m)^module\s+(\S+)`).FindSubmatch(mod)
	if m == nil {
		return 0, fmt.Errorf("%s has no module line; add one, such as module example.org/rao",
			filepath.Join(dir, "go.mod"))
	}
	files, packages, err := list(dir)
	if err != nil {
		return 0, err
	}
	r := &renamer{old: string(m[1]), path: path, packages: packages}
	r.mention = regexp.MustCompile(`(^|[^\w./-])` + regexp.QuoteMeta(r.old) + `/([\w/-]+)`)
	written := map[string][]byte{}
	for _, name := range files {
		before, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return 0, err
		}
		after, err := r.file(name, before)
		if err != nil {
			return 0, err
		}
		if !bytes.Equal(before, after) {
			written[name] = after
		}
	}
	for _, name := range files {
		if b, ok := written[name]; ok {
			if err := replace(filepath.Join(dir, name), b); err != nil {
				return 0, err
			}
		}
	}
	return len(written), nil
}

// list returns the text files of the tree, and the folders of its packages with all folders above them.
func list(dir string) (files []string, packages map[string]bool, err error) {
	kinds := []string{".go", ".md", ".txt", ".txtar", ".s", ".py", ".js", ".ts", ".html", ".toml", ".yml", ".yaml",
		".sh", ".mod", ".work", ""}
	packages = map[string]bool{}
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); p != dir && strings.HasPrefix(name, ".") && name != ".ci" && name != ".github" {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !slices.Contains(kinds, filepath.Ext(p)) {
			return nil
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		files = append(files, rel)
		if filepath.Ext(p) == ".go" {
			for at := filepath.ToSlash(filepath.Dir(rel)); at != "."; at = filepath.ToSlash(filepath.Dir(at)) {
				packages[at] = true
			}
		}
		return nil
	})
	return files, packages, err
}

type renamer struct {
	old, path string
	packages  map[string]bool
	mention   *regexp.Regexp
}

func (r *renamer) file(name string, text []byte) ([]byte, error) {
	if bytes.IndexByte(text, 0) >= 0 { // not text
		return text, nil
	}
	switch {
	case filepath.Ext(name) == ".go":
		return r.source(name, text)
	case filepath.Base(name) == "go.mod":
		return r.module(text), nil
	}
	return r.mentions(text), nil
}

// source changes the imports of a Go file and the package paths in the rest of the file.
func (r *renamer) source(name string, text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(text)
	for _, spec := range slices.Backward(f.Imports) {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if rest, ok := strings.CutPrefix(imp, r.old); ok && (rest == "" || rest[0] == '/') {
			lo, hi := fset.Position(spec.Path.Pos()).Offset, fset.Position(spec.Path.End()).Offset
			out = slices.Replace(out, lo, hi, []byte(strconv.Quote(r.path+rest))...)
		}
	}
	if out = r.mentions(out); bytes.Equal(out, text) {
		return text, nil
	}
	return format.Source(out)
}

// module changes the paths in a go.mod, including a nested module that requires this one.
func (r *renamer) module(text []byte) []byte {
	word := regexp.MustCompile(`(?m)(^|[ \t])` + regexp.QuoteMeta(r.old) + `(/\S*)?([ \t]|$)`)
	return word.ReplaceAll(text, []byte("${1}"+r.path+"${2}${3}"))
}

// mentions changes OLD/FOLDER in text if FOLDER is one of the packages.
func (r *renamer) mentions(text []byte) []byte {
	return r.mention.ReplaceAllFunc(text, func(found []byte) []byte {
		m := r.mention.FindSubmatch(found)
		folder := strings.TrimRight(string(m[2]), "/")
		if !r.packages[folder] {
			return found
		}
		return slices.Concat(m[1], []byte(r.path+"/"), m[2])
	})
}

// replace writes a new file with the same permissions and renames it to path.
func replace(path string, b []byte) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", b, st.Mode()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
