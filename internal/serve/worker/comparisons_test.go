package worker

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/evaluate"
	"rao/internal/candidates"
	"rao/internal/scoring"
	"rao/internal/study"
	"rao/internal/testkit"
	"rao/method"
)

// halves returns the arrays of a comparison: 60 observations for training, and the same for testing.
func halves() []Array {
	x, y := blobs()
	return []Array{denseArray("X", x), intArray("y", y), denseArray("test.X", x), intArray("test.y", y)}
}

func tried(texts ...string) *studyRequest {
	r := &studyRequest{Folds: 3, Repeats: 1, Seed: 1, Evaluations: []string{study.WithinSession}}
	for _, s := range texts {
		r.Methods = append(r.Methods, methodRequest{Text: s})
	}
	return r
}

// The scores of a comparison equal the scores of the models that it returns.
func TestComparisonThroughAWorker(t *testing.T) {
	c := start(t, Options{})
	q := Request{Op: "compare", Classes: []string{"a", "b", "c"}, Arrays: halves(),
		Study: tried("qda-raw", "pca:filters=1")}
	q.Study.Measures = []string{"accuracy", "auc"}
	r := c.ask(q)
	var info struct {
		Rows []struct {
			Method   string
			Accuracy float64
			Measures []scoring.Measure
		}
		Pairs []struct{ P float64 }
	}
	testkit.NoError(t, json.Unmarshal(r.Info, &info))
	if len(info.Rows) != 2 || len(info.Pairs) != 1 || len(info.Rows[1].Measures) != 2 ||
		info.Rows[1].Method != "pca:filters=1" {
		t.Fatalf("rows and pairs: %s", r.Info)
	}
	for i, name := range []string{"file0", "file1"} {
		file := r.array(t, name)
		loaded := c.ask(Request{Op: "load", Arrays: []Array{{"file", "|u1", file.Shape, file.Data}}})
		var m modelInfo
		testkit.NoError(t, json.Unmarshal(loaded.Info, &m))
		decided := c.ask(Request{Op: "predict", Model: m.Model, Want: "l", Arrays: q.Arrays[:1]})
		labels := testkit.Must(decided.array(t, "label").ints())(t)
		_, y := blobs()
		testkit.Equal(t, evaluate.Accuracy(y, labels), info.Rows[i].Accuracy, info.Rows[i].Method, "accuracy")
	}
}

