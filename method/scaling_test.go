package method

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/subclasses"
	"rao/internal/testkit"
	"rao/model"
)

// drawnSet returns rows of three classes in turn, with values drawn by value.
func drawnSet(rows, cols int, seed uint64, value func(rng *rand.Rand, class, column int) float64) *dataset.Data {
	rng := rand.New(rand.NewPCG(seed, 5))
	x, d := make([]float64, rows*cols), &dataset.Data{Source: "drawn", Labels: make([]int, rows),
		Classes: []string{"a", "b", "c"}}
	for i := range rows {
		d.Labels[i] = i % 3
		for j := range cols {
			x[i*cols+j] = value(rng, i%3, j)
		}
	}
	d.X = dataset.NewTable(rows, cols, x)
	return d
}

// scaleSets are data of several kinds, and which scaling serves them.
var scaleSets = []struct {
	name, want string
	rows, cols int
	value      func(rng *rand.Rand, class, column int) float64
}{
	{"units", "column", 240, 8, func(rng *rand.Rand, class, j int) float64 {
		return math.Pow(10, float64(j-3)) * (20 + rng.NormFloat64() + 1.5*float64(class*j%3))
	}},
	{"a loud column", "column", 300, 10, func(rng *rand.Rand, class, j int) float64 {
		v := rng.NormFloat64()
		switch j {
		case 0:
			return 100 * v
		case 1:
			return v * math.Pow(3, float64(class))
		case 2:
			return v + 4*float64(class%2)
		}
		return v
	}},
	{"a few small columns", "column", 240, 18, func(rng *rand.Rand, class, j int) float64 {
		if j < 15 {
			return 100 * rng.NormFloat64()
		}
		return rng.NormFloat64() + 3*float64(class*(j+1)%3)
	}},
	{"outliers", "column", 300, 8, func(rng *rand.Rand, class, j int) float64 {
		if j == 5 && rng.IntN(100) == 0 {
			return 1e4
		}
		return rng.NormFloat64() + 2*float64(class*(j+1)%3)
	}},
	{"an informative spectrum", "std", 240, 24, func(rng *rand.Rand, class, j int) float64 {
		sd := 10 / float64((j+1)*(j+1))
		if j < 4 {
			return sd * (rng.NormFloat64() + 1.5*float64(class*(j+1)%3))
		}
		return sd * rng.NormFloat64()
	}},
	{"the end of a spectrum", "column", 600, 32, func(rng *rand.Rand, class, j int) float64 {
		sd := 10 / float64((j+1)*(j+1))
		if j >= 24 {
			sd *= []float64{1, 1.7, 3}[class]
		}
		return sd * rng.NormFloat64()
	}},
	{"images with a dark border", "std", 240, 64, func(rng *rand.Rand, class, j int) float64 {
		r, c := j/8, j%8
		if r == 0 || r == 7 || c == 0 || c == 7 {
			return 0.5 * max(0, rng.NormFloat64()-1)
		}
		stroke := (r+[]int{1, 3, 0}[class]*c)%5 < 2
		return 8 + 4*rng.NormFloat64() + map[bool]float64{true: 4}[stroke]
	}},
	{"a table whose loudest column says much", "column", 180, 13, func(rng *rand.Rand, class, j int) float64 {
		if j == 0 {
			return 300 * (rng.NormFloat64() + 1.62*float64(class))
		}
		return math.Pow(10, float64(j%3-1)) * (rng.NormFloat64() + 1.1*float64(class*j%3))
	}},
	{"a table with a date", "column", 300, 12, func(rng *rand.Rand, class, j int) float64 {
		switch {
		case j == 0:
			return 2e9 + 1e7*(3*rng.Float64()+0.8*float64(class))
		case j < 4:
			return rng.NormFloat64() + 1.2*float64(class*j%3)
		}
		return math.Pow(10, float64(j%5-2)) * rng.NormFloat64()
	}},
	{"signals", "std", 240, 32, func(rng *rand.Rand, class, j int) float64 {
		return math.Sin(float64((class+1)*j)/5) + rng.NormFloat64()
	}},
	{"counts and one-hot columns", "std", 240, 9, func(rng *rand.Rand, class, j int) float64 {
		if j < 8 {
			return map[bool]float64{true: 1}[rng.IntN(8) == j]
		}
		return math.Round(float64(200*(class+1)) + 20*rng.NormFloat64())
	}},
}

