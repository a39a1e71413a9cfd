package experiment

import (
	"context"
	"fmt"

	"rao/dataset"
	"rao/spd"
)

const beyondSubjectsProtocol = "The data are subjects A01 to A09 of BCI competition IV, set 2a. Each subject is left " +
	"out in turn. A classifier learns on session T of the other subjects and is tested on session E of the left-out " +
	"subject. Scores are Cohen's kappa. Only \"rotated\" and \"own session T\" need labels of that subject. " +
	"A short run has three subjects."

var beyondSubjectsNotes = []string{
	"\"As recorded\" uses no alignment. \"Centered\" moves the mean of each session to the identity, without labels. " +
		"\"Scaled\" then raises each session to the power that gives it the mean dispersion of the training sessions.",
	"\"Rotated\" uses the labels of the left-out subject's session T. It rotates the class means of this subject, " +
		"and of each training subject, toward the means of the training subjects' class means.",
	"\"Own session T\" uses only the left-out subject's session T, centered, with the same labels as the rotation. " +
		"\"Own session T and the others, rotated\" adds the other subjects, aligned.",
}

// beyondSubjectsTable tests whether recordings of other people help.
func beyondSubjectsTable(ctx context.Context, r *Run) error {
	subjects, err := r.openSubjects(ctx, 3)
	if err != nil {
		return err
	}
	methods := []learner{{"MDM", 0, fitMDM}, {"TSLDA", 0, fitTSLDA}, {"ENuc", 0, fitENuc}}
	forms := []string{"as recorded", "centered", "centered, scaled", "centered, scaled, rotated", "own session T",
		"own session T and the others, rotated"}
	got := make([][][]float64, len(methods))
	for m := range got {
		got[m] = make([][]float64, len(forms))
	}
	for k := range subjects {
		for f, form := range forms {
			train, test, err := crossSubject(ctx, subjects, k, form)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", subjects[k].name, form, err)
			}
			for m, method := range methods {
				kappa, err := kappaBy(ctx, method.fit, train, test)
				if err != nil {
					return fmt.Errorf("%s, %s, %s: %w", subjects[k].name, form, method.label, err)
				}
				got[m][f] = append(got[m][f], kappa)
			}
		}
		r.progress("subjects", k+1, len(subjects))
	}
	t := r.Table("subjects", "Kappa on session E of the left-out subject",
		header(subjects, []string{"method", "training data"}, "mean")...)
	for m, method := range methods {
		for f, form := range forms {
			cells := thousandths(append(got[m][f], average(got[m][f])))
			t.Add(append([]any{method.label, form}, cells...)...)
		}
	}
	return nil
}

// crossSubject returns the training and test data for leaving out subject k. It is not package study's
// LeaveOut, because it learns from sessions T and tests on session E.
func crossSubject(ctx context.Context, subjects []*bciSession, k int,
	form string) (train, test *dataset.Data, err error) {
	switch form {
	case "as recorded":
		return together(subjects, k), subjects[k].test, nil
	case "own session T":
		own := *subjects[k]
		err := own.center(ctx)
		return own.train, own.test, err
	}
	aligned, err := alignSubjects(ctx, subjects, k, form)
	if err != nil {
		return nil, nil, err
	}
	train = together(aligned, k)
	if form == "own session T and the others, rotated" {
		train = together(aligned, -1)
	}
	return train, aligned[k].test, nil
}

// alignSubjects centers every session. Depending on the form, it also scales the sessions to the mean dispersion of the
// training sessions and rotates each subject toward the class means of all training subjects. It does not use the
// labels of sessions E.
func alignSubjects(ctx context.Context, subjects []*bciSession, k int, form string) ([]*bciSession, error) {
	classes := len(subjects[0].train.Classes)
	o := spd.AlignOptions{Classes: classes, Target: k, Scale: form != "centered", Rotate: form != "centered" &&
		form != "centered, scaled"}
	all := spd.NewStack(0, subjects[0].train.Stack.Dim)
	for i, s := range subjects {
		for session, part := range []*dataset.Data{s.train, s.test} {
			all.Data = append(all.Data, part.Stack.Contiguous()...)
			all.Count += part.Stack.Count
			for _, label := range part.Labels {
				if session == 1 {
					label = -1
				}
				o.Groups, o.Recordings, o.Labels = append(o.Groups, i), append(o.Recordings, session), append(o.Labels,
					label)
			}
		}
	}
	_, err := spd.AlignGroups(ctx, all, all, o)
	if err := canceledOr(ctx, err); err != nil {
		return nil, err
	}
	out, at := make([]*bciSession, len(subjects)), 0
	take := func(s *dataset.Data) *dataset.Data {
		moved := *s
		moved.Stack = spd.StackOf(s.Stack.Count, all.Dim, all.Data[at*all.Dim*all.Dim:])
		at += s.Stack.Count
		return &moved
	}
	for i, s := range subjects {
		out[i] = &bciSession{train: take(s.train), test: take(s.test)}
	}
	return out, nil
}

// together concatenates the sessions T of all subjects except k. If k is -1, it concatenates all of them.
func together(subjects []*bciSession, k int) *dataset.Data {
	out := &dataset.Data{Classes: subjects[0].train.Classes, Stack: spd.NewStack(0, subjects[0].train.Stack.Dim)}
	for i, s := range subjects {
		if i == k {
			continue
		}
		out.Stack.Data = append(out.Stack.Data, s.train.Stack.Contiguous()...)
		out.Stack.Count += s.train.Stack.Count
		out.Labels = append(out.Labels, s.train.Labels...)
	}
	return out
}
