package testkit

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Seeds adds files of the folder testdata to the seeds of a fuzz target.
func Seeds(f *testing.F, names ...string) {
	f.Helper()
	for _, name := range names {
		f.Add(Must(os.ReadFile(filepath.Join("testdata", name)))(f))
	}
}

// Reseal returns an archive of rao, or any npz, with all entries uncompressed and with checksums and digests that match
// the contents. Fuzz tests call Reseal on every mutation; otherwise nearly every mutation would fail at a checksum and
// not reach the decoders. Reseal returns anything that is not a zip unchanged.
func Reseal(b []byte) []byte {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return b
	}
	const manifest = "rao.json"
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	digests := map[string]string{}
	add := func(name string, content []byte) bool {
		e, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			return false
		}
		_, err = e.Write(content)
		return err == nil
	}
	var text []byte
	for _, f := range z.File {
		content, ok := contentOf(f)
		if !ok {
			return b
		}
		if f.Name == manifest {
			text = content
			continue
		}
		sum := sha256.Sum256(content)
		digests[strings.TrimSuffix(f.Name, ".npy")] = hex.EncodeToString(sum[:])
		if !add(f.Name, content) {
			return b
		}
	}
	if text != nil && !add(manifest, resealManifest(text, digests)) || w.Close() != nil {
		return b
	}
	return out.Bytes()
}

// contentOf returns the bytes of an entry without verifying its checksum.
func contentOf(f *zip.File) ([]byte, bool) {
	if f.Method == zip.Store {
		r, err := f.OpenRaw()
		if err != nil {
			return nil, false
		}
		b, err := io.ReadAll(r)
		return b, err == nil
	}
	r, err := f.Open()
	if err != nil {
		return nil, false
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, 1<<24))
	return b, err == nil
}

// resealManifest updates the digests in a manifest. It returns text that is not JSON unchanged.
func resealManifest(text []byte, digests map[string]string) []byte {
	var m map[string]json.RawMessage
	if json.Unmarshal(text, &m) != nil || m == nil {
		return text
	}
	var compact bytes.Buffer
	if json.Compact(&compact, m["meta"]) == nil {
		sum := sha256.Sum256(compact.Bytes())
		m["meta_sha256"], _ = json.Marshal(hex.EncodeToString(sum[:]))
	}
	var arrays []map[string]json.RawMessage
	if json.Unmarshal(m["arrays"], &arrays) == nil {
		for _, a := range arrays {
			var name string
			if json.Unmarshal(a["name"], &name) == nil && a != nil {
				if d, ok := digests[name]; ok {
					a["sha256"], _ = json.Marshal(d)
				}
			}
		}
		m["arrays"], _ = json.Marshal(arrays)
	}
	out, err := json.Marshal(m)
	if err != nil {
		return text
	}
	return out
}