// The scaling that auto chooses is the better one, for methods of distances and for filters.
func TestAutoScaleIsTheBetterOne(t *testing.T) {
	for _, s := range scaleSets {
		t.Run(s.name, func(t *testing.T) {
			train, test := drawnSet(s.rows, s.cols, 1, s.value), drawnSet(600, s.cols, 2, s.value)
			for _, name := range []string{"knn-raw", "svm-raw", "rslvq-raw", "sqfa"} {
				var score [3]float64
				for i, scale := range []string{"auto", "std", "column"} {
					options := "scale=" + scale
					if name == "sqfa" {
						options += " noise=0.01"
					}
					m := usable(t, name, InMemory{Data: train}, options)
					score[i] = accuracyOf(t, m, test)
					if scale == "auto" && scaleOf(m) != s.want {
						t.Errorf("%s: auto took %s: %q", name, scaleOf(m), m.Notes)
					}
				}
				t.Logf("%s: auto %.3f, std %.3f, column %.3f", name, score[0], score[1], score[2])
				if score[0] < max(score[1], score[2])-0.02 {
					t.Errorf("%s: auto %.3f, std %.3f, column %.3f", name, score[0], score[1], score[2])
				}
			}
		})
	}
}

func accuracyOf(t *testing.T, m *model.Model, d *dataset.Data) float64 {
	t.Helper()
	p := testkit.Must(m.Predict(background, model.BatchOf(d)))(t)
	s := testkit.Must(evaluate.Score(d.Labels, p.LogPosterior))(t)
	return s.Accuracy
}

// scaleOf returns the scale that a model has.
func scaleOf(m *model.Model) string {
	if len(model.StageOf[*model.Scaling](m).Scale) > 1 {
		return "column"
	}
	return "std"
}

// Data in memory, their statistics, and data that stay in their file are scaled in the same way.
func TestAutoScaleOfEverySource(t *testing.T) {
	for _, s := range scaleSets {
		d := drawnSet(s.rows, s.cols, 1, s.value)
		path := filepath.Join(t.TempDir(), "drawn.npz")
		testkit.NoError(t, dataset.WriteFile(path, d))
		disk := testkit.Must(dataset.OpenOnDisk(background, path, dataset.OpenOptions{}))(t)
		const options = "filters=2 noise=0.1"
		spec := mustWith(t, mustLookup(t, "sqfa"), settingsOf(t, options))
		away := testkit.Must(spec.FromDisk(background, disk, nil))(t)
		stats := testkit.Must(dataset.Statistics(background, path, dataset.StatisticsOptions{Open: disk.Open}))(t)
		var factors [3][]float64
		for i, src := range []TrainingData{InMemory{Data: d}, Statistics{Stats: stats}, away} {
			factors[i] = model.StageOf[*model.Scaling](usable(t, "sqfa", src, options)).Scale
		}
		for _, other := range factors[1:] {
			if len(other) != len(factors[0]) {
				t.Fatalf("%s: %d factors, of held data %d", s.name, len(other), len(factors[0]))
			}
			for j, f := range other {
				testkit.Close(t, s.name, []float64{f}, factors[0][j:j+1], 1e-9*f)
			}
		}
	}
}

// A constant column keeps factor 1, with a note, wherever columns have factors of their own.
func TestConstantColumnsAreNotScaled(t *testing.T) {
	d := drawnSet(120, 6, 3, func(rng *rand.Rand, class, j int) float64 {
		switch {
		case j == 2:
			return 0.1
		case j == 4 && class == 1:
			return 1000 * (1 + rng.NormFloat64())
		case j == 4:
			return 500
		}
		return rng.NormFloat64() + float64(2*class*(j%2))
	})
	for _, scale := range []string{"auto", "column"} {
		for _, name := range []string{"knn-raw", "rslvq-raw", "gmlvq-raw", "svm-raw", "sqfa", "lda", "qda-raw"} {
			m := usable(t, name, InMemory{Data: d}, "scale="+scale)
			p := model.StageOf[*model.Scaling](m)
			if len(p.Scale) != 6 || p.Scale[2] != 1 {
				t.Errorf("%s, scale %s: factors %v", name, scale, p.Scale)
			}
			testkit.Contains(t, strings.Join(m.Notes, "; "), "column 2 is constant", name, "scale", scale, "notes")
		}
	}
	// Without the second class, as in a fold, another column is constant.
	var fold []int
	for i, l := range d.Labels {
		if l != 1 {
			fold = append(fold, i)
		}
	}
	part := d.Subset(fold)
	part.Labels = append([]int(nil), part.Labels...)
	part.Classes = []string{"a", "c"}
	for i, l := range part.Labels {
		part.Labels[i] = l / 2
	}
	m := fitTo(t, "knn-raw", InMemory{Data: part}, "scale=column")
	if got := model.StageOf[*model.Scaling](m).Scale; got[2] != 1 || got[4] != 1 ||
		!strings.Contains(m.Notes[0], "2 of 6 columns are constant") {
		t.Errorf("factors %v, notes %q", got, m.Notes)
	}
}

