package method

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/evaluate"
	"rao/internal/format/archive"
	"rao/internal/format/npy"
	"rao/internal/learners"
	"rao/internal/testkit"
	"rao/model"
	"rao/spd"
)

// fitWith fits a method with options by name on top of quick ones.
func fitWith(t *testing.T, name string, options ...string) (*model.Model, error) {
	t.Helper()
	m := testkit.Must(Lookup(name))(t)
	set := m.only(quick())
	for _, o := range options {
		key, value, _ := strings.Cut(o, "=")
		set = set.With(key, value)
	}
	d := toyVectors(t)
	if m.Matrices {
		d = toyMatrices(t)
	}
	mod, err := m.Fit(background, InMemory{Data: d}, set, nil)
	if rao.IsNotConverged(err) {
		err = nil
	}
	return mod, err
}

// Every option of a learner changes the model.
func TestOptionsOfLearnersReachThem(t *testing.T) {
	for name, options := range map[string][]string{
		"lmnn": {"target-neighbors=1", "input-targets=true", "push=0.9", "impostors=1", "rounds=1", "inner=1",
			"components=1", "init=random", "start-rows=60", "tol=0.9"},
		"nca":  {"init=random", "start-rows=60", "max-iter=1", "tol=0.9"},
		"wda":  {"reg=2", "components=1", "rows-per-class=20", "init=random"},
		"lfda": {"local-neighbor=1", "scatter-shrinkage=0.5", "scatter-shrinkage=0"},
		"ama":  {"noise=1", "init=random", "start-rows=60", "max-iter=1"},
		"ica":  {"contrast=cube", "deflation=true", "init=random"},
		"fa":   {"noise-floor=0.02", "em=true"},
		"gem":  {"ridge=2"},
		"spca": {"blend=0.5"},
	} {
		base := []string{"filters=1"}
		if name == "spca" || name == "gem" || name == "ica" {
			base = []string{"filters=2"}
		}
		plain := testkit.Must(fitWith(t, name, base...))(t, name)
		for _, o := range options {
			m := testkit.Must(fitWith(t, name, append(base, o)...))(t, name, o)
			if mat.Equal(m.Filters(), plain.Filters()) {
				t.Errorf("%s: %s changes nothing", name, o)
			}
		}
	}
}

// Texts of the library name other options without the dashes of the command line.
func TestHelpNamesNoFlags(t *testing.T) {
	for _, m := range Methods() {
		for _, o := range m.Options {
			if strings.Contains(o.Usage(), "--") {
				t.Errorf("%s %s: %s", m.Name, o.Name, o.Usage())
			}
		}
	}
}

func TestOptionsOutOfRangeAreExplained(t *testing.T) {
	for _, c := range [][3]string{
		{"lmnn", "push=1", "the weight push is 1"},
		{"lmnn", "start-rows=some", "the value must be a whole number of 1 or more, none or auto"},
		{"nca", "start-rows=0", "the value must be a whole number of 1 or more, none or auto"},
		{"wda", "components=all", "the value must be a whole number of 1 or more, none or auto"},
		{"wda", "rows-per-class=1", "the number of rows per class is 1"},
		{"ama", "init=/nowhere.npy", "the value must be auto, pca, random or an npy file of filters: no such file"},
		{"lfda", "shrinkage=3", "between 0 and 1"},
		{"fa", "filters=9", "between 1 and"},
		{"gapca", "reduced-order=99", "between 1 and"},
		{"gapca", "classifier=mdn", `did you mean mdm`},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(fitWith(t, c[0], c[1])), c[2], c[0], c[1])
	}
}

// writeFilters writes filters to an npy file and returns its path.
func writeFilters(t *testing.T, f *mat.Dense) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "start.npy")
	r, c := f.Dims()
	testkit.NoError(t, archive.WriteFile(path, func(w io.Writer) error {
		return npy.Write(w, &archive.Array{Shape: []int{r, c}, Float64: f.RawMatrix().Data})
	}))
	return path
}

// A learner can start from filters in a file.
func TestLearnersStartFromAFile(t *testing.T) {
	d := toyVectors(t)
	_, n := d.X.Dims()
	start := mat.NewDense(n, 1, nil)
	start.Set(1, 0, 1)
	path := writeFilters(t, start)
	for _, name := range []string{"lmnn", "nca", "wda", "ama", "ica"} {
		testkit.NoError(t, testkit.ErrorOf(fitWith(t, name, "filters=1", "init="+path)), name)
		testkit.ErrorContains(t, testkit.ErrorOf(fitWith(t, name, "filters=2", "init="+path)),
			"the starting filters have shape", name, "with a start of one filter for two")
	}
}

