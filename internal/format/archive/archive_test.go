package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"rao/internal/format/ndarray"
	"rao/internal/testkit"
)

type meta struct {
	Method string
	Noise  float64
	Names  []string
}

func sample() (meta, []Array) {
	return meta{"sqfa", 0.25, []string{"a", "b<c"}}, []Array{
		{Name: "filters", Shape: []int{2, 3}, Float64: []float64{1, 2, 3, 4, 5, 6.5}},
		{Name: "counts", Shape: []int{2}, Int64: []int64{7, -9}},
		{Name: "small", Shape: []int{1, 1, 2}, Float32: []float32{0.5, -1}},
		{Name: "names", Shape: []int{3}, Strings: []string{"left", "", "µ-rhythm"}},
		{Name: "none", Shape: []int{0, 4}, Float64: []float64{}},
	}
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.rao")
	m, arrays := sample()
	testkit.NoError(t, Write(path, m, arrays))
	var got meta
	back := testkit.Must(Read(path, &got))(t)
	if !reflect.DeepEqual(got, m) {
		t.Errorf("metadata %+v, want %+v", got, m)
	}
	for i := range arrays {
		want, have := arrays[i], back[i]
		have.Type = ""
		if !reflect.DeepEqual(have, want) {
			t.Errorf("array %d: %+v, want %+v", i, have, want)
		}
	}
}

func TestWriteReplacesAndLeavesNoTemporary(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.rao")
	m, arrays := sample()
	for range 2 {
		testkit.NoError(t, Write(path, m, arrays))
	}
	onlyFile(t, dir, "m.rao")
}

func onlyFile(t *testing.T, dir string, want ...string) {
	t.Helper()
	list := testkit.Must(os.ReadDir(dir))(t)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	if len(names) != len(want) || len(want) > 0 && !reflect.DeepEqual(names, want) {
		t.Errorf("folder holds %v, want %v", names, want)
	}
}

// fullFile is a file on a disk with room for a few bytes.
type fullFile struct {
	*os.File
	room int
}

func (f *fullFile) Write(p []byte) (int, error) {
	if len(p) > f.room {
		n, _ := f.File.Write(p[:f.room])
		f.room = 0
		return n, &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	f.room -= len(p)
	return f.File.Write(p)
}

func TestFullDiskKeepsOldFileAndSaysSo(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.rao")
	m, arrays := sample()
	var old []byte
	for _, room := range []int{0, 10, 700} {
		err := writeFile(path, func(w io.Writer) error { return Encode(w, m, arrays) },
			func(t Target) (file, error) {
				f, err := createTemp(t)
				return &fullFile{f.(*os.File), room}, err
			})
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path) ||
			!strings.HasSuffix(err.Error(), "; free some space or choose another place") {
			t.Errorf("room %d: error %v", room, err)
		}
		if old == nil {
			onlyFile(t, dir)
			testkit.NoError(t, Write(path, m, arrays))
			old, _ = os.ReadFile(path)
		} else if now, _ := os.ReadFile(path); !bytes.Equal(now, old) {
			t.Errorf("room %d: the old file changed", room)
		}
	}
	onlyFile(t, dir, "m.rao")
}

func TestDevFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full on this system")
	}
	m, arrays := sample()
	err := Write("/dev/full", m, arrays)
	testkit.ErrorIs(t, err, syscall.ENOSPC)
}

func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	m, arrays := sample()
	testkit.ErrorContains(t, Write(filepath.Join(dir, "absent", "m.rao"), m, arrays), "create it first",
		"missing folder")
	testkit.ErrorContains(t, Write(dir, m, arrays), "it is a folder", "folder")
}

func TestBadArrayLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	for name, arrays := range map[string][]Array{
		"needs 4": {{Name: "a", Shape: []int{2, 2}, Float64: []float64{1}}},
		"used twice": {{Name: "a", Shape: []int{}, Float64: []float64{1}},
			{Name: "a", Shape: []int{}, Float64: []float64{1}}},
		"one type": {{Name: "a", Shape: []int{1}, Float64: []float64{1}, Int64: []int64{1}}},
	} {
		err := Write(filepath.Join(dir, "m.rao"), nil, arrays)
		testkit.ErrorContains(t, err, name)
	}
	onlyFile(t, dir)
}

