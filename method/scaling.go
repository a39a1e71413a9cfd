package method

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rao/gaussian"
	"rao/model"
)

// scaling are the options of what is done to vectors first.
type scaling struct {
	Scale  string `opt:"scale" default:"auto" choices:"auto,std,column,none" help:"scaling of vectors: std divides all columns by one factor, column divides each by its own standard deviation; auto chooses between the two by the spreads of the columns and the class means"`
	Center bool   `opt:"center" default:"true" help:"subtract the mean of the training vectors"`
}

// Columns whose standard deviations differ by less than similarSpread share one factor. Beyond
// it the means of the classes decide, where they differ clearly. Where they do not, or are about
// as far apart with one factor, columns have factors of their own when the largest standard
// deviation is more than wideSpread times the median: not for images, whose border varies
// little, but for tables.
const (
	similarSpread = 3
	wideSpread    = 10
)

// sameSeparation is the ratio of two separations that says nothing: between folds of 178 wines it is 0.83 to 1.01.
const sameSeparation = 1.15

// clearly is by how many standard errors the means of the classes must differ to decide.
const clearly = 3

// constantPart is the part of its mean below which the standard deviation of a column is rounding.
const constantPart = 1e-12

// fitScaling returns the affine map of the options, nil when it is the identity, and notes how it was chosen.
func (j *job) fitScaling(m *gaussian.Marginals, o *scaling) (*model.Scaling, error) {
	var p model.Scaling
	if o.Center {
		p.Shift, _ = m.Pooled()
	}
	how := o.Scale
	if how == "auto" {
		var note string
		var sure bool
		switch how, note, sure = chooseScale(m); {
		case note == "":
		case sure:
			j.model.Notes = append(j.model.Notes, note)
		default:
			j.warn(note + "; the option scale sets it")
		}
	}
	switch how {
	case "std":
		g := m.GlobalScale()
		if !(g > 0) {
			return nil, errors.New("all values of the data are equal, so they cannot be scaled; check that the " +
				"right variable was read")
		}
		p.Scale = []float64{1 / g}
	case "column":
		var constant []int
		if p.Scale, constant = columnFactors(m); len(constant) > 0 {
			j.warn(constantNote(constant, m.Dim, j.model.Input.Columns))
		}
	}
	if p.Shift == nil && p.Scale == nil {
		return nil, nil
	}
	return &p, nil
}

// columnFactors returns a factor for each column, 1 for those that are constant, and these.
func columnFactors(m *gaussian.Marginals) (factors []float64, constant []int) {
	factors = columnSpreads(m)
	for j, s := range factors {
		if s == 0 {
			constant = append(constant, j)
			s = 1
		}
		factors[j] = 1 / s
	}
	return factors, constant
}

// columnSpreads returns the standard deviation of every column, 0 for a constant one.
func columnSpreads(m *gaussian.Marginals) []float64 {
	mean, spread := m.Pooled()
	for j, variance := range spread {
		s := math.Sqrt(variance)
		if s <= constantPart*math.Abs(mean[j]) {
			s = 0
		}
		spread[j] = s
	}
	return spread
}

// constantNote names the first of the columns that are constant.
func constantNote(constant []int, dim int, columns []string) string {
	if len(constant) > 1 {
		return fmt.Sprintf("%d of %d columns are constant and are not scaled", len(constant), dim)
	}
	name := fmt.Sprint(constant[0])
	if constant[0] < len(columns) {
		name = fmt.Sprintf("%q", columns[constant[0]])
	}
	return fmt.Sprintf("column %s is constant and is not scaled", name)
}

// chooseScale decides between one factor for all columns and one for each, and says why, unless
// the columns are so alike that it does not matter. It is not sure where units that seem to
// differ are all there is to decide by.
//
// Spreads alone cannot tell the columns of a table, whose units differ, from principal
// components or spectra, of which the small ones are noise. The means of the classes can: it
// compares how far apart they are, under either scaling, in units of what distances between
// rows of one class vary by. See [separation].
func chooseScale(m *gaussian.Marginals) (how, note string, sure bool) {
	spread := columnSpreads(m)
	sorted := slices.Sorted(slices.Values(spread))
	first, _ := slices.BinarySearchFunc(sorted, 0, func(s, _ float64) int {
		if s > 0 {
			return 1
		}
		return -1
	})
	if sorted = sorted[first:]; len(sorted) == 0 {
		return "std", "", true
	}
	least, median, most := sorted[0], sorted[len(sorted)/2], sorted[len(sorted)-1]
	if most <= similarSpread*least {
		return "std", "", true
	}
	one, each := separation(m, spread)
	var why string
	switch noise := math.Sqrt(2*float64(m.NumClasses()-1)) / float64(m.Total()); {
	case max(one, each) > clearly*noise && each > one:
		how, why, sure = "column", "which separates the means of the classes better", true
	case one > clearly*noise && sameSeparation*each > one && most > wideSpread*median:
		how, why, sure = "column", "which separates the means of the classes as well as one factor does", true
	case max(one, each) > clearly*noise:
		how, why, sure = "std", "which separates the means of the classes better", true
	case most > wideSpread*median:
		how, why = "column", fmt.Sprintf("because the largest is %.3g times the median", most/median)
	default:
		how, why, sure = "std", "because most of them are alike", true
	}
	factor := map[string]string{"std": "one factor scales all", "column": "each is scaled by its own"}[how]
	return how, fmt.Sprintf("the columns have standard deviations from %.3g to %.3g: %s (scale %s), %s", least, most,
		factor, how, why), sure
}

// separation returns how far apart the means of the classes are with one factor for all columns
// and with one for each. A squared distance between rows of different classes exceeds one
// between rows of the same class by 2 Σ b_j on average, for variances b_j of the means and w_j
// within the classes of the scaled columns. The latter has a standard deviation of
// √8 (Σ w_j²)^½ where columns are independent and Gaussian. The separation is
// Σ b_j / (Σ w_j²)^½, with b_j less what is expected of means that do not differ; for these it
// has a standard deviation of √(2(c-1))/N for c classes of N rows together. Where nothing varies
// within the classes, both are 0.
func separation(m *gaussian.Marginals, spread []float64) (one, each float64) {
	mean, _ := m.Pooled()
	share, c, total := m.Priors(), float64(m.NumClasses()), float64(m.Total())
	largest := slices.Max(spread)
	var top, bottom [2]float64 // of both ways
	for j, s := range spread {
		if s == 0 {
			continue
		}
		var between, within float64
		for i, p := range share {
			d := m.Mean(i)[j] - mean[j]
			between += p * d * d
			within += p * m.Variance(i)[j]
		}
		between -= within * (c - 1) / total
		for k, unit := range [2]float64{largest, s} {
			b, w := between/unit/unit, within/unit/unit
			top[k] += b
			bottom[k] += w * w
		}
	}
	if bottom[0] == 0 || bottom[1] == 0 {
		return 0, 0
	}
	return top[0] / math.Sqrt(bottom[0]), top[1] / math.Sqrt(bottom[1])
}
