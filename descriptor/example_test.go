package descriptor_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/descriptor"
	"rao/spd"
)

// A ramp across a 4×4 image: its intensity and its column move together.
func ExampleImages() {
	x := mat.NewDense(1, 16, nil)
	for p := range 16 {
		x.Set(0, p, float64(2*(p%4))+float64(p/4))
	}
	stack, err := descriptor.Images(context.Background(), x, descriptor.Shape{Rows: 4, Cols: 4, Channels: 1},
		descriptor.ImageOptions{Features: []descriptor.Feature{descriptor.FeatureX, descriptor.Intensity}})
	if err != nil {
		log.Fatal(err)
	}
	c := stack.At(0)
	fmt.Printf("%.3f %.3f\n%.3f %.3f\n", c[0], c[1], c[2], c[3])
	// Output:
	// 1.333 2.667
	// 2.667 6.667
}

// Two channels whose powers change with the kind of trial.
func ExampleCutTrials() {
	const rate = 100
	data := make([]float64, 2*1000)
	var events []descriptor.Event
	for k := range 4 {
		events = append(events, descriptor.Event{Sample: 250 * k, Code: 769 + k%2})
		for s := range 250 {
			t := float64(s) / rate
			data[2*(250*k+s)+k%2] = 3 * math.Sin(2*math.Pi*10*t)
			data[2*(250*k+s)+1-k%2] = math.Cos(2 * math.Pi * 10 * t)
		}
	}
	rec, err := descriptor.NewRecording([]string{"C3", "C4"}, rate, data, events)
	if err != nil {
		log.Fatal(err)
	}
	classes, err := descriptor.ParseClasses("left=769,right=770")
	if err != nil {
		log.Fatal(err)
	}
	trials, err := descriptor.CutTrials(context.Background(), []*descriptor.Recording{rec},
		descriptor.TrialOptions{Classes: classes, Stop: 2})
	if err != nil {
		log.Fatal(err)
	}
	for k, l := range trials.Labels {
		c := trials.Stacks[0].At(k)
		fmt.Printf("%s: C3 %.1f, C4 %.1f\n", trials.Classes[l], c[0], c[3])
	}
	// Output:
	// left: C3 4.5, C4 0.5
	// right: C3 0.5, C4 4.5
	// left: C3 4.5, C4 0.5
	// right: C3 0.5, C4 4.5
}

// Spatial filters from the covariances of two classes: the second source differs.
func ExampleFitCSP() {
	x := spd.NewStack(4, 2)
	for k := range 4 {
		copy(x.At(k), []float64{1, 0, 0, []float64{1, 4, 1.2, 5}[k]})
	}
	m, err := descriptor.FitCSP(context.Background(), x, []int{0, 1, 0, 1}, []string{"rest", "move"},
		descriptor.CSPOptions{Filters: 1, KeepPower: true})
	if err != nil {
		log.Fatal(err)
	}
	var features mat.Dense
	m.Transform(&features, x)
	fmt.Printf("share of rest %.2f\n", m.Scores[0])
	fmt.Printf("%.2f\n", mat.Formatted(features.T()))
	// Output:
	// share of rest 0.20
	// [-1.03   0.36  -0.85   0.58]
}

// A covariance every half second of the last second, as samples arrive.
func ExampleStream() {
	s, err := descriptor.NewStream(2, 4, descriptor.StreamOptions{Window: 1, Step: 0.5})
	if err != nil {
		log.Fatal(err)
	}
	samples := []float64{1, 0, -1, 1, 1, 2, -1, 3, 1, 4, -1, 5}
	err = s.Push(samples, func(cov []float64, end int64) error {
		fmt.Printf("after sample %d: %.2f\n", end, cov)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// after sample 4: [1.33 -0.67 -0.67 1.67]
	// after sample 6: [1.33 -0.67 -0.67 1.67]
}
