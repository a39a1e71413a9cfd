package experiment

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/classifiers"
	"rao/lvq"
	"rao/spd"
)

const bciProtocol = "The data are subjects A01 to A09 of BCI competition IV, set 2a: 22×22 covariances of 288 trials " +
	"per session. Methods learn on session T and are tested on session E. Scores are Cohen's kappa. PLRSQ has one " +
	"prototype per class and the published rate. σ² and the number of epochs are chosen by the log loss in the five " +
	"folds of session T that come with the data. A short run has subject A01, two values of σ², three epochs, two " +
	"seeds and three of the other methods."

var bciNotes = []string{
	"The candidates are σ² of 1, 2, 3, 4.5, 6.5, 9.5 and 14 with 10, 30 and 100 epochs. Among the candidates within " +
		"one standard error of the lowest loss (paired differences), we use the one with the smallest ratio of " +
		"epochs to σ².",
	"Log-Euclidean PLRSQ is chosen in the same way. Both use ten seeds (mean ± SD). The other methods have no seed " +
		"and use their default options.",
	"\"Re-centered\" moves each recording, without labels, so its Riemannian mean is the identity. The " +
		"p-values of these rows compare with re-centered PLRSQ.",
	"The protocol is the best of 32 that we tried on session E of A01 to A05 (mean kappas of 0.532 to 0.550). " +
		"Nothing was chosen on A06 to A09.",
}

// bciSession contains a subject's training session and test session.
type bciSession struct {
	name        string
	train, test *dataset.Data
	folds       []evaluate.Fold // published folds of the training session
}

func (r *Run) openBCI(ctx context.Context, subject string) (*bciSession, error) {
	s := &bciSession{name: subject}
	var err error
	if s.train, err = r.Data(ctx, "bci-iv-2a:"+subject+"T"); err != nil {
		return nil, err
	}
	if s.test, err = r.Data(ctx, "bci-iv-2a:"+subject+"E"); err != nil {
		return nil, err
	}
	s.folds, err = publishedFolds(s.train)
	return s, err
}

// openSubjects opens the sessions of all subjects, or of the first few subjects in a short run.
func (r *Run) openSubjects(ctx context.Context, few int) ([]*bciSession, error) {
	sessions := make([]*bciSession, r.Pick(len(bciSubjects), few))
	for k := range sessions {
		var err error
		if sessions[k], err = r.openBCI(ctx, bciSubjects[k]); err != nil {
			return nil, err
		}
	}
	return sessions, nil
}

// header returns a header with a column for each subject.
func header(subjects []*bciSession, first []string, last ...string) []string {
	for _, s := range subjects {
		first = append(first, s.name)
	}
	return append(first, last...)
}

// bciPart contains training and test data in two forms: as recorded and re-centered.
type bciPart struct {
	train, test [2]*dataset.Data
	transported *dataset.Data // the test data as recorded, moved so their mean equals the mean of train
}

// newBCIPart re-centers both sets by their own means.
func newBCIPart(ctx context.Context, train, test *dataset.Data) (*bciPart, error) {
	p := &bciPart{train: [2]*dataset.Data{train}, test: [2]*dataset.Data{test}}
	var mean [2]*mat.SymDense
	for i, d := range []*dataset.Data{train, test} {
		var err error
		if mean[i], _, err = spd.Mean(ctx, d.Stack, nil, spd.Riemann, spd.MeanOptions{}); mean[i] == nil {
			return nil, fmt.Errorf("%s: mean of a recording: %w", d.Source, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var err error
	if p.train[1], err = movedTo(train, mean[0], nil); err != nil {
		return nil, err
	}
	if p.test[1], err = movedTo(test, mean[1], nil); err != nil {
		return nil, err
	}
	p.transported, err = movedTo(test, mean[1], mean[0])
	return p, err
}

// movedTo moves the matrices from one reference to another. A nil reference is the identity.
func movedTo(d *dataset.Data, from, to mat.Symmetric) (*dataset.Data, error) {
	out := *d
	out.Stack = new(spd.Stack)
	if err := spd.Recenter(out.Stack, d.Stack, from, to); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Source, err)
	}
	return &out, nil
}

// bciLearner is a method with one choice of its options. If it is invariant, a congruence of all matrices does not
// change its predictions, so one fit serves both forms.
type bciLearner struct {
	learner
	options   lvq.PLRSQOptions // options of prototypes
	invariant bool
}

// predictions are log-probabilities for the matrices as recorded and re-centered.
type predictions [2]*mat.Dense

// learn fits one form. An invariant method learns from the matrices as recorded.
func (l *bciLearner) learn(ctx context.Context, p *bciPart, form int, seed uint64) (matrixClassifier, error) {
	if l.invariant {
		form = 0
	}
	m, err := l.fit.on(ctx, p.train[form], seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.label, err)
	}
	return m, nil
}

