package synth_test

import (
	"fmt"

	"rao/synth"
)

func ExampleGenerate() {
	d, err := synth.Generate("toy1", synth.GenerateOptions{PerClass: 100, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.N(), d.Classes)
	// Output: 300 [a b c]
}
