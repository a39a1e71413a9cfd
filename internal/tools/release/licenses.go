package main

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// licenses returns the license files of every module whose code is in the program, and of
// Go's own library.
func (r *release) licenses(env []string) ([]file, error) {
	listed, err := r.run(env, "go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}\t{{.Dir}}{{end}}{{end}}", r.program)
	if err != nil {
		return nil, err
	}
	var modules []string
	lines := bufio.NewScanner(strings.NewReader(listed))
	for lines.Scan() {
		if lines.Text() != "" {
			modules = append(modules, lines.Text())
		}
	}
	slices.Sort(modules)
	goroot, err := r.run(env, "go", "env", "GOROOT", "GOVERSION")
	if err != nil {
		return nil, err
	}
	root, version, _ := strings.Cut(strings.TrimSpace(goroot), "\n")
	modules = append(slices.Compact(modules), "go@"+version+"\t"+root)
	var out []file
	for _, m := range modules {
		name, dir, _ := strings.Cut(m, "\t")
		found, err := licensesOf(dir)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("module %s has no license file in %s: find out its license before it is given on",
				name, dir)
		}
		for _, f := range found {
			data, err := os.ReadFile(filepath.Join(dir, f))
			if err != nil {
				return nil, err
			}
			out = append(out, file{path.Join("licenses", name, f), 0o644, data})
		}
	}
	return out, nil
}

// licensesOf returns the names of the files of a folder that say a license.
func licensesOf(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		upper := strings.ToUpper(e.Name())
		for _, start := range []string{"LICEN", "COPYING", "NOTICE", "PATENTS"} {
			if strings.HasPrefix(upper, start) && e.Type().IsRegular() {
				names = append(names, e.Name())
				break
			}
		}
	}
	return names, nil
}
