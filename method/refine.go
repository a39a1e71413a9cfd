package method

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/indices"
	"rao/internal/learners"
	"rao/internal/scoring"
	"rao/sqfa"
)

// A refinement is tested on at most trialRows rows and trialValues values. The rows are divided into trialFolds
// folds. Folds are held out in turn until trialHeld rows have been tested.
const (
	trialRows, trialValues = 12500, 8 << 20
	trialFolds, trialHeld  = 5, 2500
)

// stage selects whether a fit of the SQFA family refines its filters.
type stage int

const (
	tried     stage = iota // refine, unless a test shows that this hurts
	unrefined              // do not refine
	refined                // refine without a test
)

// refineIfBetter refines the filters, unless this clearly lowers the accuracy on held-out rows.
func (v *vectors) refineIfBetter(ctx context.Context, m *sqfa.Model, o *sqfaOptions) error {
	if o.stage == unrefined {
		return nil
	}
	note := ""
	if o.stage == tried {
		t, err := v.tryRefining(ctx, m, o)
		switch {
		case ctx.Err() != nil: // the refinement stops immediately
		case err != nil:
			v.warn(fmt.Sprintf("the filters were refined, but the gain was not tested: %v", err))
		case t.rows == 0:
			v.warn("the filters were refined, but the gain was not tested, because a class has too few rows to hold " +
				"some out")
		default:
			note = fmt.Sprintf("of %d held-out rows, %.1f %% were classified correctly before and %.1f %% after",
				t.rows,
				100*float64(t.before)/float64(t.rows), 100*float64(t.after)/float64(t.rows))
		}
		if err == nil && t.clearlyWorse() {
			v.warn("the filters were not refined: " + note)
			return nil
		}
	}
	var err error
	if o.withMixture() {
		err = v.refineMixture(ctx, m, o)
	} else {
		err = v.refine(ctx, m, o)
	}
	if note != "" {
		v.Model.Notes = append(v.Model.Notes, "the filters were refined: "+note)
	}
	return err
}

// refine starts at the filters of SQFA and maximizes the posterior of the right class over the rows (AMA), with the
// same noise.
func (v *vectors) refine(ctx context.Context, m *sqfa.Model, o *sqfaOptions) error {
	opt := learners.AMAOptions{Start: mat.DenseCopyOf(m.Filters), Noise: m.Noise, Seed: o.Seed,
		Progress: v.Progress}
	_, opt.Filters = m.Dims()
	var err error
	if opt.Priors, err = o.Priors.of(v.raw.NumClasses(), v.raw.Priors); err != nil {
		return err
	}
	v.Model.Notes = append(v.Model.Notes, "the filters were refined on the observations for one Gaussian per class "+
		"(AMA), which suits qda; with classifier=mixture, filters and mixture are refined together")
	return v.learned(v.ama(ctx, opt))
}

// worth counts held-out rows, and how many of them are classified correctly before and after the refinement of the
// filters.
type worth struct{ rows, before, after int }

// clearlyWorse reports whether refinement lowers the number of correct rows by more than one standard error.
func (t worth) clearlyWorse() bool {
	share := float64(t.before) / float64(max(t.rows, 1))
	return float64(t.before-t.after) > math.Sqrt(float64(t.rows)*share*(1-share))
}

// tryRefining fits with and without refinement to some of the rows and classifies others. It tests nothing if a class
// has too few rows.
func (v *vectors) tryRefining(ctx context.Context, m *sqfa.Model, o *sqfaOptions) (worth,
	error) {
	var t worth
	d, err := v.rowsToTry(ctx)
	if err != nil {
		return t, err
	}
	opt := *o
	opt.Scale = v.scale
	if v.sub == nil {
		opt.Noise = autoNumber{Value: m.Noise}
	}
	if opt.Classifier.next.Method == nil {
		if err := opt.Classifier.UnmarshalText([]byte("qda")); err != nil {
			return t, err
		}
	}
	dealt := scoring.Deal(d.Labels, trialFolds, rand.New(rand.NewPCG(o.Seed, 0x7e57)))
	folds, _ := evaluate.LeaveOneGroupOut(dealt) // none for a single row
	for _, fold := range folds {
		train, test := d.Subset(fold.Train), d.Subset(fold.Test)
		if t.rows >= trialHeld || !enoughOfEach(train.Labels, len(d.Classes)) {
			break
		}
		for _, side := range []struct {
			stage stage
			right *int
		}{{unrefined, &t.before}, {refined, &t.after}} {
			opt.stage = side.stage
			right, err := v.rightOf(ctx, train, test, opt)
			if err != nil {
				return t, err
			}
			*side.right += right
		}
		t.rows += len(fold.Test)
	}
	return t, nil
}

// rightOf fits to train and returns how many rows of test are classified correctly.
func (v *vectors) rightOf(ctx context.Context, train, test *dataset.Data, o sqfaOptions) (int, error) {
	j := newJob(v.Model.Method, InMemory{Data: train}, nil)
	w := &vectors{Job: j, traits: v.traits, options: &o}
	if err := learnVectors(ctx, w, &o, fitFamily); err != nil {
		return 0, err
	}
	truth, p, err := PredictLabeled(ctx, j.Model, test)
	if err != nil {
		return 0, err
	}
	s, err := evaluate.Score(truth, p.LogPosterior)
	if err != nil {
		return 0, err
	}
	return int(math.Round(s.Accuracy * float64(len(truth)))), nil
}

// enoughOfEach reports whether every class has at least two rows.
func enoughOfEach(labels []int, classes int) bool {
	counts := indices.Tally(labels, classes)
	return slices.Min(counts) >= 2
}

// rowsToTry returns some of the rows before preprocessing: evenly spaced rows if the rows are in memory, otherwise the
// first of the random batches.
func (v *vectors) rowsToTry(ctx context.Context) (*dataset.Data, error) {
	most := max(1, min(trialRows, trialValues/v.raw.Dim))
	if d := v.Data; d != nil {
		return d.Subset(evenly(d.N(), most)), nil
	}
	most = min(most, v.raw.Total())
	enough := errors.New("enough")
	var d *dataset.Data
	err := v.disk().Batches(ctx, 1, 0, most, func(x mat.Matrix, labels []int) error {
		rows, n := x.Dims()
		d = &dataset.Data{Source: v.disk().Data.Source, Labels: slices.Clone(labels), Classes: v.classes(),
			X: dataset.NewTable(rows, n, mat.DenseCopyOf(x).RawMatrix().Data)}
		return enough
	})
	if err != nil && !errors.Is(err, enough) {
		return nil, err
	}
	return d, nil
}

// evenly returns at most the given number of evenly spaced rows.
func evenly(rows, most int) (index []int) {
	for i := 0; i < rows; i += (rows + most - 1) / most {
		index = append(index, i)
	}
	return index
}
