package spd

import (
	"testing"

	"rao/internal/testkit"
)

// The kernels of channels agree with pyRiemann for any unit and any mean of the signal (see testdata/kernels.py).
func TestKernelsOfChannelsAgreeWithPyRiemann(t *testing.T) {
	var gold map[string][]float64
	testkit.ReadJSON(t, "testdata/kernels.json", &gold)
	scaled := make([]float64, len(gold["x"]))
	for k, v := range gold["x"] {
		scaled[k] = 3e-6*v + float64(k%4)*1e-5
	}
	for _, name := range []string{"correlation", "rbf", "laplacian"} {
		e := Estimator(name)
		for _, x := range [][]float64{gold["x"], scaled} {
			got := testkit.Must(estimated(t, x, 4, CovarianceOptions{Estimator: e}))(t)
			testkit.Close(t, name, got, gold[name], 1e-10)
		}
		testkit.ErrorContains(t, testkit.ErrorOf(estimated(t, gold["x"], 4, CovarianceOptions{Estimator: e,
			TraceNormalize: true})), "diagonal of 1", name, "normalized")
	}
}
