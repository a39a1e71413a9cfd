package recipe_test

import (
	"errors"
	"fmt"

	"rao/recipe"
)

// A model stores the recipe of its training data. If other observations were computed differently, Check returns an
// error that names every difference.
func ExampleCheck() {
	training := &recipe.Recipe{Signal: &recipe.Signal{Rate: 250, Channels: []string{"C3", "C4"}, Window: 2,
		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 30}}, Order: 5, Estimator: "oas"}}}
	here := &recipe.Recipe{Signal: &recipe.Signal{Rate: 250, Channels: []string{"C4", "C3"}, Window: 2,
		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 4, High: 30}}, Order: 5, Estimator: "oas"}}}
	err := recipe.Check(training, here)
	var contradiction *recipe.ContradictionError
	fmt.Println(errors.As(err, &contradiction))
	fmt.Println(contradiction.Differences)
	// Output:
	// true
	// [bands: 4-30 Hz here, 8-30 Hz in training]
}

// Files of matrices and models contain recipes as JSON.
func ExampleParse() {
	r, err := recipe.Parse([]byte(`{"image":{"rows":28,"cols":28,"channels":1,"features":["x","y","intensity"]}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r)
	// Output: images of 28x28, features x,y,intensity, windows of 0x0
}

func ExampleParseBands() {
	bands, err := recipe.ParseBands("8-12,12-30")
	fmt.Println(bands, err)
	// Output: [8-12 12-30] <nil>
}
