package dataset

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rao/internal/format/regular"
)

// Files returns the files that spec names, sorted by name, which is the order of reading. It returns nil if spec is a
// single file, a folder of class folders, or a set. spec may be
//
//	part-*.parquet       a shell pattern
//	a.csv,b.csv          names or patterns, separated by commas
//	@parts.txt           a text file with one name or pattern per line
//	folder               a folder with files of one kind and no sub-folder
//
// If a file named spec exists, spec means that file. Errors report missing and repeated files, and a folder with files
// of two kinds.
func Files(spec string) ([]string, error) {
	st, err := os.Stat(spec)
	var names []string
	switch {
	case err == nil && st.IsDir():
		return filesOfFolder(spec)
	case err == nil || spec == "":
		return nil, nil
	case spec[0] == '@':
		if names, err = linesOf(spec[1:]); err != nil {
			return nil, err
		}
	case strings.ContainsAny(spec, ",*?["):
		names = strings.Split(spec, ",")
	default:
		return nil, nil
	}
	var files []string
	for _, name := range names {
		more, err := expand(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	slices.Sort(files)
	for i := 1; i < len(files); i++ {
		if files[i] == files[i-1] {
			return nil, fmt.Errorf("%s includes %s twice, so its rows would count twice; leave one out", spec, files[i])
		}
	}
	return files, nil
}

// expand returns the files of a name or pattern.
func expand(name string) ([]string, error) {
	if exists(name) {
		return []string{name}, nil
	}
	files, err := filepath.Glob(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q: %w; patterns can contain *, ? and ranges such as [a-z]", name, err)
	case len(files) == 0:
		return nil, fmt.Errorf("%q: no such file, and no file matches it as a pattern; check the name", name)
	}
	return files, nil
}

// linesOf reads a file that lists files, one per line, and returns the lines that are not blank. An empty list is an
// error.
func linesOf(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var lines []string
	in := bufio.NewScanner(f)
	for in.Scan() {
		if line := strings.TrimSpace(in.Text()); line != "" {
			lines = append(lines, line)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: the list is empty; it needs one file name per line", path)
	}
	return lines, nil
}

// filesOf returns the files of spec, as [Files] does, or spec itself if Files returns none.
func filesOf(spec string) ([]string, error) {
	files, err := Files(spec)
	if files == nil && err == nil {
		files = []string{spec}
	}
	return files, err
}

// filesOfFolder returns the data files of a folder. It returns nil if the folder contains folders, or no file with a
// known extension. It ignores names that start with . or _, which programs use for markers and checksums.
func filesOfFolder(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files []string
	kind, first := "", ""
	for _, e := range entries {
		name := e.Name()
		path := filepath.Join(folder, name)
		if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
			continue
		}
		if st, err := os.Stat(path); err != nil || st.IsDir() {
			return nil, nil
		}
		if !regular.Is(path, e) {
			continue
		}
		f := detectFormat(nil, filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz")))
		if f == nil {
			continue
		}
		if kind != "" && kind != f.name {
			return nil, fmt.Errorf("%s contains files of two kinds, such as %s and %s; select one kind, for example "+
				"with %s",
				folder, first, name, filepath.Join(folder, "*"+filepath.Ext(name)))
		}
		kind, first = f.name, name
		files = append(files, path)
	}
	return files, nil
}