// rewrite copies an archive with each entry's bytes changed by edit.
func rewrite(t *testing.T, data []byte, edit func(name string, b []byte) []byte) []byte {
	t.Helper()
	r := testkit.Must(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range r.File {
		rc, _ := f.Open()
		b, _ := io.ReadAll(rc)
		if b = edit(f.Name, b); b == nil {
			continue
		}
		e, _ := w.Create(f.Name)
		testkit.Must(e.Write(b))(t)
	}
	testkit.NoError(t, w.Close())
	return out.Bytes()
}

func TestDamagedFiles(t *testing.T) {
	m, arrays := sample()
	var b bytes.Buffer
	testkit.NoError(t, Encode(&b, m, arrays))
	good := b.Bytes()
	replace := func(old, new string) func(string, []byte) []byte {
		return func(name string, b []byte) []byte {
			if name == Manifest {
				return bytes.Replace(b, []byte(old), []byte(new), 1)
			}
			return b
		}
	}
	drop := func(which string) func(string, []byte) []byte {
		return func(name string, b []byte) []byte {
			if name == which {
				return nil
			}
			return b
		}
	}
	flipped := bytes.Clone(good)
	flipped[bytes.Index(good, []byte("NUMPY"))+150] ^= 1
	for _, c := range []struct {
		what, want string
		data       []byte
	}{
		{"newer", "use a newer version", rewrite(t, good, replace(`"rao_format": 1`, `"rao_format": 2`))},
		{"no version", "has no format version", rewrite(t, good, replace(`"rao_format": 1`, `"rao_format": 0`))},
		{"metadata", "metadata do not match", rewrite(t, good, replace(`"sqfa"`, `"lda"`))},
		{"a field of a later version", `field signed is unknown to this version of rao`, rewrite(t, good,
			replace(`"rao_format": 1`, `"signed": true, "rao_format": 1`))},
		{"a field in capitals", `field Arrays is unknown to this version of rao`, rewrite(t, good,
			replace(`"arrays"`, `"Arrays"`))},
		{"a field of an array", `field arrays.0.unit is unknown to this version of rao`, rewrite(t, good,
			replace(`"sha256"`, `"unit": "mm", "sha256"`))},
		{"an array that was added", `array "counts" is not listed in rao.json`, rewrite(t, good,
			replace(`"name": "counts"`, `"name": "means"`))},
		{"json", "rao.json is damaged", rewrite(t, good, replace(`{`, `(`))},
		{"no manifest", "it has no rao.json", rewrite(t, good, drop(Manifest))},
		{"no array", `no array "counts"`, rewrite(t, good, drop("counts.npy"))},
		{"altered array", `"counts" does not match its SHA-256`, rewrite(t, good, func(name string, b []byte) []byte {
			if name == "counts.npy" {
				b[len(b)-1] ^= 1
			}
			return b
		})},
		{"truncated", "truncated", good[:len(good)/2]},
		{"empty", "truncated", nil},
		{"bit", "checksum", flipped},
	} {
		var got meta
		_, err := Decode(bytes.NewReader(c.data), int64(len(c.data)), "m.rao", &got)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "m.rao: ") {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
}

// checkedMeta is metadata that knows the kind and the arrays of its file.
type checkedMeta struct {
	Method string
	Noise  float64
}

func (m *checkedMeta) Check() error {
	if m.Method != "sqfa" {
		return errors.New("no sqfa")
	}
	return nil
}

func (m *checkedMeta) Knows(array string) bool { return array != "none" }

// Errors name unknown fields and arrays. The error for a file of another kind names the kind.
func TestUnknownFieldsAndArraysAreRefused(t *testing.T) {
	type other struct{ Method, Names any }
	for want, c := range map[string]struct {
		meta   any
		arrays []Array
	}{
		"field Names is unknown to this version of rao": {other{"sqfa", 1}, nil},
		"field noise is unknown to this version of rao": {map[string]any{"Method": "sqfa", "noise": 1}, nil},
		`array "none" is unknown to this version of rao`: {checkedMeta{Method: "sqfa"},
			[]Array{{Name: "none", Shape: []int{0}}}},
		"no sqfa": {other{"lda", 1}, nil},
	} {
		var b bytes.Buffer
		testkit.NoError(t, Encode(&b, c.meta, c.arrays))
		var got checkedMeta
		_, err := Decode(bytes.NewReader(b.Bytes()), int64(b.Len()), "f", &got)
		testkit.ErrorContains(t, err, want)
	}
}

// A mutation with recomputed digests reaches the decoders.
func TestResealedArchivesReachTheDecoders(t *testing.T) {
	m, arrays := sample()
	var b bytes.Buffer
	testkit.NoError(t, Encode(&b, m, arrays))
	sealed := testkit.Reseal(b.Bytes())
	for what, old := range map[string]string{"an array": "\x00\x00\x00\x00\x00\x00\xf0\x3f", "the metadata": `"sqfa"`} {
		bad := bytes.Clone(sealed)
		bad[bytes.Index(bad, []byte(old))+3] ^= 1
		var got meta
		testkit.Fails(t, testkit.ErrorOf(Decode(bytes.NewReader(bad), int64(len(bad)), "f", &got)), what,
			"was altered without a word")
		bad = testkit.Reseal(bad)
		back, err := Decode(bytes.NewReader(bad), int64(len(bad)), "f", &got)
		if err != nil {
			t.Errorf("%s: %v", what, err)
		} else if got.Method == m.Method && back[0].Float64[0] == arrays[0].Float64[0] {
			t.Errorf("%s: the mutation did not arrive", what)
		}
	}
}

func FuzzDecode(f *testing.F) {
	m, arrays := sample()
	var b bytes.Buffer
	testkit.NoError(f, Encode(&b, m, arrays))
	f.Add(testkit.Reseal(b.Bytes()))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = testkit.Reseal(data) // or every mutation would end at a digest
		var got meta
		arrays, err := Decode(bytes.NewReader(data), int64(len(data)), "f", &got)
		if err != nil {
			return
		}
		for i := range arrays {
			testkit.NoError(t, ndarray.Check(&arrays[i]))
		}
	})
}
