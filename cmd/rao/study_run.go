package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/digest"
	"rao/internal/format/archive"
	"rao/internal/linalg/cpu"
	"rao/method"
)

// studyScore is the score of a method on one session; its JSON names do not change.
type studyScore struct {
	Set        string  `json:"dataset"`
	Evaluation string  `json:"evaluation"`
	Method     string  `json:"pipeline"`
	Subject    string  `json:"subject"`
	Session    string  `json:"session"`
	Accuracy   number  `json:"score"`
	Kappa      number  `json:"kappa"`
	Train      int     `json:"samples"` // observations that were learned from, the mean over folds
	N          int     `json:"samples_test"`
	Seconds    float64 `json:"time"` // of the fits
}

// studyCell is what one fit, or the folds of a session, scored: a file of a study. The key says
// what it depends on.
type studyCell struct {
	Key    string       `json:"key"`
	Scores []studyScore `json:"scores"`
}

// run scores whatever is not scored yet, and writes the page and the table.
func (s *study) run(ctx context.Context) error {
	if err := makeFolder(filepath.Join(s.flags.out, "scores")); err != nil {
		return err
	}
	if err := s.writePage(); err != nil { // the folder is known as ours from now on
		return err
	}
	var sets []*studySet
	for _, given := range s.flags.sets {
		set, err := s.openSet(ctx, given)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(sets, func(o *studySet) bool { return o.name == set.name }) {
			return usagef("--set names %s twice", set.name)
		}
		sets = append(sets, set)
	}
	for _, set := range sets {
		for _, e := range s.evaluations {
			for _, m := range s.methods {
				if err := s.evaluate(ctx, set, e, m); err != nil {
					return cmp.Or(s.finish(ctx), err)
				}
			}
		}
	}
	return s.finish(ctx)
}

// finish compares what was scored, writes it, and prints it.
func (s *study) finish(ctx context.Context) error {
	if err := s.compare(); err != nil {
		return err
	}
	if err := cmp.Or(s.writePage(), s.writeTable()); err != nil {
		return err
	}
	if err := s.emit(&s.result, s.print); err != nil || ctx.Err() == nil {
		return err
	}
	return fmt.Errorf("interrupted; the same command goes on where it was")
}

// evaluate scores a method on a set in one way.
func (s *study) evaluate(ctx context.Context, set *studySet, evaluation string, m *method.Method) error {
	show, done := s.progress(fmt.Sprintf("%s, %s, %s", set.name, evaluation, m.Name))
	defer done()
	parts, lacking := set.parts(evaluation)
	if len(parts) == 0 {
		if m == s.methods[0] {
			s.note("%s: no %s: %s", set.name, evaluation, lacking)
		}
		return nil
	}
	for i, p := range parts {
		cell, err := s.cell(ctx, set, evaluation, p, m)
		if err != nil {
			return fmt.Errorf("%s, %s, %s, subject %s: %w", set.name, evaluation, m.Name, p.subject, err)
		}
		s.result.Scores = append(s.result.Scores, cell.Scores...)
		show.Send(rao.Event{Stage: "scores", Done: i + 1, Total: len(parts)})
	}
	return nil
}

// studyPart is what is learned from and scored together.
type studyPart struct {
	subject, session string // session is empty where several are scored
	train            []int  // nil for folds of the test
	test             []int
}

// parts returns those of an evaluation, or what the set lacks for it.
func (t *studySet) parts(evaluation string) (parts []studyPart, lacking string) {
	pick := func(f func(subject, session int) bool) (out []int) {
		for i := range t.subject {
			if f(t.subject[i], t.session[i]) {
				out = append(out, i)
			}
		}
		return out
	}
	if evaluation == crossSubject {
		if len(t.subjects) < 2 {
			return nil, "there is one subject"
		}
		for k, name := range t.subjects {
			parts = append(parts, studyPart{name, "", pick(func(s, _ int) bool { return s != k }),
				pick(func(s, _ int) bool { return s == k })})
		}
		return parts, ""
	}
	for k, name := range t.subjects {
		for j, session := range t.sessions {
			test := pick(func(s, e int) bool { return s == k && e == j })
			if len(test) == 0 {
				continue
			}
			p := studyPart{name, session, nil, test}
			if evaluation == crossSession {
				if p.train = pick(func(s, e int) bool { return s == k && e != j }); p.train == nil {
					continue
				}
			}
			parts = append(parts, p)
		}
	}
	return parts, "no subject has two sessions"
}