// Methods that map matrices to matrices can be followed by any classifier of matrices.
func TestMapsWithOtherClassifiers(t *testing.T) {
	d := toyMatrices(t)
	for _, name := range []string{"fgmdm", "tssm", "tssm-fisher"} {
		for _, top := range []string{"mdm", "tslr", "knn-spd", "plrsq", "tangent:classifier=knn"} {
			m := testkit.Must(fitWith(t, name, "classifier="+top))(t, name, "and", top)
			s, err := Score(background, m, d)
			if err != nil || s.Accuracy < 0.6 || len(m.Stages) == 0 {
				t.Errorf("%s and %s: accuracy %v, %d stages, error %v", name, top, s, len(m.Stages), err)
			}
		}
	}
	_, err := fitWith(t, "tssm", "classifier=mdm", "shrinkage=oas")
	testkit.ErrorContains(t, err, "classifier", "shrinkage of a discriminant that is not fitted")
}

// Reduced matrices work with any classifier of matrices.
func TestGAPCAWithEveryClassifier(t *testing.T) {
	d := toyMatrices(t)
	for _, top := range []string{"mdm", "fgmdm", "tslda", "tslr", "enuc", "knn-spd", "svm-spd", "plrsq"} {
		m := testkit.Must(fitWith(t, "gapca", "reduced-order=2", "classifier="+top))(t, top)
		n, _ := m.Classifier.Dims()
		testkit.Equal(t, n, 2, top, "works on order")
		s, err := Score(background, m, d)
		if err != nil || s.Accuracy < 0.6 {
			t.Errorf("%s: accuracy %v, error %v", top, s, err)
		}
	}
	m := testkit.Must(fitWith(t, "gapca", "reduced-order=2", "classifier=none"))(t)
	small, err := m.Transform(background, model.Matrices(d.Stack))
	if err != nil || small.Len() != d.N() || small.Dim() != 2 {
		t.Fatalf("%v, error %v", small, err)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(m.Predict(background, model.Matrices(d.Stack))), "has no classifier",
		"predicting without a classifier")
	var file bytes.Buffer
	testkit.NoError(t, m.Write(&file))
	back, err := model.Read(bytes.NewReader(file.Bytes()), int64(file.Len()), "gapca")
	if err != nil || !mat.Equal(compressed(back), compressed(m)) {
		t.Errorf("after saving and loading: error %v", err)
	}
	damaged := *m
	damaged.Input.Dim++
	testkit.ErrorContains(t, damaged.Validate(), "compression: it needs 10 dimensions, but its input has 11",
		"compression of another order")
	testkit.ErrorContains(t, testkit.ErrorOf(m.Transform(background, model.Matrices(spd.NewStack(1, 9)))), "order 9",
		"matrices of another order")
}

// compressed returns the filters of gapca.
func compressed(m *model.Model) *mat.Dense {
	return model.Unwrap(m.Stages[len(m.Stages)-1]).(*learners.Compression).Filters
}

// Means end at the residual of --mean-tol, which metrics whose mean has a closed form refuse.
func TestMeanTolerance(t *testing.T) {
	for _, tol := range []float64{1e-2, 1e-5, 1e-9} {
		m := testkit.Must(fitWith(t, "mdm", fmt.Sprintf("mean-tol=%g", tol)))(t)
		if r := m.Report.GradientNorm; !(r > 0 && r <= tol) {
			t.Errorf("--mean-tol %g ends at %g", tol, r)
		}
	}
	for _, metric := range spd.Metrics() {
		_, err := fitWith(t, "mdm", "mean-tol=1e-8", "metric="+metric)
		switch metric {
		case "riemann", "wasserstein", "logdet":
			testkit.NoError(t, err, metric)
		default:
			const want = "option mean-tol is used only with option metric riemann, wasserstein or logdet, not "
			if err == nil || err.Error() != want+metric {
				t.Errorf("%s: error %v, want %q", metric, err, want+metric)
			}
		}
	}
	const want = "option mean-tol is used only with option metric riemann, not logeuclid"
	if _, err := fitWith(t, "tslda", "mean-tol=1e-8", "metric=logeuclid"); err == nil || err.Error() != want {
		t.Errorf("tslda: error %v, want %q", err, want)
	}
}

// counted is an option that counts how often each text is parsed.
type counted string

var parses = map[string]int{}

func (c *counted) UnmarshalText(text []byte) error {
	*c = counted(text)
	parses[string(text)]++
	return nil
}

// A text is parsed once, when the option is set, and not again when other options are set or the method is fitted.
func TestOptionsAreParsedOnce(t *testing.T) {
	m := New("counts", "counts parses", Traits{}, func(_ context.Context, _ *Job, o *struct {
		Word counted `opt:"word" default:"none"`
		seedOption
	}) error {
		return fmt.Errorf("%s %d", o.Word, o.Seed)
	})
	s := Spec{Method: m}
	testkit.NoError(t, s.Set(evaluate.Setting{Name: "word", Value: "given"}))
	s = testkit.Must(s.With(evaluate.Setting{Name: "seed", Value: "7"}))(t)
	for range 2 {
		_, err := s.Fit(background, InMemory{Data: toyVectors(t)}, nil)
		testkit.ErrorContains(t, err, "given 7")
	}
	testkit.Equal(t, parses["given"], 1)
	testkit.Equal(t, parses["none"], 1)
}
