package statsarrays

import (
	"fmt"
	"math"
	"slices"

	"rao/internal/format/archive"
	"rao/internal/format/ndarray"
	"rao/internal/format/npy"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/text"
)

// Head returns the arrays that files of all kinds of statistics have: the names, counts, weights, means and columns of
// the classes.
func Head(classes []string, counts []int, weights, means []float64, n int, columns []string) []archive.Array {
	c := len(counts)
	whole := make([]int64, c)
	for i, v := range counts {
		whole[i] = int64(v)
	}
	arrays := Columns(columns)
	if weights != nil {
		arrays = append(arrays, archive.Array{Name: "weights", Shape: []int{c}, Float64: weights})
	}
	return append(arrays,
		archive.Array{Name: "names", Shape: []int{c}, Strings: classes},
		archive.Array{Name: "counts", Shape: []int{c}, Int64: whole},
		archive.Array{Name: "means", Shape: []int{c, n}, Float64: means})
}

// Columns returns the array of the names of columns, if they are known.
func Columns(columns []string) []archive.Array {
	if columns == nil {
		return nil
	}
	return []archive.Array{{Name: "columns", Shape: []int{len(columns)}, Strings: columns}}
}

// ColumnsOf returns the names of n columns, or nil if there are none.
func ColumnsOf(of map[string]*archive.Array, n int) ([]string, error) {
	a := of["columns"]
	if a == nil {
		return nil, nil
	}
	if len(a.Shape) != 1 || a.Shape[0] != n {
		return nil, fmt.Errorf("the array \"columns\" has shape %s; it must have %s, one per column",
			text.Shape(a.Shape), text.Plural(n, "name", "names"))
	}
	names := make([]string, n)
	for j := range names {
		names[j] = a.Text(j)
	}
	return names, naming.CheckColumns(names)
}

// Moments returns the arrays of the higher moments of n columns.
func Moments(cubic, quartic []float64, n int) []archive.Array {
	c := len(quartic)
	return []archive.Array{
		{Name: "cubic", Shape: []int{c, n}, Float64: cubic},
		{Name: "quartic", Shape: []int{c}, Float64: quartic},
	}
}

// Names are the arrays of a statistics file.
var Names = []string{"columns", "names", "counts", "weights", "means", "covariances", "cubic", "quartic"}

