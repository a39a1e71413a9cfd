// Package channelkind determines the kinds of channels, such as eeg and eog.
package channelkind

import (
	"regexp"
	"slices"

	"rao/internal/voltage"
)

// otherKinds are the names that files use for kinds other than EEG.
var otherKinds = []string{"meg", "ref_meg", "mcg", "seeg", "ecog", "dbs", "stim", "trig", "trigger", "markers",
	"marker", "status", "bio", "eog", "veog", "heog", "emg", "ecg", "ekg", "misc", "resp", "syst", "ias", "exci",
	"fnirs", "nirs", "temperature", "temp", "gsr", "eda", "ppg", "eyetrack", "eyegaze", "gaze", "pupil", "audio", "ref",
	"sysclock", "aux", "acc", "accelerometer", "gyro", "gyroscope", "other"}

// kindsOfNames determine the kind of a channel from its name, if the file does not specify the kind.
var kindsOfNames = []struct {
	kind string
	name *regexp.Regexp
}{
	{"eog", regexp.MustCompile(`(?i)eog`)},
	{"ecg", regexp.MustCompile(`(?i)ecg|ekg`)},
	{"emg", regexp.MustCompile(`(?i)emg`)},
	{"stim", regexp.MustCompile(`(?i)^(sti ?\d+|stim|trig|trigger|status|marker|event|din ?\d+)s?([^a-z]|$)`)},
	{"misc", regexp.MustCompile(`(?i)^(resp|gsr|eda|ppg|spo2|sao2|temp|pulse|photo|aux|misc|acc|gyro|battery|counter|` +
		`timestamp|airflow|pleth|audio|mic)([^a-z]|$)`)},
}

// All returns the kinds of all channels.
func All(names, types, units []string) []string {
	kinds := make([]string, len(names))
	for c := range kinds {
		kinds[c] = Of(names, types, units, c)
	}
	return kinds
}

// Of returns the kind of a channel: from types, the kinds in the file, if it is a known kind, otherwise from the name
// and unit of the channel. The default is "eeg". types and units may be nil.
func Of(names, types, units []string, channel int) string {
	if types != nil {
		if k := types[channel]; k == "eeg" || slices.Contains(otherKinds, k) {
			return k
		}
	}
	for _, k := range kindsOfNames {
		if k.name.MatchString(names[channel]) {
			return k.kind
		}
	}
	if units != nil {
		if u := voltage.Parse(units[channel]); u != "" && !voltage.OfVoltage(u) {
			return "misc"
		}
	}
	return "eeg"
}
