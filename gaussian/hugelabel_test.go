package gaussian

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// Without names, the labels determine the number of classes. A label far beyond the number of rows is an error, and no
// memory is allocated for it.
func TestEstimateRefusesLabelsBeyondTheRows(t *testing.T) {
	labels := testkit.Alternate(60, 2)
	labels[59] = 1e9
	for name, estimate := range map[string]func(mat.Matrix, []int, []string) (*Statistics, error){
		"Estimate": Estimate, "EstimateMoments": EstimateMoments} {
		_, err := estimate(mat.NewDense(60, 3, nil), labels, nil)
		testkit.ErrorContains(t, err, "row 59 has label 1000000000", name)
	}
}
