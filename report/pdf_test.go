package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"rao/internal/testkit"
)

// The table at the end of a PDF contains the position of each object.
func TestPDFTableIsRight(t *testing.T) {
	f := matricesFigure("correlations σ²", [][]float64{{1, 0.5, 0.5, 2}}, 2, []string{"A|ö−"}, nil)
	b := f.PDF()
	testkit.EqualSlices(t, b, f.PDF(), "two documents of one figure differ")
	start := regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`).FindSubmatch(b)
	if start == nil {
		t.Fatal("no startxref")
	}
	at, err := strconv.Atoi(string(start[1]))
	if err != nil || !bytes.HasPrefix(b[at:], []byte("xref\n")) {
		t.Fatalf("startxref %d is not at the table: %v", at, err)
	}
	entries := regexp.MustCompile(`(\d{10}) 00000 n \n`).FindAllSubmatch(b[at:], -1)
	for i, e := range entries {
		off, err := strconv.Atoi(string(e[1]))
		if want := fmt.Sprintf("%d 0 obj\n", i+1); err != nil || !bytes.HasPrefix(b[off:], []byte(want)) {
			t.Errorf("object %d is not at %d", i+1, off)
		}
	}
	if len(entries) != 7 { // five, and the images of the matrix and of its scale
		t.Errorf("%d objects", len(entries))
	}
}
