package eeg

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/internal/eeg/live"
	"rao/internal/provenance"
	"rao/internal/text"
)

// recordingFlags control how a recording is opened.
type recordingFlags struct {
	opt                   eeg.RecordingOptions
	channels, drop, kinds string
}

// addFile registers the flags for properties that a file may not record.
func (r *recordingFlags) addFile(f *pflag.FlagSet) {
	app.NumberFlag(f, &r.opt.Rate, "rate", 0, 0, 1e9, "samples per second of an npy file")
	app.TextVar(f, &r.opt.Events, "events", "FILE", "",
		"table of events (csv, tsv); by default the events of the recording, or X_events.csv next to X_raw.npy")
	app.TextVar(f, &r.opt.Path, "path", "PATH", "",
		"part of a MAT file that is the recording, such as data{1}; rao eeg cov also reads several, such as data{4:9}")
	app.TextVar(f, &r.opt.Stream, "stream", "NAME", "",
		"name, type or number of the stream of signals in an XDF file; by default the one of type EEG")
}

// addUnit registers the flag for the unit of channels whose unit is unknown.
func addUnit(f *pflag.FlagSet, unit *string) {
	app.TextVar(f, unit, "channel-unit", "UNIT", "",
		"unit of channels without one, such as uV; becomes volts")
}

// addChannels registers the flags that select channels.
func (r *recordingFlags) addChannels(f *pflag.FlagSet, byDefault string) {
	app.TextVar(f, &r.channels, "channels", "NAME,...", "",
		"names of the channels to keep, separated by commas; by default "+byDefault)
	app.TextVar(f, &r.drop, "drop", "NAME,...", "", "names of channels to leave out")
	app.TextVar(f, &r.kinds, "kinds", "KIND,...", "", "kinds of channels to keep, such as meg or eeg,eog; all keeps "+
		"every channel")
}

func (r *recordingFlags) options() eeg.RecordingOptions {
	opt := r.opt
	opt.Channels, opt.Drop, opt.Kinds = text.SplitList(r.channels), text.SplitList(r.drop), text.SplitList(r.kinds)
	return opt
}

// filesOf returns the number of samples and the SHA-256 digest of each recording. The digest is empty if the recording
// is not a file.
func filesOf(recs []*eeg.Recording) []provenance.Part {
	from := make([]provenance.Part, len(recs))
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

// origin describes how a recording was made, for its sidecar file. It contains the command with its flags. File names
// are without folders, whose names may reveal a person.
func origin(cmd *cobra.Command, args []string, source string) live.Origin {
	words := []string{cmd.CommandPath()}
	for _, a := range args {
		words = append(words, filepath.Base(a))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		if form := app.Form(f); form == "FILE" || form == "FOLDER" {
			value = filepath.Base(value)
		} else if form == "FILE,..." {
			files := text.SplitList(value)
			for i, file := range files {
				files[i] = filepath.Base(file)
			}
			value = strings.Join(files, ",")
		}
		words = append(words, "--"+f.Name+"="+value)
	})
	return live.Origin{Version: app.Version, Command: strings.Join(words, " "), Source: source}
}
