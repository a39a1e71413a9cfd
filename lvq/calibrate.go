package lvq

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"rao"
	"rao/evaluate"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/optim"
	"rao/internal/scoring"
	"rao/internal/text"
	"rao/spd"
)

// Calibration corrects the probabilities of a classifier. A classifier that fits its training data very closely is
// overconfident on new data, so the temperature and the dispersion are fitted on held-out folds.
type Calibration struct {
	Temperature float64   `json:"temperature"` // divides d²/(2σ²); 1: no change
	Scale       []float64 `json:"scale"`       // a further divisor for each class; nil: 1
	Offset      []float64 `json:"offset"`      // added to the log weight of each class; nil: 0
	// HeldLogPosterior (row-major, c columns), HeldLabels and HeldDistance are the calibrated held-out predictions, in
	// the order of the folds. Rejection thresholds are chosen from them. They are empty without calibration. If the
	// same folds also chose the training settings, the predictions are slightly optimistic.
	HeldLogPosterior []float64 `json:"held_log_posterior"`
	HeldLabels       []int     `json:"held_labels"`
	HeldDistance     []float64 `json:"held_distance"` // distance to the nearest prototype
}

// uncalibrated returns the identity calibration.
func uncalibrated() Calibration { return Calibration{Temperature: 1} }

// check validates a calibration from a file.
func (k *Calibration) check(classes int, rule Rule) error {
	if rule == ruleNearest && (k.Scale != nil || k.Offset != nil) {
		return errPerClass
	}
	if !vec.Positive(k.Temperature) {
		return fmt.Errorf("the temperature of the calibration is %g; it must be positive and finite", k.Temperature)
	}
	if k.Scale != nil && len(k.Scale) != classes || k.Offset != nil && len(k.Offset) != classes {
		return fmt.Errorf("the calibration has %d scales and %d offsets for %d classes; every class needs one of "+
			"each",
			len(k.Scale), len(k.Offset), classes)
	}
	for c, v := range k.Scale {
		if !vec.Positive(v) {
			return fmt.Errorf("the calibration scale of class %d (counted from 0) is %g; it must be positive and "+
				"finite", c, v)
		}
	}
	if c := vec.NotFinite(k.Offset); c >= 0 {
		return fmt.Errorf("the calibration offset of class %d (counted from 0) is %g; it must be finite", c,
			k.Offset[c])
	}
	n := len(k.HeldLabels)
	if len(k.HeldLogPosterior) != n*classes || len(k.HeldDistance) != n {
		return fmt.Errorf("the held-out predictions have %d labels, %d log-probabilities and %d distances, which do "+
			"not match; fit the model again", n, len(k.HeldLogPosterior), len(k.HeldDistance))
	}
	return indices.CheckLabels("held-out matrix", k.HeldLabels, classes)
}

// posterior writes the calibrated log-probabilities of the classes for the squared distances d to dst. e is scratch
// memory with one value per prototype.
func (k *Calibration) posterior(dst, e, d []float64, sigma2 float64, mix *mixture) {
	copy(e, d)
	scaledDistances(e, sigma2)
	k.apply(dst, e, mix)
}

// scaledDistances converts squared distances to e = d²/(2σ²).
func scaledDistances(d []float64, sigma2 float64) {
	for l := range d {
		d[l] /= 2 * sigma2
	}
}

// apply writes the calibrated log-probabilities of the classes, computed from e_l = d_l/(2σ²), to dst, which must not
// overlap e.
func (k *Calibration) apply(dst, e []float64, mix *mixture) {
	mix.scores(dst, e, func(c int) float64 {
		if k.Scale != nil {
			return k.Temperature * k.Scale[c]
		}
		return k.Temperature
	})
	for c := range k.Offset {
		dst[c] += k.Offset[c]
	}
	vec.LogSoftmax(dst)
}

// heldOut contains the scores of held-out samples.
type heldOut struct {
	mix    *mixture
	energy []float64 // N×p: d²/(2σ²) in the fold's own σ²
	near   []float64 // length N: distance to the nearest prototype
	q      []float64 // N×c targets
}

