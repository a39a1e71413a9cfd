package decisionrecord

import (
	"encoding/json"
	"testing"

	"rao/internal/testkit"
)

// AppendFields writes what encoding/json writes.
func TestRecordAsJSON(t *testing.T) {
	for _, r := range []Record{
		{7, "a\"<é", 0.25, true, false, 1.5, []float64{0.25, 1e-300, 0.75}, true},
		{At: 1, Label: "left", Probability: 1, Outlier: true},
	} {
		b := append(r.AppendFields([]byte{'{'}), '}')
		var got, want any
		std, err := json.Marshal(r)
		if err != nil || json.Unmarshal(std, &want) != nil || json.Unmarshal(b, &got) != nil {
			t.Fatalf("%s, %v", b, err)
		}
		again, _ := json.Marshal(got)
		if expected, _ := json.Marshal(want); string(again) != string(expected) {
			t.Errorf("%s, encoding/json writes %s", b, std)
		}
	}
}

// A line of text has the state of the decision at its end.
func TestRecordAsText(t *testing.T) {
	r := Record{At: 500, Label: "left", Probability: 0.5, LatencyMs: 0.25}
	testkit.Equal(t, string(r.AppendText(nil)), "500\tleft\t0.5000\t0.250 ms")
	r.Rejected, r.Artifact = true, true
	testkit.Equal(t, string(r.AppendText(nil)), "500\tleft\t0.5000\t0.250 ms\tartifact")
	r.Artifact = false
	testkit.Equal(t, string(r.AppendText(nil)), "500\tleft\t0.5000\t0.250 ms\trejected")
}
