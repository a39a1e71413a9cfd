package provenance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"rao/internal/format/npy"
)

// Variable is the last variable of the npz files that dataset.WriteFile writes: a [File] as JSON text.
const Variable = "provenance"

// File describes the origin of an npz file; its JSON names do not change.
type File struct {
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

// CheckFile compares the arrays of an npz file with its digests and returns its provenance, or nil if it has
// none. The error names an array that was changed, is missing, or has no digest.
func CheckFile(path string) (*File, error) {
	z, err := npy.OpenZip(path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	if !z.Has(Variable + ".npy") {
		return nil, nil
	}
	p, err := readFile(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, name := range z.Names() {
		if name == Variable {
			continue
		}
		want, ok := p.Arrays[name]
		if !ok {
			return nil, fmt.Errorf("%s: array %s has no digest, so it was added later; use a good copy", path, name)
		}
		got, err := digestOfEntry(z, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if got != want {
			return nil, fmt.Errorf("%s: array %s does not match its digest, so it was changed later; use a good copy",
				path, name)
		}
		delete(p.Arrays, name)
	}
	for name := range p.Arrays {
		return nil, fmt.Errorf("%s: array %s is missing; use a good copy", path, name)
	}
	return p, nil
}

// largestProvenance limits the size of the text in bytes.
const largestProvenance = 1 << 20

func readFile(z *npy.Zip) (*File, error) {
	e, err := z.Entry(Variable + ".npy")
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
	p := new(File)
	if len(a.Strings) != 1 || json.Unmarshal([]byte(a.Strings[0]), p) != nil {
		return nil, fmt.Errorf("variable %s is not a record of provenance that rao wrote; use a file that rao wrote",
			Variable)
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
