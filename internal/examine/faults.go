package examine

import (
	"fmt"
	"maps"

	"rao"
	"rao/dataset"
	"rao/internal/format/ndarray"
	"rao/internal/indices"
	"rao/internal/text"
	"rao/spd"
)

// Faults are the faults found in matrices, and the repair of the remaining matrices.
type Faults struct {
	*spd.Diagnosis             // of all matrices
	LeftOut        []int       // matrices that an automatic repair leaves out
	Repair         *spd.Repair // of the remaining matrices; nil if they need none or auto found none
	NoRepair       error       // why there is no automatic repair

	all, rest *dataset.Data
}

// Matrices examines a stack of matrices. [spd.ParseRepair] describes the values of repair. The repair auto leaves out
// either matrices or channels, whichever loses less, but never all matrices of a class. If auto finds no repair,
// NoRepair contains the reason and the error is nil.
func Matrices(d *dataset.Data, opt spd.CheckOptions, repair string) (*Faults, error) {
	if d.Stack == nil {
		return nil, fmt.Errorf("only SPD matrices (count × order × order) can be checked, but %s",
			text.NoMatrices(d.Source, d.Image))
	}
	opt.AsymmetryTol = ndarray.SymmetryTolerance
	check := func(d *dataset.Data) *spd.Diagnosis {
		found := spd.Check(d.Stack, opt)
		if v, ok := d.Vars["channels"]; ok && len(v.Strings) == d.Stack.Dim {
			found.Channels = v.Strings
		}
		return found
	}
	f := &Faults{Diagnosis: check(d), all: d, rest: d}
	left := f.Diagnosis
	if repair == "auto" {
		if f.LeftOut = leftOut(f.Diagnosis, d); f.LeftOut != nil {
			f.rest = d.Subset(indices.Others(d.N(), f.LeftOut))
			left = check(f.rest)
		}
	}
	var err error
	if f.Repair, err = spd.ParseRepair(repair, left); err != nil {
		f.NoRepair = fmt.Errorf("%s: %w", d.Source, rao.Optionf("repair", "{repair}: %w", err))
		if repair != "auto" {
			return nil, f.NoRepair
		}
		f.NoRepair = err
	}
	return f, nil
}

// leftOut returns the matrices that a repair leaves out, or nil if a class would lose all of its matrices.
func leftOut(found *spd.Diagnosis, d *dataset.Data) []int {
	list := found.LeaveOut()
	if d.Labels == nil {
		return list
	}
	counts := d.Counts()
	for _, k := range list {
		if counts[d.Labels[k]]--; counts[d.Labels[k]] == 0 {
			return nil
		}
	}
	return list
}

// Suggested describes the repair in words.
func (f *Faults) Suggested() string {
	switch {
	case f.NoRepair != nil:
		return "no repair is possible: " + f.NoRepair.Error()
	case f.Repair != nil:
		return f.Repair.String()
	}
	return "none"
}

// Repaired applies the repair and returns the remaining matrices.
func (f *Faults) Repaired() (*dataset.Data, error) {
	if f.NoRepair != nil {
		return nil, fmt.Errorf("%s: %w", f.all.Source, rao.Optionf("repair", "{repair}: %w", f.NoRepair))
	}
	x, err := f.Repair.Apply(f.rest.Stack)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.all.Source, err)
	}
	fixed := *f.rest
	fixed.Stack = x
	if f.Repair != nil {
		fixed.Recipe = nil // the recipe does not produce these matrices
	}
	if names := fixed.Vars["channels"]; names != nil && f.Repair != nil && x.Dim != f.rest.Stack.Dim {
		fixed.Vars = maps.Clone(fixed.Vars)
		delete(fixed.Vars, "channels") // a projection has no channels
		if f.Repair.Basis == nil && len(names.Strings) == f.Repair.Dim {
			fixed.Vars["channels"] = &dataset.Array{Shape: []int{x.Dim},
				Strings: indices.Pick(names.Strings, f.Repair.Keep)}
		}
	}
	return &fixed, nil
}
