package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
)

// Models of digits and SPD matrices, and the results of these models, have the same bits on processors with AVX2 and
// with AVX-512.
func TestSameBitsWithAVX2AsWithAVX512(t *testing.T) {
	testkit.SkipShort(t, "fits everything twice; the kernels have tests of their own")
	if !slices.Contains(cpu.Available(), cpu.AVX512) {
		t.Skip("this processor lacks AVX-512")
	}
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	digits, matrices, vectors, single := "digits:train", at("matrices.npz"), at("vectors.npz"), at("float32.npz")
	runOn(t, cpu.AVX512, "data", "make", "syn1", "--per-class", "20", "--seed", "1", "--out", matrices)
	runOn(t, cpu.AVX512, "data", "make", "toy1", "--seed", "1", "--out", vectors)
	writeSingle(t, single, 3000, 40)

	type job struct {
		out  string
		args []string
	}
	jobs := []job{
		{"sqfa.rao", []string{"fit", "sqfa", "--data", digits, "--filters", "4"}},
		{"qda.rao", []string{"fit", "qda-raw", "--data", digits}},
		{"qda.csv", []string{"predict", "--model", at("avx512-qda.rao"), "--data", "digits:test"}},
		{"gmlvq.rao", []string{"fit", "gmlvq-raw", "--data", digits, "--epochs", "10"}}, // of 100, which are alike
		{"tslr.rao", []string{"fit", "tslr", "--data", matrices}},
		{"tslr.csv", []string{"predict", "--model", at("avx512-tslr.rao"), "--data", matrices}},
		{"bytes.npz", []string{"stats", "--data", digits}},
		{"single.npz", []string{"stats", "--data", single}},
		{"double.npz", []string{"stats", "--data", vectors}},
		{"mean.npy", []string{"spd", "mean", "--data", matrices, "--metric", "riemann"}},
	}
	for _, method := range []string{"smsqfa", "bdm", "lda", "fa", "gem", "ica", "lfda", "lmnn", "nca", "ama"} {
		jobs = append(jobs, job{method + ".rao", []string{"fit", method, "--data", digits, "--filters", "5"}})
	}
	for _, method := range []string{"mixture-raw", "lda-raw", "svm-raw"} {
		jobs = append(jobs, job{method + ".rao", []string{"fit", method, "--data", digits}})
	}
	for _, method := range []string{"plrsq", "plrsq-le", "mdm", "fgmdm", "tslda", "enuc", "tssvm", "tssm", "gapca",
		"csp", "svm-spd"} {
		jobs = append(jobs, job{method + ".rao", []string{"fit", method, "--data", matrices}})
	}
	for _, metric := range []string{"logeuclid", "wasserstein", "logchol"} {
		jobs = append(jobs, job{metric + ".npy", []string{"spd", "mean", "--data", matrices, "--metric", metric}})
	}
	jobs = append(jobs, job{"distances.npy", []string{"spd", "distance", "--data", matrices, "--metric",
		"riemann"}})
	for _, j := range jobs {
		var found [2]map[string]string
		for i, path := range []cpu.Path{cpu.AVX2, cpu.AVX512} {
			name := at(path.String() + "-" + j.out)
			runOn(t, path, append(slices.Clone(j.args), "--out", name)...)
			found[i] = parts(t, name)
		}
		if !maps.Equal(found[0], found[1]) {
			for name, part := range found[0] {
				testkit.Equal(t, part, found[1][name], j.args, name, "of", j.out, "differs")
			}
		}
	}
}

// runOn runs the tool with the kernels of a path.
func runOn(t *testing.T, path cpu.Path, args ...string) {
	t.Helper()
	cmd := exec.Command("rao", args...)
	cmd.Env = append(os.Environ(), "RAO_KERNEL="+path.String())
	testkit.Output(t, cmd)
}

// parts returns the members of an archive, or the content of another file, without the name of the kernels that wrote
// it.
func parts(t *testing.T, name string) map[string]string {
	t.Helper()
	data := testkit.Must(os.ReadFile(name))(t)
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if errors.Is(err, zip.ErrFormat) {
		return map[string]string{"all": string(data)}
	}
	testkit.NoError(t, err)
	out := map[string]string{}
	for _, f := range archive.File {
		r := testkit.Must(f.Open())(t)
		member := testkit.Must(io.ReadAll(r))(t)
		var tree any
		if json.Unmarshal(member, &tree) == nil {
			forget(tree, "Kernel", "meta_sha256")
			member = testkit.Must(json.Marshal(tree))(t)
		}
		for _, path := range []cpu.Path{cpu.AVX2, cpu.AVX512} { // in the provenance of arrays
			member = bytes.ReplaceAll(member, []byte(path.String()), []byte("kernel"))
		}
		out[f.Name] = string(member)
	}
	return out
}

// forget deletes the values of some keys anywhere in a tree.
func forget(tree any, keys ...string) {
	switch x := tree.(type) {
	case map[string]any:
		for _, k := range keys {
			delete(x, k)
		}
		for _, v := range x {
			forget(v, keys...)
		}
	case []any:
		for _, v := range x {
			forget(v, keys...)
		}
	}
}

// writeSingle writes float32 rows of three classes, some of them integers.
func writeSingle(t *testing.T, name string, rows, columns int) {
	t.Helper()
	r := rand.New(rand.NewPCG(31, 1))
	x, y := make([]float32, rows*columns), make([]int64, rows)
	for i := range x {
		if x[i] = float32(r.IntN(256)); i/columns%2048 >= 1024 {
			x[i] += r.Float32()
		}
	}
	for i := range y {
		y[i] = int64(i % 3)
	}
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	add := func(name, kind, shape string, values any) {
		w := testkit.Must(archive.Create(name))(t)
		header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, shape)
		header += fmt.Sprintf("%*s\n", 117-len(header), "")
		fmt.Fprintf(w, "\x93NUMPY\x01\x00%c\x00%s", len(header), header)
		testkit.NoError(t, binary.Write(w, binary.LittleEndian, values))
	}
	add("X.npy", "<f4", fmt.Sprintf("%d, %d", rows, columns), x)
	add("y.npy", "<i8", fmt.Sprintf("%d,", rows), y)
	testkit.NoError(t, archive.Close())
	testkit.NoError(t, os.WriteFile(name, file.Bytes(), 0o600))
}
