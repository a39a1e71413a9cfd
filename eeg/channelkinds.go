package eeg

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"rao"
	"rao/internal/optionvalues"
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

// Kind returns the kind of a channel: from the file if it has a known kind, otherwise from the name and unit of the
// channel. The default is "eeg".
func (r *Recording) Kind(channel int) string {
	if r.Types != nil {
		if k := r.Types[channel]; k == "eeg" || slices.Contains(otherKinds, k) {
			return k
		}
	}
	for _, k := range kindsOfNames {
		if k.name.MatchString(r.Channels[channel]) {
			return k.kind
		}
	}
	if r.Units != nil {
		if u := voltage.Parse(r.Units[channel]); u != "" && !voltage.OfVoltage(u) {
			return "misc"
		}
	}
	return "eeg"
}

// wanted reports whether to keep a channel. If kinds is not nil, its kind must be one of them. Otherwise it must have
// been named or be EEG.
func (r *Recording) wanted(channel int, kinds []string, named bool) bool {
	switch {
	case slices.Contains(kinds, optionvalues.AllKinds):
		return true
	case kinds == nil:
		return named || r.Kind(channel) == "eeg"
	}
	return slices.Contains(kinds, r.Kind(channel)) || r.Types != nil && slices.Contains(kinds, r.Types[channel])
}

// leaveOut records that a channel was left out because it is not EEG.
func (r *Recording) leaveOut(channel int) {
	words := fmt.Sprintf("%s (%s)", r.Channels[channel], r.Kind(channel))
	if !slices.Contains(r.LeftOut, words) {
		r.LeftOut = append(r.LeftOut, words)
	}
}

// noneLeft returns the error for a recording without any of the requested channels.
func (r *Recording) noneLeft(kinds []string) error {
	if kinds != nil || r.LeftOut == nil {
		return fmt.Errorf("no channel is left after the selection; the recording has %s", strings.Join(r.Channels,
			", "))
	}
	var there []string
	for c := range r.Channels {
		if k := r.Kind(c); !slices.Contains(there, k) {
			there = append(there, k)
		}
	}
	return rao.Optionf("kinds", "the recording has no EEG channel, but channels of kind %s; choose a kind "+
		"with {kinds}, or channels by name with {channels}", strings.Join(there, ", "))
}

// unique adds numbers to repeated names, as MNE does: EEG, EEG become EEG-0, EEG-1.
func unique(names []string) []string {
	count := map[string]int{}
	for _, n := range names {
		count[n]++
	}
	out, next := slices.Clone(names), map[string]int{}
	for c, n := range names {
		if count[n] < 2 {
			continue
		}
		for {
			out[c] = fmt.Sprintf("%s-%d", n, next[n])
			if next[n]++; count[out[c]] == 0 {
				break
			}
		}
	}
	return out
}