// Statistics of sub-classes are scaled like the data, by one factor or a factor per column. The decisions then equal
// those on data that were scaled before. If the principal components of the sub-classes do not represent all columns,
// one factor scales all columns, and a note reports it.
func TestSubclassesAreScaledByColumns(t *testing.T) {
	for _, s := range scaleSets {
		if s.want == "std" && s.name != "signals" {
			continue
		}
		d := drawnSet(s.rows, s.cols, 1, s.value)
		estimate := func(d *dataset.Data, components int) *subclasses.Statistics {
			stats := testkit.Must(gaussian.Estimate(d.X, d.Labels, d.Classes))(t)
			opt := subclasses.Options{Most: 2}
			opt.Basis = testkit.Must(subclasses.BasisOf(stats, components))(t)
			return testkit.Must(subclasses.Estimate(background, subclasses.RowsOf(d.X.Matrix(), d.Labels, d.Classes),
				opt))(t)
		}
		of := func(sub *subclasses.Statistics) *model.Model {
			return fitTo(t, "mixture-raw", Subclasses{Subclasses: sub}, "")
		}
		sub := estimate(d, s.cols)
		m, notes := of(sub), ""
		if _, held := sub.Basis.Dims(); s.want == "column" && held < s.cols {
			notes = "although their spreads differ"
		}
		if s.name == "a table with a date" { // nothing is left of the other columns
			notes = "11 of 12 columns do not vary in these statistics"
		}
		if got := strings.Join(m.Notes, "; "); notes != "" && !strings.Contains(got, notes) {
			t.Errorf("%s: notes %q", s.name, got)
		}
		factors := model.StageOf[*model.Scaling](m).Scale
		testkit.Equal(t, len(factors) == s.cols, s.want == "column" && notes == "",
			fmt.Sprintf("%s: %d factors, notes %q", s.name, len(factors), m.Notes))
		testkit.Equal(t, len(model.StageOf[*model.Scaling](of(estimate(d, 2))).Scale), 1, "scales of two components",
			s.name)
	}
}

// The coordinates of sub-classes with scaled columns equal those of the scaled rows.
func TestScaledColumnsOfSubclasses(t *testing.T) {
	const rows, n = 400, 5
	rng := rand.New(rand.NewPCG(3, 26))
	x, scaled, labels := mat.NewDense(rows, n, nil), mat.NewDense(rows, n, nil), make([]int, rows)
	factors := []float64{10, 0.1, 1, 3, 0.5}
	for i := range rows {
		labels[i] = i % 2
		for j := range n - 1 {
			x.Set(i, j, (rng.NormFloat64()*float64(1+labels[i]*j)+float64(labels[i]+j))/factors[j])
		}
		x.Set(i, n-1, 2*x.At(i, 1)-x.At(i, 2)) // the basis has fewer components than columns
		for j := range n {
			scaled.Set(i, j, x.At(i, j)*factors[j])
		}
	}
	sub := testkit.Must(subclasses.Estimate(background, subclasses.RowsOf(x, labels, []string{"a", "b"}),
		subclasses.Options{Most: 1}))(t)
	if !holdsColumns(sub.Basis, marginalsOf(sub)) {
		t.Fatal("the basis leaves columns out")
	}
	got := testkit.Must(scaledColumns(sub, factors))(t)
	var z mat.Dense
	z.Mul(scaled, got.Basis.Components)
	want := testkit.Must(gaussian.Estimate(&z, labels, nil))(t)
	have := got.Scaled(1, false).ClassStatistics()
	testkit.Close(t, "means", have.Means, want.Means, 1e-9)
	testkit.Close(t, "covariances", have.Covariances, want.Covariances, 1e-8)
	if _, d := got.Basis.Dims(); d != n-1 {
		t.Errorf("%d components", d)
	}
}

// The squares of very small values underflow. A warning names such a column, and data of only such columns are an
// error.
func TestColumnsWhoseSquaresUnderflow(t *testing.T) {
	for _, factor := range []float64{1e-320, 1e-200, 1e-162, 1e-158, 1e-155} {
		d := drawnSet(120, 4, 3, func(rng *rand.Rand, class, j int) float64 {
			v := rng.NormFloat64() + float64(3*class*(j%2))
			if j == 1 {
				v *= factor
			}
			return v
		})
		stats := testkit.Must(gaussian.Estimate(d.X, d.Labels, d.Classes))(t)
		for _, name := range []string{"knn-raw", "rslvq-raw", "gmlvq-raw", "svm-raw", "logistic-raw", "sqfa", "lda",
			"pca", "qda-raw", "lda-raw"} {
			method := mustLookup(t, name)
			sources := []TrainingData{InMemory{Data: d}}
			if method.Covariances(d) {
				sources = append(sources, Statistics{Stats: stats})
			}
			for _, src := range sources {
				for _, scale := range []string{"auto", "column", "std", "none"} {
					m := usable(t, name, src, "scale="+scale)
					testkit.Contains(t, strings.Join(m.Warnings, "; "), "column 1 varies by less than 1e-150", name,
						"factor", factor, "scale", scale, "warnings")
				}
			}
		}
		all := drawnSet(120, 4, 3, func(rng *rand.Rand, _, _ int) float64 { return factor * rng.NormFloat64() })
		_, err := mustLookup(t, "knn-raw").Fit(background, InMemory{Data: all}, nil, nil)
		testkit.ErrorContains(t, err, "4 of 4 columns vary by less than 1e-150, where squares underflow, and no other")
	}
}
