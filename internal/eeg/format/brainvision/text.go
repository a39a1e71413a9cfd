package brainvision

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rao/internal/eeg/format/signal"
)

// sections maps section and key, both in lower case, to the value of an entry.
type sections map[string]map[string]string

func (s sections) value(section, key string) string {
	return s[strings.ToLower(section)][strings.ToLower(key)]
}

// parse parses the entries of a BrainVision file. It returns an error unless the first line identifies the format. It
// skips comments, which start with a semicolon, and the free text of the section [Comment].
func parse(text, what string) (sections, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	first, rest, _ := strings.Cut(text, "\n")
	if !strings.Contains(strings.ReplaceAll(first, " ", ""), "BrainVision") {
		return nil, fmt.Errorf("not a BrainVision %s: the first line is %.60q; copy or export it again", what,
			strings.TrimSpace(first))
	}
	out := sections{}
	section := ""
	for line := range strings.SplitSeq(rest, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == ';':
		case line[0] == '[' && line[len(line)-1] == ']':
			section = strings.ToLower(line[1 : len(line)-1])
			if out[section] == nil {
				out[section] = map[string]string{}
			}
		case section == "" || section == "comment":
		default:
			if key, value, ok := strings.Cut(line, "="); ok {
				out[section][strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
			}
		}
	}
	return out, nil
}

// ParseMarkers parses a .vmrk file with entries Mk1=type,description,position,size,... and positions from 1. breaks
// are the samples, from 0, at which each segment except the first begins.
func ParseMarkers(text string) (events []signal.Event, breaks []int, err error) {
	ini, err := parse(text, "marker file")
	if err != nil {
		return nil, nil, err
	}
	marks := ini["marker infos"]
	for i := 1; i <= len(marks); i++ {
		entry, ok := marks["mk"+strconv.Itoa(i)]
		if !ok {
			return nil, nil, fmt.Errorf("the marker file has %d entries, but the entry Mk%d is missing; export the "+
				"recording again", len(marks), i)
		}
		field := splitMarker(entry)
		if len(field) < 3 {
			return nil, nil, fmt.Errorf("the marker Mk%d=%s has no position; export the recording again", i, entry)
		}
		position, err := strconv.ParseInt(strings.TrimSpace(field[2]), 10, 32)
		if err != nil || position < 0 {
			return nil, nil, fmt.Errorf("the marker Mk%d has the position %q, which is not a sample number; export "+
				"the recording again", i, field[2])
		}
		length := int64(0)
		if len(field) > 3 && strings.TrimSpace(field[3]) != "" {
			if length, err = strconv.ParseInt(strings.TrimSpace(field[3]), 10, 32); err != nil || length < 0 {
				return nil, nil, fmt.Errorf("the marker Mk%d has the size %q, which is not a number of samples; "+
					"export the recording again", i, field[3])
			}
		}
		if field[0] == "New Segment" {
			if position > 1 {
				breaks = append(breaks, int(position-1))
			}
			continue
		}
		label := strings.ReplaceAll(strings.TrimSpace(field[1]), `\1`, ",")
		if label == "" {
			label = field[0]
		}
		events = append(events, signal.Event{Sample: int(max(position-1, 0)), Code: code(label), Label: label,
			Duration: int(length)})
	}
	slices.SortStableFunc(events, func(a, b signal.Event) int { return a.Sample - b.Sample })
	return events, breaks, nil
}

// splitMarker splits an entry at its commas. Some programs do not escape the commas of a description as \1. The last
// fields are then recognized as position, size, channel and perhaps a date of 20 digits.
func splitMarker(entry string) []string {
	field := strings.Split(entry, ",")
	at := len(field) - 3
	if len(field[len(field)-1]) == 20 {
		at--
	}
	if at <= 2 || slices.ContainsFunc(field[at:], func(f string) bool {
		return f == "" || strings.Trim(f, "0123456789") != ""
	}) {
		return field
	}
	return append([]string{field[0], strings.Join(field[1:at], ",")}, field[at:]...)
}

// code returns the number in a description such as "S 12", "R 3", "769" or 0x301, or 0.
func code(label string) int {
	if n := signal.Code(label); n != 0 {
		return n
	}
	if len(label) > 1 {
		return signal.Code(strings.TrimSpace(label[1:]))
	}
	return 0
}
