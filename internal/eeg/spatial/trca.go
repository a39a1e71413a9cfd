package spatial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/par"
	"rao/internal/text"
)

// TRCA is task-related component analysis (Nakanishi, Wang, Chen, Wang, Gao and Jung, 2018). The score of a class is
// the similarity between the trial and the mean trial of the class, after spatial filters that maximize the correlation
// between trials of one class. Let X_i be the N trials of a class in one band, with each channel centered. Let Q be the
// covariance of the concatenated trials, and S = Σ_{i≠j} X_i X_j'. The filter w for the class and band is the leading
// solution of
//
//	S w = λ Q w,  w'Q w = 1
//
// This is the first Xdawn filter of these trials, since S + Q is, up to factors, the covariance of their mean. Let r_n
// be the correlation of the trial and the mean trial after the filter of band n or, with Ensemble, after the filters of
// all classes. The score of the class is
//
//	Σ_n (n^−1.25 + 0.25) sign(r_n) r_n²
type TRCA struct {
	Bands    int  `json:"bands"`    // number of bands
	Samples  int  `json:"samples"`  // number of samples per trial
	Ensemble bool `json:"ensemble"` // whether the filters of all classes are used for each class
	// Filters is rows×f. The rows are the channels of each band in turn. Each band has a column for each class, which
	// is zero in the rows of other bands.
	Filters   *mat.Dense `json:"filters"`
	Patterns  *mat.Dense `json:"patterns"`  // rows × f: pattern of each filter
	Templates *mat.Dense `json:"templates"` // classes × rows·samples: mean trials with centered channels
	// Agreement has length f. For each filter, it is the mean product of two different filtered training trials of the
	// class, divided by their mean square: 1 for equal trials, and close to 0 if the responses differ in phase.
	Agreement []float64 `json:"agreement"`
}

