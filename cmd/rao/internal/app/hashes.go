package app

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"rao/gaussian"
)

// HashesFlag registers --hashes, which says how a file records the rows it was made from. The key is
// read when the verb starts, into Hashing.
func (a *App) HashesFlag(cmd *cobra.Command, usage string) {
	TextVar(cmd.Flags(), &a.hashes, "hashes", "none|FILE", "", usage)
}

// What --hashes means where rows are recorded, and where they are looked up.
const (
	HashesOut = "how rows are recorded: none keeps only their number, for files to be shared; FILE holds a secret " +
		"key of 32 bytes; by default anyone who has a row can find out whether it was part"
	HashesIn = "file with the key by which the rows behind the model are recorded"
)

// largestKey is the most bytes a key may have; a larger file is data given by mistake.
const largestKey = 4096

// readHashes reads what --hashes names.
func (a *App) readHashes() error {
	if a.hashes == "" {
		return nil
	}
	if a.hashes == "none" {
		a.Hashing = gaussian.NoHashes()
		return nil
	}
	key, err := readKey(a.hashes)
	if err != nil {
		return fmt.Errorf("--hashes %s: %w; make a key with openssl rand -hex 32 > %s, or give none", a.hashes, err,
			a.hashes)
	}
	a.Hashing = key
	return nil
}

// readKey reads a file that holds a key.
func readKey(path string) (h gaussian.Hashing, err error) {
	st, err := os.Stat(path)
	if err != nil {
		return h, cause(err)
	}
	if !st.Mode().IsRegular() {
		return h, errors.New("not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return h, cause(err)
	}
	defer f.Close()
	key, err := io.ReadAll(io.LimitReader(f, largestKey+1))
	if err != nil {
		return h, cause(err)
	}
	if len(key) > largestKey {
		return h, fmt.Errorf("more than %d bytes, too long for a key", largestKey)
	}
	return gaussian.KeyedHashes(key)
}

// Recorded returns what a file keeps of the parts it was made from.
func (a *App) Recorded(parts []gaussian.Part) []gaussian.Part {
	if a.Hashing.Off() {
		return gaussian.WithoutHashes(parts)
	}
	return parts
}
