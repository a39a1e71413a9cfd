package spatial

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
	"rao/spd"
)

// evokedGolden are 18 trials of 3 channels and 25 samples in two classes; see evoked.py.
type evokedGolden struct {
	X, Filters, Patterns, Evoked, ERP []float64
	Target                            []float64 `json:"erp_target"`
	SVD                               []float64 `json:"erp_svd"`
	Xdawn                             []float64
	Keep                              []float64 `json:"xdawn_keep"`
	Y                                 []int
}

var evokedNames = []string{"standard", "target"}

func loadEvoked(t testing.TB) (*evokedGolden, Trials) {
	g := new(evokedGolden)
	testkit.ReadJSON(t, "testdata/evoked.json", g)
	return g, Trials{mat.NewDense(18, 75, g.X), 25}
}

// Filters, patterns and responses are pyRiemann's up to their sign.
func TestXdawnAgreesWithPyRiemann(t *testing.T) {
	g, x := loadEvoked(t)
	m := testkit.Must(FitXdawn(x, g.Y, evokedNames, nil, 2))(t)
	for j := range 4 {
		sign := math.Copysign(1, m.Filters.At(0, j)*g.Filters[3*j])
		for i := range 3 {
			if d := m.Filters.At(i, j) - sign*g.Filters[3*j+i]; math.Abs(d) > 1e-10 {
				t.Errorf("filter %d, channel %d: %g off", j, i, d)
			}
			if d := m.Patterns.At(i, j) - sign*g.Patterns[3*j+i]; math.Abs(d) > 1e-9 {
				t.Errorf("pattern %d, channel %d: %g off", j, i, d)
			}
		}
		for s := range 25 {
			if d := m.Evoked.At(j, s) - sign*g.Evoked[25*j+s]; math.Abs(d) > 1e-10 {
				t.Errorf("response %d, sample %d: %g off", j, s, d)
			}
		}
		testkit.Equal(t, m.Of[j], evokedNames[j/2], "filter", j, "is of class")
	}
	if !(m.Scores[0] > m.Scores[1] && m.Scores[2] > m.Scores[3] && m.Scores[2] > m.Scores[0]) {
		t.Errorf("scores %v: the best first, and the target's above", m.Scores)
	}
}

// Matrices are pyRiemann's, up to the signs of components and filters.
func TestEvokedAgreesWithPyRiemann(t *testing.T) {
	g, x := loadEvoked(t)
	oas := spd.CovarianceOptions{Estimator: "oas"}
	target := evokedNames[1:]
	for _, c := range []struct {
		name   string
		want   []float64
		signed bool
		fit    func() (*Evoked, error)
	}{
		{"erp", g.ERP, true, func() (*Evoked, error) { return FitEvoked(x, g.Y, evokedNames, nil, 0, plain) }},
		{"target", g.Target, true, func() (*Evoked, error) {
			return FitEvoked(x, g.Y, evokedNames, target, 0, oas)
		}},
		{"components", g.SVD, false, func() (*Evoked, error) {
			return FitEvoked(x, g.Y, evokedNames, nil, 2, plain)
		}},
		{"xdawn", g.Xdawn, false, func() (*Evoked, error) {
			return FitXdawnCovariances(x, g.Y, evokedNames, nil, 2, false, oas)
		}},
		{"keep", g.Keep, false, func() (*Evoked, error) {
			return FitXdawnCovariances(x, g.Y, evokedNames, target, 1, true, plain)
		}},
	} {
		e := testkit.Must(c.fit())(t, c.name)
		testkit.NoError(t, e.Validate(), c.name)
		got := testkit.Must(e.Matrices(x.X))(t, c.name)
		have, want := got.Contiguous(), c.want
		if !c.signed {
			have, want = absolute(have), absolute(want)
		}
		testkit.Close(t, c.name, have, want, 1e-9)
	}
}

// plain selects the sample covariance.
var plain spd.CovarianceOptions

func absolute(v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = math.Abs(v[i])
	}
	return out
}

func TestEvokedRefuses(t *testing.T) {
	g, x := loadEvoked(t)
	wrong := append([]int(nil), g.Y...)
	wrong[2] = 5
	flat := Trials{mat.NewDense(18, 75, nil), 25}
	for _, c := range []struct {
		x      Trials
		labels []int
		evoked []string
		parts  int
		want   string
	}{
		{Trials{x.X, 26}, g.Y, nil, 0, "cannot be divided into channels of 26 samples"},
		{Trials{x.X, 1}, g.Y, nil, 0, "fewer than two samples"},
		{x, wrong, nil, 0, "trial 2 has label 5"},
		{x, g.Y, []string{"odd"}, 0, `unknown class "odd"`},
		{x, g.Y, []string{"target", "target"}, 0, "named twice"},
		{x, make([]int, 18), nil, 0, "target has no trials"},
		{x, g.Y, nil, 4, "between 0 (all) and 3, the number of channels"},
	} {
		_, err := FitEvoked(c.x, c.labels, evokedNames, c.evoked, c.parts, plain)
		testkit.ErrorContains(t, err, c.want)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(FitXdawn(flat, g.Y, evokedNames, nil, 0)),
		"not positive definite", "flat trials")
	testkit.Fails(t, testkit.ErrorOf(FitXdawn(x, g.Y, evokedNames, nil, 4)),
		"four filters of three channels")
	e := testkit.Must(FitEvoked(x, g.Y, evokedNames, nil, 0, plain))(t)
	_, err := e.Matrices(flat.X)
	testkit.ErrorContains(t, err, "trial 0, whose channels are numbered after 6 mean responses: channel 6",
		"flat trials")
	short := mat.NewDense(1, 50, nil)
	testkit.ErrorContains(t, testkit.ErrorOf(e.Matrices(short)), "fitted to 3 channels", "shorter trials")
	long := *e
	long.Channels = math.MaxInt32
	if long.Validate() == nil {
		t.Error("trials of two thousand million channels are valid")
	}
	e.Prototypes.Set(0, 0, math.NaN())
	if e.Validate() == nil {
		t.Error("a prototype of NaN is valid")
	}
}
