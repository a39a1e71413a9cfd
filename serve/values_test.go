package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
	"rao/spd"
)

// A table may have its labels, and other columns that the training data left out, although the model needs numbers.
func TestTablesMayHaveTheirLabels(t *testing.T) {
	dir := t.TempDir()
	table := "u,site,kind\n"
	for i := range 20 {
		table += fmt.Sprintf("%d,%d,%s\n", i+i%3, i, []string{"a", "b"}[i/10])
	}
	path := filepath.Join(dir, "t.csv")
	testkit.NoError(t, os.WriteFile(path, []byte(table), 0o600))
	for _, choice := range []dataset.TableOptions{{Learn: true, Drop: []string{"site"}}, {Learn: true,
		Keep: []string{"u"}}} {
		d := testkit.Must(dataset.Open(t.Context(), path, dataset.OpenOptions{RequireLabels: true, Table: choice}))(t)
		tableWithLabels(t, dir, d, choice.Keep != nil)
	}
}

func tableWithLabels(t *testing.T, dir string, d *dataset.Data, only bool) {
	t.Helper()
	lda := testkit.Must(method.Lookup("lda-raw"))(t)
	m := testkit.Must(lda.Fit(t.Context(), method.InMemory{Data: d}, nil, nil))(t)
	testkit.NoError(t, m.Save(filepath.Join(dir, "m.rao")))
	server := httptest.NewServer(New(testkit.Must(Open([]string{filepath.Join(dir, "m.rao")}, OpenOptions{}))(t),
		Options{}))
	defer server.Close()
	ask := func(status int, body string) string {
		t.Helper()
		got, answer, _ := call(t, "POST", server.URL+"/v1/models/m/predict", []byte(body), "Content-Type", "text/csv")
		testkit.Equal(t, got, status, string(answer))
		return string(answer)
	}
	testkit.Equal(t, ask(200, "kind,site,u\nb,7,12\n"), ask(200, "u\n12\n"))
	if only {
		testkit.Equal(t, ask(200, "u,other\n12,2\n"), ask(200, "u\n12\n"))
	} else {
		testkit.Contains(t, ask(400, "u,other\n1,2\n"), "other")
	}
}

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
