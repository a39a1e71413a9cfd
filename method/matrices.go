package method

import (
	"context"
	"fmt"
	"strings"

	"rao"
	"rao/dataset"
	"rao/internal/classcolumns"
	"rao/internal/classifiers"
	"rao/internal/indices"
	"rao/internal/par"
	"rao/model"
	"rao/spd"
)

// OnManifold contains the options that preprocess matrices: repair, adaptation, reduction and whitening. Embed it in
// the options of a method of [OnMatrices] to offer them.
type OnManifold struct{ manifoldOptions }

type manifoldOptions struct {
	Repair string       `opt:"repair" default:"none" form:"auto|none|STEP+..." help:"repair of the matrices, stored in the model: auto, none, or steps joined by + (see rao spd check)"`
	Adapt  string       `opt:"adapt" default:"none" bare:"balanced" choices:"none,center,smooth,balanced,causal,bias" help:"adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal only the earlier ones, and move them towards the training data; bias adapts the intercepts to the decisions. The variable recording shows which matrices belong together"`
	Rate   autoNumber   `opt:"adapt-rate" default:"auto" above:"0" max:"1" help:"learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02"`
	Reduce reduceOption `opt:"reduce" default:"none" help:"first reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that push the class means apart), enuc (the patterns of enuc), or csp"`
	Whiten string       `opt:"whiten" default:"none" choices:"none,local" help:"local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean metric; use metric=logeuclid for knn-spd and enuc"`
}

// matrices is a fit to SPD matrices in progress.
type matrices struct {
	*Job
	x *spd.Stack // the matrices after the stages so far
}

// OnMatrices returns a method that learns from SPD matrices x. If the options embed [OnManifold], the matrices are
// first repaired, adapted, reduced and whitened accordingly. The status of the model is closed. learn adds a classifier
// or calls [Job.Follow]; it may append stages and set the report. It may return a *rao.NotConvergedError along with a
// usable model. memory describes the arrays of the fit, to estimate its memory. Options are declared in the same way as
// in [New].
func OnMatrices[O any](name, summary string, memory Copies,
	learn func(ctx context.Context, j *Job, x *spd.Stack, o *O) error) *Method {
	return onMatrices(name, summary, memory,
		func(ctx context.Context, m *matrices, o *O) error { return learn(ctx, m.Job, m.x, o) })
}

func onMatrices[O any](name, summary string, memory Copies,
	learn func(ctx context.Context, m *matrices, o *O) error) *Method {
	return newMethod(name, summary, Traits{Matrices: true, Memory: memory},
		func(ctx context.Context, j *Job, o *O) error {
			d := j.Data
			j.Model.Report = closed
			var training model.Training
			digest := par.Begin(func() { // in parallel, because it can be as slow as parts of the fit
				training = model.TrainingOnMatrices(d.Stack, d.Labels, len(d.Classes))
			})
			defer func() {
				digest.Finish()
				j.Model.Training = training
			}()
			m := &matrices{Job: j, x: d.Stack}
			if g := manifoldOf(o); g != nil {
				if err := m.prepare(ctx, g); err != nil {
					return err
				}
				if err := m.reduce(ctx, g.Reduce); err != nil {
					return rao.Optionf("reduce", "{reduce}: %w", err)
				}
				if err := m.whiten(ctx, g.Whiten); err != nil {
					return rao.Optionf("whiten", "{whiten}: %w", err)
				}
			}
			return j.note(learn(ctx, m, o))
		})
}

// adaptation returns the kind of adaptation that the options choose, or "" for none.
func (o *manifoldOptions) adaptation() model.Adapt {
	if o.Adapt == "none" {
		return ""
	}
	return model.Adapt(o.Adapt)
}

