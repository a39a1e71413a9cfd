package spatial

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/modelinfo"
	"rao/internal/par"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
)

// trcaGolden are 15 trials of 2 bands of 4 channels and 40 samples in three classes, and three to score; see
// trca.py.
type trcaGolden struct {
	Train, Test, Filters, Patterns, Ensemble, Own, Agreement []float64
	Labels                                                   []int
}

func loadTRCA(t testing.TB) (*trcaGolden, Trials) {
	g := new(trcaGolden)
	testkit.ReadJSON(t, "testdata/trca.json", g)
	return g, Trials{mat.NewDense(15, 320, g.Train), 40}
}

// Filters, patterns and scores equal the equations in numpy and scipy, filters up to their sign.
func TestTRCAAgreesWithScipy(t *testing.T) {
	g, x := loadTRCA(t)
	for _, ensemble := range []bool{true, false} {
		m := testkit.Must(FitTRCA(t.Context(), x, g.Labels, threeNames, trcaOptions{Bands: 2, Ensemble: ensemble}))(t)
		testkit.NoError(t, m.Validate())
		for j := range 6 {
			first := j / 3 * 4
			sign := math.Copysign(1, m.Filters.At(first, j)*g.Filters[first*6+j])
			for i := range 8 {
				if d := m.Filters.At(i, j) - sign*g.Filters[i*6+j]; math.Abs(d) > 1e-10 {
					t.Errorf("filter %d, row %d: %g off", j, i, d)
				}
				if d := m.Patterns.At(i, j) - sign*g.Patterns[i*6+j]; math.Abs(d) > 1e-9 {
					t.Errorf("pattern %d, row %d: %g off", j, i, d)
				}
			}
		}
		testkit.Close(t, "agreement", m.Agreement, g.Agreement, 1e-10)
		want := g.Own
		if ensemble {
			want = g.Ensemble
		}
		var z mat.Dense
		testkit.NoError(t, m.Scores(&z, mat.NewDense(3, 320, g.Test)))
		testkit.Close(t, "scores", z.RawMatrix().Data, want, 1e-10)
	}
}

// The folds that scale the scores are counted, so a terminal can show the time left.
func TestFoldsOfTRCAAreCounted(t *testing.T) {
	g, x := loadTRCA(t)
	defer par.Watch()()
	var counted [5]atomic.Bool
	ctx := errContext{t.Context(), func() {
		if done, total, _ := par.Running(); total == len(counted) {
			counted[done].Store(true)
		}
	}}
	_, _, err := scaleOf(ctx, x, g.Labels, threeNames, trcaOptions{Bands: 2})
	testkit.NoError(t, err)
	for fold := range counted {
		testkit.Equal(t, counted[fold].Load(), true, "counted fold", fold)
	}
}

// errContext calls a function whenever its error is asked for.
type errContext struct {
	context.Context
	asked func()
}

func (c errContext) Err() error {
	c.asked()
	return c.Context.Err()
}

// flicker returns trials of two lights: three channels at 64 samples per second for one second. The responses start at
// the same phase in every trial, or at a random phase.
func flicker(seed uint64, count int, locked bool) *dataset.Data {
	rng := rand.New(rand.NewPCG(seed, 2))
	x, labels := make([]float64, count*192), make([]int, count)
	for k := range count {
		labels[k] = k % 2
		phase := 0.0
		if !locked {
			phase = 2 * math.Pi * rng.Float64()
		}
		for s := range 64 {
			response := math.Sin(2*math.Pi*[]float64{9, 11}[labels[k]]*float64(s)/64 + phase)
			for c := range 3 {
				x[k*192+c*64+s] = 1.5*rng.NormFloat64() + []float64{0.2, 1, -0.6}[c]*response
			}
		}
	}
	return &dataset.Data{Source: "flicker", X: dataset.NewTable(count, 192, x), Image: [3]int{3, 64, 1},
		Labels: labels, Classes: []string{"9Hz", "11Hz"}}
}

