package lvq_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"rao/lvq"
	"rao/spd"
)

// rings returns 2×2 covariances of two classes. The variance is larger along the second axis in class 0, and along the
// first axis in class 1.
func rings(seed uint64, count int) (*spd.Stack, []int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, labels := spd.NewStack(2*count, 2), make([]int, 2*count)
	for k := range x.Count {
		a, b, c := 1+rng.Float64(), 3+rng.Float64(), rng.Float64()-0.5
		if labels[k] = k % 2; labels[k] == 1 {
			a, b = b, a
		}
		copy(x.At(k), []float64{a, c, c, b})
	}
	return x, labels
}

// This example trains on one recording, decides on another, and rejects outliers.
func ExamplePLRSQ() {
	x, labels := rings(1, 40)
	model, err := lvq.FitPLRSQ(context.Background(), x, labels, nil, lvq.PLRSQOptions{Epochs: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := model.RejectOutliers(1); err != nil {
		fmt.Println(err)
		return
	}
	test := spd.StackOf(3, 2, []float64{
		1, 0, 0, 4,
		4, 0, 0, 1,
		4000, 0, 0, 1, // closest to class 1, but far from all training data
	})
	decisions := make([]lvq.Decision, test.Count)
	if err := model.Decide(context.Background(), decisions, new(mat.Dense), test); err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range decisions {
		fmt.Println(d.Label, d.Probability > 0.9, "rejected:", d.Rejected)
	}
	// Output:
	// 0 true rejected: false
	// 1 true rejected: false
	// 1 true rejected: true
}

// This example learns from one more labeled trial, and then reverts the update.
func ExamplePLRSQ_Update() {
	x, labels := rings(1, 40)
	model, err := lvq.FitPLRSQ(context.Background(), x, labels, nil, lvq.PLRSQOptions{Epochs: 20, CalibrationFolds: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = model.Update(mat.NewDiagDense(2, []float64{2, 5}), 0, lvq.UpdateOptions{})
	fmt.Println(err, model.Undo(), model.Undo())
	// Output: <nil> true false
}