// The interval of a comparison over folds is computed from all decisions.
func TestPooledInterval(t *testing.T) {
	want := testkit.Must(evaluate.WilsonInterval(27, 30, 0.95))(t)
	got, err := pooled([]study.GroupScore{{N: 10, Accuracy: 0.8}, {N: 20, Accuracy: 0.95}, {N: 10, Repeat: 1}})
	if err != nil || math.Abs(got.Low-want.Low) > 1e-15 || math.Abs(got.High-want.High) > 1e-15 {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// A search returns what the package's search returns, and a study without a folder writes no files.
func TestSearchAndStudyThroughAWorker(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	c := start(t, Options{})
	q := Request{Op: "tune", Classes: []string{"a", "b", "c"}, Arrays: halves()[:2], Study: tried("knn-raw")}
	q.Study.Search = []parameter{{Name: "neighbors", Values: []string{"1", "9"}}}
	var found tuneInfo
	testkit.NoError(t, json.Unmarshal(c.ask(q).Info, &found))
	d := testkit.Must(q.data(t.Context()))(t)
	folds := testkit.Must(evaluate.StratifiedKFold(d.Labels, 3, 1))(t)
	knn := testkit.Must(method.Lookup("knn-raw"))(t)
	list := testkit.Must(candidates.Parse([]string{"neighbors=1,9"}, 0, 1))(t)
	want := testkit.Must(knn.Tune(t.Context(), d, nil, list, folds, evaluate.SearchOptions{}))(t)
	for i, trial := range found.Trials {
		testkit.Equal(t, float64(trial.Accuracy), want.Trials[i].Mean.Accuracy, "candidate", i)
	}
	x, y := blobs()
	s := Request{Op: "study", Arrays: []Array{denseArray("0.X", x), intArray("0.y", y)}, Study: tried("qda-raw")}
	s.Study.Sets = []studySet{{Name: "blobs", Classes: []string{"a", "b", "c"}}}
	if r := c.ask(s); !strings.Contains(string(r.Info), `"score"`) {
		t.Errorf("no scores: %s", r.Info)
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "rao-study*")); left != nil {
		t.Errorf("%v is left", left)
	}
}

// Comparisons with inconsistent or missing fields return an error that names the field.
func TestWrongComparisonsAreAnswered(t *testing.T) {
	c := start(t, Options{})
	x, y := blobs()
	three := []string{"a", "b", "c"}
	with := func(op string, change func(*Request)) Request {
		q := Request{Op: op, Classes: three, Arrays: halves(), Study: tried("qda-raw")}
		q.Study.Sets = []studySet{{Name: "blobs", Classes: three}}
		if change != nil {
			change(&q)
		}
		return q
	}
	for _, w := range []struct {
		q    Request
		says string
	}{
		{with("compare", func(q *Request) { q.Study = nil }), "has no field study"},
		{with("tune", func(q *Request) { q.Study.Methods = nil }), "no methods are given"},
		{with("compare", func(q *Request) { q.Arrays = q.Arrays[:1] }), `has no array "y"`},
		{with("compare", func(q *Request) { q.Arrays = q.Arrays[:3] }), `has no array "y"`},
		{with("compare", func(q *Request) { q.Classes = three[:2] }), "observation 2 has label 2"},
		{with("compare", func(q *Request) { q.Study.Measures = []string{"auk"} }), "auk"},
		{with("compare", func(q *Request) {
			q.Arrays = append(q.Arrays[:2], intArray("groups", []int{0}))
		}), "groups: the number of values is 1"},
		{with("compare", func(q *Request) { q.Arrays = append(q.Arrays[:2], intArray("groups", y)) }),
			"there are only 0 groups"},
		{with("compare", func(q *Request) { q.Arrays, q.Study.Folds = q.Arrays[:2], -1 }), "-1"},
		{with("compare", func(q *Request) {
			q.Arrays, q.Study.Repeats = append(q.Arrays[:2], intArray("folds", y)), 2
			q.Study.Groups = three
		}), "same groups 2 times"},
		{with("compare", func(q *Request) {
			q.Arrays, q.Study.Repeats = append(q.Arrays[:2], intArray("folds", y), intArray("folds1", y)), 3
			q.Study.Groups = three
		}), "folds2"},
		{with("tune", func(q *Request) {
			q.Study.Search = []parameter{{Name: "reg-param", Text: "nothing"}}
		}), "nothing"},
		{with("tune", func(q *Request) { q.Study.Search = []parameter{{Name: "reg-param"}} }), "reg-param"},
		{with("tune", func(q *Request) {
			q.Study.Search = []parameter{{Name: "metric", Values: []string{"x"}}}
		}), "metric"},
		{with("study", nil), `has no array "y"`},
		{with("study", func(q *Request) { q.Study.Evaluations = []string{"all"} }), `"all"`},
		{with("study", func(q *Request) {
			q.Arrays = []Array{denseArray("0.X", x), intArray("0.y", y), intArray("0.subjects", []int{-1})}
		}), "subjects: the number of values is 1"},
		{Request{Op: "pair_test", Arrays: []Array{intArray("y", y), intArray("first", y),
			intArray("second", y[1:])}}, `"second" has 59 decisions`},
		{Request{Op: "scores", Arrays: []Array{float64Array("P", []float64{2, 0}, 1, 2),
			intArray("y", []int{0})}}, "between 0 and 1"},
		{Request{Op: "open_set", Path: "/nowhere.npz"}, "nowhere"},
		{Request{Op: "make_set", Path: "toy1", Dataset: &datasetRequest{PerClass: -1}}, "it must be 1 or more"},
		{Request{Op: "make_set", Path: "toys"}, "toys"},
		{Request{Op: "fetch_set", Path: "toys"}, "toys"},
	} {
		c.refuses(w.q, w.says)
	}
}
