package study

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"rao/dataset"
	"rao/internal/digest"
	"rao/internal/format/archive"
	"rao/internal/linalg/cpu"
	"rao/internal/recipes"
	"rao/internal/text"
	"rao/method"
)

// cellFile is a file in the study's folder with the scores of one fit, or of the folds of a session. The key contains
// everything that the scores depend on.
type cellFile struct {
	Key    string  `json:"key"`
	Scores []Score `json:"scores"`
}

// cell returns the scores of a part. If an earlier run wrote them, they are read from their file.
func (s *Study) cell(ctx context.Context, t *set, evaluation string, p part, m method.Spec) ([]Score, error) {
	key := s.key(cpu.Use(), t, evaluation, p, m)
	sum := sha256.Sum256([]byte(key))
	path := s.path("scores", hex.EncodeToString(sum[:8])+".json")
	if b, err := os.ReadFile(path); err == nil {
		var file cellFile
		if json.Unmarshal(b, &file) == nil && file.Key == key {
			for i := range file.Scores {
				file.Scores[i].Set, file.Scores[i].Method = t.name, m.String()
			}
			s.result.Reused += len(file.Scores)
			return file.Scores, nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	scores, err := s.scores(ctx, t, p, m)
	if err != nil {
		return nil, err
	}
	for i := range scores {
		sc := &scores[i]
		sc.Set, sc.Evaluation, sc.Method, sc.Subject = t.name, evaluation, m.String(), p.subject
	}
	b, err := text.JSON(cellFile{key, scores})
	if err != nil {
		return nil, err
	}
	return scores, archive.WriteBytes(path, b)
}

// key returns the key of the scores of a part, computed with a kernel.
func (s *Study) key(kernel cpu.Path, t *set, evaluation string, p part, m method.Spec) string {
	return strings.Join([]string{s.Program, fmt.Sprint(kernel.Sums()), t.digest, evaluation, p.subject, p.session,
		fmt.Sprint(s.Folds, s.Seed, s.measure(), s.Seconds), m.Text()}, "|")
}

// digestOf returns a hash of the values and labels of d, and of its variables recording and source.
func digestOf(d *dataset.Data) string {
	h := digest.New()
	if recipes.Fills(d.Missing) {
		h.Text(string(d.Missing))
	}
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
