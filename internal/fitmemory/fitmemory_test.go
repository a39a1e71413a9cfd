package fitmemory

import (
	"strings"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/method"
)

// Small data are loaded into memory unless the user requests otherwise; medians are computed only for data in memory.
func TestLeaveOnDisk(t *testing.T) {
	path := testkit.TempFile(t, "rows.csv", "x,label\n1,a\n2,b\n3,a\n4,b\n")
	m := testkit.Must(method.Lookup("sqfa"))(t)
	spec := testkit.Must(m.With(method.Settings{{Name: "noise", Value: "1"}}))(t)
	for _, c := range []struct {
		asked bool
		opt   dataset.OpenOptions
		stays bool
	}{{false, dataset.OpenOptions{}, false}, {true, dataset.OpenOptions{}, true},
		{true, dataset.OpenOptions{Table: dataset.TableOptions{Missing: "mean"}}, true},
		{false, dataset.OpenOptions{Table: dataset.TableOptions{Missing: "median"}}, false}} {
		disk, need, err := LeaveOnDisk(t.Context(), spec, path, c.asked, c.opt)
		if err != nil || (disk != nil) != c.stays || c.stays && need <= 0 {
			t.Errorf("asked %v: %v, %g bytes, %v", c.asked, disk, need, err)
		}
	}
	medians := dataset.OpenOptions{Table: dataset.TableOptions{Missing: "median"}}
	if _, _, err := LeaveOnDisk(t.Context(), spec, path, true, medians); err == nil ||
		!strings.Contains(err.Error(), "a median needs") {
		t.Error(err)
	}
}
