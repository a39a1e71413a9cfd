package worker

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rao/internal/testkit"
)

// asTable returns the array of a table in a csv file.
func asTable(t *testing.T, text string, r tableRequest) Array {
	t.Helper()
	r.Path = filepath.Join(t.TempDir(), "X.csv")
	testkit.NoError(t, os.WriteFile(r.Path, []byte(text), 0o644))
	b := testkit.Must(json.Marshal(r))(t)
	return Array{"table", "|u1", []int{len(b)}, b}
}

// Labels get the numbers of the caller's classes, in its order, and models read later tables by the names of columns.
func TestTables(t *testing.T) {
	text := "size,kind,class\n1,a,9\n2,b,10\n1.5,a,9\n3,b,10\n2,a,9\n5,b,10\n"
	how := tableRequest{Label: "class", Categories: "auto"}
	q := Request{Classes: []string{"10", "9"}, Arrays: []Array{asTable(t, text, how)}}
	d := testkit.Must(q.data(t.Context()))(t)
	testkit.EqualSlices(t, d.Labels, []int{1, 0, 1, 0, 1, 0}, d)
	c := start(t, Options{})
	fit := Request{Op: "fit", Method: "lda-raw", Classes: q.Classes, Arrays: q.Arrays}
	var m modelInfo
	testkit.NoError(t, json.Unmarshal(c.ask(fit).Info, &m))
	decide := Request{Op: "predict", Model: m.Model, Want: "l", Arrays: []Array{
		asTable(t, "kind,size\na,1.2\nb,4\n", tableRequest{})}}
	if a := c.ask(decide).Arrays; len(a) != 1 || !slices.Equal(a[0].Shape, []int{2}) {
		t.Fatal(a)
	}
	rows := tableRequest{Label: "class", Missing: "drop", Arrays: map[string]string{"rows": "row"}}
	fit.Arrays = []Array{asTable(t, "size,kind,class\n1,1,9\n2,2,10\n1.5,1,9\n3,3,10\n", tableRequest{Label: "class",
		Missing: "drop"})}
	testkit.NoError(t, json.Unmarshal(c.ask(fit).Info, &m))
	kept := c.ask(Request{Op: "predict", Model: m.Model, Want: "p", Arrays: []Array{
		asTable(t, "kind,row,size,class\n1,7,1.2,9\n,8,4,9\n2,9,1,10\n", rows)}}).Arrays
	if len(kept) != 2 || !slices.Equal(kept[0].Shape, []int{2, 2}) || kept[1].Name != "rows" {
		t.Fatal(kept)
	}
	testkit.EqualSlices(t, testkit.Must(kept[1].ints())(t), []int{7, 9})
	for _, f := range []struct {
		q    Request
		want string
	}{
		{Request{Op: "predict", Model: m.Model, Want: "p", Arrays: []Array{
			asTable(t, "kind,row,size,class\n1,x,1.2,9\n", rows)}}, `X: row 0, column "row": "x" is not an integer`},
		{Request{Op: "fit", Method: "lda-raw", Classes: []string{"9"}, Arrays: q.Arrays}, `the label "10" is not one`},
		{Request{Op: "statistics", Arrays: []Array{{"table", "|u1", []int{2}, []byte("{]")}}}, "table: invalid"},
		{Request{Op: "statistics", Arrays: []Array{asTable(t, "a,class\n,9\n1,9\n", how)}},
			`X: row 0, column "a" has no value`},
		{Request{Op: "predict", Model: m.Model, Want: "l", Arrays: []Array{asTable(t, "size\n1\n", how)}},
			"X: the table has no column "},
	} {
		c.refuses(f.q, f.want)
	}
}
