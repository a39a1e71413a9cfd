package gaussian

import (
	"path/filepath"
	"reflect"
	"testing"

	"rao/internal/testkit"
	"rao/recipe"
)

// tabled returns statistics of a table with a column of texts and one of numbers.
func tabled(t *testing.T, missing recipe.Missing, fill float64) *Statistics {
	t.Helper()
	s := New([]string{"a", "b"}, 3)
	s.Counts = []int{4, 5}
	for i := range 2 {
		for j := range 3 {
			s.cov(i)[j*3+j] = float64(1 + i + j)
		}
	}
	s.Columns = []string{"color=blue", "color=red", "size"}
	s.Inputs = &Inputs{Fill: []float64{0, 0, fill}, Table: &recipe.Encoding{Missing: missing, Label: "kind",
		Columns: []recipe.Column{{Name: "color", Values: []string{"blue", "red"}}, {Name: "size", Unit: "mm"}}}}
	return s
}

// A file stores how its table was read. If the columns are reordered, the stored table is reordered too.
func TestInputsGoWithStatistics(t *testing.T) {
	s := tabled(t, "mean", 2)
	path := filepath.Join(t.TempDir(), "s.npz")
	testkit.NoError(t, s.WriteFile(path))
	again, err := ReadFile(path)
	if err != nil || !reflect.DeepEqual(again.Inputs, s.Inputs) {
		t.Errorf("%+v, %v", again.Inputs, err)
	}
	turned, err := s.MatchColumns([]string{"size", "color=blue", "color=red"})
	if err != nil || turned.Inputs.Fill[0] != 2 || turned.Inputs.Table.Columns[0].Unit != "mm" ||
		turned.Validate() != nil {
		t.Errorf("%+v, %v", turned.Inputs, err)
	}
	apart, err := s.MatchColumns([]string{"color=blue", "size", "color=red"})
	if err != nil || apart.Inputs != nil {
		t.Errorf("a table cannot have %v: %+v, %v", apart.Columns, apart.Inputs, err)
	}
	s.Means[2] = 1 // of other rows
	s.Inputs.Table.Columns[1].Missing = 0.5
	testkit.Equal(t, testkit.Must(Merge(s, tabled(t, "mean", 2)))(t).Inputs.Table.Columns[1].Missing, 0.25)
	s.Inputs.Table.Columns[1].Missing = 0
	merged, err := Merge(s, turned)
	if err != nil || !reflect.DeepEqual(merged.Inputs, s.Inputs) {
		t.Errorf("%+v, %v", merged.Inputs, err)
	}
}

// Parts that were read in different ways are not merged, and a file with impossible inputs is rejected.
func TestInputsThatContradict(t *testing.T) {
	s := tabled(t, "mean", 2)
	s.Means[2] = 1 // of other rows than the others
	other := tabled(t, "mean", 2)
	other.Inputs.Table.Columns[1].Unit = "cm"
	for want, part := range map[string]*Statistics{
		"missing values: mean and drop":                tabled(t, "drop", 2),
		"replace missing values by different numbers":  tabled(t, "mean", 3),
		"column size: numbers in mm and numbers in cm": other,
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(Merge(s, part)), want)
	}
	for want, change := range map[string]func(in *Inputs){
		"the statistics have no table":    func(in *Inputs) { in.Table = nil },
		"replacements for missing values": func(in *Inputs) { in.Fill = in.Fill[1:] },
		"differ from the columns of their table": func(in *Inputs) {
			in.Table.Columns[1].Name = "width"
		},
		`missing values cannot be treated by "guess"`: func(in *Inputs) { in.Table.Missing = "guess" },
	} {
		bad := tabled(t, "mean", 2)
		change(bad.Inputs)
		err := bad.WriteFile(filepath.Join(t.TempDir(), "s.npz"))
		testkit.ErrorContains(t, err, want)
	}
}
