package peers

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
)

//go:embed private.py
var privateScript []byte

// PrivateTask is a kind of classifier with differential privacy, its training settings, and its images with values from
// 0 to 1.
type PrivateTask struct {
	Kind    string       `json:"kind"` // linear, scattering or logistic
	Runs    []PrivateRun `json:"runs"`
	Delta   float64      `json:"delta"`
	Threads int          `json:"threads"` // number of threads; 0 for GOMAXPROCS
	Train   Part         `json:"-"`
	Test    Part         `json:"-"`
}

// PrivateRun is one training. Logistic regression uses only the guarantee and the seed.
type PrivateRun struct {
	Epsilon float64 `json:"epsilon"`
	Seed    uint64  `json:"seed"`
	Epochs  float64 `json:"epochs"`
	Batch   int     `json:"batch"` // expected number of rows in a step
	Rate    float64 `json:"rate"`  // learning rate
	Clip    float64 `json:"clip"`  // limit for the length of the gradient of a row
}

// PrivateResult contains the accuracy and time of each run.
type PrivateResult struct {
	Accuracies []float64 `json:"accuracies"` // fraction of correct decisions on the test data
	Seconds    []float64 `json:"seconds"`    // processor time
}

// PrivatePython returns a Python interpreter that has the libraries for [TrainPrivate], as [Python] does for torch.
var PrivatePython = sync.OnceValues(func() (string, error) {
	return pythonWith("private classifiers need torch, opacus, kymatio and diffprivlib (0.6.6 works with "+
		"scikit-learn 1.5 and SciPy 1.14)", "torch", "opacus", "kymatio", "diffprivlib")
})

// TrainPrivate trains the classifiers of a task and scores them. It calls finished, which may be nil, after every run.
// Its errors are those of [Train].
func TrainPrivate(ctx context.Context, python string, t PrivateTask, finished func(runs int)) (*PrivateResult, error) {
	if t.Threads == 0 {
		t.Threads = runtime.GOMAXPROCS(0)
	}
	r := &PrivateResult{}
	err := runScript(ctx, python, privateScript, t, t.Train, t.Test, func(b []byte) error {
		var line struct {
			Done int `json:"done"`
			*PrivateResult
		}
		line.PrivateResult = r
		if err := json.Unmarshal(b, &line); err != nil {
			return err
		}
		if line.Done > 0 && finished != nil {
			finished(line.Done)
		}
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("private classifier %s: %w", t.Kind, err)
	case len(r.Accuracies) != len(t.Runs) || len(r.Seconds) != len(t.Runs):
		return nil, fmt.Errorf("private classifier %s ended without a result", t.Kind)
	}
	return r, nil
}
