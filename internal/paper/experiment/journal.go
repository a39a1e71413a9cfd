package experiment

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// journal stores the numbers of finished jobs of a run in a file. An interrupted run can then continue. Every line of
// the file is a JSON value. The first line describes the run, and each other line contains a job.
type journal struct {
	mu   sync.Mutex
	file *os.File
	done map[jobKey][]float64
}

// jobKey identifies a job of a run.
type jobKey struct {
	Stage string `json:"stage"`
	Job   int    `json:"job"`
}

// journalHead identifies the run to which a journal belongs.
type journalHead struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Form    string `json:"form"`
	Seed    uint64 `json:"seed"`
	Commit  string `json:"commit"`
}

type journalLine struct {
	jobKey
	Values []float64 `json:"values"`
}

// openJournal reads the journal of a run in a folder, or creates it. It ignores a truncated line. A journal of another
// run is an error.
func openJournal(dir string, res *Result) (*journal, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("the folder of journals cannot be created: %w; choose another folder", err)
	}
	path := filepath.Join(dir, res.ID+".jsonl")
	want := journalHead{res.ID, res.Version, res.Form, res.Seed, res.Commit}
	j := &journal{done: map[jobKey][]float64{}}
	var kept []journalLine
	in, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		kept, err = readJournal(in, want)
		in.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if j.file, err = os.Create(path); err != nil {
		return nil, err
	}
	if err := j.write(want); err != nil {
		return nil, err
	}
	for _, line := range kept {
		j.done[line.jobKey] = line.Values
		if err := j.write(line); err != nil {
			return nil, err
		}
	}
	return j, nil
}

func readJournal(in *os.File, want journalHead) ([]journalLine, error) {
	scan := bufio.NewScanner(in)
	var head journalHead
	if !scan.Scan() || json.Unmarshal(scan.Bytes(), &head) != nil || head != want {
		return nil, errors.New("this journal belongs to another experiment, form, seed or commit; remove it to " +
			"start again")
	}
	var kept []journalLine
	for scan.Scan() {
		var line journalLine
		if json.Unmarshal(scan.Bytes(), &line) != nil {
			break
		}
		kept = append(kept, line)
	}
	return kept, scan.Err()
}

func (j *journal) write(line any) error {
	b, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(b, '\n'))
	return err
}

func (j *journal) add(key jobKey, values []float64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.done[key] = values
	return j.write(journalLine{key, values})
}

func (j *journal) lookup(key jobKey) ([]float64, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	values, ok := j.done[key]
	return values, ok
}

// Numbers runs job(0..n-1) as eachOf does and returns the numbers that each job found. If the run has a journal,
// Numbers skips the jobs in it. The stages of a run must have different names.
func (r *Run) Numbers(ctx context.Context, stage string, n int,
	job func(i int) ([]float64, error)) ([][]float64, error) {
	found := make([][]float64, n)
	err := r.eachOf(ctx, stage, n, func(i int) error {
		key := jobKey{stage, i}
		if r.journal != nil {
			if values, ok := r.journal.lookup(key); ok {
				found[i] = values
				return nil
			}
		}
		var err error
		if found[i], err = job(i); err != nil || r.journal == nil {
			return err
		}
		return r.journal.add(key, found[i])
	})
	return found, err
}
