package dataset

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"rao"
	"rao/gaussian"
	"rao/internal/faults"
	"rao/internal/format/archive"
	"rao/internal/format/matfile"
	"rao/internal/format/npy"
	"rao/internal/indices"
	"rao/recipe"
)

// These are the usual names of the variables, in order of preference.
var (
	usualX = []string{"X", "x", "data", "images", "covariances", "covs"}
	usualY = []string{"y", "Y", "labels", "label", "Labels", "Label", "target", "targets"}
)

// keepVars is the largest size, in bytes, of other variables of a file that are read.
const keepVars = 16 << 20

// variables is a file of named arrays.
type variables interface {
	list() []varInfo
	read(name string) (*Array, error)
	open(name string) (*openArray, error) // for streaming; nil for an array that is read in full
	Close() error
}

// varInfo describes a variable before it is read.
type varInfo struct {
	name    string
	shape   []int
	numeric bool
	skip    error // why it cannot be read; nil if it can
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
	return indices.Count(v.shape, func(d int) bool { return d > 1 })
}

// variableRows opens a file of named arrays. One array has the rows; other arrays have the labels and conditions.
func variableRows(path string, f variables, opt OpenOptions) (*arrayRows, error) {
	a, err := pickVariables(path, f, opt)
	if err != nil {
		f.Close()
	}
	return a, err
}

// pickVariables picks the observations, the labels and the rest from a file of named arrays.
func pickVariables(path string, f variables, opt OpenOptions) (*arrayRows, error) {
	list := f.list()
	xName, err := pickX(path, list, opt)
	if err != nil {
		return nil, err
	}
	yName, err := pickY(path, list, opt, xName)
	if err != nil {
		return nil, err
	}
	in, err := f.open(xName)
	if err != nil {
		return nil, err
	}
	free := func() { f.Close() }
	read := func() (*Array, error) { return f.read(xName) }
	a := &arrayRows{rowInfo: rowInfo{source: path}, free: free, readAll: read}
	recipe := slices.ContainsFunc(list, func(v varInfo) bool { return v.name == recipeVar }) // for all data
	if in != nil {
		a = arrayInRows(path, in, labelCount(list, yName, opt), read, func() { in.Close(); f.Close() })
	}
	if recipe {
		a.readAll = read
	}
	a.name = xName
	a.variables = func(r *raw) error { return r.takeVariables(f, list, xName, yName, opt) }
	if yName != "" {
		a.labels = func() (labelRows, error) { return variableLabels(path, f, yName) }
	}
	a.begin = func() error {
		if err := a.checkLabels(list, yName, in.shape); err != nil {
			return err
		}
		if err := a.readNames(f, list, yName); err != nil {
			return err
		}
		return a.pick(f, list, opt)
	}
	return a, nil
}

// readNames reads the names of the columns, and checks them and the number of channels.
func (a *arrayRows) readNames(f variables, list []varInfo, yName string) error {
	d := &Data{Source: a.source, X: &Table{rows: a.n, cols: a.cols}, Image: a.images(), Vars: map[string]*Array{}}
	for _, v := range list {
		if !isNames(v.name) || v.name == a.name || v.name == yName || v.skip != nil || v.len() > keepVars/8 {
			continue
		}
		if names, err := f.read(v.name); err == nil { // as in takeVariables
			d.Vars[v.name] = names
		}
	}
	err := checkNames(d)
	a.columns = d.columns()
	return err
}

// labelCount returns the number of labels: 0 if unknown, and -1 if they are in another file.
func labelCount(list []varInfo, yName string, opt OpenOptions) int {
	if opt.Labels != "" {
		return -1
	}
	if i := slices.IndexFunc(list, func(v varInfo) bool { return v.name == yName }); i >= 0 {
		return list[i].len()
	}
	return 0
}

// checkLabels returns an error unless the variable of the labels has one label per row.
func (a *arrayRows) checkLabels(list []varInfo, yName string, shape []int) error {
	i := slices.IndexFunc(list, func(v varInfo) bool { return v.name == yName })
	if i < 0 || list[i].skip != nil {
		return nil // reading will report it
	}
	if err := oneAxis(yName, list[i].shape); err != nil {
		return fmt.Errorf("%s: %w", a.source, err)
	}
	return miscounted(a.source, shape, a.n, list[i].len(), "")
}

// pick selects the rows that meet the conditions. It reads the variables of the conditions into memory.
func (a *arrayRows) pick(f variables, list []varInfo, opt OpenOptions) error {
	r := &raw{source: a.source, vars: make(map[string]*Array)}
	conditions, err := parseWhere(opt.Where)
	if err != nil {
		return err
	}
	for _, c := range conditions {
		if slices.ContainsFunc(list, func(v varInfo) bool { return v.name == c.name }) && r.vars[c.name] == nil {
			if r.vars[c.name], err = f.read(c.name); err != nil {
				return err
			}
		}
	}
	var names []string
	for _, v := range list {
		if v.len() == a.n && len(v.shape) < 2 {
			names = append(names, v.name)
		}
	}
	index, err := pickRows(r, a.n, opt.Where, names)
	if err != nil || index == nil {
		return err
	}
	a.keep = make([]bool, a.n)
	for _, i := range index {
		a.keep[i] = true
	}
	return nil
}

