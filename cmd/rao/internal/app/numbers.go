package app

import (
	"fmt"
	"rao/internal/text"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// PickFlags select the subjects and runs of a public set of recordings or of a BIDS folder.
type PickFlags struct{ Subjects, Runs string }

// Add registers --subjects and --runs.
func (p *PickFlags) Add(cmd *cobra.Command) {
	TextVar(cmd.Flags(), &p.Subjects, "subjects", "SUBJECT,...", "",
		"subjects to use, such as 1-9 of an EEG set or 01,02 of a BIDS folder; by default all")
	TextVar(cmd.Flags(), &p.Runs, "runs", "RUN,...", "",
		"runs to use, of a BIDS folder or an EEG set with one file per run, such as 4,8,12 of eegbci; by default all, "+
			"or of eegbci those of imagined movements")
}

// Numbers parses the flags. A result is nil if its flag is empty.
func (p *PickFlags) Numbers() (subjects, runs []int, err error) {
	if subjects, err = ParseNumbers("subjects", p.Subjects); err == nil {
		runs, err = ParseNumbers("runs", p.Runs)
	}
	return subjects, runs, err
}

// ParseNumbers parses numbers and ranges, such as 1-3,7. An empty text gives nil.
func ParseNumbers(flag, text string) ([]int, error) {
	out, ok := ParseRanges(text, 1, 10000)
	if !ok {
		return nil, Usagef("--%s %s: give whole numbers from 1 to 10000, or ranges of them, such as 1-9 or "+
			"1,4,7", flag, text)
	}
	return out, nil
}

// ParseRanges parses comma-separated numbers and ranges. The numbers must be between least and most.
func ParseRanges(list string, least, most int) (out []int, ok bool) {
	for _, word := range text.SplitList(list) {
		first, last, ranged := strings.Cut(word, "-")
		if !ranged {
			last = first
		}
		low, err1 := strconv.Atoi(first)
		high, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || low < least || high < low || high > most {
			return nil, false
		}
		for n := low; n <= high; n++ {
			out = append(out, n)
		}
	}
	return out, true
}

// ParseSize parses a size in rows and columns, such as 32x32. An empty text gives 0, 0.
func ParseSize(name, s string) (rows, cols int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	if n, err := fmt.Sscanf(s+"\n", "%dx%d\n", &rows, &cols); n != 2 || err != nil || rows < 1 || cols < 1 {
		return 0, 0, Usagef("--%s %q: the size must be ROWSxCOLS, such as 32x32", name, s)
	}
	return rows, cols, nil
}
