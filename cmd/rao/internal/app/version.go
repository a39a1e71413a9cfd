package app

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"rao/internal/linalg/cpu"
)

type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Kernel   string `json:"kernel"`
}

// Commit returns the commit from which the program was built, or "" if the build does not record it.
func Commit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return ""
}

func versionCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and the kernels in use",
		Long: "Print the version and the kernels in use: portable, avx2, avx512 or neon.\nThe environment " +
			"variable RAO_KERNEL selects slower kernels.",
		Example: "  rao version --json",
		Args:    NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := cpu.Selected()
			if err != nil {
				return err
			}
			v := versionInfo{
				Version:  Version,
				Go:       runtime.Version(),
				Platform: runtime.GOOS + "/" + runtime.GOARCH,
				Kernel:   path.String(),
			}
			v.Revision = Commit()
			return a.Emit(v, func() {
				commit := ""
				if v.Revision != "" {
					commit = fmt.Sprintf("commit %.12s, ", v.Revision)
				}
				fmt.Fprintf(a.Out, "rao %s (%s%s, %s, kernel %s)\n", v.Version, commit, v.Go, v.Platform, v.Kernel)
			})
		},
	}
}

func init() { Register(GroupProgram, 3, versionCommand) }
