package stopping

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"rao/internal/testkit"
)

// courses draws n trials of two classes, with ten windows per second for three seconds. gap is the evidence in a
// window, which is small, and correlation is the correlation of a window's noise with the noise of the previous window.
func courses(n int, gap, correlation float64, seed uint64) (out []Course) {
	rng := rand.New(rand.NewPCG(seed, 7))
	for i := range n {
		c := Course{Class: i % 2}
		noise := rng.NormFloat64()
		for k := range 30 {
			noise = correlation*noise + math.Sqrt(1-correlation*correlation)*rng.NormFloat64()
			z := noise + gap*(2*float64(c.Class)-1)
			c.Seconds = append(c.Seconds, 0.5+0.1*float64(k))
			c.LogPosterior = append(c.LogPosterior, []float64{-math.Log1p(math.Exp(2 * gap * z)),
				-math.Log1p(math.Exp(-2 * gap * z))})
		}
		out = append(out, c)
	}
	return out
}

// For independent windows the weight is close to one. For dependent windows it is smaller, because n windows contain
// less information. The share of wrong decisions on new trials stays close to the risk, and a smaller risk needs more
// time.
func TestStoppingKeepsItsRisk(t *testing.T) {
	classes := []string{"a", "b"}
	before := math.Inf(1)
	for _, risk := range []float64{0.02, 0.05, 0.2} {
		s := testkit.Must(Learn(courses(400, 1, 0.8, 1), classes, Options{Risk: risk}))(t)
		if !s.Met || s.Weight > 0.3 || s.Seconds >= before {
			t.Errorf("risk %g: %+v", risk, s)
		}
		before = s.Seconds
		wrong, decided := 0, 0
		for _, c := range courses(1000, 1, 0.8, 2) {
			if label, _, _ := s.Decide(c); label >= 0 {
				decided++
				if label != c.Class {
					wrong++
				}
			}
		}
		if rate := float64(wrong) / float64(decided); rate > 1.5*risk+0.01 || decided < 500 {
			t.Errorf("risk %g: %.3f wrong of %d", risk, rate, decided)
		}
	}
	s, err := Learn(courses(400, 0.5, 0, 1), classes, Options{Risk: 0.05})
	if err != nil || s.Weight < 0.7 {
		t.Errorf("independent windows: %+v, %v", s, err)
	}
}

// If no threshold limits the risk, the rule reports it. A forced rule decides at the end; an unforced one does not.
func TestStoppingWithoutInformation(t *testing.T) {
	for _, forced := range []bool{false, true} {
		s, err := Learn(courses(40, 0.001, 0, 3), []string{"a", "b"}, Options{Risk: 0.01, Longest: 2,
			Forced: forced})
		if err != nil || s.Met || s.Longest != 2 {
			t.Fatalf("%+v, %v", s, err)
		}
		s.Threshold = 1
		for _, c := range courses(10, 0.001, 0, 4) {
			if label, seconds, _ := s.Decide(c); (label >= 0) != forced || seconds != 2 {
				t.Errorf("forced %v: class %d after %g s", forced, label, seconds)
			}
		}
		if label, seconds, _ := s.Decide(Course{}); label != -1 || seconds != 2 {
			t.Errorf("without windows: class %d after %g s", label, seconds)
		}
	}
	for _, risk := range []float64{0, 1, math.NaN()} {
		testkit.Fails(t, testkit.ErrorOf(Learn(courses(4, 1, 0, 1), nil, Options{Risk: risk})), "risk", risk,
			"is taken")
	}
	testkit.Fails(t, testkit.ErrorOf(Learn(nil, nil, Options{Risk: 0.1})), "no trials are taken")
}

func TestStoppingRulesAreRead(t *testing.T) {
	classes := []string{"a", "b"}
	s := testkit.Must(Learn(courses(40, 1, 0, 1), classes, Options{Risk: 0.1}))(t)
	good := testkit.Must(json.Marshal(s))(t)
	testkit.Equal(t, testkit.Must(Parse(good))(t).Threshold, s.Threshold)
	for text, want := range map[string]string{
		string(good[:20]): "not a stopping rule", `{"kind":"x"}`: `its kind is "x"`, `[1]`: "not a stopping rule",
		`{"kind":"stopping rule","later":1}`: "field later is unknown to this",
		`{"kind":"stopping rule","Risk":1}`:  "field Risk is unknown to this",
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(Parse([]byte(text))), want, text)
	}
	testkit.ErrorContains(t, s.Check([]string{"a"}), "the model has")
	s.Weight = 2
	testkit.ErrorContains(t, s.Check(classes), "must be above 0 and at most 1")
}

