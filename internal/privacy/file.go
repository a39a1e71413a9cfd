package privacy

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"rao"
	"rao/internal/format/archive"
	"rao/internal/format/ndarray"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/text"
)

// FileKind is the kind of a file of private statistics.
const FileKind = "private"

// fileMeta is the metadata of a file.
type fileMeta struct {
	Kind  string `json:"kind"`
	Form  string `json:"form"`  // subspace or pooled
	Round string `json:"round"` // start, pooled or classes
	// Neighbors describes how two data sets that cannot be distinguished may differ, for readers: "one row added or
	// removed" or, with the column subject as the unit, "all rows of one subject added or removed".
	Neighbors string    `json:"neighbors"`
	Unit      string    `json:"unit,omitempty"`      // column of the protected units; absent if rows are protected
	UnitRows  int       `json:"unit_rows,omitempty"` // number of rows used per unit
	Epsilon   float64   `json:"epsilon"`             // ε of the site with the largest ρ
	Delta     float64   `json:"delta"`               // δ
	Rho       float64   `json:"rho"`                 // largest ρ that a site has spent
	Bits      int       `json:"bits"`                // 15: rows are vectors of integers with a length of at most 2¹⁵
	Sigma     fileSigma `json:"sigma"`               // variances of the noise
	// Clip is the largest norm of a row that is not shortened; absent if the columns have a range.
	Clip   float64 `json:"clip,omitempty"`
	Public bool    `json:"public_basis,omitempty"` // center and mapping are from other, public data
	// Trace is the mean square of the rows about the center, from the first round.
	Trace      float64 `json:"trace,omitempty"`
	CenterVar  float64 `json:"center_variance,omitempty"`      // variance of the noise of each value of the center
	Dimension  int     `json:"dimension"`                      // d, the number of values of a mapped row
	Radius     float64 `json:"radius"`                         // mapped rows are shortened to this length
	Sites      []Site  `json:"sites"`                          // all releases behind the file
	NextRound  string  `json:"next_round,omitempty"`           // the round that follows; absent after the last one
	NextDim    int     `json:"next_dimension,omitempty"`       // dimension of the next round
	NextRadius float64 `json:"next_radius,omitempty"`          // radius of the next round
	NextTrace  float64 `json:"next_trace,omitempty"`           // trace for the next round
	NextCenter float64 `json:"next_center_variance,omitempty"` // center_variance for the next round
}

// fileSigma contains the variances of the noise, as stored in the file.
type fileSigma struct {
	Counts  float64 `json:"counts_variance"`  // of each count
	Sums    float64 `json:"sums_variance"`    // of each sum
	Squares float64 `json:"squares_variance"` // of each second moment
}

// neighbors describes how two data sets may differ and still be indistinguishable.
func (p *Plan) neighbors() string {
	if p.Unit == "" {
		return "one row added or removed"
	}
	return fmt.Sprintf("all rows of one %s added or removed", p.Unit)
}

// WriteFile writes the release to path like [Release.Write], but atomically.
func (r *Release) WriteFile(path string) error { return archive.WriteFile(path, r.Write) }