// ReadPlain reads the named arrays from an npz file that NumPy wrote. Arrays that the file does not contain are left
// out of the result. Other arrays are an error.
func ReadPlain(path string, names []string) ([]archive.Array, error) {
	z, err := npy.OpenZip(path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	if err := archive.CheckPlain(z, path, names); err != nil {
		return nil, err
	}
	var arrays []archive.Array
	for _, name := range names {
		if !z.Has(name + ".npy") {
			continue
		}
		a, err := z.Read(name)
		if err != nil {
			return nil, err
		}
		a = ndarray.Contiguous(a)
		a.Name = name
		arrays = append(arrays, *a)
	}
	return arrays, nil
}

// ByName returns the arrays by their names.
func ByName(arrays []archive.Array) map[string]*archive.Array {
	of := make(map[string]*archive.Array)
	for i := range arrays {
		of[arrays[i].Name] = &arrays[i]
	}
	return of
}

// ReadHead reads everything except the covariances from arrays of any numeric type.
func ReadHead(arrays []archive.Array) (*Arrays, error) {
	for i := range arrays {
		if err := ndarray.Check(&arrays[i]); err != nil {
			return nil, err
		}
	}
	of := ByName(arrays)
	means := of["means"]
	if means == nil || len(means.Shape) != 2 {
		return nil, fmt.Errorf("the array \"means\" is %s, but must have the shape classes × dimensions; a "+
			"statistics file contains counts, means, and covariances, covariance or variances", ShapeOf(means))
	}
	c, n := means.Shape[0], means.Shape[1]
	s := &Arrays{Dim: n}
	var err error
	if s.Means, err = Values(of, "means", c, n); err != nil {
		return nil, err
	}
	counts, err := Values(of, "counts", c)
	if err != nil {
		return nil, err
	}
	for i, v := range counts {
		if v != math.Trunc(v) || v < 0 || v > math.MaxInt32 && v > math.MaxInt/2 {
			return nil, fmt.Errorf("count %d is %v; it must be a whole number of 0 or more", i, v)
		}
		s.Counts = append(s.Counts, int(v))
	}
	if of["weights"] != nil {
		if s.Weights, err = Values(of, "weights", c); err != nil {
			return nil, err
		}
	}
	if of["cubic"] != nil || of["quartic"] != nil {
		if s.Cubic, err = Values(of, "cubic", c, n); err != nil {
			return nil, err
		}
		if s.Quartic, err = Values(of, "quartic", c); err != nil {
			return nil, err
		}
	}
	if s.Columns, err = ColumnsOf(of, n); err != nil {
		return nil, err
	}
	s.Classes, err = NamesOf(of["names"], c)
	return s, err
}

// Read builds statistics from arrays of any numeric type.
func Read(arrays []archive.Array) (*Arrays, error) {
	s, err := ReadHead(arrays)
	if err != nil {
		return nil, err
	}
	of := ByName(arrays)
	c, n := len(s.Counts), s.Dim
	if s.Covariances, err = covariancesOf(of, c, n); err != nil {
		return nil, err
	}
	s.Single = narrow(of["covariances"].Type)
	for i := range c {
		NearlySymmetric(n, s.cov(i))
	}
	return s, s.Check()
}

// narrow reports whether an element type has floating-point numbers of fewer than eight bytes.
func narrow(element string) bool { return element == "f4" || element == "f2" }

// covariancesOf reads the covariances, full or as triangles.
func covariancesOf(of map[string]*archive.Array, c, n int) ([]float64, error) {
	if a := of["covariances"]; a == nil || len(a.Shape) != 2 {
		return Values(of, "covariances", c, n, n)
	}
	if err := CheckSize(n, c); err != nil {
		return nil, err
	}
	a := of["covariances"]
	if err := hasShape(a, "covariances", c, vec.PackedLen(n)); err != nil {
		return nil, err
	}
	out := make([]float64, c*n*n)
	at := 0
	for i := range c {
		cov := out[i*n*n : (i+1)*n*n]
		for r := range n {
			for k := r; k < n; k++ {
				cov[r*n+k] = a.Value(at)
				at++
			}
		}
		dense.Mirror(n, cov, n)
	}
	return out, nil
}

// Values returns a numeric array as float64 after checking its shape.
func Values(of map[string]*archive.Array, name string, shape ...int) ([]float64, error) {
	a := of[name]
	if err := hasShape(a, name, shape...); err != nil {
		return nil, err
	}
	x, err := a.ToFloat64()
	if err != nil {
		return nil, fmt.Errorf("the array %q: %w", name, err)
	}
	return x, nil
}

// hasShape returns an error unless the array is numeric and has the shape.
func hasShape(a *archive.Array, name string, shape ...int) error {
	if a == nil || a.Strings != nil || !slices.Equal(a.Shape, shape) {
		return fmt.Errorf("the array %q is %s, but must have the shape %s; a statistics file contains counts, "+
			"means, and covariances, covariance or variances", name, ShapeOf(a), text.Shape(shape))
	}
	return nil
}

// ShapeOf describes the shape of an array for a message, or what is wrong with it.
func ShapeOf(a *archive.Array) string {
	switch {
	case a == nil:
		return "missing"
	case a.Strings != nil:
		return "not numeric"
	}
	return fmt.Sprintf("of shape %s", text.Shape(a.Shape))
}

// NamesOf returns the names of c classes, or their numbers if there is no array.
func NamesOf(a *archive.Array, c int) ([]string, error) {
	if a == nil {
		return naming.Classes(nil, c), nil
	}
	if len(a.Shape) != 1 || a.Shape[0] != c {
		return nil, fmt.Errorf("the array \"names\" has shape %s; it must have %s, one per class",
			text.Shape(a.Shape), text.Plural(c, "name", "names"))
	}
	names := make([]string, c)
	for i := range names {
		if names[i] = a.Text(i); names[i] == "" {
			return nil, fmt.Errorf("class %d has an empty name; give it a name", i)
		}
	}
	return names, nil
}

// NearlySymmetric averages elements that differ by no more than the rounding of float32. It leaves larger differences
// for [Arrays.Check] to report.
func NearlySymmetric(n int, a []float64) {
	for i := range n {
		for j := i + 1; j < n; j++ {
			x, y := a[i*n+j], a[j*n+i]
			if x != y && math.Abs(x-y) <= 1e-5*math.Sqrt(math.Abs(a[i*n+i]*a[j*n+j])) {
				a[i*n+j], a[j*n+i] = (x+y)/2, (x+y)/2
			}
		}
	}
}

// Triangles returns the upper triangles of the covariances of c classes in n dimensions as an array to write. walk
// calls its argument with the covariance of each class in order.
func Triangles(c, n int, single bool, walk func(func(i int, cov []float64) error) error) *archive.Values {
	packed := make([]float64, 0, vec.PackedLen(n))
	return &archive.Values{Name: "covariances", Shape: []int{c, vec.PackedLen(n)}, Single: single,
		Write: func(write func([]float64) error) error {
			return walk(func(_ int, cov []float64) error {
				packed = packed[:0]
				for r := range n {
					packed = append(packed, cov[r*n+r:(r+1)*n]...)
				}
				return write(packed)
			})
		}}
}
