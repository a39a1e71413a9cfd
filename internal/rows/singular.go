package rows

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Singular returns the error of an inverse or a solution from gonum, or nil if it only warns that the matrix is badly
// conditioned.
func Singular(err error) error {
	if condition, ok := err.(mat.Condition); ok && !math.IsInf(float64(condition), 1) {
		return nil
	}
	return err
}