// cell returns the scores of a part, read again where they were written before.
func (s *study) cell(ctx context.Context, set *studySet, evaluation string, p studyPart, m *method.Method) (*studyCell,
	error) {
	key := strings.Join([]string{version, fmt.Sprint(cpu.Use()), set.digest, evaluation, p.subject, p.session,
		fmt.Sprint(s.flags.folds, s.seed()), m.Name, fmt.Sprint(m.Only(s.set))}, "|")
	sum := sha256.Sum256([]byte(key))
	path := filepath.Join(s.flags.out, "scores", hex.EncodeToString(sum[:8])+".json")
	if b, err := os.ReadFile(path); err == nil {
		var cell studyCell
		if json.Unmarshal(b, &cell) == nil && cell.Key == key {
			for i := range cell.Scores {
				cell.Scores[i].Set = set.name
			}
			s.result.Reused++
			return &cell, nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", path, cause(err))
	}
	scores, err := s.score(ctx, set, p, m)
	if err != nil {
		return nil, err
	}
	for i := range scores {
		sc := &scores[i]
		sc.Set, sc.Evaluation, sc.Method, sc.Subject = set.name, evaluation, m.Name, p.subject
	}
	cell := &studyCell{key, scores}
	return cell, archive.WriteFile(path, func(w io.Writer) error {
		b, err := encodeJSON(cell)
		if err == nil {
			_, err = w.Write(b)
		}
		return err
	})
}

// score fits and scores a part: each session of the test by itself, or the mean over folds.
func (s *study) score(ctx context.Context, set *studySet, p studyPart, m *method.Method) ([]studyScore, error) {
	if p.train != nil {
		return s.scoreOnce(ctx, set, p.train, p.test, m)
	}
	labels := picked(set.data.Labels, p.test)
	folds, err := evaluate.StratifiedKFold(labels, s.flags.folds, s.seed())
	if err != nil {
		return nil, err
	}
	mean := studyScore{Session: p.session, N: len(p.test)}
	for i, fold := range folds {
		one, err := s.scoreOnce(ctx, set, picked(p.test, fold.Train), picked(p.test, fold.Test), m)
		if err != nil {
			return nil, fmt.Errorf("session %s, fold %d: %w", p.session, i+1, err)
		}
		mean.Accuracy += one[0].Accuracy / number(len(folds))
		mean.Kappa += one[0].Kappa / number(len(folds))
		mean.Seconds += one[0].Seconds
		mean.Train += one[0].Train
	}
	mean.Train /= len(folds)
	return []studyScore{mean}, nil
}

// scoreOnce learns once and scores every session of the test.
func (s *study) scoreOnce(ctx context.Context, set *studySet, train, test []int, m *method.Method) ([]studyScore,
	error) {
	begin := time.Now()
	mod, err := m.Fit(ctx, method.Source{Data: set.data.Subset(train), SpareData: true}, m.Only(s.set), nil)
	if err != nil && (!rao.IsNotConverged(err) || ctx.Err() != nil) {
		return nil, err
	}
	took := time.Since(begin).Seconds()
	var out []studyScore
	for j, session := range set.sessions {
		var at []int
		for _, i := range test {
			if set.session[i] == j {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			continue
		}
		truth, p, err := method.Decide(ctx, mod, set.data.Subset(at))
		if err != nil {
			return nil, err
		}
		sc, err := evaluate.Score(truth, p.LogPosterior)
		if err != nil {
			return nil, err
		}
		out = append(out, studyScore{Session: session, Accuracy: number(sc.Accuracy), Kappa: number(sc.Kappa),
			Train: len(train), N: len(at), Seconds: took})
	}
	return out, nil
}

// seed deals the folds, alike for all methods.
func (s *study) seed() uint64 {
	if text, ok := s.set.Get("seed"); ok {
		n, _ := strconv.ParseUint(text, 10, 64) // the flag took it
		return n
	}
	return 1
}

// digestOfData is a hash of the values, the labels and the variables of data.
func digestOfData(d *dataset.Data) string {
	h := digest.New()
	if d.Stack != nil {
		h.Floats(d.Stack.Contiguous())
	} else {
		rows, cols := d.X.Dims()
		row := make([]float64, cols)
		for i := range rows {
			d.X.Row(row, i)
			h.Floats(row)
		}
	}
	for i, l := range d.Labels {
		h.Text(strconv.Quote(d.Classes[l]))
		for _, name := range []string{"recording", "source"} {
			if v := d.Vars[name]; v != nil && v.Len() == d.N() {
				h.Text(strconv.Quote(v.Text(i)))
			}
		}
	}
	return h.String()[:16]
}
