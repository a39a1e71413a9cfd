package examine

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/dataset"
	"rao/internal/potato"
	"rao/internal/testkit"
	"rao/model"
	"rao/spd"
)

// matrices returns n diagonal matrices of three channels with names.
func matrices(n int) *dataset.Data {
	rng := rand.New(rand.NewPCG(1, 2))
	x := spd.NewStack(n, 3)
	for k := range n {
		for i := range 3 {
			x.At(k)[4*i] = (1 + float64(i)) * (1 + 0.1*rng.Float64())
		}
	}
	return &dataset.Data{Source: "x.npz", Stack: x,
		Vars: map[string]*dataset.Array{"channels": {Shape: []int{3}, Strings: []string{"C3", "Cz", "C4"}}}}
}

// An automatic repair leaves out faulty matrices, but not if this removes a class: then it drops the channel, which is
// no longer in the list of channels. After a projection there are no names of channels.
func TestMatrices(t *testing.T) {
	d := matrices(20)
	d.Stack.At(2)[4] = math.NaN()
	f, err := Matrices(d, spd.CheckOptions{}, "auto")
	if err != nil || !slices.Equal(f.LeftOut, []int{2}) || f.Suggested() != "none" {
		t.Fatalf("left out %v, repair %v (%v)", f.LeftOut, f.Suggested(), err)
	}
	if r, err := f.Repaired(); err != nil || r.N() != 19 || r.Vars["channels"] == nil {
		t.Errorf("%v", err)
	}
	d.Labels, d.Classes = make([]int, 20), []string{"a", "b"}
	d.Labels[2] = 1
	f, err = Matrices(d, spd.CheckOptions{}, "auto")
	if err != nil || f.LeftOut != nil || !strings.Contains(f.Suggested(), "drop:1") {
		t.Fatalf("left out %v, repair %v (%v)", f.LeftOut, f.Suggested(), err)
	}
	r, err := f.Repaired()
	if err != nil || r.N() != 20 || !slices.Equal(r.Vars["channels"].Strings, []string{"C3", "C4"}) ||
		len(d.Vars["channels"].Strings) != 3 {
		t.Errorf("%v", err)
	}
	if _, err := Matrices(d, spd.CheckOptions{}, "drop:C9"); err == nil || !strings.Contains(err.Error(), "C9") ||
		!strings.HasPrefix(err.Error(), "x.npz: ") {
		t.Errorf("a channel that is not there: %v", err)
	}
	testkit.Fails(t, testkit.ErrorOf(Matrices(&dataset.Data{Source: "v.npz"}, spd.CheckOptions{}, "auto")),
		"vectors were examined")
}

func TestParseLimits(t *testing.T) {
	l, err := ParseLimits(" shift=2, unseen=0")
	if want := (Limits{2, 0.05, 0.25, 0.1, 0}); err != nil || l != want {
		t.Errorf("%v (%v), want %v", l, err, want)
	}
	testkit.Equal(t, testkit.Must(ParseLimits(DefaultLimits))(t), Limits{0.5, 0.05, 0.25, 0.1, 0.05}, "defaults")
	for _, bad := range []string{"shift", "shift=-1", "shift=x", "shift=+Inf", "shfit=1"} {
		testkit.ErrorContains(t, testkit.ErrorOf(ParseLimits(bad)), "limit", bad)
	}
}

func TestJudge(t *testing.T) {
	d := &model.Drift{N: 100, Outliers: 0.2, Balance: 0.1, Values: []model.DriftColumn{{Name: "a", Shift: 0.1, N: 1e6},
		{Name: "b", Shift: -0.9, N: 1e6}}}
	r := Judge(d, Limits{Shift: 0.5, Outliers: 0.1, Balance: 0.2})
	if len(r.Beyond) != 2 || !strings.HasPrefix(r.Beyond[0], "b is shifted by -0.9") ||
		!strings.Contains(r.Beyond[1], "are outliers") || r.Values[0].Name != "b" {
		t.Errorf("%q of %v", r.Beyond, r.Values)
	}
}

// An artifact is found in the field of its channel, and is not among the clean matrices.
func TestFindArtifacts(t *testing.T) {
	d := matrices(60)
	d.Stack.At(50)[8] *= 50
	opt := potato.Options{Metric: spd.Riemann, Threshold: 3}
	r := testkit.Must(FindArtifacts(context.Background(), d, "C3,1;C4", 40, 0, opt))(t)
	if !slices.Contains(r.Artifacts, 50) || !slices.Equal(r.Fields[0].Channels, []int{0, 1}) ||
		r.Z[50][1] < 5 || r.Z[50][0] > 1 || r.Clean().N() != 60-len(r.Artifacts) {
		t.Errorf("artifacts %v, fields %v, scores %v", r.Artifacts, r.Fields, r.Z[50])
	}
	path := filepath.Join(t.TempDir(), "z.csv")
	testkit.NoError(t, r.WriteScores(path))
	text, _ := os.ReadFile(path)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 61 || lines[0] != "matrix,z_0,z_1,p,artifact" || !strings.HasSuffix(lines[51], ",true") {
		t.Errorf("%d lines, %q, %q", len(lines), lines[0], lines[51])
	}
	for fields, want := range map[string]string{"C3;Fz": "Fz", "3": "(a number from 0 to 2", "C3,0": "twice",
		"C3;": "without channels"} {
		testkit.ErrorContains(t, testkit.ErrorOf(FindArtifacts(context.Background(), d, fields, 0, 0, opt)), want,
			fields)
	}
}
