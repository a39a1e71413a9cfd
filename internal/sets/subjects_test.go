package sets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/dataset"
)

// people are a set of three subjects with four runs each, of which the even ones are usual.
func people() *BySubject {
	b := &BySubject{Info: dataset.Set{Name: "people", Kind: "download"}, Subjects: 3, Runs: []int{1, 2, 3, 4},
		Usual: []int{2, 4}}
	var files []File
	for subject := 1; subject <= 3; subject++ {
		for run := 1; run <= 4; run++ {
			files = append(files, File{Name: fmt.Sprintf("S%d/R%d.edf", subject, run), Subject: subject, Run: run})
		}
	}
	b.Files = func() []File { return files }
	return b
}

func TestSubjectsAndRunsAreChosen(t *testing.T) {
	for _, c := range []struct {
		subjects, runs []int
		want           string
	}{
		{nil, nil, "S1/R2 S1/R4 S2/R2 S2/R4 S3/R2 S3/R4"}, {[]int{1, 3}, nil, "S1/R2 S1/R4 S3/R2 S3/R4"},
		{[]int{2}, []int{1, 3}, "S2/R1 S2/R3"}, {[]int{4}, nil, "no subject 4"}, {nil, []int{5}, "no run 5"},
	} {
		files, err := people().known().chosen(c.subjects, c.runs)
		var names []string
		for _, f := range files {
			names = append(names, strings.TrimSuffix(f.name, ".edf"))
		}
		if got := strings.Join(names, " "); got != c.want && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("subjects %v and runs %v are %s, %v", c.subjects, c.runs, got, err)
		}
	}
	b := people()
	b.Runs = nil
	if _, err := b.known().chosen(nil, []int{1}); err == nil || !strings.Contains(err.Error(), "contains all runs") {
		t.Errorf("a run of a set without any: %v", err)
	}
	if _, err := findSet("mnist").chosen([]int{1}, nil); err == nil || !strings.Contains(err.Error(), "no subjects") {
		t.Errorf("subjects of mnist: %v", err)
	}
}

// Subjects that are here are found; one that was named, or is here in part, is an error that
// says how to get the rest.
func TestFilesThatAreHere(t *testing.T) {
	cache := t.TempDir()
	b := people()
	var absent *dataset.AbsentError
	if _, err := b.Here(cache, nil, nil); !errors.As(err, &absent) || absent.Set.Name != "people" {
		t.Errorf("nothing is here: %v", err)
	}
	for _, name := range []string{"S1/R2.edf", "S1/R4.edf"} {
		writeFile(t, filepath.Join(cache, "people", name), []byte("x"))
	}
	found, err := b.Here(cache, nil, nil)
	if err != nil || len(found) != 2 || found[1].Run != 4 {
		t.Errorf("%v, %v", found, err)
	}
	for _, f := range found {
		if _, err := os.Stat(f.Path); err != nil {
			t.Error(err)
		}
	}
	if _, err := b.Here(cache, []int{1, 2}, nil); err == nil || !strings.Contains(err.Error(), "S2/R2.edf") {
		t.Errorf("a subject that is not here: %v", err)
	}
	writeFile(t, filepath.Join(cache, "people", "S3/R2.edf"), []byte("x"))
	if _, err := b.Here(cache, nil, nil); err == nil || !strings.Contains(err.Error(), "S3/R4.edf") {
		t.Errorf("a subject that is here in part: %v", err)
	}
}
