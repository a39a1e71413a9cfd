package dataset

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"

	"rao"
	"rao/gaussian"
	"rao/internal/format/npy"
	"rao/internal/linalg/cpu"
	"rao/internal/provenance"
)

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

// finish writes the provenance of data from the given rows as the last array of the file.
func (e *entries) finish(rows []gaussian.Part) error {
	var from []provenance.Origin
	for _, p := range rows {
		from = append(from, provenance.Origin{Rows: p.Rows, Digest: p.Digest})
	}
	text, err := json.Marshal(provenance.File{Version: rao.Version, Kernel: cpu.Use().String(), From: from,
		Arrays: e.sums})
	if err != nil {
		return err
	}
	return e.write(&Array{Name: provenance.Variable, Shape: []int{1}, Strings: []string{string(text)}})
}

// takeProvenance removes the provenance from the variables, because it is not part of the data.
func (r *raw) takeProvenance() {
	if v, ok := r.vars[provenance.Variable]; ok && len(v.Strings) == 1 && json.Valid([]byte(v.Strings[0])) {
		delete(r.vars, provenance.Variable)
	}
}
