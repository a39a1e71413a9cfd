package experiment

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/spd"
)

const beyondSubjectsProtocol = "Subjects A01 to A05 of BCI competition IV, set 2a. A classifier learns on session T of four subjects and decides on session E of the fifth, each in turn; Cohen's kappa. " +
	"As recorded: nothing is done. Centered: each session goes to the identity by its own mean, without labels. Scaled: each session is then raised to the power that gives it the mean dispersion of the training sessions. Rotated: with the labels of the fifth subject's session T, its class means are turned towards the means of the training subjects' class means, and each training subject's likewise. " +
	"Beside them the subject's own session T alone, centered, which needs the same labels as the rotation; and it together with the four others, aligned. The first columns need no label of the fifth subject. A short run has three subjects."

// beyondSubjectsTable answers whether other people's recordings help.
func beyondSubjectsTable(ctx context.Context, r *Run) error {
	names := []string{"A01", "A02", "A03", "A04", "A05"}[:r.Pick(5, 3)]
	var subjects []beyondSubject
	for _, n := range names {
		s, err := r.openBCI(ctx, n)
		if err != nil {
			return err
		}
		subjects = append(subjects, beyondSubject{recordingsOf(s.train), recordingsOf(s.test)})
	}
	methods := []struct {
		label string
		fit   matrixFit
	}{{"MDM", mdmOf}, {"TSLDA", tsldaOf}, {"ENuc", enucOf}}
	forms := []string{"as recorded", "centered", "centered, scaled", "centered, scaled, rotated", "own session T", "own session T and the others, rotated"}
	got := make([][][]float64, len(methods))
	for m := range got {
		got[m] = make([][]float64, len(forms))
	}
	for k := range subjects {
		for f, form := range forms {
			train, test, err := crossSubject(ctx, subjects, k, form)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", names[k], form, err)
			}
			for m, method := range methods {
				kappa, err := kappaBy(ctx, method.fit, train, test)
				if err != nil {
					return fmt.Errorf("%s, %s, %s: %w", names[k], form, method.label, err)
				}
				got[m][f] = append(got[m][f], kappa)
			}
		}
		r.progress("subjects", k+1, len(subjects))
	}
	t := r.Table("subjects", "Kappa on session E of a subject that was left out", append(append([]string{"method", "others' sessions T"}, names...), "mean")...)
	for m, method := range methods {
		for f, form := range forms {
			row := []any{method.label, form}
			for _, v := range got[m][f] {
				row = append(row, fmt.Sprintf("%.3f", v))
			}
			mean, _ := meanAndSD(got[m][f])
			t.Add(append(row, fmt.Sprintf("%.3f", mean))...)
		}
	}
	means := func(m, f int) float64 { v, _ := meanAndSD(got[m][f]); return v }
	const own, withOthers, rotated, centered = 4, 5, 3, 1
	for m, method := range methods {
		r.Remark("%s: centering brings other people's kappa from %.3f to %.3f, rotation with the subject's labels to %.3f; the subject's own session alone gives %.3f, and with the others beside it %.3f.",
			method.label, means(m, 0), means(m, centered), means(m, rotated), means(m, own), means(m, withOthers))
	}
	return nil
}

// crossSubject returns what is learned from and what is decided on when subject k is
// left out.
func crossSubject(ctx context.Context, subjects []beyondSubject, k int, form string) (train, test *recordings, err error) {
	switch form {
	case "as recorded":
		return together(subjects, k), subjects[k].e, nil
	case "own session T":
		if train, err = subjects[k].t.centered(ctx); err != nil {
			return nil, nil, err
		}
		test, err = subjects[k].e.centered(ctx)
		return train, test, err
	}
	aligned, err := alignSubjects(ctx, subjects, k, form)
	if err != nil {
		return nil, nil, err
	}
	train = together(aligned, k)
	if form == "own session T and the others, rotated" {
		train = together(aligned, -1)
	}
	return train, aligned[k].e, nil
}

