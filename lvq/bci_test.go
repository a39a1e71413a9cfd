package lvq_test

import (
	"context"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/testkit"
	"rao/lvq"
	"rao/spd"
)

// session is the recording of one day of a subject of BCI competition IV, set 2a: covariances of 288 trials of 22
// channels, with four imagined movements.
type session struct {
	x      *spd.Stack
	labels []int
}

// bci reads session T (training) and E (evaluation) of subject A0k.
func bci(t testing.TB, k int) (train, test *session) {
	t.Helper()
	path := testkit.External(t, "data", "bci-iv-2a", fmt.Sprintf("A0%d.mat", k))
	var out [2]*session
	for e := range out {
		d := testkit.Must(dataset.Open(context.Background(), path,
			dataset.OpenOptions{X: "P", Y: "Label", Where: []string{fmt.Sprintf("testIdx=%d", e)}}))(t)
		out[e] = &session{x: d.Stack, labels: d.Labels}
	}
	return out[0], out[1]
}

// centered moves the session to its own Riemannian mean, without labels.
func (s *session) centered(t testing.TB) *session {
	t.Helper()
	x := new(spd.Stack)
	testkit.Must(spd.Center(context.Background(), x, s.x))(t)
	return &session{x: x, labels: s.labels}
}

// scoresOn fits on one session and scores another.
func scoresOn(t testing.TB, train, test *session, o lvq.PLRSQOptions) (*evaluate.Scores, *mat.Dense) {
	t.Helper()
	m := testkit.Must(lvq.FitPLRSQ(context.Background(), train.x, train.labels, nil, o))(t)
	var logp mat.Dense
	testkit.NoError(t, m.LogPosterior(t.Context(), &logp, test.x))
	s := testkit.Must(evaluate.Score(test.labels, &logp))(t)
	return s, &logp
}

// This is a short run on a real recording. With the authors' settings, kappa for A01 is 0.745 after 100 epochs.
func TestRealRecording(t *testing.T) {
	train, test := bci(t, 1)
	s, _ := scoresOn(t, train, test, lvq.PLRSQOptions{Sigma2: 9.5, Epochs: 15, Seed: 1, CalibrationFolds: -1})
	if s.Kappa < 0.69 {
		t.Errorf("kappa %.3f on session E of A01", s.Kappa)
	}
	moved, _ := scoresOn(t, train.centered(t), test.centered(t),
		lvq.PLRSQOptions{Sigma2: 9.5, Epochs: 15, Seed: 1, CalibrationFolds: -1})
	if !(moved.Kappa > s.Kappa) {
		t.Errorf("kappa %.3f after re-centering, %.3f before", moved.Kappa, s.Kappa)
	}
}