// Responses with a constant phase are classified, with calibrated probabilities, also after reading the model from a
// file. For a random phase there is a warning.
func TestTRCADecidesOnLockedResponses(t *testing.T) {
	m := testkit.Must(method.Lookup("trca"))(t)
	test := flicker(2, 400, true)
	for _, ensemble := range []string{"true", "false"} {
		fit := testkit.Must(m.Fit(t.Context(), method.InMemory{Data: flicker(1, 40, true)},
			method.Settings{{Name: "ensemble", Value: ensemble}}, nil))(t)
		s, err := method.Score(t.Context(), fit, test)
		if err != nil || s.Accuracy < 0.95 || s.LogLoss > 0.15 || len(fit.Warnings) > 0 {
			t.Errorf("ensemble %s: %+v, warnings %q, error %v", ensemble, s, fit.Warnings, err)
		}
		path := filepath.Join(t.TempDir(), "m.rao")
		testkit.NoError(t, fit.Save(path))
		again := testkit.Must(model.Load(path))(t)
		p := testkit.Must(fit.Predict(t.Context(), model.BatchOf(test)))(t)
		q, err := again.Predict(t.Context(), model.BatchOf(test))
		if err != nil || !mat.Equal(p.LogPosterior, q.LogPosterior) {
			t.Errorf("another posterior from the file, error %v", err)
		}
		if f, err := modelinfo.Spatial(again); err != nil || f == nil || f.Patterns.RawMatrix().Cols != 2 {
			t.Errorf("spatial filters: %+v, error %v", f, err)
		}
	}
	fit, err := m.Fit(t.Context(), method.InMemory{Data: flicker(1, 40, false)}, nil, nil)
	if err != nil || len(fit.Warnings) != 1 || !strings.Contains(fit.Warnings[0], "same phase") {
		t.Errorf("random phases: warnings %q, error %v", fit.Warnings, err)
	}
	few := flicker(1, 4, true)
	fit, err = m.Fit(t.Context(), method.InMemory{Data: few}, nil, nil)
	if err != nil || len(fit.Warnings) != 1 || !strings.Contains(fit.Warnings[0], "not calibrated") {
		t.Errorf("two trials a class: warnings %q, error %v", fit.Warnings, err)
	}
}

func TestTRCARefuses(t *testing.T) {
	g, x := loadTRCA(t)
	one := append([]int{0, 1}, make([]int, 13)...)
	for _, c := range []struct {
		x      Trials
		labels []int
		opt    trcaOptions
		want   string
	}{
		{x, g.Labels, trcaOptions{Bands: 3}, "is not a multiple of the number of bands, 3"},
		{x, one, trcaOptions{}, "class b has only one trial"},
		{Trials{mat.NewDense(15, 320, nil), 40}, g.Labels, trcaOptions{}, "class a, band 1: the mean covariance"},
	} {
		names := threeNames
		if c.want == "class b has only one trial" {
			names = names[:2]
		}
		_, err := FitTRCA(t.Context(), c.x, c.labels, names, c.opt)
		hasType(t, err, c.want)
	}
	m := testkit.Must(FitTRCA(t.Context(), x, g.Labels, threeNames, trcaOptions{Bands: 2, Ensemble: true}))(t)
	var z mat.Dense
	err := m.Scores(&z, mat.NewDense(1, 100, nil))
	testkit.ErrorContains(t, err, "trials of 8 rows of 40 samples", "shorter trials")
	bad := mat.NewDense(2, 320, nil)
	if err := m.Scores(&z, bad); err != nil || z.At(0, 0) != 0 {
		t.Errorf("a flat trial: scores %v, error %v", mat.Formatted(&z), err)
	}
	bad.Set(1, 0, math.NaN())
	testkit.ErrorContains(t, m.Scores(&z, bad), "trial 1", "a trial with NaN")
	bad.Set(1, 0, 1e200)
	testkit.NoError(t, m.Scores(&z, bad), "a huge trial")
	for _, damage := range []func(*TRCA){
		func(m *TRCA) { m.Bands = 3 }, func(m *TRCA) { m.Samples = 7 }, func(m *TRCA) { m.Templates = nil },
		func(m *TRCA) { m.Agreement = m.Agreement[1:] }, func(m *TRCA) { m.Filters = mat.NewDense(8, 4, nil) },
		func(m *TRCA) { m.Templates = mat.DenseCopyOf(m.Templates); m.Templates.Set(0, 0, math.Inf(1)) },
	} {
		damaged := *m
		if damage(&damaged); damaged.Validate() == nil {
			t.Errorf("%+v is valid", damaged)
		}
	}
}