// prepare repairs the matrices, and adapts them in the way that later recordings will be adapted.
func (m *matrices) prepare(ctx context.Context, o *manifoldOptions) error {
	how := o.adaptation()
	rate := o.Rate.Value
	if rate != 0 && how != "bias" && how != "causal" {
		return rao.Optionf("adapt-rate", "{adapt-rate} works only with {adapt=bias} or {adapt=causal}; leave it out")
	}
	if err := m.repair(ctx, o.Repair); err != nil || how == "" {
		return err
	}
	stage, x, err := model.FitAdaptation(ctx, how, rate, m.x, model.BatchOf(m.Data).Recordings, m.shares())
	if err != nil {
		return err
	}
	m.Model.Stages = append(m.Model.Stages, stage)
	m.x = x
	if s := meaninglessRecordings(m.Data); s != "" {
		m.warn(s)
	}
	return nil
}

// meaninglessRecordings returns a warning if some recordings have only one class, or "" otherwise. Adapting a recording
// of one class removes the difference between the classes.
func meaninglessRecordings(d *dataset.Data) string {
	of := model.BatchOf(d).Recordings
	if of == nil {
		of = make([]int, d.N())
	}
	class, single := map[int]int{}, map[int]bool{}
	for i, r := range of {
		if c, ok := class[r]; !ok {
			class[r], single[r] = d.Labels[i], true
		} else if c != d.Labels[i] {
			single[r] = false
		}
	}
	n := 0
	for _, s := range single {
		if s {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d recordings contain only one class, so centering removes the differences between the "+
		"classes; leave adapt out, or define the recordings differently", n, len(class))
}

// stage adds a stage to the model and applies it to the matrices.
func (m *matrices) stage(ctx context.Context, s model.Stage) error {
	out, err := s.Apply(ctx, model.Matrices(m.x))
	if err != nil {
		return err
	}
	m.Model.Stages = append(m.Model.Stages, s)
	m.x = out.Stack
	return nil
}

func (m *matrices) repair(ctx context.Context, steps string) error {
	if steps == "none" || steps == "" {
		return nil
	}
	found := spd.Check(m.x, spd.CheckOptions{})
	found.Channels = m.Model.Input.Channels
	fix, err := spd.ParseRepair(steps, found)
	if err != nil || fix == nil {
		return err
	}
	if steps == "auto" {
		m.warn(repaired(found, fix))
	}
	return m.stage(ctx, model.Wrap(fix))
}

// repaired describes an automatic repair and, if it would lose less data, the alternative of leaving matrices out.
func repaired(found *spd.Diagnosis, fix *spd.Repair) string {
	note := "repair=auto: " + fix.String()
	if fix.Keep != nil && len(found.Channels) == found.Dim {
		dropped := indices.Pick(found.Channels, indices.Others(fix.Dim, fix.Keep))
		note += ", which leaves " + strings.Join(dropped, ", ") + " out"
	}
	if n := len(found.LeaveOut()); n > 0 {
		note += fmt.Sprintf("; leaving out %d of the %d matrices instead loses less",
			n, found.Count)
	}
	return note
}

func (m *matrices) labels() []int     { return m.Data.Labels }
func (m *matrices) classes() []string { return m.Data.Classes }

// priors returns the priors of the classes, or nil for auto.
func (m *matrices) priors(p *priorsOption) ([]float64, error) {
	return p.of(len(m.classes()), m.shares)
}

// shares returns the class proportions of the data.
func (m *matrices) shares() []float64 { return classcolumns.Shares(m.Data.Counts(), nil) }

// worst combines the reports of several means. The status is good only if all are.
func worst(reports []rao.Report) rao.Report {
	r := rao.Report{Status: rao.StatusConverged}
	for _, s := range reports {
		r.Iterations += s.Iterations
		r.GradientNorm = max(r.GradientNorm, s.GradientNorm)
		if !s.Status.Good() {
			r.Status = s.Status
		}
	}
	return r
}

// whiten learns and applies a local whitening if the option asks for it.
func (m *matrices) whiten(ctx context.Context, how string) error {
	if how != "local" {
		return nil
	}
	w, err := classifiers.FitLocalWhitening(ctx, m.x, m.labels(), m.classes(), classifiers.LocalWhiteningOptions{})
	if err := m.note(err); err != nil {
		return err
	}
	return m.mapBy(ctx, w)
}
