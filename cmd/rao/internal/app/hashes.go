package app

import (
	"fmt"

	"github.com/spf13/cobra"

	"rao/internal/provenance"
)

// HashesFlag registers --hashes, which controls how a file records its rows. When the command starts, the key is read
// into Hashing.
func (a *App) HashesFlag(cmd *cobra.Command, usage string) {
	TextVar(cmd.Flags(), &a.hashes, "hashes", "none|FILE", "", usage)
}

// These are the help texts of --hashes for a command that records rows and for a command that looks rows up.
const (
	HashesOut = "how training rows are recorded: none stores only their number, for files to be shared; FILE is " +
		"a secret key, such as 32 random bytes; by default anyone who has a row can test whether it was used"
	HashesIn = "file with the secret key of the model's row hashes; none does not look for rows that the model has seen"
)

func (a *App) readHashes() (err error) {
	if a.Hashing, err = provenance.HashingOf(a.hashes); err != nil {
		err = fmt.Errorf("--hashes: %w; make a key with openssl rand -hex 32 > %s, or use --hashes none", err, a.hashes)
	}
	return err
}

// Recorded returns the parts in the form that a file stores. With --hashes none, they contain no row hashes.
func (a *App) Recorded(parts []provenance.Part) []provenance.Part {
	if a.Hashing.Off() {
		return provenance.WithoutHashes(parts)
	}
	return parts
}
