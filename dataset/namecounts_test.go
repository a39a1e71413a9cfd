package dataset

import (
	"path/filepath"
	"testing"

	"rao/internal/testkit"
	"rao/spd"
)

// Names of columns or channels in another number are an error, unless matrices of several bands repeat the channels.
func TestNamesInTheWrongNumberAreRefused(t *testing.T) {
	for _, c := range []struct {
		array string
		names []string
		want  string
	}{
		{"channels", []string{"C3", "Cz", "C4"}, "channels has 3 names, but the observations have 4 channels"},
		{"channels", []string{"a", "b", "c", "d", "e"}, "has 5 names"},
		{"channels", []string{"C3", "C4"}, ""}, // two bands
		{"channels", []string{"C3", "Cz", "C4", "Pz"}, ""},
	} {
		d := &Data{Stack: spd.NewStack(2, 4), Labels: []int{0, 1}, Classes: []string{"a", "b"}}
		for i := range 2 {
			for j := range 4 {
				d.Stack.Data[16*i+5*j] = 1
			}
		}
		d.Vars = map[string]*Array{c.array: {Name: c.array, Type: "U", Shape: []int{len(c.names)}, Strings: c.names}}
		path := filepath.Join(t.TempDir(), "m.npz")
		testkit.NoError(t, WriteFile(path, d))
		_, err := Open(t.Context(), path, OpenOptions{})
		if c.want == "" {
			testkit.NoError(t, err, c.names)
		} else {
			testkit.ErrorContains(t, err, c.want, c.names)
		}
	}
	d := &Data{X: NewTable64(2, 3, []float64{1, 2, 3, 4, 5, 6})}
	d.Vars = map[string]*Array{"columns": {Name: "columns", Type: "U", Shape: []int{2}, Strings: []string{"a", "b"}}}
	path := filepath.Join(t.TempDir(), "v.npz")
	testkit.NoError(t, WriteFile(path, d))
	testkit.ErrorContains(t, testkit.ErrorOf(Open(t.Context(), path, OpenOptions{})),
		"the array columns has 2 names, but the observations have 3 columns; store one name for each", "vectors")
}