// foldScorer trains on the samples of train. For each sample of test it returns e = d²/(2σ²) to every prototype, and
// the distance to the nearest prototype.
type foldScorer func(ctx context.Context, train, test []int, progress rao.Progress) (energy, near []float64, err error)

// enoughHeld is the number of held-out samples after which no further fold is trained. A temperature is a single
// number and needs no more.
const enoughHeld = 2000

// calibration returns the result of calibrated, or the identity if no calibration is requested or the fit is canceled.
// A canceled fit keeps the trained model, and its report shows that it ended early.
func calibration(ctx context.Context, o *resolved, q *targets, score foldScorer,
	report *rao.Report) (Calibration, error) {
	if o.CalibrationFolds <= 0 || report.Status == rao.StatusCanceled {
		return uncalibrated(), nil
	}
	k, err := calibrated(ctx, o, q, score)
	if err != nil && ctx.Err() != nil {
		report.Status = rao.StatusCanceled
		return uncalibrated(), nil
	}
	return k, err
}

// calibrated fits temperature and dispersion on stratified folds. It returns them with the held-out predictions in
// fold order.
func calibrated(ctx context.Context, o *resolved, q *targets, score foldScorer) (Calibration, error) {
	folds, err := o.folds(q)
	if err != nil {
		return Calibration{}, err
	}
	h := &heldOut{mix: o.mixture()}
	var held []int
	for k, test := range folds {
		if len(held) >= enoughHeld {
			break
		}
		train := make([]int, 0, len(q.labels)-len(test))
		for j, f := range folds {
			if j != k {
				train = append(train, f...)
			}
		}
		slices.Sort(train)
		show := func(e rao.Event) { // fold k has done e.Done of e.Total epochs
			o.Progress.Send(rao.Event{Stage: "calibrate on held-out folds", Done: k*e.Total + e.Done,
				Total: len(folds) * e.Total})
		}
		show(rao.Event{Total: o.Epochs})
		energy, near, err := score(ctx, train, test, show)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return Calibration{}, fmt.Errorf("calibration fold %d of %d: %w", k+1, len(folds), err)
		}
		h.energy, h.near = append(h.energy, energy...), append(h.near, near...)
		for _, i := range test {
			h.q = append(h.q, q.row(i)...)
			held = append(held, q.labels[i])
		}
	}
	return h.finish(held, o.PerClassDispersion), nil
}

// finish fits the calibration and stores the predictions from which it was fitted.
func (h *heldOut) finish(labels []int, perClass bool) Calibration {
	k := h.fit(perClass)
	n, c, p := len(h.near), h.mix.classes, len(h.mix.label)
	k.HeldLabels, k.HeldDistance = labels, h.near
	k.HeldLogPosterior = make([]float64, n*c)
	for i := range n {
		k.apply(k.HeldLogPosterior[i*c:(i+1)*c], h.energy[i*p:(i+1)*p], h.mix)
	}
	return k
}

func scoreFold(src source, o *resolved, q *targets) foldScorer {
	return func(ctx context.Context, train, test []int, progress rao.Progress) (energy, near []float64, err error) {
		shown := *o
		shown.Progress = progress
		fit, err := fitSource(ctx, src, &shown, q, train)
		if err != nil {
			return nil, nil, err
		}
		p := len(o.label)
		energy, near = make([]float64, len(test)*p), make([]float64, len(test))
		if err := measureAll(ctx, energy, fit.space, test, p); err != nil {
			return nil, nil, err
		}
		energies(energy, near, p, fit.sigma2)
		return energy, near, nil
	}
}

// energies converts rows of squared distances to e = d²/(2σ²), and writes the distance to the nearest prototype to
// near.
func energies(d, near []float64, p int, sigma2 float64) {
	for i := range near {
		row := d[i*p : (i+1)*p]
		near[i] = math.Sqrt(row[floats.MinIdx(row)])
		scaledDistances(row, sigma2)
	}
}

