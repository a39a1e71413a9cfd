package spd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/examine"
	"rao/internal/text"
	"rao/spd"
)

// matrixFault describes a faulty matrix. Indices of matrices and channels start at 0.
type matrixFault struct {
	Matrix    int         `json:"matrix"`
	Faults    []string    `json:"faults"`
	Rank      int         `json:"rank"`
	Smallest  text.Number `json:"smallest_eigenvalue"`
	Condition text.Number `json:"condition"`
	Asymmetry text.Number `json:"asymmetry"`
	NotFinite []int       `json:"not_finite_channels,omitempty"`
	Flat      []int       `json:"flat_channels,omitempty"`
}

type checkResult struct {
	Count    int           `json:"count"`
	Dim      int           `json:"dim"`
	Channels []string      `json:"channels,omitempty"`
	Healthy  bool          `json:"healthy"`
	Findings []string      `json:"findings"`
	LeftOut  []int         `json:"left_out,omitempty"` // matrices that --repair auto leaves out
	Repair   string        `json:"repair"`             // repair of the remaining matrices
	Faulty   int           `json:"faulty"`
	Worst    []matrixFault `json:"worst"`
	Out      string        `json:"out,omitempty"`
}

// worstShown is the number of faulty matrices listed without --all.
const worstShown = 5

func checkCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var opt spd.CheckOptions
	var repair, out string
	var all bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Find faults of matrices, and repair them",
		Long: `Check every matrix for values that are not finite, flat or duplicated channels, asymmetry,
rank, condition, and the rank lost to an average reference. Any array of square matrices
is accepted. Matrices and channels are numbered from 0. If the file has a variable
"channels", channels have names. The exit status is 0 even if faults are found.

--out writes the repaired matrices. If only a few matrices have a faulty channel, these
matrices are left out, because dropping the channel would lose more. Pass the suggested
repair to rao fit --repair: the model stores it and applies it to new data too.`,
		Example: `  rao spd check --data covariances.npz
  rao spd check --data covariances.npz --repair auto --out repaired.npz`,
		Args: app.NoArgs,
	}
	data.Add(cmd, "data", "matrices, count × order × order")
	app.CheckedVar(cmd.Flags(), &repair, "repair", "auto|none|STEP+...", "auto",
		"repair for --out: auto, none, or steps joined by +: "+
			"drop:CHANNELS (numbers from 0, or names), project, shrink:AMOUNT, floor:AMOUNT", knownRepair)
	app.OutputFlag(cmd, &out, "out", app.DataOutput, "npz file for the repaired matrices")
	cmd.Flags().BoolVar(&all, "all", false, "list every faulty matrix, not only the first few")
	app.NumberFlag(cmd.Flags(), &opt.RankTol, "rank-tol", 0, 0, 0.5, "eigenvalues up to this share of the "+
		"largest count as zero; 0 uses 1e-10")
	app.NumberFlag(cmd.Flags(), &opt.MaxCondition, "max-condition", 0, 0, 1e300,
		"largest condition number that is not a fault; 0 uses 1e8")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !(opt.MaxCondition == 0 || opt.MaxCondition >= 1) {
			return app.Usagef("--max-condition %v: the ratio must be 0, or 1 or more", opt.MaxCondition)
		}
		data.Opt.Matrices = true
		d, err := data.Open(cmd.Context(), a, "data", false)
		if err != nil {
			return err
		}
		f, err := examine.Matrices(d, opt, repair)
		if err != nil {
			return err
		}
		if out != "" {
			fixed, err := f.Repaired()
			if err != nil {
				return err
			}
			a.MadeFrom(fixed, d)
			if err := dataset.WriteFile(out, fixed); err != nil {
				return err
			}
		}
		r := checkResult{Count: f.Count, Dim: f.Dim, Channels: f.Channels, Healthy: f.Healthy(),
			Findings: f.Findings(), LeftOut: f.LeftOut, Repair: f.Suggested(), Out: out}
		r.Worst, r.Faulty = worst(f.Diagnosis, all)
		return a.Emit(r, func() { printCheck(a, &r, f.Diagnosis) })
	}
	return cmd
}

// knownRepair returns an error if a step of a repair is unknown. It does not check whether the steps suit the matrices.
func knownRepair(repair string) error {
	for _, step := range strings.Split(repair, "+") {
		name, _, _ := strings.Cut(step, ":")
		if known := []string{"auto", "none", "drop", "project", "shrink", "floor"}; !slices.Contains(known, name) {
			return &rao.UnknownError{Kind: "repair", Name: name, Known: known}
		}
	}
	return nil
}

// numbers joins the numbers. A long list is shortened and ends with the number of omitted items.
func numbers(list []int) string {
	const most = 10
	var words []string
	for _, k := range list[:min(len(list), most)] {
		words = append(words, strconv.Itoa(k))
	}
	if more := len(list) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}

// worst returns the worst faulty matrices, or all of them, and the number of faulty matrices.
func worst(d *spd.Diagnosis, all bool) (list []matrixFault, count int) {
	for i := range d.Matrices {
		m := &d.Matrices[i]
		faults := d.Faults(i)
		if faults == nil {
			continue
		}
		if count++; all || count <= worstShown {
			list = append(list, matrixFault{i, faults, m.Rank, text.Number(m.Smallest), text.Number(m.Condition),
				text.Number(m.Asymmetry), m.NaNChannels, m.FlatChannels})
		}
	}
	return list, count
}

func printCheck(a *app.App, r *checkResult, d *spd.Diagnosis) {
	fmt.Fprintln(a.Out, d.String())
	if r.Healthy {
		return
	}
	rows := make([][]string, len(r.Worst))
	for i, m := range r.Worst {
		rows[i] = []string{fmt.Sprint(m.Matrix), fmt.Sprint(m.Rank), fmt.Sprintf("%.3g", float64(m.Smallest)),
			fmt.Sprintf("%.3g", float64(m.Condition)), strings.Join(m.Faults, "; ")}
	}
	if len(rows) > 0 {
		fmt.Fprintf(a.Out, "\n%s with a fault, counted from 0\n", text.Plural(r.Faulty, "matrix", "matrices"))
		a.Table([]string{"matrix", "rank", "smallest eigenvalue", "condition", "fault"}, rows)
	}
	if more := r.Faulty - len(rows); more > 0 {
		fmt.Fprintf(a.Out, "and %d more, which --all lists\n", more)
	}
	fmt.Fprintln(a.Out)
	if n := len(r.LeftOut); n > 0 {
		fmt.Fprintf(a.Out, "leave out %s, which loses less than dropping the channels: %s\n",
			text.Plural(n, "matrix", "matrices"), numbers(r.LeftOut))
	}
	fmt.Fprintf(a.Out, "repair: %s\n", r.Repair)
	if r.Out != "" {
		fmt.Fprintf(a.Out, "%d of %s written to %s\n", r.Count-len(r.LeftOut), text.Plural(r.Count, "matrix",
			"matrices"),
			r.Out)
	}
}
