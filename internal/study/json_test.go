package study

import (
	"encoding/json"
	"testing"

	"rao/internal/testkit"
)

// The first repetition has the number 0, and tests of pairs have the same names as in other commands.
func TestNamesInJSON(t *testing.T) {
	for want, value := range map[string]any{
		`{"group":"s1","repeat":0,"n":3,"accuracy":1,"kappa":1}`: GroupScore{Group: "s1", N: 3, Accuracy: 1, Kappa: 1},
		`{"evaluation":"","first":"mdm","second":"enuc","datasets":[{"dataset":"a","p":0.5,"smd":0,"subjects":4}],` +
			`"p":0,"smd":0,"p_holm":0,"p_least":0}`: Superiority{First: "mdm", Second: "enuc",
			Sets: []SetTest{{Set: "a", P: 0.5, Subjects: 4}}},
	} {
		testkit.Equal(t, string(testkit.Must(json.Marshal(value))(t)), want)
	}
}
