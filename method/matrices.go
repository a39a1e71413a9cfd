package method

import (
	"context"
	"fmt"

	"rao"
	"rao/model"
	"rao/spd"
)

// OnManifold are the options of what is done to matrices first.
type OnManifold struct {
	Repair   string `opt:"repair" default:"none" help:"repair of the matrices, kept in the model: auto, none, or steps joined by + (rao check)"`
	Recenter bool   `opt:"recenter" default:"false" help:"move each recording to a common mean without labels: the training data by theirs, and later data by their own"`
}

// matrices is a fit on SPD matrices on its way.
type matrices struct {
	*job
	x *spd.Stack // after the repair
}

// onMatrices returns a method of matrices: repair and re-centering by its OnManifold,
// where the options O embed it, before learn.
func onMatrices[O any](name, summary string,
	learn func(ctx context.Context, m *matrices, o *O) (model.Classifier, rao.Report, error)) *Method {
	return newMethod(name, summary, Traits{Matrices: true}, func(ctx context.Context, j *job, o *O) error {
		d := j.src.Data
		j.model.Classes = d.Classes
		j.model.Input = model.SchemaOf(d)
		m := &matrices{j, d.Stack}
		if g := group[OnManifold](o); g != nil {
			if err := m.prepare(ctx, g); err != nil {
				return fmt.Errorf("%s: %w", d.Source, err)
			}
		}
		cl, report, err := learn(ctx, m, o)
		if err := j.note(err); err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		j.model.Report = report
		if cl != nil {
			j.model.Classifier = cl
		}
		return nil
	})
}

// prepare repairs and re-centers the matrices.
func (m *matrices) prepare(ctx context.Context, o *OnManifold) error {
	if err := m.repair(ctx, o.Repair); err != nil || !o.Recenter {
		return err
	}
	return m.stage(ctx, &model.Recentering{})
}

// stage adds a stage to the model and maps the matrices through it.
func (m *matrices) stage(ctx context.Context, s model.Stage) error {
	out, err := s.Apply(ctx, model.Matrices(m.x))
	if err != nil {
		return err
	}
	m.model.Stages = append(m.model.Stages, s)
	m.x = out.Stack
	return nil
}

func (m *matrices) repair(ctx context.Context, steps string) error {
	if steps == "none" || steps == "" {
		return nil
	}
	found := spd.Check(m.x, spd.CheckOptions{})
	found.Channels = m.model.Input.Channels
	fix, err := spd.ParseRepair(steps, found)
	if err != nil || fix == nil {
		return err
	}
	return m.stage(ctx, &model.Repair{Repair: fix})
}

func (m *matrices) labels() []int     { return m.src.Data.Labels }
func (m *matrices) classes() []string { return m.src.Data.Classes }

// priors returns the priors of the options, nil for auto.
func (m *matrices) priors(p *Priors) ([]float64, error) {
	return p.of(len(m.classes()), func() []float64 {
		shares := make([]float64, len(m.classes()))
		for i, n := range m.src.Data.Counts() {
			shares[i] = float64(n) / float64(m.src.Data.N())
		}
		return shares
	})
}

// worst joins the reports of several iterative means.
func worst(reports []rao.Report) rao.Report {
	r := rao.Report{Status: rao.Converged}
	for _, s := range reports {
		r.Iterations += s.Iterations
		r.GradientNorm = max(r.GradientNorm, s.GradientNorm)
		if !s.Status.Good() {
			r.Status = s.Status
		}
	}
	return r
}
