package dataset

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"rao"
	"rao/internal/format/archive"
	"rao/internal/format/matfile"
	"rao/internal/format/npy"
	"rao/recipe"
)

// Usual names of the variables, in order of preference.
var (
	usualX = []string{"X", "x", "data", "images", "covariances", "covs"}
	usualY = []string{"y", "Y", "labels", "label", "Labels", "Label", "target", "targets"}
)

// keepVars is the size in bytes up to which other variables of a file are read.
const keepVars = 16 << 20

// variables is a file of named arrays.
type variables interface {
	list() []varInfo
	read(name string) (*Array, error)
}

// varInfo describes a variable before it is read.
type varInfo struct {
	name    string
	shape   []int
	numeric bool
	skip    error // why it cannot be read; nil when it can
}

func (v *varInfo) len() int {
	n := 1
	for _, d := range v.shape {
		n *= d
	}
	return n
}

// axes counts the axes longer than 1.
func (v *varInfo) axes() int {
	n := 0
	for _, d := range v.shape {
		if d > 1 {
			n++
		}
	}
	return n
}

// loadVariables picks the observations, the labels and the rest from a file of
// named arrays.
func loadVariables(path string, f variables, opt OpenOptions) (*raw, error) {
	list := f.list()
	xName, err := pickX(path, list, opt)
	if err != nil {
		return nil, err
	}
	r := &raw{source: path, vars: make(map[string]*Array)}
	if r.x, err = f.read(xName); err != nil {
		return nil, err
	}
	yName, err := pickY(path, list, opt, xName)
	if err != nil {
		return nil, err
	}
	if yName != "" {
		y, err := f.read(yName)
		if err != nil {
			return nil, err
		}
		if r.y, err = labelNames(y); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		r.vars[yName] = y
	}
	conditions, err := parseWhere(opt.Where)
	if err != nil {
		return nil, err
	}
	for _, v := range list {
		wanted := slices.Contains(opt.variables(), v.name) ||
			slices.ContainsFunc(conditions, func(c condition) bool { return c.name == v.name })
		if v.name == xName || v.name == yName || !wanted && (v.skip != nil || v.len() > keepVars/8) {
			continue
		}
		a, err := f.read(v.name)
		if err != nil {
			if wanted {
				return nil, err
			}
			continue // not asked for
		}
		r.vars[v.name] = a
	}
	r.takeProvenance()
	return r, r.takeRecipe()
}

// pickX finds the variable of the observations.
func pickX(path string, list []varInfo, opt OpenOptions) (string, error) {
	if opt.X != "" {
		return opt.X, nil // reading reports a name that is not there
	}
	for _, name := range usualX {
		for _, v := range list {
			if v.name == name && v.skip == nil && v.numeric {
				return name, nil
			}
		}
	}
	candidate := ""
	for _, v := range list {
		if v.skip != nil || !v.numeric || v.axes() < 2 || v.name == opt.Y {
			continue
		}
		if candidate != "" {
			return "", rao.Optionf("x", "%s: no variable %q and several that could hold the observations; name one "+
				"with {x}: %s", path, "X", describe(list))
		}
		candidate = v.name
	}
	if candidate == "" {
		return "", fmt.Errorf("%s: no array of observations in it; it has %s", path, describe(list))
	}
	return candidate, nil
}

// pickY finds the variable of the labels; empty when there is none.
func pickY(path string, list []varInfo, opt OpenOptions, xName string) (string, error) {
	if opt.Y != "" {
		if opt.Y == xName {
			return "", fmt.Errorf("%s: %q is asked for both as observations and as labels", path, opt.Y)
		}
		return opt.Y, nil
	}
	if opt.Labels != "" {
		return "", nil
	}
	for _, name := range usualY {
		for _, v := range list {
			if v.name == name && v.name != xName && v.skip == nil && v.axes() <= 1 {
				return name, nil
			}
		}
	}
	return "", nil
}

// describe lists variables for a message, with their shapes, or why they cannot be read.
func describe(list []varInfo) string {
	if len(list) == 0 {
		return "no variables"
	}
	var parts []string
	for _, v := range list {
		if v.skip != nil {
			parts = append(parts, fmt.Sprintf("%s (%v)", v.name, v.skip))
			continue
		}
		var dims []string
		for _, d := range v.shape {
			dims = append(dims, fmt.Sprint(d))
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", v.name, strings.Join(dims, "×")))
	}
	return strings.Join(parts, ", ")
}

// npzVariables reads an npz archive.
type npzVariables struct {
	z     *npy.Zip
	infos []varInfo
}

func (f *npzVariables) list() []varInfo { return f.infos }

func (f *npzVariables) read(name string) (*Array, error) { return f.z.Read(name) }

// openNpz lists the arrays of an npz archive.
func openNpz(path string, opt OpenOptions) (*npzVariables, error) {
	z, err := npy.OpenZip(path)
	if err != nil {
		return nil, missing(path, err)
	}
	if z.Has(archive.Manifest) {
		if err := notData(path, opt); err != nil {
			z.Close()
			return nil, err
		}
	}
	f := &npzVariables{z: z}
	for _, name := range z.Names() {
		v := varInfo{name: name}
		m, err := z.Open(name)
		if err != nil {
			v.skip = err
		} else {
			v.shape, v.numeric = m.Shape, !m.Type.Text()
			m.Close()
		}
		f.infos = append(f.infos, v)
	}
	return f, nil
}

func loadNpz(path string, opt OpenOptions) (*raw, error) {
	f, err := openNpz(path, opt)
	if err != nil {
		return nil, err
	}
	defer f.z.Close()
	return loadVariables(path, f, opt)
}

// notData refuses a model or a statistics file, of which no array was named.
func notData(path string, opt OpenOptions) error {
	if opt.X != "" {
		return nil
	}
	switch kind, err := archive.Kind(path); {
	case err == nil && kind == "statistics":
		return fmt.Errorf("%s: %w", path, ErrStatistics)
	case err == nil && kind == "model":
		return fmt.Errorf("%s: a model of rao, not data", path)
	}
	return nil
}

func loadNpy(path string) (*raw, error) {
	x, err := npy.ReadFile(path)
	if err != nil {
		return nil, err
	}
	x.Name = "array" // the only one, for messages
	return &raw{source: path, x: x}, nil
}

// matVariables reads a MAT-file. Names may be paths into structs and cells.
type matVariables struct{ *matfile.File }

func (f matVariables) list() []varInfo {
	infos := make([]varInfo, len(f.Vars))
	for i := range f.Vars {
		v := &f.Vars[i]
		infos[i] = varInfo{v.Name, v.Shape, v.Class != "char" && v.Class != "cell", v.Readable()}
	}
	return infos
}

func (f matVariables) read(name string) (*Array, error) { return f.Read(name) }

func loadMat(path string, opt OpenOptions) (*raw, error) {
	f, err := matfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return loadVariables(path, matVariables{f}, opt)
}

// exists reports whether a file is at path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// recipeVar is the variable that says how the matrices of a file were made, as JSON.
const recipeVar = "recipe"

// takeRecipe moves the recipe out of the variables. A variable of that name that is no
// text is another's.
func (r *raw) takeRecipe() error {
	v, ok := r.vars[recipeVar]
	if !ok || len(v.Strings) != 1 {
		return nil
	}
	var err error
	if r.recipe, err = recipe.Parse([]byte(v.Strings[0])); err != nil {
		return fmt.Errorf("%s: %w; make the file again", r.source, err)
	}
	delete(r.vars, recipeVar)
	return nil
}
