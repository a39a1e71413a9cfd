package app

import (
	"fmt"

	"github.com/spf13/cobra"

	"rao/internal/provenance"
)

// HashesFlag registers --hashes, which controls how a file records its rows. The key is read into Hashing when the
// command starts.
func (a *App) HashesFlag(cmd *cobra.Command, usage string) {
	TextVar(cmd.Flags(), &a.hashes, "hashes", "none|FILE", "", usage)
}

// Help texts of --hashes, for commands that record rows and for commands that look rows up.
const (
	HashesOut = "how training rows are recorded: none stores only their number, for files to be shared; FILE is " +
		"a secret key of 32 bytes; by default anyone who has a row can test whether it was used"
	HashesIn = "file with the key of the model's row hashes"
)

// readHashes reads the key that --hashes names.
func (a *App) readHashes() error {
	if a.hashes == "" {
		return nil
	}
	if a.hashes == "none" {
		a.Hashing = provenance.NoHashes()
		return nil
	}
	key, err := provenance.ReadHashKey(a.hashes)
	if err == nil {
		a.Hashing, err = provenance.KeyedHashes(key)
	}
	if err != nil {
		return fmt.Errorf("--hashes: %w; make a key with openssl rand -hex 32 > %s, or give none", err, a.hashes)
	}
	return nil
}

// Recorded returns the parts as they are stored in a file: without row hashes if --hashes is none.
func (a *App) Recorded(parts []provenance.Part) []provenance.Part {
	if a.Hashing.Off() {
		return provenance.WithoutHashes(parts)
	}
	return parts
}
