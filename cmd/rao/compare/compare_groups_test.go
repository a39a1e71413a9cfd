package compare_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/internal/study"
	"rao/internal/testkit"
)

// If the channels of each person are mixed differently, aligning the recordings raises the accuracy on a left-out
// person.
func TestCompareLeavesPersonsOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.npz")
	tooltest.Persons(t, path, 4, 80)
	args := []string{"compare", "--data", path, "--groups", "person", "--recordings", "session", "--calibrate",
		"session=0",
		"--align", "none,center,scale,rotate", "--methods", "mdm,tslda", "--quiet"}
	var r study.GroupResult
	tooltest.Decode(t, &r, args...)
	if len(r.Rows) != 8 {
		t.Fatalf("%d rows", len(r.Rows))
	}
	for m := range 2 {
		none, rotated := r.Rows[4*m], r.Rows[4*m+3]
		if rotated.Align != "rotate" || rotated.Accuracy < 0.85 || rotated.Accuracy < none.Accuracy+0.1 {
			t.Errorf("%s: %.2f as recorded, %.2f rotated",
				rotated.Method, float64(none.Accuracy), float64(rotated.Accuracy))
		}
		if len(rotated.Groups) != 4 || rotated.Groups[0].Group != "0" || rotated.Groups[0].N != 40 ||
			rotated.Groups[3].N != 40 {
			t.Errorf("groups %+v: session 0 is the first half of each person and calibrates", rotated.Groups)
		}
	}
}

// Each of the sets that --data lists can be a group.
func TestCompareLeavesSetsOut(t *testing.T) {
	dir := t.TempDir()
	var list []string
	for p := range 3 {
		list = append(list, filepath.Join(dir, fmt.Sprintf("p%d.npz", p)))
		tooltest.Persons(t, list[p], 1, 40)
	}
	testkit.Contains(t, tooltest.Output(t, "compare", "--data", strings.Join(list, ","), "--groups", "source",
		"--methods", "mdm", "--align", "center"), "p2.npz")
	other := filepath.Join(dir, "other.npz")
	testkit.NoError(t, dataset.WriteFile(other,
		&dataset.Data{X: dataset.NewTable(4, 1, []float64{1, 2, 3, 4}), Labels: []int{0, 0, 1, 1},
			Classes: []string{"left", "right"},
			Vars:    map[string]*dataset.Array{"person": {Shape: []int{4}, Int64: []int64{0, 1, 0, 1}}}}))
	for want, flags := range map[string][]string{
		"matrices and vectors cannot be": {"--data", list[0] + "," + other, "--groups", "source"},
		"unknown variable":               {"--data", list[0], "--groups", "persn"},
		"--align: unknown alignment":     {"--data", list[0], "--groups", "session", "--align", "middle"},
		"select the labeled rows with":   {"--data", list[0], "--groups", "session", "--align", "rotate"},
		"give NAME=VALUE":                {"--data", list[0], "--groups", "session", "--calibrate", "1"},
		"matches all rows or none":       {"--data", list[0], "--groups", "session", "--calibrate", "person=0"},
		"leave out --test":               {"--data", list[0], "--groups", "session", "--test", other},
		"--align needs --groups":         {"--data", list[0], "--test", list[1], "--align", "center"},
		"--align needs matrices": {"--data", other, "--groups", "person", "--align", "center", "--methods",
			"lda-raw"},
		"none remain for prediction":        {"--data", list[0], "--groups", "session", "--calibrate", "session=1"},
		"at least two values":               {"--data", list[0], "--groups", "person", "--align", "center"},
		"no selected method uses --filters": {"--data", list[0], "--groups", "session", "--options", "filters=3"},
	} {
		if !slices.Contains(flags, "--methods") {
			flags = append(flags, "--methods", "mdm")
		}
		tooltest.Fails(t, want, append([]string{"compare"}, flags...)...)
	}
}

// A few labels of a new person move the class means towards the person's own means.
func TestCompareWithFewLabels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.npz")
	tooltest.Persons(t, path, 3, 80)
	accuracy := func(more ...string) float64 {
		t.Helper()
		var r study.GroupResult
		tooltest.Decode(t, &r, append([]string{"compare", "--data", path, "--groups", "person", "--recordings",
			"session",
			"--calibrate", "session=0", "--methods", "mdm", "--quiet"}, more...)...)
		return float64(r.Rows[0].Accuracy)
	}
	alone, few, own := accuracy(), accuracy("--tradeoff", "1", "--few", "3"), accuracy("--tradeoff", "1")
	if own < alone+0.1 || few < alone {
		t.Errorf("accuracy %.2f without labels, %.2f with three of a class, %.2f with all", alone, few, own)
	}
	for said, more := range map[string][]string{
		"--tradeoff and --few use": {"--tradeoff", "0.5", "--methods", "mdm"},
		"but tslda has none":       {"--tradeoff", "0.5", "--calibrate", "session=0", "--methods", "tslda"},
		"nothing uses these":       {"--few", "2", "--calibrate", "session=0", "--methods", "mdm"},
		"one group at a time": {"--tradeoff", "0.5", "--calibrate", "session=0", "--methods", "mdm",
			"--cv", "2"},
	} {
		args := append([]string{"compare", "--data", path, "--groups", "person"}, more...)
		tooltest.Exits(t, 2, said, args...)
	}
}
