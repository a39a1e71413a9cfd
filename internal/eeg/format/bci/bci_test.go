package bci

import (
	"testing"

	"rao/internal/format/matfile"
	"rao/internal/testkit"
)

func TestStructsOfAMatFileWithoutARecording(t *testing.T) {
	for _, c := range []struct {
		value matfile.Value
		want  string
	}{
		{matfile.Value{Class: "struct", Shape: []int{1, 1}}, "EEG is an empty struct"},
		{matfile.Value{Class: "struct", Shape: []int{0, 0}, Fields: []string{"X"}}, "EEG is an empty struct"},
		{matfile.Value{Class: "struct", Shape: []int{1, 2}, Fields: []string{"X"}}, "EEG is a struct array of shape " +
			"1×2; name one element, such as EEG(1)"},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(inStruct("EEG", &c.value, "X")), c.want)
	}
}
