package matfile

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// Files of version 7.3 with the layout of MATLAB are read (see testdata/make73.py).
func TestVersion73(t *testing.T) {
	var box []float64
	for i := range 2 {
		for j := range 3 {
			for k := range 4 {
				box = append(box, float64(100*i+10*j+k))
			}
		}
	}
	for _, file := range []string{"v73.mat", "v73_plain.mat"} {
		for name, want := range map[string][]float64{
			"v_f8": box, "v_f4": box, "v_i2": box, "scalar": {2.5}, "flag": {1, 0, 1}, "empty": {},
			"data{1}.X": {0, 10, 20, 100, 110, 120}, "data{2}.X": {10, 20, 30, 110, 120, 130}, "data{2}.trial": {2, 15},
			"mrk(2).type": {7}, "mrk(3).latency": {12.5},
		} {
			a := read(t, file, name)
			testkit.EqualSlices(t, numbers(t, a), want, file, name)
			if strings.HasPrefix(name, "v_") && !slices.Equal(a.Shape, []int{2, 3, 4}) {
				t.Errorf("%s %s: shape %v", file, name, a.Shape)
			}
		}
		for name, want := range map[string][]string{"word": {"tongue"}, "rows": {"left", "right"},
			"data{1}.classes": {"left hand", "feet"}, "mrk(1).type": {"square"}} {
			testkit.EqualSlices(t, read(t, file, name).Strings, want, file, name)
		}
		f := openTest(t, file)
		testkit.EqualSlices(t, f.Names(),
			[]string{"data", "empty", "flag", "mrk", "rows", "scalar", "v_f4", "v_f8", "v_i2", "v_u1", "word", "z"},
			file, "names")
		for path, want := range map[string]string{
			"z": "compounds, such as complex numbers", "absent": `no variable "absent"`,
			"data{3}": "it has no element {3}", "data{1}.Y": `it has no field "Y"`,
			"mrk.type": "name an element before", "data.X": "name a cell before", "data{1}": "name one of its fields: ",
		} {
			testkit.ErrorContains(t, testkit.ErrorOf(f.Read(path)), want, file, path)
		}
		run := testkit.Must(f.At("data{2}"))(t)
		testkit.EqualSlices(t, run.Field(0, "trial").Numbers(), []float64{2, 15})
	}
}

func TestBrokenVersion73(t *testing.T) {
	good := testkit.Must(os.ReadFile("testdata/v73.mat"))(t)
	for at := 512; at < len(good); at += 31 {
		b := bytes.Clone(good)
		for k := at; k < min(at+4, len(b)); k++ {
			b[k] ^= 0x5a
		}
		readTrees(b)
	}
	testkit.ErrorContains(t, readAll(good[:len(good)-2000]), "f.mat: ", "a cut file")
}

// A struct array whose first field has no references has no elements and is not a single struct. The other fields,
// which have elements, contradict it, which is an error.
func TestStructArrayOfNoElements(t *testing.T) {
	b := testkit.Must(os.ReadFile("testdata/v73_plain.mat"))(t)
	b[15488] = 0 // the number of references of the field "type" of mrk was 3
	f := testkit.Must(New(bytes.NewReader(b), int64(len(b)), "f.mat"))(t)
	testkit.ErrorContains(t, testkit.ErrorOf(f.At("mrk")), "do not have 0 values each",
		"one field has no elements and the other three")
}
