package model

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/digest"
	"rao/internal/linalg/vec"
	"rao/internal/provenance"
	"rao/internal/rows"
	"rao/spd"
)

// Training describes the data that a model was fitted to: counts, identity and range.
type Training struct {
	Counts []int `json:"counts"` // number of observations of each class
	// Digest is the SHA-256 of the counts, means and variances of vectors, or of the labels and matrices.
	Digest string          `json:"digest"`
	Parts  []gaussian.Part `json:"parts"` // hashes of the training rows, to recognize them; nil if unknown
	Range  Range           `json:"range"` // what is usual for an observation, to detect outliers
	// Privacy is the guarantee of the private statistics to which the model was fitted; nil for other data.
	Privacy *Privacy `json:"privacy,omitempty"`
}

// Privacy is (ε, δ)-differential privacy for rows, or for units such as persons.
type Privacy struct {
	Epsilon float64 `json:"epsilon"`        // ε
	Delta   float64 `json:"delta"`          // δ
	Unit    string  `json:"unit,omitempty"` // the protected unit: the name of a column, such as subject; "" for rows
}

// Range describes the distribution of the training observations. The zero value means that the distribution is unknown.
type Range struct {
	Count int `json:"count"` // number of observations; 0: unknown
	// Center is the mean of the scaled vectors; nil means zero. Spread is the root-mean-square distance of the vectors
	// from Center: the square root of the sum of the variances of all columns (see Deviations).
	Center []float64 `json:"center"`
	Spread float64   `json:"spread"`
	// LogPower and PowerSpread are the mean and the standard deviation, with the number of matrices as the divisor, of
	// log(tr A / n).
	LogPower    float64 `json:"log_power"`
	PowerSpread float64 `json:"power_spread"`
	// Usual and Deviations are the mean and the standard deviation of each column before scaling; nil if unknown. The
	// squared deviation is Σ_i (N_i/N) (s_i² + (m_i − usual)²), where class i has N_i of N rows, the mean m_i and the
	// variance s_i² with the divisor N_i − 1. For matrices they describe the logarithm of each diagonal element, with
	// the number of matrices as the divisor.
	Usual      []float64 `json:"usual"`
	Deviations []float64 `json:"deviations"`
	// Varied is true if every training vector has different values, so that a vector of equal values, such as an empty
	// image, is an outlier. It is false if unknown, and for fewer than 100 vectors or 16 columns.
	Varied bool `json:"varied,omitempty"`
}

// SetVaried sets Varied from the training vectors x.
func (r *Range) SetVaried(x mat.Matrix) {
	in := rows.New(x)
	r.Varied = in.Rows >= 100 && in.Cols >= 16
	for i := 0; r.Varied && i < in.Rows; i++ {
		r.Varied = !in.Flat(i)
	}
}

// learn updates Varied for observations that are learned after the fit; a batch without vectors makes it unknown.
func (r *Range) learn(b Batch) {
	if b.X == nil {
		r.Varied = false
		return
	}
	in := rows.New(b.X)
	for i := range in.Rows {
		r.Varied = r.Varied && !in.Flat(i)
	}
}

// An observation is far outside the training data if its distance from the mean exceeds farDistance times the usual
// distance, or if its power differs by more than a factor of farPower in addition to three standard deviations. If the
// power of a matrix differs by more than a factor of absurdPower, the matrix is not used at all, because its squares
// may overflow.
//
// A vector of equal values is far outside if no training vector was like that. A vector is also far outside if its
// distance exceeds columnDistance times the usual distance, mostly because of
// columns in which it is farther from the mean than any training row: N values differ from their mean by at most √N
// standard deviations. The limit is at least fewDeviations, because data of few rows may have heavy tails, and at most
// farDeviations. This finds columns in a wrong unit, even if their values are small compared with other columns.
const (
	farDistance    = 10
	columnDistance = 2
	fewDeviations  = 20
	farDeviations  = 100
	farPower       = 10
	absurdPower    = 1e100
)

