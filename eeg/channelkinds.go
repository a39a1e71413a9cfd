package eeg

import (
	"fmt"
	"slices"
	"strings"

	"rao"
	"rao/internal/eeg/channelkind"
	"rao/internal/optionvalues"
)

func (r *Recording) kind(channel int) string {
	return channelkind.Of(r.Channels, r.Types, r.Units, channel)
}

// wanted reports whether to keep a channel. If kinds is not nil, its kind must be one of them. Otherwise it must have
// been named or be EEG.
func (r *Recording) wanted(channel int, kinds []string, named bool) bool {
	switch {
	case slices.Contains(kinds, optionvalues.AllKinds):
		return true
	case kinds == nil:
		return named || r.kind(channel) == "eeg"
	}
	return slices.Contains(kinds, r.kind(channel)) || r.Types != nil && slices.Contains(kinds, r.Types[channel])
}

// leaveOut records that a channel was left out because it is not EEG.
func (r *Recording) leaveOut(channel int) {
	words := fmt.Sprintf("%s (%s)", r.Channels[channel], r.kind(channel))
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
		if k := r.kind(c); !slices.Contains(there, k) {
			there = append(there, k)
		}
	}
	return rao.Optionf("kinds", "the recording has no EEG channel, but channels of kind %s; choose a kind "+
		"with {kinds}, or channels by name with {channels}", strings.Join(there, ", "))
}
