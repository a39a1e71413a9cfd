package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/sets"
	"rao/internal/text"
	"rao/synth"
)

func dataCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:        "data",
		SuggestFor: []string{"dataset"},
		Short:      "Data sets: list, download and generate them; deskew images",
		Long: `Data sets that rao knows by name. Every data argument accepts the name of an embedded set,
and the name of a public set after it has been downloaded or imported into the user's
cache folder. rao data make writes generated sets to files.`,
		Example: `  rao data list
  rao data make toy1 --out toy1.npz
  rao data get mnist
  rao data deskew --data mnist:train --out train.npz`,
	}
	cmd.AddCommand(datasetListCommand(a), datasetMakeCommand(a), datasetGetCommand(a),
		datasetDeskewCommand(a))
	return cmd
}

type datasetRow struct {
	Name        string   `json:"name"`
	Parts       []string `json:"parts,omitempty"`
	Kind        string   `json:"kind"`
	Here        bool     `json:"here"`
	Description string   `json:"description"`
	License     string   `json:"license"`
	Obtain      string   `json:"obtain"`
}

func datasetListCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the data sets that rao knows by name, and which ones are on this machine",
		Example: "  rao data list --json",
		Args:    app.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			var list []datasetRow
			for _, i := range dataset.Sets() {
				if i.Kind == "generated" {
					i.Obtain = "rao data make " + i.Name
				}
				list = append(list, datasetRow{i.Name, i.Parts, i.Kind, i.Here(), i.Description, i.License,
					i.Obtain})
			}
			return a.Emit(list, func() {
				rows := make([][]string, len(list))
				for i, d := range list {
					name := d.Name
					if len(d.Parts) > 0 {
						name += ":" + strings.Join(d.Parts, "|")
					}
					state := d.Kind
					if d.Kind == "download" || d.Kind == "import" {
						state += ", not here"
						if d.Here {
							state = "here"
						}
					}
					rows[i] = []string{name, state, d.Description}
				}
				a.Table([]string{"name", "state", "what"}, rows)
			})
		},
	}
}

func datasetMakeCommand(a *app.App) *cobra.Command {
	var opt synth.GenerateOptions
	var out string
	cmd := &cobra.Command{
		Use:               "make NAME",
		ValidArgsFunction: app.Fixed(app.SetsOf("generated")...),
		Short:             "Generate a synthetic data set of the papers",
		Long: "Generate one of the synthetic sets that rao data list shows, and write it to an npz file, " +
			"which numpy can load.",
		Example: "  rao data make toy1 --per-class 500 --seed 3 --out toy1.npz\n  rao data make " +
			"speed --images photos --out speed.npz",
		Args: oneName("rao data make"),
	}
	app.CountFlag(cmd.Flags(), &opt.PerClass, "per-class", 0, 0, 100000000,
		"observations per class; 0 uses the default of the set")
	app.SeedVar(cmd.Flags(), &opt.Seed, "seed of the random numbers")
	app.CountFlag(cmd.Flags(), &opt.Part, "part", 0, 0, 2, "for syn1 and syn2: 0, 1, 2 for independent draws with "+
		"the same bases, for training, validation and test; for speed: 1 for the test part")
	app.TextVar(cmd.Flags(), &opt.Images, "images", "FOLDER", "",
		"for speed: folder of photographs from which the videos are made")
	app.OutputFlag(cmd, &out, "out", app.DataOutput, "npz file to write")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := app.Required("out", out); err != nil {
			return err
		}
		if err := knownSet(args[0], "generated"); err != nil {
			return err
		}
		d, err := synth.Generate(args[0], opt)
		if err != nil {
			return err
		}
		if err := dataset.WriteFile(out, d); err != nil {
			return err
		}
		r := struct {
			Name string `json:"name"`
			N    int    `json:"n"`
			Out  string `json:"out"`
		}{args[0], d.N(), out}
		return a.Emit(r, func() {
			fmt.Fprintf(a.Out, "%s: %s written to %s\n", r.Name, text.Plural(r.N, "observation", "observations"), out)
		})
	}
	return cmd
}

func datasetGetCommand(a *app.App) *cobra.Command {
	var opt sets.GetOptions
	cmd := &cobra.Command{
		Use:               "get NAME",
		ValidArgsFunction: app.Fixed(app.SetsOf("download", "import")...),
		Short:             "Fetch a public data set into the cache folder, or import downloaded files",
		Long: `Download a public data set from its official source, check its SHA-256 and store it in the
user's cache folder. An interrupted download resumes where it stopped. --from imports
files that you have already downloaded. Afterwards the name works wherever data are
accepted, such as --data mnist:train.

For EEG sets such as eegbci and bnci2014-001, --subjects and --runs select what to
download, and --from also finds recordings in a folder of MNE or MOABB. If nobody
publishes the digest of a file, the digest of the first download is stored next to it in
SHA256SUMS.txt, and later files with another digest are refused.`,
		Example: "  rao data get mnist\n  rao data get bci-iv-2a --from downloads\n" +
			"  rao data get eegbci --subjects 1-9 --runs 4,8,12\n  rao data get bnci2014-001 --from ~/mne_data",
		Args: oneName("rao data get"),
	}
	app.TextVar(cmd.Flags(), &opt.From, "from", "FOLDER", "", "folder to import from, instead of downloading")
	app.TextVar(cmd.Flags(), &opt.Mirror, "mirror", "URL", "",
		"URL of a folder with the same file names, to download from instead of the official source")
	var pick app.PickFlags
	pick.Add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := knownSet(args[0], "download", "import")
		if err != nil {
			return err
		}
		if opt.Subjects, opt.Runs, err = pick.Numbers(); err != nil {
			return err
		}
		show, done := a.Progress("rao data get " + args[0])
		opt.Progress = show
		dir, err := sets.Get(cmd.Context(), args[0], opt)
		done()
		if err != nil {
			return err
		}
		r := struct {
			Name string `json:"name"`
			Dir  string `json:"dir"`
		}{args[0], dir}
		if sets.TrustsFirst(args[0]) {
			a.Note("these files have no published digests: the digests of this download were saved in "+
				"SHA256SUMS.txt in %s, and later downloads must match them", dir)
		}
		return a.Emit(r, func() { fmt.Fprintf(a.Out, "%s is in %s\n", r.Name, dir) })
	}
	return cmd
}

// knownSet returns a usage error unless name is a set of the given kinds.
func knownSet(name string, kinds ...string) error {
	known := app.SetsOf(kinds...)
	switch {
	case slices.Contains(known, name):
		return nil
	case slices.Contains(app.SetsOf("embedded"), name):
		return app.Usagef("%s is built in; use its name, as in --data %s", name, name)
	case slices.Contains(app.SetsOf("generated"), name):
		return app.Usagef("%s is generated, not downloaded; use rao data make %s --out FILE.npz", name, name)
	case slices.Contains(app.SetsOf("download", "import"), name):
		return app.Usagef("%s is downloaded or imported, not generated; use rao data get %s", name, name)
	}
	return app.Usagef("%v", &rao.UnknownError{Kind: "data set", Name: name, Known: known})
}

func oneName(verb string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return app.Usagef("%s needs one name; rao data list shows the names", verb)
		}
		return nil
	}
}
