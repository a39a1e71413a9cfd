package rao_test

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/cluster"
	"rao/dataset"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/testkit"
	"rao/lvq"
	"rao/method"
	"rao/model"
	"rao/spd"
	"rao/sqfa"
)

// pairs are four rows of two classes, whose covariances are not singular in total.
func pairs() (*mat.Dense, []int, []string) {
	return mat.NewDense(6, 2, []float64{0, 0, 1, 0.5, 0, 2, 5, 5, 6, 5, 5, 7}), []int{0, 0, 0, 1, 1, 1},
		[]string{"a", "b"}
}

// as reports whether an error is of a type and fits.
func as[E error](fits func(e E) bool) func(err error) bool {
	return func(err error) bool {
		e, ok := errors.AsType[E](err)
		return ok && fits(e)
	}
}

// Each kind of fault has one type of error, in every function that finds it.
func TestErrorsHaveTypes(t *testing.T) {
	ctx := context.Background()
	x, labels, classes := pairs()
	bad := mat.DenseCopyOf(x)
	bad.Set(3, 1, math.Inf(1))
	data := &dataset.Data{X: dataset.NewTable(6, 2, x.RawMatrix().Data), Labels: labels, Classes: classes}
	lda := testkit.Must(method.Lookup("lda"))(t)
	m := testkit.Must(lda.Fit(ctx, method.InMemory{Data: data}, nil, nil))(t)
	decoder := testkit.Must(model.NewDecoder(m, model.DecoderOptions{}))(t)
	stack := spd.StackFrom(mat.NewSymDense(2, []float64{2, 0, 0, 1}), mat.NewSymDense(2, []float64{1, 0, 0, 2}))
	stats := func(x mat.Matrix, labels []int) error {
		_, err := gaussian.Estimate(x, labels, classes)
		return err
	}
	constant := mat.DenseCopyOf(x)
	constant.SetCol(1, make([]float64, 6))
	flat := testkit.Must(gaussian.Estimate(constant, labels, classes))(t)
	names := func(columns ...string) model.Batch { return model.Batch{X: x, Columns: columns} }
	named := *m
	named.Input.Columns = []string{"left", "right"}

	isValue := as(func(e *rao.ValueError) bool { return e.Row == 3 && e.Col == 1 && math.IsInf(e.Value, 1) })
	isShape := as(func(e *rao.ShapeError) bool {
		return e.Got != e.Want || len(e.Missing)+len(e.Unknown) > 0 || strings.Contains(e.Message, "matrices")
	})
	isUnknown := as(func(e *rao.UnknownError) bool { return e.Name == "nope" && len(e.Known) > 0 })
	isSingular := as(func(*gaussian.SingularError) bool { return true })
	isUnset := func(option string) func(error) bool {
		return as(func(e *rao.ValueError) bool {
			return e.Row == -1 && strings.Contains(e.Error(), option+" cannot be estimated")
		})
	}
	isKind := func(want, got string) func(error) bool {
		return as(func(e *gaussian.FileKindError) bool { return e.Want == want && e.Got == got })
	}
	isMatrix := as(func(e *spd.MatrixError) bool { return e.Problem == spd.ProblemNotFinite && e.Index == 1 })
	isFew := func(got, want int) func(error) bool {
		return as(func(e *rao.ShapeError) bool { return e.Got == got && e.Want == want && e.Error() != "" })
	}
	isLabel := as(func(e *rao.ValueError) bool {
		return e.Row == 4 && e.Col == -1 && e.Value == 7 && strings.Contains(e.Error(), " 4 has label 7; ")
	})
	isOption := as(func(e *rao.ValueError) bool {
		return e.Row == -1 && e.Col == -1 && strings.Contains(e.Error(), " -1")
	})
	second := func(_ any, err error) error { return err }
	fit := func(name string, d *dataset.Data, set ...evaluate.Setting) error {
		return second(testkit.Must(method.Lookup(name))(t).Fit(ctx, method.InMemory{Data: d}, set, nil))
	}
	rows := func(labels []int, classes []string) *dataset.Data {
		return &dataset.Data{X: data.X, Labels: labels, Classes: classes}
	}
	wrong := slices.Clone(labels)
	wrong[4] = 7
	good := testkit.Must(gaussian.Estimate(x, labels, classes))(t)
	six := spd.NewStack(6, 2)
	for i := range 6 {
		copy(six.At(i), []float64{2, 0, 0, 1})
	}
	equal := &dataset.Data{Stack: six, Labels: labels, Classes: classes}
	zeros := &dataset.Data{X: dataset.NewTable(6, 2, []float64{11: 1}), Labels: labels, Classes: classes}
	files := map[string]string{}
	for _, kind := range []string{"data", "statistics", "model"} {
		files[kind] = filepath.Join(t.TempDir(), kind+".npz")
	}
	testkit.NoError(t, dataset.WriteFile(files["data"], data))
	testkit.NoError(t, good.WriteFile(files["statistics"]))
	testkit.NoError(t, m.Save(files["model"]))
	for name, text := range map[string]string{"text": "hello", "empty": "", "comments": "# a\n\n", "ragged": "1,2\n3\n",
		"cut": string(testkit.Must(os.ReadFile(files["model"]))(t)[:100])} {
		files[name] = filepath.Join(t.TempDir(), name)
		testkit.NoError(t, os.WriteFile(files[name], []byte(text), 0o666))
	}
	part := func(columns ...string) *gaussian.Statistics {
		s := testkit.Must(gaussian.Estimate(x, labels, classes))(t)
		s.Columns = columns
		s.Parts = []gaussian.Part{{Rows: 6}}
		return s
	}
	cov := stack.Clone()
	cov.At(1)[0] = math.NaN()
	for name, c := range map[string]struct {
		is  func(error) bool
		err error
	}{
		"NaN, statistics": {isValue, stats(bad, labels)},
		"NaN, knn":        {isValue, second(classify.FitKNN(bad, labels, classes, classify.KNNOptions{}))},
		"NaN, data": {isValue, (&dataset.Data{Source: "t.csv",
			X: dataset.NewTable(6, 2, bad.RawMatrix().Data)}).Check()},
		"NaN, method": {isValue, second(lda.Fit(ctx, method.InMemory{Data: &dataset.Data{
			X: dataset.NewTable(6, 2, bad.RawMatrix().Data), Labels: labels, Classes: classes}}, nil, nil))},
		"NaN, prediction": {isValue, second(m.Predict(ctx, model.Vectors(bad)))},
		"NaN, decoder": {as(func(e *rao.ValueError) bool { return e.Col == 1 }),
			second(decoder.Observe([]float64{0, math.NaN()}))},
		"NaN, trial": {isValue, second(spd.Covariances(ctx, []mat.Matrix{bad}, spd.CovarianceOptions{}))},
		"NaN, matrix, mean": {isMatrix, second(classify.FitMDM(ctx, cov, []int{0, 1}, classes,
			classify.MDMOptions{}))},
		"NaN, matrix, data": {isMatrix, (&dataset.Data{Stack: cov}).Check()},
		"shape, decoder":    {isShape, second(decoder.Observe([]float64{1}))},
		"shape, labels":     {isShape, stats(x, labels[:5])},
		"shape, columns":    {isShape, second(m.Predict(ctx, model.Vectors(mat.NewDense(1, 3, nil))))},
		"shape, matrices":   {isShape, second(m.Predict(ctx, model.Matrices(stack)))},
		"shape, names":      {isShape, second(named.Predict(ctx, names("left", "up")))},
		"few classes, knn": {isFew(1, 2), second(classify.FitKNN(x, make([]int, 6), classes[:1],
			classify.KNNOptions{}))},
		"few classes, mdm": {isFew(1, 2), second(classify.FitMDM(ctx, six, make([]int, 6), classes[:1],
			classify.MDMOptions{}))},
		"few classes, plrsq": {isFew(1, 2), second(lvq.FitPLRSQ(ctx, six, make([]int, 6), classes[:1],
			lvq.PLRSQOptions{}))},
		"few classes, sqfa": {isFew(1, 2), func() error {
			one := testkit.Must(gaussian.Estimate(x, make([]int, 6), classes[:1]))(t)
			return second(sqfa.Fit(ctx, one, sqfa.Options{Filters: 1}))
		}()},
		"few rows, mdm": {isFew(0, 1), second(classify.FitMDM(ctx, six, make([]int, 6), classes,
			classify.MDMOptions{}))},
		"few rows, folds": {isFew(3, 4), second(evaluate.StratifiedKFold(labels, 4, 0))},
		"few rows, cov": {isFew(1, 2), second(spd.Covariances(ctx, []mat.Matrix{x.Slice(0, 1, 0, 2)},
			spd.CovarianceOptions{}))},
		"no matrices":       {isFew(0, 1), second(cluster.FitKMeans(ctx, nil, 1, cluster.KMeansOptions{}))},
		"priors":            {isFew(1, 2), second(sqfa.Fit(ctx, good, sqfa.Options{Filters: 1, Priors: []float64{1}}))},
		"label, statistics": {isLabel, stats(x, wrong)},
		"label, knn":        {isLabel, second(classify.FitKNN(x, wrong, classes, classify.KNNOptions{}))},
		"label, mdm":        {isLabel, second(classify.FitMDM(ctx, six, wrong, classes, classify.MDMOptions{}))},
		"label, plrsq":      {isLabel, second(lvq.FitPLRSQ(ctx, six, wrong, classes, lvq.PLRSQOptions{}))},
		"option, sqfa":      {isOption, second(sqfa.Fit(ctx, good, sqfa.Options{Filters: 1, Tol: -1}))},
		"option, plrsq":     {isOption, second(lvq.FitPLRSQ(ctx, six, labels, classes, lvq.PLRSQOptions{Rate: -1}))},
		"option, qda":       {isOption, second(classify.FitQDA(good, classify.QDAOptions{RegParam: -1}))},
		"option, k-means": {isOption, second(cluster.FitKernelKMeans(ctx, six, 2,
			cluster.KernelKMeansOptions{Gamma: -1}))},
		"option, logistic": {isOption, second(classify.FitLogistic(ctx, x, labels, classes,
			classify.LogisticOptions{C: -1}))},
		"option, neighbors": {isOption, second(classify.FitKNN(x, labels, classes, classify.KNNOptions{K: -1}))},
		"option, mean": {isOption, func() error {
			_, _, err := spd.Mean(ctx, six, nil, spd.Riemann, spd.MeanOptions{Tol: -1})
			return err
		}()},
		"few classes, method":  {isFew(1, 2), fit("lda", rows(make([]int, 6), classes[:1]))},
		"few rows, method":     {isFew(0, 2), fit("lda", rows(make([]int, 6), classes))},
		"no class names":       {isFew(0, 2), fit("lda", rows(labels, nil))},
		"no class names, mdm":  {isFew(0, 2), fit("mdm", &dataset.Data{Stack: six, Labels: labels})},
		"label, method":        {isLabel, fit("lda", rows(wrong, classes))},
		"label, matrix method": {isLabel, fit("mdm", &dataset.Data{Stack: six, Labels: wrong, Classes: classes})},
		"vectors, not matrices": {func(err error) bool {
			return isShape(err) && strings.Contains(err.Error(), "but the data set has vectors; ")
		}, fit("mdm", data)},
		"matrices, not vectors": {func(err error) bool {
			return isShape(err) && strings.Contains(err.Error(), "but the data set has matrices; ")
		}, fit("lda", &dataset.Data{Stack: six, Labels: labels, Classes: classes})},
		"option, method": {func(err error) bool {
			return as(func(e *rao.OptionError) bool { return e.Option == "tol" })(err) &&
				strings.HasPrefix(err.Error(), `tol "-1": the value must be `)
		}, fit("sqfa", data, evaluate.Setting{Name: "tol", Value: "-1"})},
		"unknown method": {isUnknown, second(method.Lookup("nope"))},
		"unknown spec":   {isUnknown, second(method.ParseSpec("nope:tol=1"))},
		"unknown option": {isUnknown, second(lda.With(method.Settings{{Name: "nope", Value: "1"}}))},
		"unknown shared option": {isUnknown, second(method.ParseSpecs("lda,wda",
			method.Settings{{Name: "nope", Value: "1"}}))},
		"unknown value":  {isUnknown, second(lda.With(method.Settings{{Name: "scale", Value: "nope"}}))},
		"unknown metric": {isUnknown, second(spd.ParseMetric("nope"))},
		"unknown metric, k": {isUnknown, second(cluster.FitKMeans(ctx, stack, 1,
			cluster.KMeansOptions{Metric: "nope"}))},
		"unknown classifier": {isUnknown, second(lda.Fit(ctx, method.InMemory{Data: data},
			method.Settings{{Name: "classifier", Value: "nope"}}, nil))},
		"unknown dissimilarity": {isUnknown, second(gaussian.ParseDissimilarity("nope"))},
		"unknown start, sqfa":   {isUnknown, second(sqfa.Fit(ctx, good, sqfa.Options{Filters: 1, Start: "nope"}))},
		"unknown start": {isUnknown, second(lvq.FitPLRSQ(ctx, stack, []int{0, 1}, classes,
			lvq.PLRSQOptions{Start: "nope"}))},
		"unknown score": {isUnknown, second(evaluate.Search(ctx, nil, nil,
			evaluate.SearchOptions{Score: "nope"}, nil))},
		"equal matrices, gamma":   {isUnset("gamma"), second(spd.MedianGamma(ctx, six, spd.LogEuclid))},
		"equal matrices, sigma2":  {isUnset("sigma2"), fit("plrsq-le", equal)},
		"equal rows, gamma":       {isUnset("gamma"), fit("svm-raw", zeros)},
		"equal rows, sigma2":      {isUnset("sigma2"), fit("rslvq-raw", zeros)},
		"singular, tslda":         {isSingular, fit("tslda", equal)},
		"singular, fgmdm":         {isSingular, fit("fgmdm", equal)},
		"data, not statistics":    {isKind("statistics", ""), second(gaussian.ReadFile(files["data"]))},
		"text, not statistics":    {isKind("statistics", ""), second(gaussian.OpenSource(files["text"]))},
		"model, not statistics":   {isKind("statistics", "model"), second(gaussian.ReadFile(files["model"]))},
		"data, not a model":       {isKind("model", ""), second(model.Load(files["data"]))},
		"text, not a model":       {isKind("model", ""), second(model.Load(files["text"]))},
		"statistics, not a model": {isKind("model", "statistics"), second(model.Load(files["statistics"]))},
		"model, not data": {isKind("data", "model"), second(dataset.Open(ctx, files["model"],
			dataset.OpenOptions{}))},
		"statistics, not data": {isKind("data", "statistics"), second(dataset.Open(ctx, files["statistics"],
			dataset.OpenOptions{}))},
		"empty, not statistics": {isKind("statistics", ""), second(gaussian.ReadFile(files["empty"]))},
		"empty, not a model":    {isKind("model", ""), second(model.Load(files["empty"]))},
		"empty, not data": {isFew(0, 1), second(dataset.Open(ctx, files["empty"],
			dataset.OpenOptions{}))},
		"no rows in the table": {isFew(0, 1), second(dataset.Open(ctx, files["comments"], dataset.OpenOptions{}))},
		"short row":            {isFew(1, 2), second(dataset.Open(ctx, files["ragged"], dataset.OpenOptions{}))},
		"cut model": {func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) },
			second(model.Load(files["cut"]))},
		"merge, twice": {as(func(e *gaussian.DoubtError) bool {
			return e.Doubt == "rows" && slices.Equal(e.Parts, []int{0, 1})
		}), second(gaussian.Merge(part("u", "v"), part("u", "v")))},
		"merge, columns": {as(func(e *rao.ShapeError) bool {
			return slices.Equal(e.Missing, []string{"v"}) && slices.Equal(e.Unknown, []string{"w"})
		}), second(gaussian.Merge(part("u", "v"), part("u", "w")))},
		"tests, equal pairs": {as(func(*rao.ValueError) bool { return true }),
			second(evaluate.Wilcoxon([]float64{1, 2}, []float64{1, 2}))},
		"singular, qda": {isSingular, second(classify.FitQDA(flat, classify.QDAOptions{}))},
		"singular, lda": {isSingular, second(classify.FitLDA(flat, classify.LDAOptions{}))},
		"singular, mixture": {isSingular, second(classify.FitMixture(flat, []int{0, 1}, classes,
			classify.MixtureOptions{}))},
		"singular, sqfa": {isSingular, second(sqfa.Fit(ctx, flat, sqfa.Options{Filters: 2}))},
	} {
		if !c.is(c.err) {
			t.Errorf("%s: %T %v", name, c.err, c.err)
		}
	}
}

// The package documentation lists every exported type of error and every error variable.
func TestErrorsAreListed(t *testing.T) {
	api := string(testkit.Must(os.ReadFile("api.txt"))(t))
	page := string(testkit.Must(os.ReadFile("rao.go"))(t))
	exported := regexp.MustCompile(`(?m)^pkg ([\w/]+), (?:type (\w+Error) (?:struct|=)|var (Err\w+)).*$`)
	found := map[string]bool{}
	for _, m := range exported.FindAllStringSubmatch(api, -1) {
		name := path.Base(m[1]) + "." + m[2] + m[3]
		found[name] = true
		testkit.Contains(t, page, "//\t"+name+" ", "the documentation of rao does not list", name)
	}
	listed := regexp.MustCompile(`(?m)^//\t(\w+\.(?:Err\w+|\w+Error)) `)
	for _, m := range listed.FindAllStringSubmatch(page, -1) {
		if !found[m[1]] && m[1] != "io.ErrUnexpectedEOF" {
			t.Errorf("%s is listed, but not exported", m[1])
		}
	}
	if len(found) < 10 {
		t.Errorf("found %d errors in api.txt", len(found))
	}
}