func variableLabels(path string, f variables, name string) (labelRows, error) {
	in, err := f.open(name)
	if err != nil {
		return nil, err
	}
	if in != nil {
		return fileLabels(path, in, name, in.shape)
	}
	y, err := f.read(name)
	if err != nil {
		return nil, err
	}
	names, err := labelNames(y)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &heldLabels{names}, nil
}

// takeVariables reads the labels and the other variables of a file of named arrays.
func (r *raw) takeVariables(f variables, list []varInfo, xName, yName string, opt OpenOptions) error {
	r.vars = make(map[string]*Array)
	if yName != "" {
		y, err := f.read(yName)
		if err != nil {
			return err
		}
		if r.y, err = labelNames(y); err != nil {
			return fmt.Errorf("%s: %w", r.source, err)
		}
		r.vars[yName] = y
	} else if i := slices.IndexFunc(list, func(v varInfo) bool {
		return v.skip != nil && slices.Contains(usualY, v.name)
	}); i >= 0 {
		r.why = reasonf(" (%s)", strings.TrimPrefix(list[i].skip.Error(), r.source+": "))
	}
	conditions, err := parseWhere(opt.Where)
	if err != nil {
		return err
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
				return err
			}
			continue // not requested
		}
		r.vars[v.name] = a
	}
	r.takeProvenance()
	return r.takeRecipe()
}

// pickX finds the variable of the observations.
func pickX(path string, list []varInfo, opt OpenOptions) (string, error) {
	if opt.X != "" {
		return opt.X, nil // reading will report a name that does not exist
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
			return "", rao.Optionf("x", "%s: there is no variable %q, and several variables could contain the "+
				"observations; name one with {x}: %s", path, "X", describe(path, list))
		}
		candidate = v.name
	}
	if candidate == "" {
		return "", fmt.Errorf("%s: the file has no array of observations (it has %s); save the rows as one array X, "+
			"or the columns as a csv or Parquet table", path, describe(path, list))
	}
	return candidate, nil
}

// pickY finds the variable of the labels, or returns "" if there is none.
func pickY(path string, list []varInfo, opt OpenOptions, xName string) (string, error) {
	if opt.namesLabels() {
		if opt.Y == xName {
			return "", fmt.Errorf("%s: variable %q is selected both as observations and as labels; name different "+
				"variables", path, opt.Y)
		}
		return opt.Y, nil
	}
	if opt.Labels != "" || opt.Y == noLabels {
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

// describe lists variables for an error message, with their shapes or the reasons why they cannot be read.
func describe(path string, list []varInfo) string {
	if len(list) == 0 {
		return "no variables"
	}
	var parts []string
	for _, v := range list {
		if v.skip != nil {
			parts = append(parts, fmt.Sprintf("%s (%s)", v.name, strings.TrimPrefix(v.skip.Error(), path+": ")))
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

// npzVariables contains the arrays of an npz archive.
type npzVariables struct {
	z     *npy.Zip
	infos []varInfo
}

func (f *npzVariables) list() []varInfo { return f.infos }

func (f *npzVariables) read(name string) (*Array, error) { return f.z.Read(name) }

func (f *npzVariables) open(name string) (*openArray, error) {
	m, err := f.z.Open(name)
	if err != nil {
		return nil, err
	}
	return &openArray{m, m.Type, m.Shape, m.Fortran}, nil
}

func (f *npzVariables) Close() error { return f.z.Close() }

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
	if z.Has("xl/workbook.xml") {
		z.Close()
		return nil, fmt.Errorf("%s: the file is an Excel workbook; save the sheet as csv in UTF-8", path)
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

func npzRows(path string, opt *OpenOptions) (*arrayRows, error) {
	f, err := openNpz(path, *opt)
	if err != nil {
		return nil, err
	}
	return variableRows(path, f, *opt)
}

// notData returns an error for a model or a statistics file, unless an option names an array.
func notData(path string, opt OpenOptions) error {
	if opt.X != "" {
		return nil
	}
	kind, err := archive.Kind(path)
	switch {
	case err == nil && kind == "statistics":
		err = fmt.Errorf("%s: the file contains statistics, not data", path)
	case err == nil && kind == "model":
		err = fmt.Errorf("%s: the file is a model of rao, not data; name a file of data", path)
	default:
		return nil
	}
	return faults.Also(err, &gaussian.FileKindError{Want: "data", Got: kind})
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

func (f matVariables) open(name string) (*openArray, error) {
	s, err := f.Stream(name)
	if s == nil || err != nil {
		return nil, err
	}
	return &openArray{s, s.Elem, s.Shape, true}, nil
}

func matRows(path string, opt *OpenOptions) (*arrayRows, error) {
	f, err := matfile.Open(path)
	if err != nil {
		return nil, err
	}
	return variableRows(path, matVariables{f}, *opt)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// recipeVar is the variable that describes how the observations of a file were computed, as JSON.
const recipeVar = "recipe"

// takeRecipe moves the recipe out of the variables. A variable with that name that is not text is not a recipe.
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
