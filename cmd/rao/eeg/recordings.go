package eeg

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"

	"rao/dataset"
	"rao/eeg"
)

// filesOf names recordings by their samples and the SHA-256 of the files that were named,
// where they are files.
func filesOf(recs []*eeg.Recording) []dataset.Origin {
	from := make([]dataset.Origin, len(recs))
	for i, r := range recs {
		from[i].Rows = r.Samples()
		f, err := os.Open(r.Source)
		if err != nil {
			continue
		}
		sum := sha256.New()
		if _, err := io.Copy(sum, f); err == nil {
			from[i].Digest = hex.EncodeToString(sum.Sum(nil))
		}
		f.Close()
	}
	return from
}
