package classify_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/spd"
)

// trials returns six covariances of two channels. The first channel has more power in class "left", and the second in
// class "right".
func trials() (*spd.Stack, []int, []string) {
	return spd.StackOf(6, 2, []float64{
		4, 0.1, 0.1, 1,
		1, 0.2, 0.2, 4,
		5, 0.3, 0.3, 1.2,
		1.1, 0, 0, 3.6,
		4.4, -0.2, -0.2, 0.9,
		0.8, 0.1, 0.1, 4.2,
	}), []int{0, 1, 0, 1, 0, 1}, []string{"left", "right"}
}

func show(m interface {
	LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error
}) {
	var lp mat.Dense
	if err := m.LogPosterior(context.Background(), &lp, spd.StackOf(1, 2, []float64{3, 0.1, 0.1, 1})); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("left is more probable:", math.Exp(lp.At(0, 0)) > 0.5)
}

func ExampleFitMDM() {
	x, labels, classes := trials()
	m, err := classify.FitMDM(context.Background(), x, labels, classes, classify.MDMOptions{Metric: spd.Riemann})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(m)
	// Output: left is more probable: true
}
