package experiment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rao/internal/testkit"
)

// A stopped run continues: finished jobs are not run again, and the job of a truncated line is.
func TestStoppedRunContinues(t *testing.T) {
	dir := t.TempDir()
	var ran []int
	stop := true
	e := &Experiment{ID: "test", Paper: "none", Item: "none", Title: "a test", Protocol: "none"}
	e.run = func(ctx context.Context, r *Run) error {
		found := [][]float64{}
		for i := range 4 { // one at a time, so that the order is known
			v, err := r.Numbers(ctx, "stage "+string(rune('a'+i)), 1, func(int) ([]float64, error) {
				if stop && i == 2 {
					return nil, errors.New("stopped")
				}
				ran = append(ran, i)
				return []float64{float64(i), 0.1}, nil
			})
			if err != nil {
				return err
			}
			found = append(found, v...)
		}
		for i, v := range found {
			r.Table("t"+string(rune('a'+i)), "c", "k", "v").Add(i, v[0]+v[1])
		}
		return nil
	}
	run := Run{Commit: "0123456789abcdef", Resume: dir}
	testkit.Fails(t, testkit.ErrorOf(e.Run(context.Background(), run)), "the run did not stop")
	path := filepath.Join(dir, "test.jsonl")
	f := testkit.Must(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))(t)
	if _, err := f.WriteString(`{"stage":"stage c","jo`); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	stop, ran = false, nil
	res, err := e.Run(context.Background(), run)
	if err != nil || !slices.Equal(ran, []int{2, 3}) || res.Tables[1].Rows[0][1] != "1.1" {
		t.Fatalf("ran %v, error %v", ran, err)
	}
	run.Seed = 2
	testkit.Fails(t, testkit.ErrorOf(e.Run(context.Background(), run)), "a run with another seed continued")
	testkit.NoError(t, os.WriteFile(path, []byte("mine\n"), 0o600))
	testkit.Fails(t, testkit.ErrorOf(e.Run(context.Background(), run)), "a file that is no journal was taken for one")
	if b, _ := os.ReadFile(path); string(b) != "mine\n" {
		t.Error("a file that is no journal was changed")
	}
}
