package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/indices"
	"rao/internal/recipes"
	"rao/internal/scoring"
	"rao/internal/text"
	"rao/method"
)

// These are the evaluations of a study, with MOABB's names.
const (
	WithinSession = "within-session" // folds of each session
	CrossSession  = "cross-session"  // each session of a subject is left out
	CrossSubject  = "cross-subject"  // each subject is left out
)

// Evaluations lists all evaluations.
var Evaluations = []string{WithinSession, CrossSession, CrossSubject}

// Study runs methods on data sets with several evaluations, and stores every score in a folder. Scores in the folder
// are not computed again if the program, the data and the options are the same.
type Study struct {
	Folder      string // for the page, the table scores.csv, and one file per fit or session in the subfolder scores
	Program     string // version of the program
	Evaluations []string
	Methods     []method.Spec
	Folds       int    // within a session
	Seed        uint64 // of the folds, the same for all methods
	// Score is the measure of the study; see [evaluate.Measure]. Empty means accuracy. MOABB uses auc for two classes
	// and accuracy for more classes.
	Score   string
	Seconds float64 // time per decision, for bits per minute; 0: the window of the data's recipe, if known
	Monitor Monitor
	Others  []Score // of other programs on the same sets, see [ReadScores]

	sets     []*set
	result   Result
	warnings text.FitWarnings // of the current evaluation of a method
}

type set struct {
	name               string
	data               *dataset.Data
	subjects, sessions *Groups // sessions are numbered over all subjects
	digest             string
}

// Begin writes a page without scores.
func (s *Study) Begin() error {
	s.result.Score = s.measure()
	return s.writePage()
}

// RemoveEmpty removes the folder of a study that failed before it had a score. A folder with scores remains, so the
// next run continues from them.
func (s *Study) RemoveEmpty() {
	if os.Remove(s.path("scores")) == nil { // fails unless empty
		for _, name := range []string{"index.html", "scores.csv", ""} {
			_ = os.Remove(s.path(name))
		}
	}
}

func (s *Study) measure() string { return cmp.Or(s.Score, "accuracy") }

// value returns the measure of the study, or an error if the measure is undefined for the decisions.
func (s *Study) value(sc *evaluate.Scores, d *dataset.Data) (Number, error) {
	list, err := sc.Measures(evaluate.MeasureOptions{Seconds: cmp.Or(s.Seconds, recipes.Seconds(d.Recipe))})
	if m := scoring.Named(list, s.measure()); m != nil {
		return Number(m.Value), nil
	}
	if err == nil {
		err = fmt.Errorf("the score %s is undefined, because all observations belong to one class or the time per "+
			"decision is unknown; choose another score", s.measure())
	}
	return 0, err
}

// Add adds a data set. It returns an error if the study already has a set with this name.
func (s *Study) Add(name string, d *dataset.Data, subjects, sessions *Groups) error {
	if slices.ContainsFunc(s.sets, func(o *set) bool { return o.name == name }) {
		return fmt.Errorf("two data sets have the name %s; rename one of them", name)
	}
	s.sets = append(s.sets, &set{name, d, subjects, sessions, digestOf(d)})
	s.Monitor.note("%s: %s of %s in %s", name, text.Plural(d.N(), "observation", "observations"),
		text.Plural(len(subjects.Names), "subject", "subjects"),
		text.Plural(len(sessions.Names), "session", "sessions"))
	return nil
}

// Run computes the missing scores, compares the methods, and writes the page and the table. If it is interrupted or a
// fit fails, it returns the scores so far together with the error.
func (s *Study) Run(ctx context.Context) (*Result, error) {
	s.result.Score = s.measure()
	err := s.score(ctx)
	if err == nil {
		if err := s.addOthers(); err != nil {
			return nil, err
		}
	}
	if e := cmp.Or(s.compare(), s.writePage(), s.writeTable()); e != nil {
		return nil, e
	}
	if ctx.Err() != nil {
		err = errors.New("the study was interrupted; run the same command to continue")
	}
	return &s.result, err
}

