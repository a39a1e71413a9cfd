package spatial

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/rows"
	"rao/spd"
)

// Trials are trial signals: one trial per row, channel after channel, with Samples values per channel.
type Trials struct {
	X       mat.Matrix // N × channels·samples
	Samples int
}

// channels returns the number of channels, or 0 if the length of a row is not a multiple of Samples.
func (t Trials) channels() int {
	_, n := t.X.Dims()
	if t.Samples < 1 || n%t.Samples != 0 {
		return 0
	}
	return n / t.Samples
}

// trial copies trial k to dst, channels × samples.
func (t Trials) trial(dst *mat.Dense, k int) { mat.Row(dst.RawMatrix().Data, k, t.X) }

// check validates trials and labels. It returns the rows of each class in named, or of every class if named is nil.
func (t Trials) check(labels []int, classes []string, named []string) ([][]int, error) {
	n, _ := t.X.Dims()
	switch {
	case len(labels) != n:
		panic(mat.ErrShape)
	case t.channels() == 0:
		return nil, faults.Option("the trials cannot be divided into channels of %d samples; set another number of "+
			"samples", t.Samples)
	case t.Samples < 2:
		return nil, faults.Count(1, 2, "the trials have fewer than two samples; use longer trials")
	}
	if named == nil {
		named = classes
	}
	if err := indices.CheckLabels("trial", labels, len(classes)); err != nil {
		return nil, err
	}
	members := indices.Groups(labels, len(classes))
	var out [][]int
	for i, name := range named {
		c := slices.Index(classes, name)
		switch {
		case c < 0:
			return nil, &rao.UnknownError{Kind: "class", Name: name, Known: classes}
		case slices.Contains(named[:i], name):
			return nil, faults.Option("class %s is named twice; name the class once", name)
		case len(members[c]) == 0:
			return nil, faults.Count(0, 1, "class %s has no trials; add trials or leave the class out", name)
		}
		out = append(out, members[c])
	}
	return out, nil
}

func (t Trials) average(of []int) *mat.Dense {
	sum, one := mat.NewDense(t.channels(), t.Samples, nil), mat.NewDense(t.channels(), t.Samples, nil)
	for _, k := range of {
		t.trial(one, k)
		sum.Add(sum, one)
	}
	sum.Scale(1/float64(len(of)), sum)
	return sum
}

// Xdawn contains spatial filters that enhance the mean responses of classes (Rivet, Souloumiac, Attina and Gibert,
// 2009). Let P_c be the mean trial of class c, C_c the covariance of P_c over time, and C the covariance of all
// concatenated trials. The filters of the class are the leading solutions w of
//
//	C_c w = λ C w
type Xdawn struct {
	Filters  *mat.Dense // channels × f: columns of unit length, class after class, best first
	Patterns *mat.Dense // channels × f: pattern of each source at the electrodes
	Evoked   *mat.Dense // f × samples: mean response of the class after each filter
	Scores   []float64  // f: λ, the fraction of the filtered power due to the mean response
	Of       []string   // class of each filter
}

// FitXdawn learns filters from labeled trials: the given number per class, or 0 for four, or for one per channel if
// there are fewer than four. labels are 0..c−1 for the c names in classes, and evoked lists the classes with mean
// responses to enhance; nil means all. Errors name the class. It panics with mat.ErrShape if the numbers of labels and
// trials differ.
func FitXdawn(t Trials, labels []int, classes, evoked []string, filters int) (*Xdawn, error) {
	members, err := t.check(labels, classes, evoked)
	if err != nil {
		return nil, err
	}
	n := t.channels()
	if filters == 0 {
		filters = min(4, n)
	}
	if filters < 1 || filters > n {
		return nil, faults.Option("the number of filters is %d; it must be between 1 and %d, the number of channels",
			filters, n)
	}
	total, err := t.covariance()
	if err != nil {
		return nil, err
	}
	white, err := linearfilters.WhitenerOfAll(total, n)
	if err != nil {
		return nil, err
	}
	names := evoked
	if names == nil {
		names = classes
	}
	m := &Xdawn{Filters: mat.NewDense(n, filters*len(members), nil)}
	m.Patterns = mat.DenseCopyOf(m.Filters)
	m.Evoked = mat.NewDense(filters*len(members), t.Samples, nil)
	for c, of := range members {
		mean := t.average(of)
		if err := m.ofClass(c*filters, filters, mean, white); err != nil {
			return nil, fmt.Errorf("class %s: %w", names[c], err)
		}
		for range filters {
			m.Of = append(m.Of, names[c])
		}
	}
	return m, nil
}

// covariance returns the covariance of all trials, concatenated.
func (t Trials) covariance() ([]float64, error) {
	rows, _ := t.X.Dims()
	n := t.channels()
	one, mean := mat.NewDense(n, t.Samples, nil), make([]float64, n)
	count := float64(rows * t.Samples)
	for k := range rows {
		t.trial(one, k)
		for i := range n {
			for _, v := range one.RawRowView(i) {
				mean[i] += v / count
			}
		}
	}
	sum := mat.NewSymDense(n, nil)
	for k := range rows {
		t.trial(one, k)
		for i := range n {
			row := one.RawRowView(i)
			for j := range row {
				row[j] -= mean[i]
			}
		}
		sum.SymRankK(sum, 1/(count-1), one)
	}
	out := make([]float64, 0, n*n)
	for i := range n {
		for j := range n {
			v := sum.At(i, j)
			if !vec.Finite(v) {
				return nil, faults.Data("the trials have values that are not finite; leave such trials out")
			}
			out = append(out, v)
		}
	}
	return out, nil
}

// ofClass computes the filters of a class and stores them from column first.
func (m *Xdawn) ofClass(first, count int, mean, white *mat.Dense) error {
	n, samples := mean.Dims()
	var c mat.SymDense
	if _, err := spd.Covariance(&c, mean.T(), spd.CovarianceOptions{}); err != nil {
		return fmt.Errorf("its mean response: %w", err)
	}
	var e mat.EigenSym
	whitened := new(spd.Stack)
	spd.Congruence(whitened, spd.StackFrom(&c), white)
	if !e.Factorize(whitened.View(0), true) {
		return faults.Data("the eigenvalues of its mean response could not be computed; check the trials for extreme " +
			"values")
	}
	values := e.Values(nil)
	var v, w, inverse mat.Dense
	e.VectorsTo(&v)
	w.Mul(white, &v)
	order := indices.Sorted(n, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	vec.NormalizeColumns(w.RawMatrix().Data, n)
	ritz.FixSigns(w.RawMatrix().Data, n, n)
	if err := rows.Singular(inverse.Inverse(&w)); err != nil {
		return fmt.Errorf("its filters have no inverse (%w); use fewer filters", err)
	}
	for r := range count {
		j := order[r]
		m.Filters.SetCol(first+r, mat.Col(nil, j, &w))
		m.Patterns.SetCol(first+r, mat.Row(nil, j, &inverse))
		m.Scores = append(m.Scores, values[j])
		var response mat.VecDense
		response.MulVec(mean.T(), w.ColView(j))
		for s := range samples {
			m.Evoked.Set(first+r, s, response.AtVec(s))
		}
	}
	return nil
}
