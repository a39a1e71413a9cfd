package spatial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/parzen"
	"rao/spd"
)

// FilterBank is filter bank common spatial patterns (FBCSP: Ang, Chin, Wang, Guan and Zhang, 2012). The filters of one
// class and band form a group. The feature of filter j is the logarithm of its fraction of the variance of the group,
//
//	log( w_j'Cw_j / Σ_i w_i'Cw_i )
//
// where C is the block of the band in the matrix. The features with the most mutual information with the class are
// selected, each with its partner: the filter at the same distance from the other end of the spectrum. With more than
// two classes, each class is compared with all other classes.
type FilterBank struct {
	Bands   int        `json:"bands"`   // number of bands
	Pairs   int        `json:"pairs"`   // pairs per group; a group has twice as many filters
	Filters *mat.Dense `json:"filters"` // channels×f: one filter per column, ordered by class and then by band
	// Selected lists the columns of the selected filters in ascending order, which is also the order of the classes.
	Selected    []int     `json:"selected"`
	Information []float64 `json:"information"` // length f: mutual information of the feature and the class, in nats
	Classes     []string  `json:"classes"`     // names of the classes
}

// FitFilterBank learns from labeled covariance matrices over the channels of all bands. labels are 0..c−1 for the c
// names in classes. Blocks between bands are ignored. Errors name the class, the band or the matrix. It panics with
// mat.ErrShape if the numbers of labels and matrices differ. It fits spatial patterns once per band, and for each class
// if there are more than two. It computes N² kernel values per feature.
func FitFilterBank(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	opt fbcspOptions) (*FilterBank, error) {
	if err := x.Validate(); err != nil {
		return nil, err
	}
	if len(labels) != x.Count {
		panic(mat.ErrShape)
	}
	f, err := newFilterBank(x, classes, opt)
	if err != nil {
		return nil, err
	}
	groups := f.groups()
	for g := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		class, band := g/f.Bands, g%f.Bands
		part, err := f.ends(ctx, f.block(x, band), f.against(labels, class), opt)
		if err != nil {
			return nil, fmt.Errorf("band %d of %d: %w", band+1, f.Bands, err)
		}
		for j := range 2 * f.Pairs {
			f.Filters.SetCol(2*f.Pairs*g+j, mat.Col(nil, j, part))
		}
	}
	all, err := f.features(x, nil)
	if err != nil {
		return nil, err
	}
	count := 2 * f.Pairs * groups
	f.Information = make([]float64, count)
	par.For(count, 1, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			class := j / (2 * f.Pairs * f.Bands)
			f.Information[j] = parzen.Information(mat.Col(nil, j, all), f.against(labels, class))
		}
	})
	f.pick(opt.Select)
	return f, nil
}

// newFilterBank checks the options and allocates the filters.
func newFilterBank(x *spd.Stack, classes []string, opt fbcspOptions) (*FilterBank, error) {
	bands, pairs := int(opt.Bands), int(opt.Pairs)
	if bands < 1 || x.Dim%bands != 0 {
		return nil, faults.Option("the number of bands is %d, but the matrices have order %d; the order must be bands "+
			"times channels", bands, x.Dim)
	}
	if len(classes) < 2 {
		return nil, faults.Count(len(classes), 2, "common spatial patterns need at least two classes, not %d",
			len(classes))
	}
	channels := x.Dim / bands
	if pairs == 0 {
		pairs = min(2, channels/2)
	}
	if pairs < 1 || 2*pairs > channels {
		return nil, faults.Option("the number of pairs of spatial filters is %d, but the number of channels is %d; "+
			"choose at least one pair, and at least two channels for each pair", pairs, channels)
	}
	if opt.Select < 0 {
		return nil, faults.Option("the number of features to select is %d; it must be 0 or more", opt.Select)
	}
	f := &FilterBank{Bands: bands, Pairs: pairs, Classes: slices.Clone(classes)}
	f.Filters = mat.NewDense(channels, 2*f.Pairs*f.groups(), nil)
	return f, nil
}

// groups returns the number of groups of filters: the number of bands, times the number of classes if there are more
// than two.
func (f *FilterBank) groups() int {
	if len(f.Classes) == 2 {
		return f.Bands
	}
	return f.Bands * len(f.Classes)
}

// against returns 0 for observations of the class and 1 for all others. With only two classes, it returns the labels.
func (f *FilterBank) against(labels []int, class int) []int {
	if len(f.Classes) == 2 {
		return labels
	}
	out := make([]int, len(labels))
	for i, l := range labels {
		if l != class {
			out[i] = 1
		}
	}
	return out
}

// block returns the block of one band of every matrix.
func (f *FilterBank) block(x *spd.Stack, band int) *spd.Stack {
	n := x.Dim / f.Bands
	out := spd.NewStack(x.Count, n)
	for k := range x.Count {
		for i := range n {
			copy(out.At(k)[i*n:(i+1)*n], x.At(k)[(band*n+i)*x.Dim+band*n:])
		}
	}
	return out
}

// ends returns filters for two classes from both ends of the spectrum, in ascending order of their scores.
func (f *FilterBank) ends(ctx context.Context, x *spd.Stack, labels []int,
	opt fbcspOptions) (*mat.Dense, error) {
	csp, err := feature.FitCSP(ctx, x, labels, []string{"0", "1"},
		feature.CSPOptions{Filters: x.Dim, Shrinkage: opt.Shrinkage})
	if err != nil {
		return nil, err
	}
	order := indices.Sorted(x.Dim, func(a, b int) int { return cmp.Compare(csp.Scores[a], csp.Scores[b]) })
	out := mat.NewDense(x.Dim, 2*f.Pairs, nil)
	for j := range f.Pairs {
		out.SetCol(j, mat.Col(nil, order[j], csp.Filters))
		out.SetCol(2*f.Pairs-1-j, mat.Col(nil, order[x.Dim-1-j], csp.Filters))
	}
	return out, nil
}

