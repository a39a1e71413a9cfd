package matfile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rao/internal/format/ndarray"
	"rao/internal/testkit"
)

func openTest(t testing.TB, file string) *File {
	t.Helper()
	f := testkit.Must(Open(filepath.Join("testdata", file)))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestPathsIntoStructsAndCells(t *testing.T) {
	for _, file := range []string{"nested.mat", "nested_plain.mat"} {
		f := openTest(t, file)
		for path, want := range map[string][]float64{
			"data{1}.X": {0, 10, 20, 100, 110, 120}, "data{2}.X": {10, 20, 30, 110, 120, 130},
			"data{1,2}.trial": {2, 15},
			"mrk(2).type":     {7}, "mrk(3).latency": {12.5}, "deep.a.b.c": {0, 1, 2, 3, 4, 5},
			"mixed{1}":           {1, 0, 0, 1},
			"deep(1).a(1,1).b.c": {0, 1, 2, 3, 4, 5},
		} {
			a := testkit.Must(f.Read(path))(t)
			if got := numbers(t, a); !slices.Equal(got, want) || a.Name != path {
				t.Errorf("%s %s: %v named %q, want %v", file, path, got, a.Name, want)
			}
		}
		for path, want := range map[string][]string{"data{2}.classes": {"left hand", "feet"}, "mixed{2}": {"a"},
			"mrk(1).type": {"square"}} {
			testkit.EqualSlices(t, testkit.Must(f.Read(path))(t).Strings, want, file, path)
		}
	}
}

func TestTreeOfAWholeVariable(t *testing.T) {
	f := openTest(t, "nested.mat")
	data := testkit.Must(f.At("data"))(t)
	run := data.Items[1]
	fs, ok := run.Field(0, "fs").Number()
	if sex, isText := run.Field(0, "gender").Text(); !ok || fs != 250 || !isText || sex != "female" {
		t.Errorf("rate %v, gender %q", fs, sex)
	}
	testkit.EqualSlices(t, run.Field(0, "classes").Texts(), []string{"left hand", "feet"}, "classes")
	testkit.EqualSlices(t, run.Field(0, "trial").Numbers(), []float64{2, 15}, "trials")
	mrk, err := f.At("mrk")
	if err != nil || mrk.Len() != 3 {
		t.Fatal(mrk, err)
	}
	if text, ok := mrk.Field(2, "type").Text(); !ok || text != "" {
		t.Errorf("an empty text is %q, %v", text, ok)
	}
	testkit.Equal(t, testkit.Must(f.At("mrk(2)"))(t).Field(0, "latency").Numbers()[0], 11.5)
	if run.Field(0, "absent") != nil || run.Field(1, "fs") != nil || (*Value)(nil).Field(0, "x") != nil {
		t.Error("fields that are not there")
	}
}

func TestPathsThatLeadNowhere(t *testing.T) {
	f := openTest(t, "nested.mat")
	for path, want := range map[string]string{
		"absent{1}":    `no variable "absent"; its variables are data, mrk, deep, mixed, none`,
		"data{3}":      "it has no element {3}; its shape is 1×2",
		"data{1,2,3}":  "needs one index or 2",
		"data{0}":      "write a variable, then fields",
		"data{1":       "write a variable, then fields",
		"data{1}.":     "write a variable, then fields",
		"data{1}x":     "write a variable, then fields",
		".x":           "write a variable, then fields",
		"data.X":       `name a cell before field "X", such as {1}`,
		"data{1}.x":    `it has no field "x"; its fields are X, trial, y, fs, classes, gender`,
		"data{1}.X.a":  `of class double and shape 2×3, and has no field "a"`,
		"data{1}.X{1}": "has no element {1}",
		"mrk.type":     `name an element before field "type", such as (1)`,
		"data{1}":      "a struct of shape 1×1; name one of its fields: X, trial",
		"mixed{3}":     `variable "mixed" is complex`,
		"deep.a":       "name one of its fields: b",
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(f.Read(path)), want, path)
	}
}

// A tree with damaged sizes or depths never causes a panic, and never needs much memory.
func TestTreesThatLie(t *testing.T) {
	plain := testkit.Must(os.ReadFile("testdata/nested_plain.mat"))(t)
	for cut := 128; cut < len(plain); cut += 7 {
		b := bytes.Clone(plain)
		for k := cut; k < min(cut+4, len(b)); k++ {
			b[k] ^= 0x5a
		}
		readTrees(b)
	}
}

// readTrees reads every variable at once and by a path, and checks that the results agree.
func readTrees(data []byte) error {
	f, err := New(bytes.NewReader(data), int64(len(data)), "f.mat")
	if err != nil {
		return err
	}
	for _, v := range f.Vars {
		value, err := f.At(v.Name)
		if err != nil {
			continue
		}
		if err := value.check(); err != nil {
			return err
		}
		f.At(v.Name + "{1}.X")
		f.At(v.Name + "(1).a")
	}
	return nil
}

func (v *Value) check() error {
	if v.Array != nil {
		if err := ndarray.Check(v.Array); err != nil {
			return fmt.Errorf("invalid array: %w", err)
		}
	}
	if want := v.Len() * max(1, len(v.Fields)); v.Class == "cell" && len(v.Items) != want || v.Class == "struct" &&
		len(v.Items) != v.Len()*len(v.Fields) {
		return fmt.Errorf("invalid array: %d items, want %d", len(v.Items), want)
	}
	for _, i := range v.Items {
		if err := i.check(); err != nil {
			return err
		}
	}
	return nil
}

func FuzzPath(f *testing.F) {
	for _, s := range []string{"data{1}.X", "a(1,2).b{3}", "x", ".", "{", "a{1}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) { parsePath(path) })
}
