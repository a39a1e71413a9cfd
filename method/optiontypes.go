package method

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/format/ndarray"
	"rao/internal/format/npy"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
	"rao/internal/priors"
	"rao/internal/text"
	"rao/spd"
)

// autoNumber is a number of 0 or more, or auto, which means that the method chooses it from the data.
type autoNumber struct {
	Auto  bool
	Value float64 // 0 if Auto is true
}

// Syntax returns the placeholder for a value in help texts.
func (autoNumber) Syntax() string { return "number|auto" }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *autoNumber) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*a = autoNumber{Auto: true}
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !vec.NotNegative(v) {
		return errors.New("the value must be a number of 0 or more, or auto")
	}
	*a = autoNumber{Value: v}
	return nil
}

func (a *autoNumber) Number() (float64, bool) { return a.Value, !a.Auto }

// or returns the number, or automatic if the method chooses it.
func (a autoNumber) or(automatic float64) float64 {
	if a.Auto {
		return automatic
	}
	return a.Value
}

// autoCount is an integer above 0, or auto, which is stored as 0.
type autoCount = optionvalues.AutoCount

// someCount is an integer above 0, auto, which is stored as 0, or none, which is stored as -1.
type someCount = optionvalues.SomeCount

// shrinkageOption selects how covariances are shrunk: none, oas, ledoit_wolf, an amount from 0 to 1, or auto, which
// leaves the choice to the method.
type shrinkageOption struct{ gaussian.ShrinkRule }

// Syntax returns the placeholder for a value in help texts.
func (shrinkageOption) Syntax() string { return "auto|none|oas|ledoit_wolf|number" }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *shrinkageOption) UnmarshalText(text []byte) error {
	if amount, err := strconv.ParseFloat(string(text), 64); err == nil {
		if !(amount >= 0 && amount <= 1) {
			return errors.New("the amount must be between 0 and 1")
		}
		*s = shrinkageOption{gaussian.ShrinkRule{Kind: optionvalues.ShrinkageFixed, Amount: amount}}
		return nil
	}
	switch name := string(text); name {
	case "auto":
		*s = shrinkageOption{}
	case "none", "oas", "ledoit_wolf":
		*s = shrinkageOption{gaussian.ShrinkRule{Kind: gaussian.Shrinkage(name)}}
	default:
		return errors.New("the value must be auto, none, oas, ledoit_wolf or an amount from 0 to 1")
	}
	return nil
}

// priorsOption are class priors: empirical (the class proportions), uniform, one number per class, or auto, which
// leaves the choice to the method.
type priorsOption struct {
	kind   string    // auto, empirical or uniform; empty if values are given
	values []float64 // positive, not normalized
}

// Syntax returns the placeholder for a value in help texts.
func (priorsOption) Syntax() string { return "auto|empirical|uniform|number,..." }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *priorsOption) UnmarshalText(text []byte) error {
	*p = priorsOption{}
	switch name := string(text); name {
	case "auto", "empirical", "uniform":
		p.kind = name
		return nil
	}
	for _, t := range strings.Split(string(text), ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(t), 64)
		if err != nil || !vec.Positive(v) {
			return fmt.Errorf("%q is not a positive number; give auto, empirical, uniform or one number per class", t)
		}
		p.values = append(p.values, v)
	}
	return nil
}

// of returns the priors of the classes, which sum to 1, or nil for auto. shares returns the class proportions.
func (p *priorsOption) of(classes int, shares func() []float64) ([]float64, error) {
	switch p.kind {
	case "auto":
		return nil, nil
	case "empirical":
		return shares(), nil
	}
	if p.kind == "uniform" {
		return slices.Repeat([]float64{1 / float64(classes)}, classes), nil
	}
	if len(p.values) != classes {
		return nil,
			fmt.Errorf("priors: the number of values is %d, but the number of classes is %d; give auto, empirical, "+
				"uniform or one number per class", len(p.values), classes)
	}
	return priors.Normalize(p.values, classes, strconv.Itoa)
}

type metricOption spd.Metric

// Choices returns the accepted values, for help texts.
func (metricOption) Choices() []string { return spd.Metrics() }

// tangentMetricOption is a metric with tangent vectors that classifiers can use.
type tangentMetricOption spd.Metric

// Choices returns the accepted values, for help texts.
func (tangentMetricOption) Choices() []string { return spd.TangentMetrics() }

// flatMetricOption is a metric that maps SPD matrices to vectors with Euclidean distances.
type flatMetricOption spd.Metric

// Choices returns the accepted values, for help texts.
func (flatMetricOption) Choices() []string { return spd.FlatMetrics() }

// prototypeMetricOption is a metric that supports learning prototypes.
type prototypeMetricOption spd.Metric

// Choices returns the accepted values, for help texts.
func (prototypeMetricOption) Choices() []string { return spd.SpaceMetrics() }

// startOption is the initial filters: auto (the method's default), pca (principal components), random, or the path of
// an npy file of dimensions × filters.
type startOption string

// Syntax returns the placeholder for a value in help texts.
func (startOption) Syntax() string { return "auto|pca|random|FILE" }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *startOption) UnmarshalText(text []byte) error {
	switch name := string(text); name {
	case "auto", "pca", "random":
	default:
		if _, err := os.Stat(name); err != nil {
			var p *fs.PathError
			if errors.As(err, &p) {
				err = p.Err
			}
			return fmt.Errorf("the value must be auto, pca, random or an npy file of filters: %w", err)
		}
	}
	*s = startOption(text)
	return nil
}

// filters returns the initial filters, dimensions × filters, or nil to let the method choose.
func (s startOption) filters(dim, filters int, seed uint64) (*mat.Dense, error) {
	switch s {
	case "auto", "pca", "":
		return nil, nil
	case "random":
		rng := rand.New(rand.NewPCG(seed, 23))
		f := mat.NewDense(dim, filters, nil)
		raw, scale := f.RawMatrix().Data, 1/math.Sqrt(float64(dim))
		for i := range raw {
			raw[i] = scale * rng.NormFloat64() // columns have a norm of about 1
		}
		return f, nil
	}
	return readMatrix(string(s), "dimensions × filters")
}

// readMatrix reads a matrix from an npy file. shape names its dimensions in errors.
func readMatrix(path, shape string) (*mat.Dense, error) {
	a, err := npy.ReadFile(path)
	if err != nil {
		return nil, err
	}
	values, err := ndarray.Contiguous(a).ToFloat64()
	if err != nil || len(a.Shape) != 2 || len(values) == 0 {
		return nil, fmt.Errorf("%s: the array has shape %s; it must be a numeric array of %s",
			path, text.Shape(a.Shape), shape)
	}
	return mat.NewDense(a.Shape[0], a.Shape[1], values), nil
}
