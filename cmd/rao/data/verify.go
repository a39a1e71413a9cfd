package data

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/filecheck"
	"rao/internal/text"
)

type verifyResult struct {
	Files   []filecheck.Verdict `json:"files"`
	Bad     int                 `json:"bad"`     // incomplete or invalid
	Unknown int                 `json:"unknown"` // of an unknown kind
}

func verifyCommand(a *app.App) *cobra.Command {
	var signers signerFlags
	cmd := &cobra.Command{
		Use:   "verify FILE...",
		Short: "Check that files are complete and valid, and describe them",
		Long: `Read models, statistics files, ledgers, stopping rules, data files and
recordings completely, describe each one, and check it: the digests of all arrays,
matching shapes, plausible values of fits and covariances, and finite data. For a table
with text columns, only the rows and quotes are checked, and for an ONNX graph only the
structure. The exit status is 1 if a file fails or is of an unknown kind.

The digests show damage, but not changes by a person who computes the digests again. With
--signed-by a file also fails if none of the keys signed it, or if it was changed after
signing.`,
		Example: `  rao verify model.rao statistics.npz train.npz
  rao verify site-a.npz --signed-by site-a.pub`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return app.Usagef("give one file or more")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := signers.read(); err != nil {
				return err
			}
			var r verifyResult
			for _, path := range args {
				v, err := verifyArgument(cmd.Context(), a, path, &signers)
				if err != nil {
					return err
				}
				if err := cmd.Context().Err(); err != nil {
					return err
				}
				switch {
				case v.Unknown:
					r.Unknown++
				case !v.OK:
					r.Bad++
				}
				r.Files = append(r.Files, v)
			}
			err := a.Emit(&r, func() {
				for _, v := range r.Files {
					if v.OK {
						by := ""
						if v.SignedBy != "" {
							by = ", signed by " + v.SignedBy
						}
						fmt.Fprintf(a.Out, "%s: %s, %s%s\n", text.Visible(v.File), v.Kind, text.Visible(v.What),
							text.Visible(by))
						continue
					}
					verdict := "bad"
					if v.Unknown {
						verdict = "unknown"
					}
					fmt.Fprintf(a.Out, "%s: %s: %s\n", text.Visible(v.File), verdict, text.Visible(v.Error))
				}
			})
			return cmp.Or(err, r.failure())
		},
	}
	signers.add(cmd)
	return cmd
}

// failure returns an error unless all files are complete and valid.
func (r *verifyResult) failure() error {
	all := text.Plural(len(r.Files), "file", "files")
	switch {
	case r.Bad > 0 && r.Unknown > 0:
		return fmt.Errorf("%d of %s failed the check, and another %d could not be checked, because verify does not "+
			"read this kind of file; replace what failed with a good copy", r.Bad, all, r.Unknown)
	case r.Bad > 0:
		return fmt.Errorf("%d of %s failed the check; replace what failed with a good copy", r.Bad, all)
	case r.Unknown > 0:
		return fmt.Errorf("%d of %s could not be checked, because verify does not read this kind of file; leave "+
			"such files out", r.Unknown, all)
	}
	return nil
}

// verifyArgument verifies the file spec, or standard input if spec is "-". Only a file can have a signature.
func verifyArgument(ctx context.Context, a *app.App, spec string, signers *signerFlags) (filecheck.Verdict, error) {
	if spec == "-" && signers.files != nil {
		return filecheck.Verdict{}, app.Usagef("standard input has no signature; leave out --signed-by")
	}
	path, done, err := a.Spooled(ctx, spec)
	if err != nil {
		return filecheck.Verdict{}, err
	}
	defer done()
	v := filecheck.File(ctx, path)
	if spec == "-" {
		v.File, v.Error = app.StandardInput, strings.ReplaceAll(v.Error, path, app.StandardInput)
	}
	if v.OK {
		if v.SignedBy, err = signers.signer(path); err != nil {
			v.OK, v.What, v.Error = false, "", strings.TrimPrefix(err.Error(), path+": ")
		}
	}
	return v, nil
}