// FitTRCA learns from labeled trials, at least two per class. labels are 0..c−1 for the c names in classes. Errors name
// the class and the band. It panics with mat.ErrShape if the numbers of labels and trials differ. The cost is
// N·rows²·samples/Bands operations.
func FitTRCA(ctx context.Context, t Trials, labels []int, classes []string, opt trcaOptions) (*TRCA, error) {
	members, err := t.check(labels, classes, nil)
	if err != nil {
		return nil, err
	}
	rows, bands := t.channels(), max(1, int(opt.Bands))
	if rows%bands != 0 {
		return nil, faults.Option("the number of rows of a trial is %d, which is not a multiple of the number of "+
			"bands, %d; give every band the same channels", rows, bands)
	}
	n, c := rows/bands, len(classes)
	m := &TRCA{Bands: bands, Samples: t.Samples, Ensemble: opt.Ensemble,
		Filters: mat.NewDense(rows, bands*c, nil), Patterns: mat.NewDense(rows, bands*c, nil),
		Templates: mat.NewDense(c, rows*t.Samples, nil), Agreement: make([]float64, bands*c)}
	errs := make([]error, c)
	par.For(c, 1, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			if errs[k] = ctx.Err(); errs[k] != nil {
				continue
			}
			if len(members[k]) < 2 {
				errs[k] = faults.Count(1, 2, "class %s has only one trial, but at least two are needed; add data or "+
					"leave the class out", classes[k])
				continue
			}
			own := t.centered(members[k])
			m.Templates.SetRow(k, own.average(indices.Range(len(members[k]))).RawMatrix().Data)
			for b := range bands {
				if err := m.learn(own.rows(b*n, n), b, k); err != nil {
					errs[k] = fmt.Errorf("class %s, band %d: %w", classes[k], b+1, err)
					break
				}
			}
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return m, nil
}

// centered returns a copy of the given trials after subtracting the mean of each channel.
func (t Trials) centered(of []int) Trials {
	_, width := t.X.Dims()
	x := mat.NewDense(len(of), width, nil)
	for i, k := range of {
		row := x.RawRowView(i)
		mat.Row(row, k, t.X)
		t.center(row)
	}
	return Trials{x, t.Samples}
}

// center subtracts the mean from every channel of a trial. It first scales the trial down as [bounded] does.
func (t Trials) center(trial []float64) {
	bounded(mat.NewDense(1, len(trial), trial))
	for at := 0; at < len(trial); at += t.Samples {
		one := trial[at : at+t.Samples]
		floats.AddConst(-floats.Sum(one)/float64(len(one)), one)
	}
}

// rows returns the trials with only the given rows.
func (t Trials) rows(first, count int) Trials {
	n, _ := t.X.Dims()
	return Trials{t.X.(*mat.Dense).Slice(0, n, first*t.Samples, (first+count)*t.Samples), t.Samples}
}

// learn computes the filter of class k in band b. own contains the centered trials of that class and band.
func (m *TRCA) learn(own Trials, b, k int) error {
	n := own.channels()
	count, _ := own.X.Dims()
	total, err := own.covariance()
	if err != nil {
		return err
	}
	white, err := linearfilters.WhitenerOfAll(total, n)
	if err != nil {
		return err
	}
	x := &Xdawn{Filters: mat.NewDense(n, 1, nil), Patterns: mat.NewDense(n, 1, nil),
		Evoked: mat.NewDense(1, own.Samples, nil)}
	mean := own.average(indices.Range(count))
	if err := x.ofClass(0, 1, mean, white); err != nil {
		return err
	}
	w := x.Filters.ColView(0)
	power := mat.Inner(w, mat.NewDense(n, n, total), w)
	_, classes := m.Dims()
	column := b*classes + k
	for i := range n {
		m.Filters.Set(b*n+i, column, w.AtVec(i)/math.Sqrt(power))
		m.Patterns.Set(b*n+i, column, x.Patterns.At(i, 0)*math.Sqrt(power))
	}
	// If the trials have nothing in common, their mean has 1/N of the power of a trial. If they are equal, their mean
	// has the same power as a trial.
	shared := floats.Dot(x.Evoked.RawRowView(0), x.Evoked.RawRowView(0)) / float64(own.Samples) / power
	trials := float64(count)
	m.Agreement[column] = (shared*float64(count*own.Samples)/float64(count*own.Samples-1)*trials - 1) / (trials - 1)
	return nil
}

// Dims returns the number of values of a trial, over all rows, and the number of classes.
func (m *TRCA) Dims() (in, classes int) {
	classes, in = m.Templates.Dims()
	return in, classes
}

// Scores sets dst, N × classes, to the score of each class for every trial, a row of x. It returns an error for
// trials of the wrong length and for values that are not finite. A constant trial scores 0.
func (m *TRCA) Scores(dst *mat.Dense, x mat.Matrix) error {
	count, width := x.Dims()
	in, classes := m.Dims()
	if width != in {
		return fmt.Errorf("the trials have %s, but the model was fitted to trials of %s of %s",
			text.Plural(width, "value", "values"), text.Plural(in/m.Samples, "row", "rows"),
			text.Plural(m.Samples, "sample", "samples"))
	}
	dst.Reset()
	dst.ReuseAs(count, classes)
	templates := make([]*mat.Dense, classes) // mean trials after all filters
	for k := range classes {
		templates[k] = m.applyFilters(m.Templates.RawRowView(k))
	}
	t, errs := Trials{x, m.Samples}, make([]error, count)
	par.For(count, 1, func(_, lo, hi int) {
		one := make([]float64, width)
		for i := lo; i < hi; i++ {
			mat.Row(one, i, x)
			if vec.NotFinite(one) >= 0 {
				errs[i] = faults.Data("trial %d has values that are not finite; leave the trial out", i)
				continue
			}
			t.center(one)
			sources := m.applyFilters(one)
			for k := range classes {
				dst.Set(i, k, m.score(k, sources, templates[k]))
			}
		}
	})
	return cmp.Or(errs...)
}

// applyFilters applies all filters to a trial. The result is (bands · classes) × samples.
func (m *TRCA) applyFilters(trial []float64) *mat.Dense {
	rows, f := m.Filters.Dims()
	n, c := rows/m.Bands, f/m.Bands
	x, out := mat.NewDense(rows, m.Samples, trial), mat.NewDense(f, m.Samples, nil)
	for b := range m.Bands {
		w := m.Filters.Slice(b*n, (b+1)*n, b*c, (b+1)*c)
		out.Slice(b*c, (b+1)*c, 0, m.Samples).(*mat.Dense).Mul(w.T(), x.Slice(b*n, (b+1)*n, 0, m.Samples))
	}
	return out
}

// score returns the similarity of a trial and the mean trial of class k, both after the filters; see [TRCA].
func (m *TRCA) score(k int, trial, template *mat.Dense) float64 {
	_, c := m.Dims()
	sum := 0.0
	for b := range m.Bands {
		first, last := b*c+k, b*c+k+1
		if m.Ensemble {
			first, last = b*c, (b+1)*c
		}
		x := trial.RawMatrix().Data[first*m.Samples : last*m.Samples]
		y := template.RawMatrix().Data[first*m.Samples : last*m.Samples]
		if power := math.Sqrt(floats.Dot(x, x)) * math.Sqrt(floats.Dot(y, y)); power > 0 {
			r := floats.Dot(x, y) / power
			sum += (math.Pow(float64(b+1), -1.25) + 0.25) * math.Copysign(r*r, r)
		}
	}
	return sum
}

// Validate returns an error if the fields are inconsistent or not finite.
func (m *TRCA) Validate() error {
	if m.Filters == nil || m.Patterns == nil || m.Templates == nil || m.Bands < 1 || m.Samples < 2 {
		return errors.New("trca: the model lacks filters, patterns, mean trials, bands or samples; fit it again")
	}
	rows, f := m.Filters.Dims()
	r, g := m.Patterns.Dims()
	classes, width := m.Templates.Dims()
	switch {
	case rows%m.Bands != 0 || f%m.Bands != 0 || f/m.Bands != classes:
		return fmt.Errorf("the %d×%d filters do not match %d bands and %d classes; fit the model again",
			rows, f, m.Bands, classes)
	case r != rows || g != f || len(m.Agreement) != f:
		return fmt.Errorf("the %d×%d patterns and %d agreements do not match %d×%d filters; fit the model again", r, g,
			len(m.Agreement), rows, f)
	case width%rows != 0 || width/rows != m.Samples:
		return fmt.Errorf("the mean trials have %d values; they must have %d rows of %d samples; fit the model "+
			"again",
			width, rows, m.Samples)
	}
	for _, v := range [][]float64{m.Filters.RawMatrix().Data, m.Patterns.RawMatrix().Data,
		m.Templates.RawMatrix().Data, m.Agreement} {
		if i := vec.NotFinite(v); i >= 0 {
			return fmt.Errorf("trca: the model contains the value %g, which is not finite; fit the model again", v[i])
		}
	}
	return nil
}
