package descriptor_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/descriptor"
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
