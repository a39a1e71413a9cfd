package model

import (
	"strings"
	"testing"

	"rao/gaussian"
	"rao/internal/testkit"
)

// A model's file keeps the type that the labels had, and a type that is not known is refused.
func TestLabelTypes(t *testing.T) {
	m, _ := vectorModel(t)
	for _, want := range []gaussian.LabelType{"", "text", "bool", "int8", "uint64", "float16", "float64"} {
		m.Labels = want
		back := testkit.Must(Load(save(t, m)))(t)
		if back.Labels != want || Describe(back).Labels != want {
			t.Errorf("labels of the type %q come back as %q", want, back.Labels)
		}
	}
	m.Labels = "complex128"
	if err := m.Validate(); err == nil || !strings.Contains(err.Error(), "complex128") {
		t.Errorf("an unknown type: %v", err)
	}
}
