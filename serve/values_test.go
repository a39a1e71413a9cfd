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

// Tables and JSON rows may have the labels and other columns that the model does not need, although it needs numbers. A
// missing column is an error.
func TestTablesMayHaveTheirLabels(t *testing.T) {
	dir := t.TempDir()
	table := "u,site,kind\n"
	for i := range 20 {
		table += fmt.Sprintf("%d,%d,%s\n", i+i%3, i, []string{"a", "b"}[i/10])
	}
	path := filepath.Join(dir, "t.csv")
	testkit.NoError(t, os.WriteFile(path, []byte(table), 0o600))
	for name, choice := range map[string]dataset.TableOptions{"drop": {Learn: true, Drop: []string{"site"}},
		"keep": {Learn: true, Keep: []string{"u"}}, "all": {Learn: true},
		"texts": {Learn: true, Categories: []string{"site"}}} {
		d := testkit.Must(dataset.Open(t.Context(), path, dataset.OpenOptions{RequireLabels: true, Table: choice}))(t)
		tableWithLabels(t, name, d)
	}
}

func tableWithLabels(t *testing.T, name string, d *dataset.Data) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.rao")
	lda := testkit.Must(method.Lookup("lda-raw"))(t)
	testkit.NoError(t, testkit.Must(lda.Fit(t.Context(), method.InMemory{Data: d}, nil, nil))(t).Save(path))
	server := httptest.NewServer(New(testkit.Must(Open([]string{path}, OpenOptions{}))(t), Options{}))
	defer server.Close()
	ask := func(status int, form, body string) string {
		t.Helper()
		got, answer, _ := call(t, "POST", server.URL+"/v1/models/m/predict", []byte(body), "Content-Type", form)
		testkit.Equal(t, got, status, name, string(answer))
		return string(answer)
	}
	want := ask(200, "text/csv", "u,site\n12,7\n")
	for form, bodies := range map[string][]string{
		"text/csv": {"kind,other,site,u\nb,x,7,12\n", "site,other,u\n7,2,12\n"},
		"application/json": {`{"rows":[{"u":12,"site":7}]}`,
			`{"rows":[{"kind":"b","site":7,"other":null,"u":12}]}`},
	} {
		for _, body := range bodies {
			testkit.Equal(t, ask(200, form, body), want, name, body)
		}
	}
	testkit.Contains(t, ask(400, "text/csv", "site,kind\n7,b\n"), "there is no column u; add it", name)
	testkit.Contains(t, ask(400, "application/json", `{"rows":[{"site":7,"kind":"b"}]}`), "row 0 has only ", name)
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
