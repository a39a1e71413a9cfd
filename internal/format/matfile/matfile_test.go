package matfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rao/internal/format/ndarray"
	"rao/internal/testkit"
)

func read(t *testing.T, file, name string) *ndarray.Array {
	t.Helper()
	f := testkit.Must(Open(filepath.Join("testdata", file)))(t)
	defer f.Close()
	a := testkit.Must(f.Read(name))(t)
	testkit.NoError(t, ndarray.Check(a))
	return a
}

// numbers returns the values in C order.
func numbers(t *testing.T, a *ndarray.Array) []float64 {
	t.Helper()
	return testkit.Must(ndarray.Contiguous(a).ToFloat64())(t)
}

func TestScipyNumbers(t *testing.T) {
	for _, file := range []string{"v5.mat", "v7.mat"} {
		for _, typ := range strings.Fields("f8 f4 i1 i2 i4 i8 u1 u2 u4 u8") {
			a := read(t, file, "v_"+typ)
			if !slices.Equal(a.Shape, []int{2, 3, 4}) {
				t.Fatalf("%s %s: shape %v", file, typ, a.Shape)
			}
			v := numbers(t, a)
			for i := range 2 {
				for j := range 3 {
					for k := range 4 {
						if want := float64((100*i + 10*j + k) % 120); v[(i*3+j)*4+k] != want {
							t.Fatalf("%s %s (%d,%d,%d): %g, want %g", file, typ, i, j, k, v[(i*3+j)*4+k], want)
						}
					}
				}
			}
		}
	}
}

func TestVersion4Numbers(t *testing.T) {
	for _, name := range []string{"x", "f", "i", "s", "b"} {
		a := read(t, "v4.mat", name)
		want := []float64{0, 10, 20, 100, 110, 120}
		if name == "b" {
			want = []float64{0, 10, 20, 0, 10, 20}
		}
		if got := numbers(t, a); !slices.Equal(got, want) || !slices.Equal(a.Shape, []int{2, 3}) {
			t.Errorf("%s: %v of shape %v, want %v", name, got, a.Shape, want)
		}
	}
}

func TestTextAndOtherValues(t *testing.T) {
	for _, c := range []struct {
		file, name string
		shape      []int
		want       any
	}{
		{"v5.mat", "flag", []int{1, 3}, []float64{1, 0, 1}},
		{"v7.mat", "flag", []int{1, 3}, []float64{1, 0, 1}},
		{"v5.mat", "name", []int{2}, []string{"left hand", "feet"}},
		{"v7.mat", "name", []int{2}, []string{"left hand", "feet"}},
		{"v5.mat", "word", []int{1}, []string{"tongue"}},
		{"v5.mat", "greek", []int{1}, []string{"µ-rhythm"}},
		{"v7.mat", "labels", []int{1, 3}, []string{"one", "two", ""}},
		{"v5.mat", "labels", []int{1, 3}, []string{"one", "two", ""}},
		{"v5.mat", "scalar", []int{1, 1}, []float64{2.5}},
		{"v5.mat", "empty", []int{0, 3}, []float64{}},
		{"v5.mat", "small", []int{1, 3}, []float64{1, 2, 3}},
		{"v7.mat", "odd", []int{1, 5}, []float64{1, 2, 3, 4, 5}},
		{"v4.mat", "word", []int{1}, []string{"tongue"}},
		{"octave.mat", "word", []int{1}, []string{"tongue"}},
		{"octave.mat", "rows", []int{2}, []string{"ab", "cde"}},
		{"octave4.mat", "rows", []int{2}, []string{"ab", "cde"}},
		{"octave.mat", "labels", []int{2, 2}, []string{"one", "two", "three", ""}},
		{"octave.mat", "flag", []int{1, 3}, []float64{1, 0, 1}},
		{"octave.mat", "n", []int{2, 2}, []float64{1, -2, 3, 4}},
		{"octave.mat", "x", []int{1, 2}, []float64{0.5, 1.5}},
	} {
		a := ndarray.Contiguous(read(t, c.file, c.name))
		testkit.EqualSlices(t, a.Shape, c.shape, c.file, c.name, "shape")
		switch want := c.want.(type) {
		case []string:
			testkit.EqualSlices(t, a.Strings, want, c.file, c.name)
		case []float64:
			testkit.EqualSlices(t, numbers(t, a), want, c.file, c.name)
		}
	}
	testkit.Equal(t, read(t, "v7.mat", "flag").Type, "bool", "a logical array has type")
}

