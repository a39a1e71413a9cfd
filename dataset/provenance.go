package dataset

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"rao"
	"rao/internal/format/npy"
	"rao/internal/linalg/cpu"
)

// provenanceVar is the last variable of the npz files that [WriteFile] writes: a [Provenance] as JSON text.
const provenanceVar = "provenance"

// Provenance describes the origin of an npz file; its JSON names do not change.
type Provenance struct {
	Version string            `json:"version"`
	Kernel  string            `json:"kernel"`
	From    []Origin          `json:"from,omitempty"` // the data from which this file was made
	Arrays  map[string]string `json:"arrays"`         // SHA-256 of each npy entry, by its variable
}

// Origin identifies rows by their number and a digest that does not depend on their order.
type Origin struct {
	Rows   int    `json:"rows"`
	Digest string `json:"digest"`
}

// entries writes npy entries to a zip file and collects their digests.
type entries struct {
	z    *zip.Writer
	sums map[string]string
}

func (e *entries) write(a *Array) error {
	w, err := e.z.CreateHeader(&zip.FileHeader{Name: a.Name + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	sum := sha256.New()
	if err := npy.Write(io.MultiWriter(w, sum), a); err != nil {
		return err
	}
	e.sums[a.Name] = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// finish writes the provenance of data from the given origins as the last array of the file.
func (e *entries) finish(from []Origin) error {
	text, err := json.Marshal(Provenance{Version: rao.Version, Kernel: cpu.Use().String(), From: from, Arrays: e.sums})
	if err != nil {
		return err
	}
	return e.write(&Array{Name: provenanceVar, Shape: []int{1}, Strings: []string{string(text)}})
}

// takeProvenance removes the provenance from the variables, because it is not part of the data.
func (r *raw) takeProvenance() {
	if v, ok := r.vars[provenanceVar]; ok && len(v.Strings) == 1 && json.Valid([]byte(v.Strings[0])) {
		delete(r.vars, provenanceVar)
	}
}

// CheckProvenance compares the arrays of an npz file with its digests and returns its provenance, or nil if it has
// none. The error names an array that was changed, is missing, or has no digest.
func CheckProvenance(path string) (*Provenance, error) {
	z, err := npy.OpenZip(path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	if !z.Has(provenanceVar + ".npy") {
		return nil, nil
	}
	p, err := readProvenance(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, name := range z.Names() {
		if name == provenanceVar {
			continue
		}
		want, ok := p.Arrays[name]
		if !ok {
			return nil, fmt.Errorf("%s: array %s was added later: it has no digest", path, name)
		}
		got, err := digestOfEntry(z, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if got != want {
			return nil, fmt.Errorf("%s: array %s was changed after it was written: its digest differs", path, name)
		}
		delete(p.Arrays, name)
	}
	for name := range p.Arrays {
		return nil, fmt.Errorf("%s: array %s is missing", path, name)
	}
	return p, nil
}

// largestProvenance limits the size of the text in bytes.
const largestProvenance = 1 << 20

func readProvenance(z *npy.Zip) (*Provenance, error) {
	e, err := z.Entry(provenanceVar + ".npy")
	if err != nil {
		return nil, err
	}
	defer e.Close()
	r, err := npy.NewReader(e, largestProvenance)
	if err != nil {
		return nil, err
	}
	a, err := r.Array()
	if err != nil {
		return nil, err
	}
	p := new(Provenance)
	if len(a.Strings) != 1 || json.Unmarshal([]byte(a.Strings[0]), p) != nil {
		return nil, fmt.Errorf("variable %s is not provenance written by rao", provenanceVar)
	}
	return p, nil
}

func digestOfEntry(z *npy.Zip, name string) (string, error) {
	e, err := z.Entry(name + ".npy")
	if err != nil {
		return "", err
	}
	defer e.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, e); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
