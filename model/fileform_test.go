package model

import (
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"rao"
	"rao/gaussian"
	"rao/internal/naming"
	"rao/internal/shrink"
	"rao/internal/testkit"
	"rao/internal/testkit/fileform"
	"rao/recipe"
)

//go:generate go test -count=1 -run ^TestFormOfFiles$ . -update

var update = flag.Bool("update", false, "write the schema of model files and the page of their fields")

// rules describe how the codec writes Go types as JSON.
var rules = fileform.Rules{NotFinite: true, Words: words(), Special: func(t reflect.Type) *fileform.Node {
	switch t {
	case denseType, symType:
		return fileform.ArrayRef(2)
	case stackType, stackPtrType:
		return fileform.ArrayRef(3)
	case floatsType, floats32Type, intsType:
		return fileform.ArrayRef(1)
	case reportType:
		return reportForm()
	case reflect.TypeFor[json.RawMessage]():
		return &fileform.Node{}
	}
	return nil
}}

// words returns the allowed values of each enumeration.
func words() map[reflect.Type][]string {
	return map[reflect.Type][]string{
		reflect.TypeFor[Kind]():               {string(KindVectors), string(KindMatrices)},
		reflect.TypeFor[gaussian.LabelType](): naming.LabelTypes,
		reflect.TypeFor[gaussian.Shrinkage](): {"", "none", "oas", "ledoit_wolf", "fixed"},
		reflect.TypeFor[recipe.Missing]():     {"", "error", "drop", "median", "mean"},
	}
}

// The schema lists all values of each enumeration.
func TestWordsOfFiles(t *testing.T) {
	for typ, list := range words() {
		for _, word := range append(list, "other") {
			v := reflect.New(typ)
			var err error
			switch v := v.Interface().(type) {
			case *Kind:
				*v = Kind(word)
				err = (&Schema{Kind: *v, Dim: 1}).validate()
			case *gaussian.LabelType:
				err = naming.CheckLabelType(word)
			case *gaussian.Shrinkage:
				err = shrink.Check(word, 0)
			case *recipe.Missing:
				*v = recipe.Missing(word)
				err = (&recipe.Encoding{Missing: *v}).Validate()
			}
			testkit.Equal(t, err != nil, word == "other", fmt.Sprintf("%v %q: %v", typ, word, err))
		}
	}
}

// reportForm returns the form of a report, which writes its own JSON.
func reportForm() *fileform.Node {
	number, integer := &fileform.Node{Type: "number"}, &fileform.Node{Type: "integer"}
	doc := func(name, doc string, n *fileform.Node) fileform.Field {
		return fileform.Field{Name: name, Doc: doc, Node: n}
	}
	report := fileform.Object(doc("status", "why the fit ended", &fileform.Node{Type: "string", Words: statuses()}),
		doc("iterations", "outer iterations", integer), doc("evaluations", "evaluations of the objective", integer),
		doc("passes", "passes over the statistics or the data", integer),
		doc("objective", "final objective, in the method's own sign and unit", number),
		doc("gradient_norm", "norm of the (Riemannian) gradient at the end", number),
		doc("seconds", "0: equal fits are equal files", number),
		doc("history", "objective after each iteration, the start first", fileform.List(number)))
	report.Def = "report"
	return report
}

// statuses returns the names of all values of a status.
func statuses() []string {
	names := []string{"unset"}
	for _, s := range []rao.Status{rao.StatusConverged, rao.StatusMaxIterations, rao.StatusStalled, rao.StatusCanceled,
		rao.StatusClosed} {
		names = append(names, string(s))
	}
	return names
}

// partForm returns the form of a stage or classifier of a type.
func partForm(k kind) *fileform.Node {
	return fileform.Object(fileform.Constant(k.name).Named("type"), rules.Of(k.typ).Named("value"))
}

// The published schema of model files and the page of their fields match the json tags.
func TestFormOfFiles(t *testing.T) {
	other := fileform.Object(fileform.Text().Named("type"), fileform.Text().Named("package"),
		(&fileform.Node{}).Named("value"))
	part := &fileform.Node{Def: "part"}
	var parts, calibration strings.Builder
	for _, k := range kinds {
		for _, f := range rules.Of(k.typ).Fields {
			if f.Name == "calibration" && calibration.Len() == 0 {
				calibration.WriteString("\n### calibration\n\n" + f.Table())
			}
		}
		if k.pkg == "" {
			part.Any = append(part.Any, partForm(k))
			parts.WriteString("\n### " + k.name + "\n\n" + rules.Of(k.typ).Table())
		}
	}
	part.Any = append(part.Any, other)
	model := rules.Of(reflect.TypeFor[header]())
	outline := fileform.Object(
		fileform.Field{Name: "type", Doc: "name of the type: a heading below", Node: fileform.Text()},
		fileform.Field{Name: "value", Doc: "fields of the type", Node: fileform.Object()},
		fileform.Field{Name: "package", Doc: "package that registers the type; absent for the types below",
			Node: fileform.Text()})
	contents := fileform.Object(fileform.Constant(fileKind).Named("kind"),
		fileform.Field{Name: "model", Doc: "described in the next table", Node: fileform.Object()},
		fileform.Field{Name: "stages", Doc: "steps before the decision, in their order", Node: fileform.List(outline)},
		fileform.Field{Name: "classifier", Doc: "classifier of the output of the last stage; absent in a model of " +
			"features", Node: outline})
	meta := fileform.Object(fileform.Constant(fileKind).Named("kind"),
		fileform.Field{Name: "model", Doc: "the same fields for every method", Required: true, Node: model},
		fileform.Field{Name: "stages", Doc: contents.Fields[2].Doc, Node: fileform.List(part)},
		fileform.Field{Name: "classifier", Doc: contents.Fields[3].Doc, Node: part})
	fileform.Check(t, "model", "rao.json of a model", meta, "### meta\n\n"+contents.Table()+
		"\n### meta.model\n\n"+model.Table()+"\n### report\n\n"+reportForm().Table()+calibration.String()+
		parts.String(), *update)
	report := testkit.Must(json.Marshal(rao.Report{History: []float64{1}}))(t)
	var fields map[string]any
	testkit.NoError(t, json.Unmarshal(report, &fields))
	for _, f := range reportForm().Fields {
		delete(fields, f.Name)
	}
	if len(fields) > 0 {
		t.Errorf("the form of a report lacks %v", fields)
	}
}

// Kept models of every kind are valid against the published schema, and there is one of each.
func TestKeptModelsAreValid(t *testing.T) {
	files := testkit.Must(filepath.Glob("testdata/kept/*.rao"))(t)
	seen := map[string]bool{}
	for _, path := range files {
		fileform.ValidateFile(t, "model", path)
		m := testkit.Must(Load(path))(t)
		for _, s := range m.Stages {
			seen[NameOf(s)] = true
		}
		if m.Classifier != nil {
			seen[NameOf(m.Classifier)] = true
		}
	}
	for _, k := range kinds {
		if k.pkg == "" && !seen[k.name] {
			t.Errorf("no kept model has a %s", k.name)
		}
	}
}