// Write writes the release as a zip that numpy can open as npz. The arrays are names (of the classes, strings), counts,
// sums and squares (int64, with noise), columns if their names are known, low and high if the values have a range,
// center, mapping and variances if rows are mapped, and next_* for the next round. The file contains nothing about the
// rows except the noisy sums.
func (r *Release) Write(w io.Writer) error {
	p := &r.Plan
	if err := r.validate(); err != nil {
		return err
	}
	g := r.Guarantee()
	meta := fileMeta{Kind: FileKind, Form: p.Kind.String(), Round: p.Round.String(),
		Neighbors: p.neighbors(), Unit: p.Unit, UnitRows: p.UnitRows,
		Epsilon: g.Epsilon, Delta: g.Delta, Rho: r.rho(), Bits: 15,
		Sigma: fileSigma{r.CountNoise, r.SumNoise, r.SquareNoise}, Clip: p.Domain.Clip, Public: p.Public,
		Trace: p.Trace, CenterVar: p.CenterVariance, Dimension: p.Dim, Radius: p.Radius, Sites: r.Sites}
	arrays := []archive.Array{
		{Name: "names", Shape: []int{len(p.Classes)}, Strings: p.Classes},
		{Name: "counts", Shape: []int{p.groups()}, Int64: r.Counts},
		{Name: "sums", Shape: []int{p.groups(), p.Dim}, Int64: r.Sums},
		{Name: "squares", Shape: []int{len(r.Squares)}, Int64: r.Squares},
	}
	if p.Columns != nil {
		arrays = append(arrays, archive.Array{Name: "columns", Shape: []int{len(p.Columns)}, Strings: p.Columns})
	}
	if p.Domain.Low != nil {
		arrays = append(arrays, vector("low", p.Domain.Low), vector("high", p.Domain.High))
	}
	arrays = append(arrays, p.arrays("")...)
	if !p.Kind.last(p.Round) {
		next := r.next
		if next == nil {
			var err error
			if next, err = r.Next(0); err != nil {
				return err
			}
		}
		meta.NextRound, meta.NextDim, meta.NextRadius = next.Round.String(), next.Dim, next.Radius
		meta.NextTrace, meta.NextCenter = next.Trace, next.CenterVariance
		arrays = append(arrays, next.arrays("next_")...)
	}
	return archive.Encode(w, meta, arrays)
}

func vector(name string, v []float64) archive.Array {
	return archive.Array{Name: name, Shape: []int{len(v)}, Float64: v}
}

// arrays returns the center, the mapping and the variances of a plan.
func (p *Plan) arrays(prefix string) []archive.Array {
	out := []archive.Array{vector(prefix+"center", p.Center)}
	if p.Mapping != nil {
		out = append(out,
			archive.Array{Name: prefix + "mapping", Shape: []int{len(p.Center), p.Dim}, Float64: p.Mapping},
			vector(prefix+"variances", p.Variances))
	}
	return out
}

// ReadFile reads a file written by [Release.WriteFile]. The error names the array or field that is missing or invalid.
func ReadFile(path string) (*Release, error) {
	var meta fileMeta
	arrays, err := archive.Read(path, &meta)
	return meta.read(path, arrays, err)
}

// Read reads a file of the given size in r like [ReadFile]. Error messages use name.
func Read(r io.ReaderAt, size int64, name string) (*Release, error) {
	var meta fileMeta
	arrays, err := archive.Decode(r, size, name, &meta)
	return meta.read(name, arrays, err)
}