// alignSubjects centers every session, scales it to the mean dispersion of the sessions
// learned from, and turns each subject towards the mean of the class means of those, as
// far as the form says.
func alignSubjects(ctx context.Context, subjects []beyondSubject, k int, form string) ([]beyondSubject, error) {
	dispersion := 0.0
	if form != "centered" {
		for i, s := range subjects {
			if i == k {
				continue
			}
			mean, _, err := spd.Mean(ctx, s.t.x, nil, spd.Riemann, spd.MeanOptions{})
			if err := whole(ctx, err); err != nil {
				return nil, err
			}
			d, err := spd.Dispersion(s.t.x, mean)
			if err != nil {
				return nil, err
			}
			dispersion += d / float64(len(subjects)-1)
		}
	}
	out := make([]beyondSubject, len(subjects))
	var err error
	for i, s := range subjects {
		if out[i].t, err = alignedTo(ctx, s.t, dispersion, nil); err != nil {
			return nil, err
		}
		if out[i].e, err = alignedTo(ctx, s.e, dispersion, nil); err != nil {
			return nil, err
		}
	}
	if form == "centered" || form == "centered, scaled" {
		return out, nil
	}
	means := make([]*spd.Stack, len(subjects))
	for i, s := range out {
		if means[i], err = classMeansOf(ctx, s.t); err != nil {
			return nil, err
		}
	}
	target, err := meanOfMeans(ctx, means, k)
	if err != nil {
		return nil, err
	}
	for i, s := range out {
		a := &spd.Alignment{Mean: identity(s.t.x.Dim), Power: 1}
		if _, err := a.Turn(ctx, means[i], target, nil); err != nil {
			return nil, err
		}
		if out[i].t, err = alignedTo(ctx, s.t, 0, a); err != nil {
			return nil, err
		}
		if out[i].e, err = alignedTo(ctx, s.e, 0, a); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// alignedTo moves a session by the alignment given, or by its own.
func alignedTo(ctx context.Context, s *recordings, dispersion float64, a *spd.Alignment) (*recordings, error) {
	if a == nil {
		var err error
		if a, err = spd.FitAlignment(ctx, s.x, dispersion); err != nil {
			return nil, err
		}
	}
	out := *s
	out.x = new(spd.Stack)
	return &out, a.Apply(out.x, s.x)
}

func identity(n int) *mat.SymDense {
	one := mat.NewSymDense(n, nil)
	for i := range n {
		one.SetSym(i, i, 1)
	}
	return one
}

// classMeansOf returns the Riemannian mean of each class.
func classMeansOf(ctx context.Context, s *recordings) (*spd.Stack, error) {
	out := spd.NewStack(len(s.classes), s.x.Dim)
	for k := range s.classes {
		var rows []int
		for i, l := range s.labels {
			if l == k {
				rows = append(rows, i)
			}
		}
		mean, _, err := spd.Mean(ctx, s.x.Select(rows), nil, spd.Riemann, spd.MeanOptions{})
		if err := whole(ctx, err); err != nil {
			return nil, err
		}
		out.Set(k, mean)
	}
	return out, nil
}

// meanOfMeans returns, class by class, the Riemannian mean over all subjects but k.
func meanOfMeans(ctx context.Context, means []*spd.Stack, k int) (*spd.Stack, error) {
	out := spd.NewStack(means[0].Count, means[0].Dim)
	for c := range out.Count {
		all := spd.NewStack(0, out.Dim)
		for i, m := range means {
			if i != k {
				all.Data = append(all.Data, m.At(c)...)
				all.Count++
			}
		}
		mean, _, err := spd.Mean(ctx, all, nil, spd.Riemann, spd.MeanOptions{})
		if err := whole(ctx, err); err != nil {
			return nil, err
		}
		out.Set(c, mean)
	}
	return out, nil
}

// together puts the sessions T of all subjects but k together, each a recording.
func together(subjects []beyondSubject, k int) *recordings {
	out := &recordings{classes: subjects[0].t.classes, x: spd.NewStack(0, subjects[0].t.x.Dim)}
	for i, s := range subjects {
		if i == k {
			continue
		}
		out.x.Data = append(out.x.Data, s.t.x.Contiguous()...)
		out.x.Count += s.t.x.Count
		out.labels = append(out.labels, s.t.labels...)
		for range s.t.x.Count {
			out.groups = append(out.groups, i)
		}
	}
	return out
}
