package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// driftOf requests the drift of the model of digits.
func driftOf(t *testing.T, url string) (v driftView) {
	t.Helper()
	testkit.NoError(t, json.Unmarshal(answers(t, 200, "GET", url+"/v1/models/digits/drift", nil), &v))
	return v
}

// A shifted column is named, by the counts and in the reply.
func TestDriftIsToldByColumn(t *testing.T) {
	s, server := newServer(t, Options{})
	if v := driftOf(t, server.URL); v.N != 0 || v.Outliers != nil || len(v.Values) != 64 {
		t.Errorf("before anything came: %+v", v)
	}
	e := testkit.Must(s.models.find("digits", ""))(t)
	const moved, by = 20, 2.5
	x := rowsOf(digitsX, 900)
	for i := range 900 {
		x.Set(i, moved, x.At(i, moved)+by*e.model.Training.Range.Deviations[moved])
	}
	for lo := 0; lo < 900; lo += 100 {
		rows := make([][]float64, 100)
		for i := range rows {
			rows[i] = mat.Row(nil, lo+i, x)
		}
		body, _ := json.Marshal(map[string]any{"X": rows})
		answers(t, 200, "POST", server.URL+"/v1/models/digits/predict", body)
	}
	v := driftOf(t, server.URL)
	if v.Values[0].Name != strconv.Itoa(moved) || math.Abs(v.Values[0].Shift-by) > 0.2 || len(v.Shares) != 10 ||
		*v.Balance > 0.2 || math.Abs(v.Values[1].Shift) > 0.3 {
		t.Errorf("%+v, outliers %v, balance %v", v.Values[:3], *v.Outliers, *v.Balance)
	}
	_, counts, _ := call(t, "GET", server.URL+"/metrics", nil)
	for _, want := range []string{fmt.Sprintf("rao_shift{model=\"digits\",name=\"%d\"} %.3g", moved, v.Values[0].Shift),
		fmt.Sprintf("rao_shift_largest{model=\"digits\"} %.3g", v.Values[0].Shift), `rao_drift{model="digits"} 0.`} {
		testkit.Contains(t, string(counts), want, "no")
	}
	if strings.Contains(string(counts), `{model="nearest",name`) {
		t.Error("a model that decided nothing has shifts")
	}
}

// Decisions of streams count in the drift.
func TestDriftOfStreams(t *testing.T) {
	_, server := newServer(t, Options{})
	answers(t, 202, "POST", server.URL+"/v1/streams/"+opened(t, server.URL, `{"model": "digits"}`)+"/samples",
		float64s(mat.DenseCopyOf(digitsX.X).RawMatrix().Data[:64*30]), "Content-Type", "application/x-f64")
	testkit.Equal(t, driftOf(t, server.URL).N, 30, "observations")
}

// Names of columns are quoted as Prometheus reads them.
func TestLabelValues(t *testing.T) {
	testkit.Equal(t, labelValue.Replace("a\"b\\c\nd"), `a\"b\\c\nd`)
}