// TrainingOnMatrices returns the Training of a model that was fitted to the matrices x with labels 0..classes-1.
func TrainingOnMatrices(x *spd.Stack, labels []int, classes int) Training {
	t := Training{Counts: make([]int, classes)}
	for _, l := range labels {
		t.Counts[l]++
	}
	d := digest.New()
	d.Ints(labels)
	sum, squares := 0.0, 0.0
	for k := range x.Count {
		d.Floats(x.At(k))
		p := logPower(x.At(k), x.Dim)
		sum += p
		squares += p * p
	}
	t.Digest = d.String()
	mean := sum / float64(x.Count)
	t.Range.Count, t.Range.LogPower, t.Range.PowerSpread = x.Count, mean,
		math.Sqrt(max(0, squares/float64(x.Count)-mean*mean))
	t.Range.Usual, t.Range.Deviations = channelPowers(x)
	if !(t.Range.PowerSpread <= math.MaxFloat64) { // invalid matrices, which a repair may fix
		t.Range = Range{}
	}
	return t
}

// validate returns an error unless the fields are finite and consistent.
func (t *Training) validate(classes int) error {
	if n := len(t.Counts); n != 0 && n != classes {
		return fmt.Errorf("training: there are counts for %d classes, but the model names %d", n, classes)
	}
	for i := range t.Parts {
		if err := provenance.CheckPart(t.Parts[i]); err != nil {
			return fmt.Errorf("training: %w", err)
		}
	}
	r := &t.Range
	all := slices.Concat([]float64{r.Spread, r.LogPower, r.PowerSpread}, r.Center, r.Usual, r.Deviations)
	if k := vec.NotFinite(all); k >= 0 {
		return fmt.Errorf("training: the range of the data contains %v; all values must be finite", all[k])
	}
	for _, v := range slices.Concat(r.Center, r.Usual) {
		if !vec.Finite(v * v) {
			return fmt.Errorf("training: the range of the data contains the mean %v, so large that its square "+
				"overflows; rescale the data", v)
		}
	}
	if r.Spread < 0 || r.PowerSpread < 0 {
		return fmt.Errorf("training: the spread is %v and the power spread %v; both must be 0 or more",
			r.Spread, r.PowerSpread)
	}
	return nil
}

// distances converts the squared lengths of scaled rows to multiples of the usual distance from the center in the
// training data. They are zero if the range is unknown.
func (r *Range) distances(squares []float64, x *mat.Dense) {
	if !(r.Spread > 0) {
		clear(squares)
		return
	}
	_, n := x.Dims()
	for i, square := range squares {
		if len(r.Center) == n {
			square = vec.SquaredDistance(x.RawRowView(i), r.Center)
		}
		squares[i] = math.Sqrt(square) / r.Spread
	}
}

// power returns the power of a matrix as a multiple of the usual power, and whether it is far outside the training
// data. If the range is unknown, or if an adaptation moves the matrices, only the limits of the arithmetic apply.
func (r *Range) power(a []float64, n int, moves bool) (factor float64, far, absurd bool) {
	p := logPower(a, n)
	off := math.Abs(p - r.LogPower)
	absurd = off > math.Log(absurdPower)
	known := r.Count > 0 && !moves
	return math.Exp(p - r.LogPower), absurd || known && off > math.Log(farPower)+3*r.PowerSpread, absurd
}

// channelPowers returns the mean and standard deviation of the logarithm of each channel's power, or nil if the
// logarithm of a diagonal element is not finite.
func channelPowers(x *spd.Stack) (mean, sd []float64) {
	mean, sd = make([]float64, x.Dim), make([]float64, x.Dim)
	row := make([]float64, x.Dim)
	for k := range x.Count {
		logPowers(row, x.At(k))
		for j, v := range row {
			if !vec.Finite(v) {
				return nil, nil
			}
			d := v - mean[j]
			mean[j] += d / float64(k+1)
			sd[j] += d * (v - mean[j])
		}
	}
	for j, v := range sd {
		sd[j] = math.Sqrt(v / float64(x.Count))
	}
	return mean, sd
}

// logPowers stores the logarithms of the diagonal of a in dst.
func logPowers(dst, a []float64) {
	for j := range dst {
		dst[j] = math.Log(a[j*(len(dst)+1)])
	}
}

// logPower returns the logarithm of the mean diagonal element, or NaN if the mean is not positive.
func logPower(a []float64, n int) float64 {
	sum := 0.0
	for i := range n {
		sum += a[i*n+i] / float64(n)
	}
	return math.Log(sum)
}