func TestOctaveStack(t *testing.T) {
	a := read(t, "octave.mat", "P")
	if !a.Fortran || !slices.Equal(a.Shape, []int{2, 3, 4}) {
		t.Fatalf("shape %v, fortran %v", a.Shape, a.Fortran)
	}
	for i := range 24 {
		if a.Value(i) != float64(i+1) {
			t.Fatalf("value %d is %g: values must stay column-major", i, a.Value(i))
		}
	}
}

// A sparse matrix written by scipy is read in full; one with a wrong header is an error.
func TestSparse(t *testing.T) {
	a := read(t, "refused.mat", "sparse")
	testkit.EqualSlices(t, a.Shape, []int{3, 3})
	testkit.EqualSlices(t, a.Float64, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	whole := testkit.Must(os.ReadFile("testdata/refused.mat"))(t)
	rows := 0
	for at := range 2 * len(whole) { // not one flip may do harm
		bad := bytes.Clone(whole)
		bad[at/2] ^= []byte{0x40, 3}[at%2]
		f, err := New(bytes.NewReader(bad), int64(len(bad)), "bad.mat")
		if err != nil {
			continue
		}
		a, err := f.Read("sparse")
		if err == nil && ndarray.Check(a) != nil {
			t.Errorf("byte %d: %v", at/2, ndarray.Check(a))
		}
		if err != nil && strings.Contains(err.Error(), "a value in row") {
			rows++
			if strings.Contains(err.Error(), "row 3 of 3") { // a valid row, counted from 1
				t.Errorf("byte %d: %v", at/2, err)
			}
		}
	}
	testkit.Equal(t, rows > 0, true, "a flip changes a row")
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ file, name, want string }{
		{"refused.mat", "z", `variable "z" is complex; save its real part or absolute value`},
		{"refused.mat", "s", `variable "s" is of class struct; name one of its fields, such as s.X`},
		{"refused.mat", "cells", `variable "cells": cell 0 contains a double array`},
		{"refused.mat", "absent", `no variable "absent"; its variables are good, z, s, sparse, cells`},
		{"refused4.mat", "z", `variable "z" is complex`},
		{"refused4.mat", "sparse", `variable "sparse" is sparse`},
	} {
		path := filepath.Join("testdata", c.file)
		f := testkit.Must(Open(path))(t)
		_, err := f.Read(c.name)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		testkit.NoError(t, testkit.ErrorOf(f.Read("good")), "a good variable next to bad ones")
		f.Close()
	}
}

