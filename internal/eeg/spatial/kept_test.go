package spatial

import (
	"encoding/csv"
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/internal/testkit/fileform"
	"rao/model"
)

// types are the types of stages that this package registers.
var types = []reflect.Type{reflect.TypeFor[Evoked](), reflect.TypeFor[TRCA](), reflect.TypeFor[FilterBank]()}

// Models of format 1 with a stage of this package are valid, and predict what rao predict printed when they
// were saved. The files of testdata/kept are never written again.
func TestKeptModelsPredictTheSame(t *testing.T) {
	const dir = "testdata/kept"
	seen := map[string]bool{}
	for name, source := range map[string]string{"fbcsp": "P.npz", "erp": "trials.npz", "trca": "trials.npz"} {
		fileform.ValidateFile(t, "model", filepath.Join(dir, name+".rao"))
		m := testkit.Must(model.Load(filepath.Join(dir, name+".rao")))(t)
		for _, s := range m.Stages {
			seen[model.NameOf(s)] = true
		}
		d := testkit.Must(dataset.Open(t.Context(), filepath.Join(dir, source), dataset.OpenOptions{}))(t)
		p := testkit.Must(m.Predict(t.Context(), model.BatchOf(d)))(t, name)
		f := testkit.Must(os.Open(filepath.Join(dir, name+".csv")))(t)
		lines, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil || len(lines) != d.N()+1 {
			t.Fatalf("%s: %d lines for %d predictions: %v", name, len(lines), d.N(), err)
		}
		for i, line := range lines[1:] {
			for c, text := range line[3:] {
				want, err := strconv.ParseFloat(text, 64)
				if got := math.Exp(p.LogPosterior.At(i, c)); err != nil || math.Abs(got-want) > 1e-7 {
					t.Errorf("%s: observation %d has probability %v of class %d, had %s", name, i, got, c, text)
				}
			}
		}
	}
	for _, typ := range types {
		if name := model.NameOf(reflect.New(typ).Interface()); !seen[name] {
			t.Errorf("no kept model has a %s", name)
		}
	}
}

//go:generate go test -count=1 -run ^TestFieldsOfTypes$ . -update

var update = flag.Bool("update", false, "write the page of the fields")

// The page of the fields of files describes the types of this package.
func TestFieldsOfTypes(t *testing.T) {
	rules := fileform.Rules{Special: func(t reflect.Type) *fileform.Node {
		switch t {
		case reflect.TypeFor[*mat.Dense]():
			return fileform.ArrayRef(2)
		case reflect.TypeFor[[]float64](), reflect.TypeFor[[]int]():
			return fileform.ArrayRef(1)
		}
		return nil
	}}
	var tables strings.Builder
	for i, typ := range types {
		if i > 0 {
			tables.WriteByte('\n')
		}
		v := reflect.New(typ).Interface()
		tables.WriteString("### " + model.NameOf(v) + "\n\n" + rules.Of(typ).Table())
	}
	fileform.CheckTables(t, "trials", tables.String(), *update)
}
