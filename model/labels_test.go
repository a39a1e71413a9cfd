package model

import (
	"testing"

	"rao/gaussian"
	"rao/internal/testkit"
)

// A model file stores the type of the labels, and an unknown type is rejected.
func TestLabelTypes(t *testing.T) {
	m, _ := vectorModel(t)
	for _, want := range []gaussian.LabelType{"", "text", "bool", "int8", "uint64", "float16", "float64"} {
		m.Labels = want
		back := testkit.Must(Load(save(t, m)))(t)
		if back.Labels != want {
			t.Errorf("labels of the type %q come back as %q", want, back.Labels)
		}
	}
	m.Labels = "complex128"
	testkit.ErrorContains(t, m.Validate(), "complex128", "an unknown type")
}