// A rule of today is read with the same values forever. The file in testdata/kept is never rewritten.
func TestKeptRuleIsReadTheSame(t *testing.T) {
	got := testkit.Must(Parse(testkit.Must(os.ReadFile("testdata/kept/rule.json"))(t)))(t)
	want := &Rule{Kind: RuleKind, Classes: []string{"left", "right"}, Weight: 0.7, Threshold: 0.519867237097786,
		Longest: 3, Risk: 0.1, Met: true, Trials: 40, Decided: 40, Wrong: 2, Seconds: 1.0000000000000004,
		Recordings: []string{"27a629e08e79d7a8eff1db8c29f70e9d"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the rule holds %+v, held %+v", got, want)
	}
}

// The session has two trials. The first decision on one of them is wrong. Between them there is one long false
// positive, and a decision for the idle class. The window after each trial is not counted.
func TestReplaysAreScored(t *testing.T) {
	r := &Replay{Length: 60, Window: 1, Trials: []ReplayTrial{{Class: 0, Start: 10, Stop: 14}, {1, 30, 34}}}
	for k := range 119 {
		at := float64(k+1) / 2
		p := []float64{0.1, 0.1, 0.8} // idle
		switch {
		case at >= 12 && at <= 14 || at >= 20 && at <= 22:
			p = []float64{0.8, 0.1, 0.1}
		case at > 30 && at <= 35:
			p = []float64{0.2, 0.7, 0.1}
		case at == 11:
			p = []float64{0.1, 0.7, 0.2}
		}
		r.Seconds = append(r.Seconds, at)
		r.Refused = append(r.Refused, at == 21)
		var logp []float64
		for _, v := range p {
			logp = append(logp, math.Log(v))
		}
		r.LogPosterior = append(r.LogPosterior, logp)
	}
	s := testkit.Must(ScoreReplays([]*Replay{r}, 3, ReplayOptions{Idle: 2, Step: 0.5}))(t)
	if s.Trials != 2 || s.Right != 1 || s.Wrong != 1 || s.Seconds != 1 || s.Accuracy != 0.5 || s.Balanced != 0.5 {
		t.Errorf("%+v", s)
	}
	if want := (60.0 - 2*5) / 60; math.Abs(s.IdleMinutes-want) > 1e-12 || s.False != 2 {
		t.Errorf("%d false positives in %g minutes, want 2 in %g", s.False, s.IdleMinutes, want)
	}
	if len(s.Curve) != 8 || s.Curve[7].Accuracy != 1 || s.Curve[1].Accuracy != 0.5 || s.Curve[1].Decided != 1 ||
		s.Curve[0].N != 2 {
		t.Errorf("%+v", s.Curve)
	}
	if math.Abs(s.AUC-(5./7+13./14)/2) > 1e-15 { // against the other class; no trial is idle
		t.Errorf("area %g, want %g", s.AUC, (5./7+13./14)/2)
	}
	late := Replay{Window: 1, Seconds: r.Seconds, Trials: append(r.Trials, ReplayTrial{0, 40.1, 41.4})}
	if all, without := Windowless([]*Replay{r, &late}); all != 5 || without != 1 {
		t.Errorf("%d of %d trials contain no window, want 1 of 5", without, all)
	}
	rule := &Rule{Weight: 1, Threshold: 0.95, Longest: 4}
	s = testkit.Must(ScoreReplays([]*Replay{r}, 3, ReplayOptions{Idle: 2, Stopping: rule}))(t)
	if s.Right != 2 || s.Outcomes[0].Seconds <= s.Outcomes[1].Seconds {
		t.Errorf("%+v", s.Outcomes)
	}
	testkit.Fails(t, testkit.ErrorOf(ScoreReplays([]*Replay{{Length: 3}}, 3, ReplayOptions{})), "no trial is scored")
}