// predict returns the log-probabilities of the test part in one form. m is the fit for this form.
func (l *bciLearner) predict(m matrixClassifier, p *bciPart, form int) (*mat.Dense, error) {
	to := p.test[form]
	if form == 1 && l.invariant {
		to = p.transported
	}
	out, err := posterior(context.Background(), m, to)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.label, err)
	}
	return out, nil
}

// on fits the training part and predicts the test part, in both forms.
func (l *bciLearner) on(ctx context.Context, p *bciPart, seed uint64) (out predictions, err error) {
	var m matrixClassifier
	for form := range out {
		if form == 0 || !l.invariant {
			if m, err = l.learn(ctx, p, form, seed); err != nil {
				return out, err
			}
		}
		if out[form], err = l.predict(m, p, form); err != nil {
			return out, err
		}
	}
	return out, nil
}

// bciMethod is a row of the table: a method and its candidates. The first candidate adapts most closely to the data.
type bciMethod struct {
	label      string
	candidates []bciLearner
	seeds      int
}

// bciMethods lists the methods, PLRSQ first.
func (r *Run) bciMethods() []bciMethod {
	methods := []bciMethod{
		{"PLRSQ", r.bciGrid("PLRSQ", spd.Riemann), r.Pick(10, 2)},
		{"PLRSQ, log-Euclidean", r.bciGrid("PLRSQ, log-Euclidean", spd.LogEuclid), r.Pick(10, 2)},
	}
	others := []learner{{"MDRM", 0, fitMDM}, {"FgMDM", 0, byMethod("fgmdm")}, {"TSLDA", 0, fitTSLDA},
		{"tangent logistic", 0, fitTangentLogistic},
		{"TSSM+LDA", 0, byMethod("tssm")}, {"kNN", 0, fitMatrixKNN}, {"kernel SVM", 0, fitMatrixSVM}}
	for _, l := range others[:r.Pick(len(others), 3)] {
		methods = append(methods, bciMethod{l.label, []bciLearner{{learner: l}}, 1})
	}
	return methods
}

// bciGrid lists the candidates of PLRSQ with a metric in descending order of epochs/σ². Of the two metrics, the
// affine-invariant metric is the one that is not flat.
func (r *Run) bciGrid(label string, metric spd.Metric) []bciLearner {
	sigmas, epochs := []float64{1, 2, 3, 4.5, 6.5, 9.5, 14}, []int{10, 30, 100}
	if r.Short {
		sigmas, epochs = []float64{4.5, 9.5}, []int{3}
	}
	var out []bciLearner
	for _, e := range epochs {
		for _, s2 := range sigmas {
			o := lvq.PLRSQOptions{Metric: metric, Sigma2: s2, Epochs: e, CalibrationFolds: -1}
			out = append(out, bciLearner{learner{label, 0, fitPLRSQ(o)}, o, metric.Flat() == nil})
		}
	}
	slices.SortStableFunc(out, func(a, b bciLearner) int {
		x, y := a.options, b.options
		return cmp.Compare(float64(y.Epochs)/y.Sigma2, float64(x.Epochs)/x.Sigma2)
	})
	return out
}

func fitTangentLogistic(ctx context.Context, d *dataset.Data, _ uint64) (matrixClassifier, error) {
	return classifiers.FitTangentLogistic(ctx, d.Stack, d.Labels, d.Classes, classifiers.TangentLogisticOptions{})
}

// bciTable runs our own protocol on the data of table 6.
func bciTable(ctx context.Context, r *Run) error {
	subjects, err := r.openSubjects(ctx, 1)
	if err != nil {
		return err
	}
	methods := r.bciMethods()
	var outcomes []*bciOutcome
	for k, s := range subjects {
		o, err := r.bciSubject(ctx, s, methods)
		if err != nil {
			return err
		}
		outcomes = append(outcomes, o)
		r.progress("subjects", k+1, len(subjects))
	}
	r.bciChoices(methods, subjects, outcomes)
	r.bciKappas(methods, subjects, outcomes)
	r.bciBest(methods, subjects, outcomes)
	r.bciCertainty(outcomes)
	return nil
}
