package dataset

import (
	"slices"
	"testing"

	"rao/internal/testkit"
)

func TestGrayIsTheMeanOfTheChannels(t *testing.T) {
	color := &Data{Source: "c", Image: [3]int{1, 2, 3},
		X: NewTable64(2, 6, []float64{1, 2, 3, 4, 5, 9, 0, 0, 3, 1, 1, 1})}
	g := testkit.Must(Gray(color))(t)
	got := make([]float64, 0, 4)
	for i := range 2 {
		got = append(got, g.X.At(i, 0), g.X.At(i, 1))
	}
	if !slices.Equal(got, []float64{2, 6, 1, 1}) || g.Image != [3]int{1, 2, 1} {
		t.Errorf("%v of image %v", got, g.Image)
	}
	if again, err := Gray(g); err != nil || again != g {
		t.Errorf("gray images changed: %v", err)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(Gray(&Data{Source: "table", X: NewTable64(1, 1, []float64{1})})), "table",
		"no images")
}
