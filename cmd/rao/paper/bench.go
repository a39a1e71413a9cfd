package paper

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/format/archive"
	"rao/internal/linalg/cpu"
	"rao/internal/paper/bench"
	"rao/internal/text"
)

type benchResult struct {
	Kernel    string       `json:"kernel"`
	Platform  string       `json:"platform"`
	Processor string       `json:"processor,omitempty"`
	CPUs      int          `json:"cpus"`
	Cases     []bench.Case `json:"cases"`
}

// machine describes the machine on which the times were measured.
func (r *benchResult) machine() string {
	name := r.Platform
	if r.Processor != "" {
		name += ", " + r.Processor
	}
	return fmt.Sprintf("kernel %s, %s, %s", r.Kernel, name, text.Plural(r.CPUs, "processor", "processors"))
}

func benchCommand(a *app.App) *cobra.Command {
	var opt bench.Options
	var markdown string
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Time the kernels on this machine and compare them with other libraries",
		Long: `Time the kernels and complete tasks on this machine, and compare them with gonum and, if
they are installed, with the Python packages numpy, torch, pyRiemann and sqfa. The
libraries run in turn. The reported times are medians of --repeats rounds. A ratio is the
time of a library divided by the time of rao, as a median over the rounds. OpenBLAS is
timed with its own choice of core type and with SkylakeX and Haswell. Fits of many classes,
of large matrices, and of millions of rows on disk take minutes and run only if --cases
names them.`,
		Example: "  rao paper bench --cases eigen\n  rao paper bench --cases \"100 classes, 512 columns, 16\"\n" +
			"  rao paper bench --cases \"matrices of order 100\" --repeats 1\n" +
			"  RAO_KERNEL=avx2 rao paper bench --json",
		Args: app.NoArgs,
	}
	app.TextVar(cmd.Flags(), &opt.Python, "python", "FILE", "python3", "Python interpreter for the other libraries")
	app.CountFlag(cmd.Flags(), &opt.Rounds, "repeats", 5, 1, 1000, "number of timed rounds")
	app.TextVar(cmd.Flags(), &opt.Filter, "cases", "TEXT", "", "only cases whose name contains this")
	app.OutputFlag(cmd, &markdown, "markdown", app.DocumentOutput, "file for the results as Markdown")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r := benchResult{Kernel: cpu.Use().String(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
			Processor: cpu.Model(), CPUs: runtime.NumCPU()}
		show, done := a.Progress("rao paper bench")
		opt.Progress = show
		if !a.JSON {
			fmt.Fprintln(a.Out, r.machine())
		}
		dir, remove, err := a.TempDir("rao-bench-*")
		if err != nil {
			return err
		}
		defer remove()
		opt.Dir = dir
		err = bench.Run(cmd.Context(), opt, func(c bench.Case) {
			done()
			r.Cases = append(r.Cases, c)
			if !a.JSON {
				printCase(a, c)
			}
		})
		done()
		if err != nil {
			return err
		}
		if markdown != "" {
			if err := archive.WriteFile(markdown, r.markdown); err != nil {
				return err
			}
		}
		return a.Emit(r, func() {})
	}
	return cmd
}

// markdown writes a description of the machine and a Markdown table of all cases.
func (r *benchResult) markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(app.DocumentMark)
	fmt.Fprintf(&b, "Machine: %s. Times are medians. The column \"ratio\" is the time of a library divided by the "+
		"time of rao, as a median over the rounds.\n\n", r.machine())
	b.WriteString("| case | library | time, ms | rate | ratio |\n|---|---|---|---|---|\n")
	for _, c := range r.Cases {
		for i, m := range c.Measures {
			name := c.Name
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(&b, "| %s | %s | %.4g | %s | %.2f |\n", name, m.Who, 1000*m.Seconds, rate(c, m), m.Ratio)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func rate(c bench.Case, m bench.Measure) string {
	if m.Rate > 0 {
		return fmt.Sprintf("%.4g %s", m.Rate, c.Unit)
	}
	return ""
}

func printCase(a *app.App, c bench.Case) {
	fmt.Fprintf(a.Out, "\n%s\n", c.Name)
	rows := make([][]string, len(c.Measures))
	for i, m := range c.Measures {
		rows[i] = []string{m.Who, fmt.Sprintf("%.4g ms", 1000*m.Seconds), rate(c, m), fmt.Sprintf("%.2f", m.Ratio)}
	}
	a.Indent(func() { a.Table([]string{"library", "time", "rate", "ratio"}, rows) })
	for _, s := range c.Remarks {
		fmt.Fprintf(a.Out, "  %s\n", s)
	}
	for _, s := range c.Absent {
		a.Note("  not available: %s", s)
	}
}
