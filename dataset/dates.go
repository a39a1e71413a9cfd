package dataset

import (
	"math"
	"strings"
	"time"

	"rao"
)

// dateForms are the ISO 8601 forms of dates and times, with T between the two.
var dateForms = []string{"2006-01-02", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700"}

// daysOf returns the days from the start of 1970 to a date, or a date and a time, in ISO 8601: 2024-02-29,
// 2024-02-29T18:30, 2024-02-29 18:30:05.25 or 2024-02-29T18:30:05+01:00. A time without a zone is in UTC. A missing
// value gives NaN. ok is false for other texts.
func daysOf(text string) (days float64, ok bool) {
	text = strings.TrimSpace(text)
	if isMissing(text) {
		return math.NaN(), true
	}
	if len(text) < len("2006-01-02") || text[4] != '-' {
		return 0, false
	}
	if len(text) > 10 && text[10] == ' ' {
		text = text[:10] + "T" + text[11:]
	}
	for _, form := range dateForms {
		if t, err := time.Parse(form, text); err == nil {
			return (float64(t.Unix()) + float64(t.Nanosecond())/1e9) / 86400, true
		}
	}
	return 0, false
}

func isDate(text string) bool {
	days, ok := daysOf(text)
	return ok && days == days
}

// noDate returns the error for a text in a column of dates.
func noDate(column, text string) error {
	return rao.Optionf("categories", "column %q: %.40q is not a date such as 2024-02-29 or 2024-02-29T18:30:00Z, but "+
		"the first value of the column is; correct it, leave the column out with {drop}, or learn categories from "+
		"its texts with {categories=%s}", column, text, column)
}
