package evaluate_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
)

func ExampleScore() {
	truth := []int{0, 0, 1, 1}
	logp := mat.NewDense(4, 2, []float64{
		math.Log(0.9), math.Log(0.1),
		math.Log(0.6), math.Log(0.4),
		math.Log(0.7), math.Log(0.3), // wrong
		math.Log(0.2), math.Log(0.8),
	})
	s, err := evaluate.Score(truth, logp)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Accuracy, s.Kappa, s.Confusion)
	// Output: 0.75 0.5 [[2 0] [1 1]]
}

func ExampleWriteTable() {
	truth := []int{0, 0, 1, 1}
	half := math.Log(0.5)
	sure, unsure := math.Log(0.9), math.Log(0.1)
	good := mat.NewDense(4, 2, []float64{sure, unsure, sure, unsure, unsure, sure, unsure, sure})
	chance := mat.NewDense(4, 2, []float64{half, half, half, half, half, half, half, half})
	var scores []*evaluate.Scores
	for _, logp := range []*mat.Dense{good, chance} {
		s, err := evaluate.Score(truth, logp)
		if err != nil {
			fmt.Println(err)
			return
		}
		scores = append(scores, s)
	}
	if err := evaluate.WriteTable(os.Stdout, []string{"qda", "chance"}, scores); err != nil {
		fmt.Println(err)
	}
	// Output:
	// name    n  accuracy  balanced   kappa  log loss     ece
	//   qda     4    1.0000    1.0000  1.0000    0.1054  0.1000
	//   chance  4    0.5000    0.5000  0.0000    0.6931  0.0000
}

func ExampleSearch() {
	labels := []int{0, 1, 0, 1, 0, 1, 0, 1}
	folds, err := evaluate.StratifiedKFold(labels, 4, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	grid, err := evaluate.Grid([]evaluate.Parameter{{Name: "threshold", Values: []string{"-1", "0.5", "2"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	// This classifier chooses class 1 if the label exceeds a threshold.
	fit := func(_ context.Context, c evaluate.Candidate, fold evaluate.Fold) (*evaluate.Scores, error) {
		v, _ := c.Get("threshold")
		threshold, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return nil, err
		}
		truth, logp := make([]int, len(fold.Test)), mat.NewDense(len(fold.Test), 2, nil)
		for k, i := range fold.Test {
			truth[k] = labels[i]
			if float64(labels[i]) > threshold {
				logp.Set(k, 0, math.Inf(-1))
			} else {
				logp.Set(k, 1, math.Inf(-1))
			}
		}
		return evaluate.Score(truth, logp)
	}
	r, err := evaluate.Search(context.Background(), grid, folds, evaluate.SearchOptions{}, fit)
	if err != nil {
		fmt.Println(err)
		return
	}
	best := r.Trials[r.Best]
	fmt.Println(best.Candidate, best.Mean.Accuracy)
	// Output: threshold=0.5 1
}

// 90 of 100 observations were classified correctly.
func ExampleWilsonInterval() {
	in, err := evaluate.WilsonInterval(90, 100, 0.95)
	fmt.Printf("%.3f to %.3f %v\n", in.Low, in.High, err)
	// Output: 0.826 to 0.945 <nil>
}

// The wrong prediction is the least certain one. If it is rejected, no error remains.
func ExamplePosteriorRisk() {
	logp := mat.NewDense(4, 2, []float64{
		math.Log(0.9), math.Log(0.1),
		math.Log(0.8), math.Log(0.2),
		math.Log(0.4), math.Log(0.6), // wrong
		math.Log(0.3), math.Log(0.7),
	})
	curve := evaluate.PosteriorRisk([]int{0, 0, 0, 1}, logp)
	risk, threshold := curve.At(0.75)
	fmt.Printf("%v: accept from %.1f\n", risk, threshold)
	fmt.Println(curve.Coverage, curve.Risk)
	// Output:
	// 0: accept from 0.7
	// [0.25 0.5 0.75 1] [0 0 0 0.25]
}
