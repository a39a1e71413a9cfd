package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var allSystems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64",
	"windows/arm64"}

// release contains the settings of a release: its folders, its version, and the systems to build for.
type release struct {
	root, out string
	version   string
	systems   []string
	program   string // package of the program
	draft     bool
}

type file struct {
	name string
	mode os.FileMode
	data []byte
}

// make writes the archives and their checksums, and returns the paths.
func (r *release) make() ([]string, error) {
	for _, s := range r.systems {
		if !slices.Contains(allSystems, s) {
			return nil, fmt.Errorf("system %q: choose from %s", s, strings.Join(allSystems, ", "))
		}
	}
	notes, err := r.ready()
	if err != nil {
		return nil, err
	}
	common := []file{{"CHANGES.md", 0o644, notes}}
	for _, name := range []string{"CITATION.cff", "LICENSE", "README.md"} {
		data, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		common = append(common, file{name, 0o644, data})
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return nil, err
	}
	var written []string
	var sums strings.Builder
	for _, system := range r.systems {
		name, packed, err := r.archive(system, common)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", system, err)
		}
		path := filepath.Join(r.out, name)
		if err := os.WriteFile(path, packed, 0o644); err != nil {
			return nil, err
		}
		written = append(written, path)
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(packed), name)
	}
	path := filepath.Join(r.out, "SHA256SUMS")
	return append(written, path), os.WriteFile(path, []byte(sums.String()), 0o644)
}

// archive builds the program for a system and packs it with the common files.
func (r *release) archive(system string, common []file) (name string, packed []byte, err error) {
	goos, goarch, _ := strings.Cut(system, "/")
	env := []string{"CGO_ENABLED=0", "GOOS=" + goos, "GOARCH=" + goarch}
	program, err := r.build(env)
	if err != nil {
		return "", nil, err
	}
	modules, err := r.modules(env)
	if err != nil {
		return "", nil, err
	}
	files, err := licenses(modules)
	if err != nil {
		return "", nil, err
	}
	bill, err := r.bill(modules)
	if err != nil {
		return "", nil, err
	}
	files = append(append(files, common...), file{"sbom.cdx.json", 0o644, bill})
	binary, pack, ending := "rao", tarball, ".tar.gz"
	if goos == "windows" {
		binary, pack, ending = "rao.exe", zipped, ".zip"
	}
	files = append(files, file{binary, 0o755, program})
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	folder := fmt.Sprintf("rao-%s-%s-%s", r.version, goos, goarch)
	packed, err = pack(folder, files)
	return folder + ending, packed, err
}

// build returns the program. The program does not depend on the machine: it contains no path, no state of the checkout
// and no build ID.
func (r *release) build(env []string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "rao")
	_, err = r.run(env, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", path,
		r.program)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// run runs a command in the root, without the Go settings of the machine, and returns its output.
func (r *release) run(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOWORK=off")
	cmd.Env = append(cmd.Env, env...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, said.String())
	}
	return string(out), nil
}

// ready returns the changelog of the version, or an error that lists the reasons why the version cannot be released.
func (r *release) ready() ([]byte, error) {
	source, err := os.ReadFile(filepath.Join(r.root, "rao.go"))
	if err != nil {
		return nil, fmt.Errorf("%w: run it in the root of the module, or name it with -dir", err)
	}
	changelog, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return nil, err
	}
	heading, notes, err := section(string(changelog), r.version)
	if err != nil {
		return nil, err
	}
	var faults []error
	if has := constant.FindStringSubmatch(string(source)); has == nil || has[1] != r.version {
		faults = append(faults, fmt.Errorf("rao.go does not have version %s: change Version, run go generate ./... "+
			"and commit", r.version))
	}
	if strings.Contains(heading, "unreleased") {
		faults = append(faults, fmt.Errorf("CHANGELOG.md calls %s unreleased: write the date", r.version))
	}
	for _, other := range []struct{ file, form string }{
		{"CITATION.cff", "version: " + r.version},
		{"python/rao/_version.py", fmt.Sprintf("__version__ = %q", r.version)},
		{"python/conda/recipe.yaml", fmt.Sprintf("  version: %q", r.version)},
	} {
		data, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(other.file)))
		if err != nil {
			faults = append(faults, err)
		} else if !slices.Contains(strings.Split(string(data), "\n"), other.form) {
			faults = append(faults, fmt.Errorf("%s has no line %q", other.file, other.form))
		}
	}
	changed, err := r.run(nil, "git", "status", "--porcelain")
	if err != nil {
		faults = append(faults, err)
	} else if changed != "" {
		faults = append(faults, fmt.Errorf("uncommitted changes:\n%s", changed))
	}
	if len(faults) > 0 && !r.draft {
		return nil, fmt.Errorf("not ready for a release:\n%w", errors.Join(faults...))
	}
	return []byte(notes), nil
}

var constant = regexp.MustCompile(`(?m)^const Version = "(.*)"$`)

func section(changelog, version string) (heading, text string, err error) {
	for part := range strings.SplitSeq("\n"+changelog, "\n## ") {
		heading, _, _ = strings.Cut(part, "\n")
		if heading == version || strings.HasPrefix(heading, version+",") {
			return heading, "## " + strings.TrimSpace(part) + "\n", nil
		}
	}
	return "", "", fmt.Errorf("CHANGELOG.md does not mention version %s; add a section \"## %s, DATE\"", version,
		version)
}
