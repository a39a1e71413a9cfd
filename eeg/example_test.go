package eeg_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"rao/eeg"
)

// In this example, the class of a trial determines which of two channels has more power.
func ExampleCutTrials() {
	const rate = 100
	data := make([]float64, 2*1000)
	var events []eeg.Event
	for k := range 4 {
		events = append(events, eeg.Event{Sample: 250 * k, Code: 769 + k%2})
		for s := range 250 {
			t := float64(s) / rate
			data[2*(250*k+s)+k%2] = 3 * math.Sin(2*math.Pi*10*t)
			data[2*(250*k+s)+1-k%2] = math.Cos(2 * math.Pi * 10 * t)
		}
	}
	rec, err := eeg.NewRecording([]string{"C3", "C4"}, rate, data, events)
	if err != nil {
		log.Fatal(err)
	}
	classes, err := eeg.ParseClasses("left=769,right=770")
	if err != nil {
		log.Fatal(err)
	}
	trials, err := eeg.CutTrials(context.Background(), []*eeg.Recording{rec},
		eeg.TrialOptions{Classes: classes, Stop: 2})
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
