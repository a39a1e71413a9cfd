package data

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/format/archive"
	"rao/internal/signature"
	"rao/internal/text"
)

func statsSignCommand(a *app.App) *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:   "sign FILE...",
		Short: "Sign files with an Ed25519 key",
		Long: `Use a private key to sign files that rao wrote, and write the signature of
FILE to FILE.sig. With the public key, rao verify --signed-by and rao stats merge
--signed-by check that the owner of the key signed the file and that it has not changed.
openssl makes the keys:

  openssl genpkey -algorithm ed25519 -out site.key
  openssl pkey -in site.key -pubout -out site.pub`,
		Example: "  rao stats sign site-a.npz --key site.key",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return app.Usagef("give one file or more")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := app.Required("key", key); err != nil {
				return err
			}
			type signed struct {
				File string `json:"file"`
				Key  string `json:"key"`
				Out  string `json:"out"`
			}
			r := struct {
				Files []signed `json:"files"`
			}{}
			for _, path := range args {
				if _, err := archive.Kind(path); err != nil {
					return err
				}
				name, err := signature.Sign(path, key)
				if err != nil {
					return err
				}
				r.Files = append(r.Files, signed{path, name, path + signature.Suffix})
			}
			return a.Emit(&r, func() {
				for _, f := range r.Files {
					fmt.Fprintf(a.Out, "%s signed with key %s, written to %s\n", text.Visible(f.File), f.Key,
						text.Visible(f.Out))
				}
			})
		},
	}
	app.TextVar(cmd.Flags(), &key, "key", "FILE", "", "PEM file of the private key")
	return cmd
}

// signerFlags list the public keys of the accepted signers.
type signerFlags struct {
	files []string
	keys  []signature.Key
}

func (f *signerFlags) add(cmd *cobra.Command) {
	app.ListVar(cmd.Flags(), &f.files, "signed-by", "FILE,...",
		"accept only files that were signed with one of these public keys (PEM; see rao stats sign)")
}

// read reads the public keys from the files on the command line.
func (f *signerFlags) read() (err error) {
	f.keys, err = signature.ReadKeys(f.files)
	return err
}

// signer returns the name of the key that signed a file, or "" if no keys were given.
func (f *signerFlags) signer(path string) (string, error) {
	if f.files == nil {
		return "", nil
	}
	key, err := signature.Verify(path, f.keys)
	if err != nil {
		return "", err
	}
	return key.File, nil
}

// copies checks the signatures of files and returns copies of the signed contents. A file that is replaced after the
// check therefore has no effect. remove deletes the copies. Without keys, copies returns paths unchanged.
func (f *signerFlags) copies(paths []string) (copied []string, remove func(), err error) {
	if f.files == nil {
		return paths, func() {}, nil
	}
	folder, err := os.MkdirTemp("", "rao-signed-")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { os.RemoveAll(folder) }
	for i, path := range paths {
		within := filepath.Join(folder, fmt.Sprint(i))
		if err = os.Mkdir(within, 0o700); err == nil {
			path, err = signature.Copy(path, f.keys, within)
		}
		if err != nil {
			remove()
			return nil, nil, err
		}
		copied = append(copied, path)
	}
	return copied, remove, nil
}