func TestBadFiles(t *testing.T) {
	v5 := testkit.Must(os.ReadFile("testdata/v5.mat"))(t)
	v7, _ := os.ReadFile("testdata/v7.mat")
	v4, _ := os.ReadFile("testdata/v4.mat")
	flip := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 0x55
		return b
	}
	huge := bytes.Clone(v5)
	// The first variable's second dimension, after tag, flags and its own tag.
	binary.LittleEndian.PutUint32(huge[128+8+16+8+4:], 1<<30)
	negative := bytes.Clone(v5)
	binary.LittleEndian.PutUint32(negative[128+8+16+8:], 1<<31)
	for _, c := range []struct {
		what, want string
		data       []byte
	}{
		{"7.3", "version 7.3 (HDF5): not an HDF5 file: it has no signature; copy or save the file again, or save it " +
			"in MATLAB with " +
			"save(..., '-v7')", []byte("MATLAB 7.3 MAT-file, Platform: GLNXA64" + strings.Repeat(" ", 500))},
		{"hdf5", "version 7.3", []byte("\x89HDF\r\n\x1a\n" + strings.Repeat("\x00", 500))},
		{"empty", "not a MAT-file", nil},
		{"other", "not a MAT-file", []byte(strings.Repeat("hello ", 50))},
		{"v5 cut", "truncated", v5[:len(v5)-100]},
		{"v5 cut in tag", "truncated", v5[:128+4]},
		{"v7 cut", "truncated", v7[:len(v7)-10]},
		{"v4 cut", "truncated", v4[:len(v4)-1]},
		{"v4 cut in header", "truncated", v4[:len(v4)-20]},
		{"v7 bytes", "corrupt", flip(v7, 128+20)},
		{"huge", "", huge},
		{"negative", "negative length", negative},
		{"rows of nothing", "an empty character array of 7438464 rows",
			[]byte("\x01\x00\x00\x00\x80\x80q\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00x\x00")},
	} {
		err := readAll(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "f.mat: ") {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
}

// readAll reads every readable variable.
func readAll(data []byte) error {
	f, err := New(bytes.NewReader(data), int64(len(data)), "f.mat")
	if err != nil {
		return err
	}
	for _, v := range f.Vars {
		if v.Readable() != nil {
			continue
		}
		a, err := f.Read(v.Name)
		if err != nil {
			return err
		}
		if err := ndarray.Check(a); err != nil {
			return fmt.Errorf("invalid array: %w", err)
		}
	}
	return nil
}

func TestBigEndian(t *testing.T) {
	// A version 4 file written on a big-endian machine: type 1000, 1×2 doubles.
	var b bytes.Buffer
	for _, v := range []uint32{1000, 1, 2, 0, 2} {
		_ = binary.Write(&b, binary.BigEndian, v)
	}
	b.WriteString("x\x00")
	_ = binary.Write(&b, binary.BigEndian, []float64{1.5, -2})
	f := testkit.Must(New(bytes.NewReader(b.Bytes()), int64(b.Len()), "f"))(t)
	a, err := f.Read("x")
	if err != nil || !reflect.DeepEqual(a.Float64, []float64{1.5, -2}) {
		t.Errorf("%v %v", a, err)
	}
}

func TestBigEndianVersion5(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("MATLAB 5.0 MAT-file" + strings.Repeat(" ", 105) + "\x01\x00MI")
	put := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&b, binary.BigEndian, v)
		}
	}
	put(uint32(miMATRIX), uint32(16+16+8+8+16))
	put(uint32(miUINT32), uint32(8), uint32(6), uint32(0)) // class double
	put(uint32(miINT32), uint32(8), int32(1), int32(2))
	put(uint16(1), uint16(miINT8), []byte("x\x00\x00\x00")) // a small element: the name
	put(uint16(4), uint16(miINT16), int16(-3), int16(300))  // and the values, of two bytes each
	put([]byte(strings.Repeat("\x00", 16)))
	f := testkit.Must(New(bytes.NewReader(b.Bytes()), int64(b.Len()), "f"))(t)
	a, err := f.Read("x")
	if err != nil || !reflect.DeepEqual(a.Float32, []float32{-3, 300}) || a.Type != "f8" {
		t.Errorf("%+v %v", a, err)
	}
}

func TestSniff(t *testing.T) {
	for _, file := range []string{"v4.mat", "v5.mat", "v7.mat", "octave.mat", "octave4.mat"} {
		b := testkit.Must(os.ReadFile(filepath.Join("testdata", file)))(t)
		if !Sniff(b[:min(128, len(b))]) {
			t.Errorf("%s is not recognized", file)
		}
	}
	if Sniff([]byte("1,2,3,4,5,6,7,8,9,10,11,12\n")) || Sniff([]byte("\x93NUMPY\x01\x00v\x00{'descr': '<f8'")) {
		t.Error("other files are taken for MAT-files")
	}
}

func FuzzRead(f *testing.F) {
	testkit.Seeds(f, "v4.mat", "v5.mat", "v7.mat", "v73.mat", "v73_plain.mat", "octave.mat", "nested.mat",
		"nested_plain.mat", "refused.mat", "refused4.mat")
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, err := range []error{readAll(data), readTrees(data)} {
			if err != nil && strings.Contains(err.Error(), "invalid array") {
				t.Error(err)
			}
		}
	})
}
