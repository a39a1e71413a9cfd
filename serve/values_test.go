package serve

import (
	"context"
	"encoding/json"
	"math"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
	"rao/spd"
)

// A regression serves numbers: one output of the protocol, and forms for people under the name of the target. Requests
// for decisions are rejected with a message.
func TestServesNumbers(t *testing.T) {
	d := &dataset.Data{Source: "speeds", Stack: spd.NewStack(20, 2), Vars: map[string]*dataset.Array{}}
	y := make([]float64, 20)
	for i := range y {
		y[i] = float64(i % 5)
		d.Stack.At(i)[0], d.Stack.At(i)[3] = math.Exp(y[i]), 1
	}
	m := testkit.Must(method.FitRegression(context.Background(), "knn", d, "speed", y,
		method.RegressionOptions{Neighbors: 1}))(t)
	dir := t.TempDir()
	testkit.NoError(t, m.Save(filepath.Join(dir, "speed.rao")))
	repo := testkit.Must(Open([]string{dir}, OpenOptions{}))(t)
	server := httptest.NewServer(New(repo, Options{}))
	defer server.Close()
	want := testkit.Must(m.Values(context.Background(), model.BatchOf(d)))(t)
	ask := func(status int, path, body string, header ...string) string {
		t.Helper()
		verb := "POST"
		if body == "" {
			verb = "GET"
		}
		got, answer, _ := call(t, verb, server.URL+path, []byte(body), append(header, "Content-Type",
			"application/json")...)
		testkit.Equal(t, got, status, path, answer)
		return string(answer)
	}
	testkit.Contains(t, ask(200, "/v2/models/speed", ""), `"outputs":[{"name":"value"`)
	x := testkit.Must(json.Marshal(d.Stack.Contiguous()))(t)
	var infer struct{ Outputs []struct{ Data []float64 } }
	said := ask(200, "/v2/models/speed/infer", `{"inputs":[{"name":"X","datatype":"FP64","shape":[20,2,2],"data":`+
		string(x)+`}]}`)
	if err := json.Unmarshal([]byte(said), &infer); err != nil || len(infer.Outputs) != 1 {
		t.Fatalf("%v: %s", err, said)
	}
	testkit.Close(t, "infer", infer.Outputs[0].Data, want, 0)
	const two = `{"X":[[[1,0],[0,1]],[[54.598150033144236,0],[0,1]]]}`
	testkit.Contains(t, ask(200, "/v1/models/speed/predict", two),
		`"target":"speed","predictions":[{"value":0},{"value":4}]`)
	testkit.Equal(t, ask(200, "/v1/models/speed/predict", two, "Accept", "text/csv"), "predicted_speed\n0\n4\n")
	ask(400, "/v1/models/speed/explain", two)
	ask(200, "/v1/models/speed/card", "")
	ask(200, "/v1/models/speed/drift", "")
	ask(400, "/v2/models/speed/infer", `{"inputs":[{"name":"X","datatype":"FP64","shape":[1,2,2],"data":[1,0,0,1]}],`+
		`"outputs":[{"name":"label"}]}`)
	testkit.ErrorContains(t, testkit.ErrorOf(model.NewDecoder(m, model.DecoderOptions{})), "number speed",
		"a decoder of a regression")
}