func (m *fileMeta) read(path string, arrays []archive.Array, err error) (*Release, error) {
	switch {
	case errors.Is(err, archive.ErrNoManifest):
		return nil, fmt.Errorf("%w; use a file of private statistics", err)
	case err != nil:
		return nil, err
	}
	if err := m.supported(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r, err := m.release(arrays)
	if err != nil {
		return nil, fmt.Errorf("%s: the file is damaged (%w); use a good copy", path, err)
	}
	return r, nil
}

// Check returns an error unless the file contains private statistics.
func (m *fileMeta) Check() error {
	if m.Kind != FileKind {
		return fmt.Errorf("the file contains %q, but must contain private statistics", m.Kind)
	}
	return nil
}

// Knows reports whether array is the name of an array in files of private statistics.
func (m *fileMeta) Knows(array string) bool {
	return slices.Contains([]string{"names", "columns", "counts", "sums", "squares", "low", "high", "center", "mapping",
		"variances", "next_center", "next_mapping", "next_variances"}, array)
}

// reader looks up the arrays of a file by name and keeps the first error.
type reader struct {
	of  map[string]*archive.Array
	err error
}

func (a *reader) fail(name string, shape []int) {
	if a.err == nil {
		a.err = fmt.Errorf("array %s is missing, or does not have the shape %s and the type for private statistics",
			name, text.Shape(shape))
	}
}

func (a *reader) find(name string, shape ...int) *archive.Array {
	v := a.of[name]
	if v == nil || !slices.Equal(v.Shape, shape) || ndarray.Check(v) != nil {
		a.fail(name, shape)
		return &archive.Array{}
	}
	return v
}

func (a *reader) ints(name string, shape ...int) []int64 {
	v := a.find(name, shape...)
	if v.Int64 == nil {
		a.fail(name, shape)
	}
	return v.Int64
}

func (a *reader) floats(name string, shape ...int) []float64 {
	v := a.find(name, shape...)
	if v.Float64 == nil {
		a.fail(name, shape)
	}
	return v.Float64
}

func (a *reader) strings(name string, n int) []string {
	v := a.find(name, n)
	if v.Strings == nil {
		a.fail(name, []int{n})
	}
	return v.Strings
}

func (a *reader) length(name string) int {
	if v := a.of[name]; v != nil && len(v.Shape) == 1 && v.Shape[0] > 0 && v.Shape[0] == v.Len() {
		return v.Shape[0]
	}
	if a.err == nil {
		a.err = fmt.Errorf("array %s is missing, or is not a list of values", name)
	}
	return 0
}

// supported returns an error if the file has a form that this version of rao does not read.
func (m *fileMeta) supported() error {
	if m.Bits != 15 {
		return fmt.Errorf("the lattice of the noise has %d bits, but this version of rao (%s) reads only 15; use a "+
			"newer version", m.Bits, rao.Version)
	}
	if !slices.Contains(kindNames, m.Form) {
		return fmt.Errorf("the form %q is unknown to this version of rao (%s); use a newer version", m.Form,
			rao.Version)
	}
	if !slices.Contains(roundNames, m.Round) {
		return fmt.Errorf("the round %q is unknown to this version of rao (%s); use a newer version", m.Round,
			rao.Version)
	}
	return nil
}

func (m *fileMeta) release(arrays []archive.Array) (*Release, error) {
	kind, round := slices.Index(kindNames, m.Form), slices.Index(roundNames, m.Round)
	in := &reader{of: make(map[string]*archive.Array)}
	for i := range arrays {
		in.of[arrays[i].Name] = &arrays[i]
	}
	r := &Release{Delta: m.Delta, CountNoise: m.Sigma.Counts, SumNoise: m.Sigma.Sums, SquareNoise: m.Sigma.Squares,
		Sites: m.Sites, Plan: Plan{Kind: Kind(kind), Round: Round(round), Unit: m.Unit, UnitRows: m.UnitRows,
			Dim: m.Dimension, Radius: m.Radius,
			Public: m.Public, Trace: m.Trace, CenterVariance: m.CenterVar, Domain: Domain{Clip: m.Clip}}}
	p := &r.Plan
	columns := in.length("center")
	p.Classes = in.strings("names", in.length("names"))
	if in.of["columns"] != nil {
		p.Columns = in.strings("columns", columns)
	}
	if in.of["low"] != nil {
		p.Domain.Low, p.Domain.High = in.floats("low", columns), in.floats("high", columns)
	}
	p.Center = in.floats("center", columns)
	if in.err != nil {
		return nil, in.err
	}
	if p.Dim < 1 || p.Dim > columns {
		return nil, fmt.Errorf("the number of dimensions is %d; it must be between 1 and %d, the number of columns",
			p.Dim,
			columns)
	}
	if in.of["mapping"] != nil || p.Round == RoundClasses {
		p.Mapping, p.Variances = in.floats("mapping", columns, p.Dim), in.floats("variances", p.Dim)
	}
	r.Counts = in.ints("counts", p.groups())
	r.Sums = in.ints("sums", p.groups(), p.Dim)
	r.Squares = in.ints("squares", secondLen(p.groups(), p.Dim, p.squares()))
	if m.NextRound != "" && in.err == nil {
		next := *p
		next.Sites = slices.Clone(m.Sites)
		next.Round = Round(slices.Index(roundNames, m.NextRound))
		if p.Kind.last(p.Round) || next.Round != p.Round+1 {
			return nil, fmt.Errorf("the next round is %q, which does not follow the round %q", m.NextRound, m.Round)
		}
		next.Dim, next.Radius, next.Trace, next.CenterVariance = m.NextDim, m.NextRadius, m.NextTrace, m.NextCenter
		if next.Dim < 1 || next.Dim > columns {
			return nil, fmt.Errorf("the number of dimensions of the next round is %d; it must be between 1 and %d, "+
				"the number of columns", next.Dim, columns)
		}
		next.Center = in.floats("next_center", columns)
		if next.Round == RoundClasses {
			next.Mapping = in.floats("next_mapping", columns, next.Dim)
			next.Variances = in.floats("next_variances", next.Dim)
		}
		r.next = &next
	}
	if in.err != nil {
		return nil, in.err
	}
	if r.next != nil {
		if err := r.next.validate(); err != nil {
			return nil, fmt.Errorf("the next round: %w", err)
		}
	}
	return r, r.validate()
}

// validate checks values that are wrong in a damaged or malicious file.
func (r *Release) validate() error {
	p := &r.Plan
	if err := p.validate(); err != nil {
		return err
	}
	if err := (Guarantee{Epsilon: 1, Delta: r.Delta, Unit: p.Unit}).Validate(); err != nil {
		return err
	}
	for _, v := range []float64{r.CountNoise, r.SumNoise, r.SquareNoise} {
		if !(v >= 1) || math.IsInf(v, 1) {
			return fmt.Errorf("the variance of the noise is %g; it must be finite and at least 1", v)
		}
	}
	if len(r.Counts) != p.groups() || len(r.Sums) != p.groups()*p.Dim ||
		len(r.Squares) != secondLen(p.groups(), p.Dim, p.squares()) {
		return errors.New("the counts, sums and squares do not match the numbers of classes and dimensions")
	}
	if len(r.Sites) == 0 {
		return errors.New("the list of sites is empty, so the privacy guarantee is unknown")
	}
	for _, s := range r.Sites {
		if s.ID == "" || len(s.Releases) == 0 {
			return errors.New("a site has no ID or no releases, so the privacy guarantee is unknown")
		}
		for _, e := range s.Releases {
			if e.ID == "" || !(e.Rho > 0 && e.Rho <= mostRho) || !slices.Contains(roundNames, e.Round) {
				return fmt.Errorf("a release of site %s is invalid: its ID is %q, its round %q and its ρ %g", s.ID,
					e.ID,
					e.Round, e.Rho)
			}
		}
	}
	return nil
}

func (p *Plan) validate() error {
	if err := p.Domain.Validate(len(p.Center)); err != nil {
		return err
	}
	if p.UnitRows < 0 || p.UnitRows > mostUnitRows || (p.Unit == "") != (p.UnitRows == 0) {
		return fmt.Errorf("the plan has the unit %q and %d rows per unit, but needs both, with at most %d rows, or "+
			"neither", p.Unit, p.UnitRows, mostUnitRows)
	}
	if len(p.Classes) < 2 {
		return fmt.Errorf("private statistics need at least 2 classes, not %d", len(p.Classes))
	}
	if duplicate, ok := naming.Twice(p.Classes); ok {
		return fmt.Errorf("class %q is listed twice", duplicate)
	}
	if p.Columns != nil {
		if duplicate, ok := naming.Twice(p.Columns); ok {
			return fmt.Errorf("column %q is listed twice", duplicate)
		}
	}
	if !vec.Positive(p.Radius) {
		return fmt.Errorf("the radius is %g, but must be a finite number above 0", p.Radius)
	}
	if !(p.Trace >= 0 && p.CenterVariance >= 0) || math.IsInf(p.Trace+p.CenterVariance, 1) {
		return fmt.Errorf("the mean square of the rows is %g and the noise of their mean is %g, but both must be "+
			"finite and not negative", p.Trace, p.CenterVariance)
	}
	if p.Mapping == nil && p.Dim != len(p.Center) {
		return fmt.Errorf("the mapping from %d columns to %d dimensions is missing; use a good copy",
			len(p.Center), p.Dim)
	}
	for _, x := range [][]float64{p.Center, p.Mapping, p.Variances} {
		if vec.NotFinite(x) >= 0 {
			return errors.New("the center or the mapping has a value that is not finite; use a good copy")
		}
	}
	return nil
}

// IsFile reports whether the metadata of the file at path identify it as private statistics.
func IsFile(path string) bool {
	kind, err := archive.Kind(path)
	return err == nil && kind == FileKind
}
