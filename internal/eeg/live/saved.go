package live

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rao/eeg"
	"rao/internal/eeg/channelkind"
	"rao/internal/eeg/format/brainvision"
	"rao/internal/format/archive"
)

// Origin describes how a recording was made, for BIDS sidecars.
type Origin struct {
	Version string // version of rao
	Command string // command that wrote the recording
	Source  string // source recording; empty if it is simulated
}

// Save writes a recording as XDF, or as BrainVision if the name ends in .vhdr. For a BIDS name, sub-*_eeg.vhdr, it also
// writes the tables of channels and events and a sidecar with the command. It writes the description of the data set to
// the parent folder of sub-*; with a source, the description marks the data set as a derivative. Without a BIDS name,
// BrainVision files cannot mark channels as bad, so a recording with bad channels is an error.
func Save(path string, rec *eeg.Recording, by Origin) error {
	if strings.ToLower(filepath.Ext(path)) != ".vhdr" {
		return SaveRecording(path, rec)
	}
	stem, isBIDS := strings.CutSuffix(strings.TrimSuffix(path, filepath.Ext(path)), "_eeg")
	isBIDS = isBIDS && strings.HasPrefix(filepath.Base(stem), "sub-")
	if len(rec.Bad) > 0 && !isBIDS {
		return fmt.Errorf("%s: BrainVision files cannot mark channels as bad, and %s is marked; write XDF (.xdf), "+
			"or a BIDS name (sub-*_eeg.vhdr), whose table of channels has the marks", path, strings.Join(rec.Bad, ", "))
	}
	if err := unclaimed(path, stem, isBIDS); err != nil {
		return err
	}
	if isBIDS {
		if err := sidecars(stem, rec, by); err != nil {
			return err
		}
	}
	c := brainvision.Content{Channels: rec.Channels, Units: rec.Units, Rate: rec.Rate, Samples: rec.Samples(),
		Read: rec.Read, Breaks: rec.Breaks, Events: rec.Events}
	return brainvision.Write(path, c)
}

// unclaimed returns an error if the header does not exist but one of its accompanying files does, because that file
// belongs to another recording.
func unclaimed(path, stem string, isBIDS bool) error {
	if _, err := os.Stat(path); err == nil {
		return nil // the caller may replace the recording
	}
	data := strings.TrimSuffix(path, filepath.Ext(path))
	files := []string{data + ".eeg", data + ".vmrk"}
	if isBIDS {
		files = append(files, data+".json", stem+"_channels.tsv", stem+"_events.tsv")
	}
	for _, f := range files {
		if _, err := os.Stat(f); err == nil {
			return fmt.Errorf("%s belongs to another recording and would be replaced; choose another name, such as "+
				"one with desc-clean in it", f)
		}
	}
	return nil
}

// sidecars writes the additional files of BIDS.
func sidecars(stem string, rec *eeg.Recording, by Origin) error {
	channels := [][]string{{"name", "type", "units", "status"}}
	kinds := channelkind.All(rec.Channels, rec.Types, rec.Units)
	for i, c := range rec.Channels {
		unit, status := "n/a", "good"
		if i < len(rec.Units) && rec.Units[i] != "" {
			unit = rec.Units[i]
		}
		if slices.Contains(rec.Bad, c) {
			status = "bad"
		}
		channels = append(channels, []string{c, strings.ToUpper(kinds[i]), unit, status})
	}
	events := [][]string{{"onset", "duration", "sample", "value", "trial_type"}}
	for _, e := range rec.Events {
		label, code := e.Label, "n/a"
		label = cmp.Or(label, "n/a")
		if e.Code != 0 {
			code = fmt.Sprint(e.Code)
		}
		events = append(events, []string{seconds(e.Sample, rec.Rate), seconds(e.Duration, rec.Rate),
			fmt.Sprint(e.Sample), code, label})
	}
	about := map[string]any{"SamplingFrequency": rec.Rate, "EEGChannelCount": len(rec.Channels),
		"RecordingDuration": float64(rec.Samples()) / rec.Rate, "RecordingType": "continuous",
		"EEGReference": "n/a", "PowerLineFrequency": "n/a", "SoftwareFilters": "n/a", "Command": by.Command}
	if rec.Reference != "" {
		about["EEGReference"] = rec.Reference
	}
	root := filepath.Dir(stem)
	for _, part := range strings.Split(filepath.Base(stem), "_") {
		if key, value, _ := strings.Cut(part, "-"); key == "task" {
			about["TaskName"] = value
		} else if key == "ses" {
			root = filepath.Dir(root)
		}
	}
	root = filepath.Dir(filepath.Dir(root)) // the parent of sub-*, which contains eeg
	set := map[string]any{"Name": "simulated by rao", "BIDSVersion": "1.8.0", "DatasetType": "raw",
		"GeneratedBy": []map[string]string{{"Name": "rao", "Version": by.Version}}}
	if by.Source != "" {
		about["Sources"] = []string{filepath.Base(by.Source)}
		set["Name"], set["DatasetType"] = "made by rao", "derivative"
	}
	described := filepath.Join(root, "dataset_description.json")
	if _, err := os.Stat(described); errors.Is(err, fs.ErrNotExist) {
		if err := writeJSON(described, set); err != nil {
			return err
		}
	}
	for name, rows := range map[string][][]string{"_channels.tsv": channels, "_events.tsv": events} {
		if err := archive.WriteFile(stem+name, func(w io.Writer) error {
			for _, row := range rows {
				for i := range row {
					row[i] = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ").Replace(row[i])
				}
				if _, err := io.WriteString(w, strings.Join(row, "\t")+"\n"); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return writeJSON(stem+"_eeg.json", about)
}

// seconds formats a number of samples as seconds.
func seconds(samples int, rate float64) string {
	return strconv.FormatFloat(float64(samples)/rate, 'g', -1, 64)
}

func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return archive.WriteBytes(path, append(b, '\n'))
}