// folds returns the test part of each fold. The folds are the groups in ascending order of their number or, without
// groups, random folds.
func (r *resolved) folds(q *targets) ([][]int, error) {
	if r.Groups != nil {
		folds, err := evaluate.LeaveOneGroupOut(r.Groups)
		if err != nil {
			return nil, fmt.Errorf("held-out calibration: %w", err)
		}
		test := make([][]int, len(folds))
		for i, f := range folds {
			test[i] = f.Test
		}
		return test, nil
	}
	counts := indices.Tally(q.labels, r.classes)
	for c, n := range counts {
		if n < 2 {
			return nil, faults.Count(n, 2, "class %s has %s, but held-out calibration needs two; add data or turn "+
				"calibration off", r.names[c], text.Plural(n, "sample", "samples"))
		}
	}
	k := r.CalibrationFolds
	if k <= 0 {
		k = choiceFolds
	}
	test := make([][]int, min(k, len(q.labels)))
	for i, f := range scoring.Deal(q.labels, k, rand.New(rand.NewPCG(r.Seed, streamFolds))) {
		test[f] = append(test[f], i)
	}
	return test, nil
}

// mostHeld is the largest number of held-out samples that the calibration uses.
const mostHeld = 5000

// loss returns the mean cross-entropy of the held-out samples.
func (h *heldOut) loss(k *Calibration) float64 {
	p, c := len(h.mix.label), h.mix.classes
	n := len(h.near)
	stride := max(1, n/mostHeld)
	logp := make([]float64, c)
	sum, count := 0.0, 0
	for i := 0; i < n; i += stride {
		k.apply(logp, h.energy[i*p:(i+1)*p], h.mix)
		for y, q := range h.q[i*c : (i+1)*c] {
			if q > 0 {
				sum -= q * logp[y]
			}
		}
		count++
	}
	return sum / float64(count)
}

// fit finds the temperature (Guo et al. 2017). For per-class dispersion it then alternates between scales and offsets.
// Each has a penalty of (log² scale + offset²)/(2N), which keeps classes with few samples near the common temperature.
func (h *heldOut) fit(perClass bool) Calibration {
	k := uncalibrated()
	k.Temperature = scoring.FitTemperature(func(t float64) float64 {
		k.Temperature = t
		return h.loss(&k)
	})
	if !perClass {
		return k
	}
	c := h.mix.classes
	k.Scale, k.Offset = make([]float64, c), make([]float64, c)
	for i := range k.Scale {
		k.Scale[i] = 1
	}
	ridge := 1 / (2 * float64(len(h.near)))
	for range 8 {
		for i := range c {
			k.Scale[i] = math.Exp(optim.Golden(-3, 3, 1e-4, func(v float64) float64 {
				k.Scale[i] = math.Exp(v)
				return h.loss(&k) + ridge*v*v
			}))
			k.Offset[i] = optim.Golden(-5, 5, 1e-4, func(v float64) float64 {
				k.Offset[i] = v
				return h.loss(&k) + ridge*v*v
			})
		}
	}
	return k
}

// Calibrate fits the temperature to labeled matrices that the model was not trained on, such as the first trials of a
// new recording. With perClass it also fits the dispersion of each class. It replaces the stored held-out predictions
// with the predictions for these matrices. It returns an error if the number of labels is wrong, a label is not a
// class, a matrix is not SPD or has another order, or perClass is set for a model that decides by the nearest
// prototype. If ctx is canceled, it returns the error of ctx.
func (m *PLRSQ) Calibrate(ctx context.Context, x *spd.Stack, labels []int, perClass bool) error {
	if err := checkStackShape(x); err != nil {
		return err
	}
	if err := indices.CheckOnePer("label", len(labels), "matrix", x.Count); err != nil {
		return err
	}
	if perClass && m.Rule == ruleNearest {
		return errPerClass
	}
	if err := indices.CheckLabels("matrix", labels, len(m.Classes)); err != nil {
		return err
	}
	d, err := m.distances(ctx, x)
	if err != nil {
		return err
	}
	h := &heldOut{mix: m.live.mix, energy: d.RawMatrix().Data, near: make([]float64, x.Count)}
	q := certainTargets(labels, len(m.Classes))
	for i := range labels {
		h.q = append(h.q, q.row(i)...)
	}
	energies(h.energy, h.near, len(m.Labels), m.Sigma2)
	m.Calibration = h.finish(slices.Clone(labels), perClass)
	return nil
}