func (s *Study) score(ctx context.Context) error {
	for _, t := range s.sets {
		for _, e := range s.Evaluations {
			parts, lacking := t.parts(e)
			if parts == nil {
				s.Monitor.note("%s: %s is left out, because %s", t.name, e, lacking)
				continue
			}
			for _, m := range s.Methods {
				if err := s.evaluate(ctx, t, e, parts, m); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *Study) evaluate(ctx context.Context, t *set, evaluation string, parts []part, m method.Spec) error {
	show, done := s.Monitor.start(fmt.Sprintf("%s, %s, %s", t.name, evaluation, m))
	defer done()
	s.warnings = text.FitWarnings{}
	for i, p := range parts {
		scores, err := s.cell(ctx, t, evaluation, p, m)
		if err != nil {
			return fmt.Errorf("%s, %s, %s, subject %s: %w", t.name, evaluation, m, p.subject, err)
		}
		s.result.Scores = append(s.result.Scores, scores...)
		show.Send(rao.Event{Stage: "scores", Done: i + 1, Total: len(parts)})
	}
	if w := s.warnings.String(); w != "" {
		s.Monitor.note("%s, %s, %s: %s", t.name, evaluation, m, w)
	}
	return nil
}

// part contains the rows for one fit and the rows for scoring it.
type part struct {
	subject, session string // session is empty if several are scored
	train            []int  // nil: cross-validation within test
	test             []int
}

// parts returns the training and test rows of an evaluation. If there are no parts, lacking is the reason why the
// evaluation is not possible on the set.
func (t *set) parts(evaluation string) (parts []part, lacking string) {
	rows := func(holds func(subject, session int) bool) []int {
		return where(t.data.N(), func(i int) bool { return holds(t.subjects.Of[i], t.sessions.Of[i]) })
	}
	if evaluation == CrossSubject {
		if len(t.subjects.Names) < 2 {
			return nil, "there is only one subject"
		}
		for k, name := range t.subjects.Names {
			parts = append(parts, part{name, "", rows(func(s, _ int) bool { return s != k }),
				rows(func(s, _ int) bool { return s == k })})
		}
		return parts, ""
	}
	for k, name := range t.subjects.Names {
		for j, session := range t.sessions.Names {
			test := rows(func(s, e int) bool { return s == k && e == j })
			if test == nil {
				continue
			}
			p := part{name, session, nil, test}
			if evaluation == CrossSession {
				if p.train = rows(func(s, e int) bool { return s == k && e != j }); p.train == nil {
					continue
				}
			}
			parts = append(parts, p)
		}
	}
	return parts, "no subject has two sessions"
}

// scores fits and scores a part. It returns a score for each session of the test, or the mean over folds.
func (s *Study) scores(ctx context.Context, t *set, p part, m method.Spec) ([]Score, error) {
	if p.train != nil {
		return s.learn(ctx, t, p.train, p.test, m)
	}
	folds, err := evaluate.StratifiedKFold(indices.Pick(t.data.Labels, p.test), s.Folds, s.Seed)
	if err != nil {
		return nil, err
	}
	mean := Score{Session: p.session, N: len(p.test)}
	err = OverFolds(ctx, m, t.data.Subset(p.test), folds, func(x *Decisions) error {
		s.warnings.Add(x.Warnings)
		one, err := s.scoreOf(x, t.data)
		mean.Value += one.Value / Number(len(folds))
		mean.Accuracy += one.Accuracy / Number(len(folds))
		mean.Kappa += one.Kappa / Number(len(folds))
		mean.Seconds += x.Seconds
		mean.Train += x.Train
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("session %s, %w", p.session, err)
	}
	mean.Train /= len(folds)
	return []Score{mean}, nil
}

// scoreOf scores decisions on a data set.
func (s *Study) scoreOf(x *Decisions, d *dataset.Data) (Score, error) {
	sc, err := x.Score()
	if err != nil {
		return Score{}, err
	}
	value, err := s.value(sc, d)
	return Score{Value: value, Accuracy: Number(sc.Accuracy), Kappa: Number(sc.Kappa)}, err
}

// learn fits the method once and scores every session of the test rows. It decides each session separately: an
// adaptation would otherwise treat several sessions as one recording. A [LeaveOut] decides all rows of a fold together.
func (s *Study) learn(ctx context.Context, t *set, train, test []int, spec method.Spec) ([]Score, error) {
	m, seconds, err := fit(ctx, spec, t.data, train)
	if err != nil {
		return nil, err
	}
	s.warnings.Add(m.Warnings)
	var out []Score
	for j, session := range t.sessions.Names {
		rows := indices.Pick(test, where(len(test), func(i int) bool { return t.sessions.Of[test[i]] == j }))
		if len(rows) == 0 {
			continue
		}
		decided, err := decide(ctx, m, t.data, rows)
		if err != nil {
			return nil, err
		}
		sc, err := s.scoreOf(decided, t.data)
		if err != nil {
			return nil, fmt.Errorf("session %s: %w", session, err)
		}
		sc.Session, sc.Train, sc.N, sc.Seconds = session, len(train), len(rows), seconds
		out = append(out, sc)
	}
	return out, nil
}

func (s *Study) path(elem ...string) string {
	return filepath.Join(append([]string{s.Folder}, elem...)...)
}
