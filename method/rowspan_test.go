package method

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"rao/dataset"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/testkit"
	"rao/model"
)

// few returns observations of many columns: three classes with their own means and
// spreads in a few directions.
func few(rows, cols int) *dataset.Data {
	rng := rand.New(rand.NewPCG(7, 7))
	x, d := make([]float64, rows*cols), &dataset.Data{Source: "few", Labels: make([]int, rows),
		Classes: []string{"a", "b", "c"}}
	axes := testkit.Normals(rng, 6*cols)
	for i := range rows {
		l := i % 3
		d.Labels[i] = l
		for k := range 6 {
			s := rng.NormFloat64() * float64(1+(k+2*l)%5)
			if k == l {
				s += 6
			}
			for j := range cols {
				x[i*cols+j] += s * axes[k*cols+j]
			}
		}
		for j := range cols {
			x[i*cols+j] += 0.3*rng.NormFloat64() + 5
		}
	}
	d.X = dataset.NewTable(rows, cols, x)
	return d
}

// With few observations, a method finds the same filters in their span as with the covariances of the columns.
func TestSpanFindsTheSame(t *testing.T) {
	d := few(60, 130)
	for _, c := range []struct {
		columns *Method // without the span
		options string
	}{
		{onVectors("pca", "", Traits{Pooled: true}, fitPCA), "filters=4"},
		{onVectors("pca", "", Traits{}, fitPCA), "filters=4 center=false"},
		{onVectors("spca", "", Traits{}, fitSPCA), "filters=2"},
		{onVectors("spca", "", Traits{}, fitSPCA), "filters=3 blend=0.5 scale=column"},
		{spanless("sqfa", "calvo_oller"), "filters=2 noise=0.1 tol=1e-12 init=pca"},
		{spanless("smsqfa", "riemann"), "filters=2 noise=0.1 center=false tol=1e-12 init=pca"},
		{onVectors("ica", "", Traits{Rows: true}, fitICA), "filters=3 tol=1e-10 scale=std"},
		{onVectors("ama", "", Traits{Rows: true}, fitAMA), "filters=2 max-iter=5 init=pca"},
		{onVectors("nca", "", Traits{Rows: true}, fitNCA), "filters=2 max-iter=5"},
	} {
		m := c.columns
		got := usable(t, m.Name, InMemory{Data: d}, c.options)
		want, err := m.Fit(background, InMemory{Data: d}, settingsOf(t, c.options), nil)
		if want == nil {
			t.Fatalf("%s without span: %v", m.Name, err)
		}
		f, g := model.StageOf[*feature.Model](got), model.StageOf[*feature.Model](want)
		testkit.Close(t, m.Name+": filters", f.Filters.RawMatrix().Data, g.Filters.RawMatrix().Data, 1e-5)
		if g.Values != nil {
			testkit.Close(t, m.Name+": values", f.Values, g.Values, 1e-6)
		}
		if g.Loadings != nil {
			testkit.Close(t, m.Name+": loadings", f.Loadings.RawMatrix().Data, g.Loadings.RawMatrix().Data, 1e-4)
		}
		a, errA := got.Predict(background, model.BatchOf(d))
		b, errB := want.Predict(background, model.BatchOf(d))
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		testkit.Close(t, m.Name+": log posteriors", a.LogPosterior.RawMatrix().Data, b.LogPosterior.RawMatrix().Data,
			1e-3)
	}
}

// spanless returns a method of the SQFA family that learns in all columns.
func spanless(name string, distance gaussian.Dissimilarity) *Method {
	m := onVectors(name, "", Traits{}, fitFamily)
	m.options = reflect.ValueOf(sqfaOptions{own: family{distance: distance}})
	return m
}

// The covariance of 50,000 columns would need 20 GB; 60 observations span only 60 dimensions.
func TestWideDataNeedNoCovariance(t *testing.T) {
	d := few(60, 50000)
	for _, line := range []string{"pca filters=5", "spca filters=2", "sqfa filters=2 noise=0.1 init=pca",
		"knn-raw neighbors=3",
		"ica filters=3"} {
		name, options, _ := strings.Cut(line, " ")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		mod := fitTo(t, name, InMemory{Data: d}, options)
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<30 {
			t.Errorf("%s: took %d MiB in all", line, taken>>20)
		}
		s, err := Score(background, mod, d)
		if err != nil || s.Accuracy < 0.8 {
			t.Errorf("%s: accuracy %v on the training data, %v", line, s, err)
		}
	}
	testkit.Fails(t,
		testkit.ErrorOf(mustLookup(t, "pca").Fit(background, InMemory{Data: d}, settingsOf(t, "filters=61"), nil)),
		"61 directions among 60 observations")
}

func settingsOf(t *testing.T, line string) (set Settings) {
	t.Helper()
	for _, item := range strings.Fields(line) {
		name, value, ok := strings.Cut(item, "=")
		if !ok {
			t.Fatalf("setting %q", item)
		}
		set = set.With(name, value)
	}
	return set
}

// fitTo fits a method to src with options such as "filters=2 noise=0.1".
func fitTo(t *testing.T, name string, src TrainingData, options string) *model.Model {
	t.Helper()
	return testkit.Must(mustLookup(t, name).Fit(background, src, settingsOf(t, options), nil))(t, name, options)
}

// usable is fitTo for a fit that need not converge.
func usable(t *testing.T, name string, src TrainingData, options string) *model.Model {
	t.Helper()
	return testkit.Fitted(mustLookup(t, name).Fit(background, src, settingsOf(t, options), nil))(t, name, options)
}

func mustLookup(t *testing.T, name string) *Method {
	t.Helper()
	m := testkit.Must(Lookup(name))(t)
	return m
}
