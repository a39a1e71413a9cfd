package grayimages

import (
	"slices"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
)

func TestGrayIsTheMeanOfTheChannels(t *testing.T) {
	color := &dataset.Data{Source: "c", Image: [3]int{1, 2, 3},
		X: dataset.NewTable(2, 6, []float64{1, 2, 3, 4, 5, 9, 0, 0, 3, 1, 1, 1})}
	g := testkit.Must(Convert(color))(t)
	got := make([]float64, 0, 4)
	for i := range 2 {
		got = append(got, g.X.At(i, 0), g.X.At(i, 1))
	}
	if !slices.Equal(got, []float64{2, 6, 1, 1}) || g.Image != [3]int{1, 2, 1} {
		t.Errorf("%v of image %v", got, g.Image)
	}
	testkit.Equal(t, testkit.Must(Convert(g))(t), g, "gray images changed")
	table := &dataset.Data{Source: "table", X: dataset.NewTable(1, 1, []float64{1})}
	testkit.ErrorContains(t, testkit.ErrorOf(Convert(table)), "table",
		"no images")
}
