package learn_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// A table that does not fit in memory is read from its file, and the tool reports it. A table that fits is loaded
// unless the user requests otherwise.
func TestFitOutOfCore(t *testing.T) {
	path, model := filepath.Join(t.TempDir(), "x.csv"), filepath.Join(t.TempDir(), "m.rao")
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	const columns = 100
	for j := range columns {
		b.WriteString("x" + strconv.Itoa(j) + ",")
	}
	b.WriteString("label\n")
	for range 20_000 {
		label := rng.IntN(3)
		for j := range columns {
			b.WriteByte(byte('0' + rng.IntN(5) + 2*(label&(j+1))))
			b.WriteByte(',')
		}
		b.WriteString("class" + strconv.Itoa(label) + "\n")
	}
	testkit.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	line := []string{"fit", "ama", "--filters", "2", "--max-iter", "2", "--data", path, "--out", model}
	const stayed = "were read from their files"
	for _, c := range []struct {
		mib   string
		asked []string
		want  string // in the notes; empty: the data are held
	}{
		{"1000", nil, ""},
		{"1000", []string{"--out-of-core"}, stayed},
		{"50", nil, "in memory, the data and the fit would need about 6"},
	} {
		if testing.Short() && c.asked == nil {
			continue
		}
		t.Setenv("RAO_MEMORY", c.mib)
		status, _, said := tooltest.Run(t, append(line, c.asked...)...)
		if c.want == "" && (status != 0 || strings.Contains(said, stayed)) ||
			c.want != "" && (status != 0 || !strings.Contains(said, c.want) || !strings.Contains(said, stayed)) {
			t.Errorf("%s MiB, %v: exit status %d, %s", c.mib, c.asked, status, said)
		}
	}
	for _, wrong := range []struct {
		line []string
		want string // the option that the error names
	}{
		{[]string{"fit", "sqfa", "--out-of-core", "--classifier", "knn", "--data", path}, "--classifier knn"},
		{[]string{"fit", "sqfa", "--out-of-core", "--data", "-"}, "--out-of-core"},
		{[]string{"fit", "ama", "--out-of-core", "--pairwise", "2", "--data", path}, "--pairwise"},
		{[]string{"fit", "ama", "--out-of-core", "--tol", "0.1", "--data", path}, "--tol"},
	} {
		status, _, said := tooltest.Run(t, append(wrong.line, "--out", model)...)
		if status != 2 || !strings.Contains(said, wrong.want+" ") || strings.Contains(said, "option ") {
			t.Errorf("%v: exit status %d, %s", wrong.line, status, said)
		}
	}
}
