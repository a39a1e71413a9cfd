package study

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"rao/internal/linalg/vec"
	"rao/internal/text"
)

// otherColumns are the required columns of a table with scores of other programs.
var otherColumns = []string{"dataset", "evaluation", "pipeline", "subject", "session", "score"}

// ReadScores reads scores of other programs, in the format of the scores.csv that a study writes. The columns dataset,
// evaluation, pipeline, subject, session and score are required, in any order; other columns are ignored.
func ReadScores(path string) ([]Score, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	table := csv.NewReader(f)
	names, err := table.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: the file is empty; it needs a line of column names", path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	at := make([]int, len(otherColumns))
	for i, name := range otherColumns {
		if at[i] = slices.Index(names, name); at[i] < 0 {
			return nil, fmt.Errorf("%s: the column %s is missing; the file has the columns %q", path, name, names)
		}
	}
	var out []Score
	for {
		row, err := table.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		line, _ := table.FieldPos(0)
		v, err := strconv.ParseFloat(row[at[5]], 64)
		if err != nil || !vec.Finite(v) {
			return nil, fmt.Errorf("%s: line %d: the score %q is not a finite number; correct or remove the line",
				path, line, row[at[5]])
		}
		none := Number(math.NaN())
		out = append(out, Score{Set: row[at[0]], Evaluation: row[at[1]], Method: row[at[2]], Subject: row[at[3]],
			Session: row[at[4]], Value: Number(v), Accuracy: none, Kappa: none})
	}
}

// addOthers adds the scores of other programs. Each of their methods must have exactly one score for every session with
// scores of the study's methods, and no other scores.
func (s *Study) addOthers() error {
	own := s.result.Scores
	for _, method := range s.methods()[len(s.Methods):] {
		if slices.Contains(s.methods()[:len(s.Methods)], method) {
			return fmt.Errorf("the study and the other scores both have a method %s; rename one of them", method)
		}
		found := 0
		for _, want := range own {
			if want.Method != s.Methods[0].String() {
				continue
			}
			n := 0
			for _, o := range s.Others {
				if o.Method == method && o.place() == want.place() {
					s.result.Scores = append(s.result.Scores, o)
					n++
				}
			}
			if n != 1 {
				return fmt.Errorf("%s has %s for %s, but needs exactly one", method, text.Plural(n, "score", "scores"),
					want.place())
			}
			found++
		}
		for _, o := range s.Others {
			if o.Method == method {
				found--
			}
		}
		if found < 0 {
			return fmt.Errorf("%s has %s for sets, evaluations, subjects or sessions that the study does not have; "+
				"remove them", method, text.Plural(-found, "score", "scores"))
		}
	}
	return nil
}

// place returns the data set, evaluation, subject and session of a score, in words.
func (s *Score) place() string {
	return fmt.Sprintf("set %s, %s, subject %s, session %s", s.Set, s.Evaluation, s.Subject, s.Session)
}

// methods returns the names of all methods, first the methods of the study.
func (s *Study) methods() (names []string) {
	for _, m := range s.Methods {
		names = append(names, m.String())
	}
	for _, o := range s.Others {
		if !slices.Contains(names[len(s.Methods):], o.Method) {
			names = append(names, o.Method)
		}
	}
	return names
}
