package sets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
)

// people returns a set of three subjects with four runs each. The even runs are selected by default.
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
	testkit.ErrorContains(t, testkit.ErrorOf(b.known().chosen(nil, []int{1})), "contains all runs",
		"a run of a set without any")
	testkit.ErrorContains(t, testkit.ErrorOf(findSet("mnist").chosen([]int{1}, nil)), "no subjects",
		"subjects of mnist")
}

// Subjects that are on this machine are found. A named subject that is missing or incomplete is an error that explains
// how to get the rest.
func TestFilesThatAreHere(t *testing.T) {
	cache := t.TempDir()
	b := people()
	var absent *dataset.AbsentError
	if _, err := b.Here(cache, nil, nil); !errors.As(err, &absent) || absent.Set.Name != "people" {
		t.Errorf("nothing is here: %v", err)
	}
	for _, name := range []string{"S1/R2.edf", "S1/R4.edf"} {
		testkit.WriteFile(t, filepath.Join(cache, "people", name), []byte("x"))
	}
	found, err := b.Here(cache, nil, nil)
	if err != nil || len(found) != 2 || found[1].Run != 4 {
		t.Errorf("%v, %v", found, err)
	}
	for _, f := range found {
		testkit.NoError(t, testkit.ErrorOf(os.Stat(f.Path)))
	}
	testkit.ErrorContains(t, testkit.ErrorOf(b.Here(cache, []int{1, 2}, nil)), "S2/R2.edf",
		"a subject that is not here")
	testkit.WriteFile(t, filepath.Join(cache, "people", "S3/R2.edf"), []byte("x"))
	testkit.ErrorContains(t, testkit.ErrorOf(b.Here(cache, nil, nil)), "S3/R4.edf", "a subject that is here in part")
}
