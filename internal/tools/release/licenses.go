package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// modules lists the modules compiled into the program, and Go's standard library, as "PATH@VERSION\tFOLDER".
func (r *release) modules(env []string) ([]string, error) {
	listed, err := r.run(env, "go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}\t{{.Dir}}{{end}}{{end}}", r.program)
	if err != nil {
		return nil, err
	}
	modules := slices.DeleteFunc(strings.Split(listed, "\n"), func(line string) bool { return line == "" })
	slices.Sort(modules)
	goroot, err := r.run(env, "go", "env", "GOROOT", "GOVERSION")
	if err != nil {
		return nil, err
	}
	root, version, _ := strings.Cut(strings.TrimSpace(goroot), "\n")
	return append(slices.Compact(modules), "go@"+version+"\t"+root), nil
}

func licenses(modules []string) ([]file, error) {
	var out []file
	for _, m := range modules {
		name, dir, _ := strings.Cut(m, "\t")
		found, err := licensesOf(dir)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("module %s has no license file in %s: find out its license before you distribute it",
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

// licensesOf returns the names of the license files in a folder.
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
