package peers

import (
	"context"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rao/internal/study"
	"rao/internal/testkit"
)

// python returns a Python with torch, or skips the test.
func python(t *testing.T) string {
	t.Helper()
	p, err := Python()
	if err != nil {
		t.Skip(err)
	}
	return p
}

// rhythms returns two classes of signals of three channels at 64 Hz: the first oscillates at 10 Hz, the second at 20.
func rhythms(seed uint64, n int) Part {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := Part{Shape: []int{3, 128}}
	for i := range n {
		class, phase := i%2, 2*math.Pi*rng.Float64()
		for c := range 3 {
			for s := range 128 {
				x := rng.NormFloat64() + float64(3-c)*math.Sin(2*math.Pi*10*float64(1+class)*float64(s)/64+phase)
				p.Data = append(p.Data, float32(x))
			}
		}
		p.Labels = append(p.Labels, class)
	}
	return p
}

// Every network for signals learns to separate two rhythms, and the same seed gives the same accuracy.
func TestNetworksLearnRhythms(t *testing.T) {
	testkit.SkipShort(t, "trains networks")
	python := python(t)
	for _, net := range []string{"wasf", "shallow", "eegnet"} {
		task := Task{Net: net, Epochs: 15, Batch: 10, Rate: 3e-3, Decay: 1, Seed: 3, Classes: 2, SampleRate: 64,
			Threads: 1, Train: rhythms(1, 60), Test: rhythms(2, 40)}
		epochs := 0
		r := testkit.Must(Train(context.Background(), python, task, func(int) { epochs++ }))(t)
		t.Logf("%s: %.3f, %d parameters", net, r.Accuracy, r.Parameters)
		if r.Accuracy < 0.9 || epochs != 15 {
			t.Errorf("%s: accuracy %.3f after %d epochs", net, r.Accuracy, epochs)
		}
	}
}

// VGG-11 has 128,807,306 parameters for ten classes, and an error of the program names the network.
func TestVGG(t *testing.T) {
	testkit.SkipShort(t, "trains a network")
	python := python(t)
	image := Part{Shape: []int{32, 32, 3}, Data: make([]float32, 2*32*32*3), Labels: []int{0, 9}}
	for i := range image.Data {
		image.Data[i] = float32(i % 7)
	}
	task := Task{Net: "vgg11", Epochs: 1, Batch: 2, Rate: 0.01, Decay: 0.99, Classes: 10, Train: image, Test: image}
	r := testkit.Must(Train(context.Background(), python, task, nil))(t)
	testkit.Equal(t, r.Parameters, 128807306, "parameters")
	task.Classes = 5
	testkit.Fails(t, testkit.ErrorOf(Train(context.Background(), python, task, nil)),
		"labels beyond the classes were accepted")
	testkit.ErrorIs(t, testkit.ErrorOf(Train(testkit.Canceled(), python, task, nil)), context.Canceled, "canceled")
}

// The scores of a network on the trials of a study are rows that rao study reads.
func TestNetworksOfAStudy(t *testing.T) {
	testkit.SkipShort(t, "trains networks")
	python, dir := python(t), t.TempDir()
	trials, scores := filepath.Join(dir, "trials.npz"), filepath.Join(dir, "scores.csv")
	write := exec.Command(python, "-c", `
import sys
import numpy as np
r, k = np.random.default_rng(1), np.arange(120)
wave = np.sin(2 * np.pi * (10 + 10 * (k % 2))[:, None] * np.arange(128) / 64 + 7 * r.random(120)[:, None])
x = np.array([3, 2, 1])[:, None] * wave[:, None] + r.normal(size=(120, 3, 128))
np.savez(sys.argv[1], X=x[..., None], y=np.where(k % 2, "fast", "slow"), sfreq=[64.0],
         subject=np.where(k < 60, "a", "b"), session=np.where(k // 30 % 2, "2", "1"))`, trials)
	testkit.Output(t, write)
	run := func(more ...string) ([]byte, error) {
		args := append([]string{"study.py", "--set", "s=" + trials, "--epochs", "10", "--threads", "1",
			"--out", scores}, more...)
		return exec.Command(python, args...).CombinedOutput()
	}
	for measure, least := range map[string]float64{"accuracy": 0.9, "auc": 0.95} {
		if out, err := run("--networks", "eegnet", "--score", measure); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		rows := testkit.Must(study.ReadScores(scores))(t)
		for i, r := range rows {
			evaluation := []string{"cross-session", "cross-subject"}[i/4]
			subject, session := []string{"a", "b"}[i/2%2], []string{"1", "2"}[i%2]
			if len(rows) != 8 || r.Set != "s" || r.Method != "eegnet" || r.Evaluation != evaluation ||
				r.Subject != subject || r.Session != session || float64(r.Value) < least {
				t.Errorf("%s, row %d of %d: %+v", measure, i, len(rows), r)
			}
		}
	}
	for want, more := range map[string][]string{
		"unknown network vgg": {"--networks", "vgg11"},
		"folds of within-ses": {"--evaluations", "within-session"},
	} {
		if out, err := run(more...); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v, %s", more, err, out)
		}
	}
}
