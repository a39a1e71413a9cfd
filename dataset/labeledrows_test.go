package dataset

import (
	"context"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// TestLabeledRowsAreKept reads rows twice: small data from memory, so the file may be deleted, and larger data from the
// file.
func TestLabeledRowsAreKept(t *testing.T) {
	table := "a,b,class\n1,2,x\n3,4,y\n5,6,x\n"
	limit := keptBytes
	t.Cleanup(func() { keptBytes = limit })
	for _, kept := range []bool{true, false} {
		if keptBytes = limit; !kept {
			keptBytes = 47 // of 48
		}
		path := testkit.TempFile(t, "t.csv", table)
		var columns []string
		read := LabeledRows(context.Background(), path, &columns, "", nil, nil, OpenOptions{})
		var sums []float64
		for pass := range 2 {
			sum, n := 0.0, 0
			err := read(func(x mat.Matrix, labels []int, classes []string) error {
				sum += mat.Sum(x)
				n += len(labels)
				return nil
			})
			if pass == 1 && !kept {
				if err == nil {
					t.Error("rows above the limit were kept")
				}
				break
			}
			if err != nil || n != 3 {
				t.Fatalf("reading %d: %d rows, %v", pass+1, n, err)
			}
			sums = append(sums, sum)
			if err := os.Remove(path); pass == 0 && err != nil {
				t.Fatal(err)
			}
		}
		if kept && (sums[0] != 21 || sums[1] != 21) {
			t.Errorf("sums %v, want 21 twice", sums)
		}
	}
}