// pick selects the features with the most information, and their partners.
func (f *FilterBank) pick(count int) {
	count = cmp.Or(count, 4)
	per := 2 * f.Pairs
	for class := range f.groups() / f.Bands {
		first := class * f.Bands * per
		order := make([]int, f.Bands*per)
		for i := range order {
			order[i] = first + i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case f.Information[a] > f.Information[b]:
				return -1
			case f.Information[a] < f.Information[b]:
				return 1
			}
			return 0
		})
		var chosen []int
		for _, j := range order[:min(count, len(order))] {
			chosen = append(chosen, j, j/per*per+per-1-j%per)
		}
		slices.Sort(chosen)
		f.Selected = append(f.Selected, slices.Compact(chosen)...)
	}
}

// classOf returns the class that each selected feature separates from the rest, or nil for two classes.
func (f *FilterBank) classOf() []int {
	if len(f.Classes) == 2 {
		return nil
	}
	out := make([]int, len(f.Selected))
	for i, j := range f.Selected {
		out[i] = j / (2 * f.Pairs * f.Bands)
	}
	return out
}

// Dims returns the order of the matrices and the number of selected features.
func (f *FilterBank) Dims() (order, features int) {
	n, _ := f.Filters.Dims()
	return n * f.Bands, len(f.Selected)
}

// Features sets dst to the selected features of every matrix. dst is resized if it is empty. It returns an error for
// matrices of the wrong order and for matrices without power in a band.
func (f *FilterBank) Features(dst *mat.Dense, x *spd.Stack) error {
	z, err := f.features(x, f.Selected)
	if err != nil {
		return err
	}
	if dst.IsEmpty() {
		dst.ReuseAs(z.Dims())
	}
	dst.Copy(z)
	return nil
}

// features returns the features of the given filters, or of all filters if list is nil.
func (f *FilterBank) features(x *spd.Stack, list []int) (*mat.Dense, error) {
	n, count := f.Filters.Dims()
	if err := x.Validate(); err != nil {
		return nil, fmt.Errorf("filter bank: %w", err)
	}
	if x.Dim != n*f.Bands {
		return nil, fmt.Errorf("filter bank: the matrices have order %d, but the filters were fitted to matrices "+
			"of order %d", x.Dim, n*f.Bands)
	}
	if list == nil {
		list = indices.Range(count)
	}
	if x.Count == 0 {
		return mat.NewDense(1, len(list), nil).Slice(0, 0, 0, len(list)).(*mat.Dense), nil
	}
	out := mat.NewDense(x.Count, len(list), nil)
	columns := mat.DenseCopyOf(f.Filters.T()) // one filter per row
	return out, par.Try(x.Count, 8, func(_, lo, hi int) error {
		power := make([]float64, count)
		for k := lo; k < hi; k++ {
			if err := f.powers(power, columns, x, k, list); err != nil {
				return err
			}
			for i, j := range list {
				out.Set(k, i, math.Log(power[j]))
			}
		}
		return nil
	})
}

// powers computes the variance fractions of the filters in each group that contains one of the given filters.
func (f *FilterBank) powers(power []float64, filters *mat.Dense, x *spd.Stack, k int, of []int) error {
	n, _ := f.Filters.Dims()
	a, per, last := x.At(k), 2*f.Pairs, -1
	for _, j := range of {
		g := j / per
		if g == last {
			continue
		}
		last = g
		band, sum := g%f.Bands, 0.0
		for i := g * per; i < (g+1)*per; i++ {
			w, v := filters.RawRowView(i), 0.0
			for p, wp := range w {
				row := a[(band*n+p)*x.Dim+band*n:]
				s := 0.0
				for q, wq := range w {
					s += row[q] * wq
				}
				v += wp * s
			}
			if !vec.Positive(v) {
				return faults.Data("matrix %d has the variance %g after a filter of band %d; it must be positive "+
					"and finite", k, v, band+1)
			}
			power[i] = v
			sum += v
		}
		for i := g * per; i < (g+1)*per; i++ {
			power[i] /= sum
		}
	}
	return nil
}

// Validate returns an error if the fields are inconsistent or not finite.
func (f *FilterBank) Validate() error {
	if f.Filters == nil || f.Filters.IsEmpty() || f.Bands < 1 || f.Pairs < 1 || len(f.Classes) < 2 {
		return errors.New("the filter bank needs at least one filter, one band, one pair and two classes")
	}
	n, count := f.Filters.Dims()
	if f.Pairs > n || f.Bands > count || count != 2*f.Pairs*f.groups() || len(f.Information) != count ||
		len(f.Selected) == 0 || len(f.Selected) > count {
		return fmt.Errorf("the filter bank has %d filters, %d bands, %d pairs, %d selected features and %d classes, "+
			"which do not match", count, f.Bands, f.Pairs, len(f.Selected), len(f.Classes))
	}
	for i, j := range f.Selected {
		if j < 0 || j >= count || i > 0 && j <= f.Selected[i-1] {
			return fmt.Errorf("the filter bank selects filter %d of %d at position %d; the selected filters must be "+
				"ascending", j, count, i)
		}
	}
	if j := vec.NotFinite(f.Information); j >= 0 {
		return fmt.Errorf("filter %d of the filter bank has the information %g; it must be finite", j, f.Information[j])
	}
	return common.CheckMatrix("the filters of the filter bank", f.Filters, n, count)
}
