package experiment

import (
	"regexp"
	"strconv"
	"strings"
)

// code matches what separated does not change: code, addresses, the short form of a commit, and HTML tags.
var code = regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]*`|\\]\\([^)]*\\)|commit [0-9a-f]+|<[a-z/][^>]*>")

// minus matches a hyphen that stands for a minus sign.
var minus = regexp.MustCompile(`(^|[ (\[|])-(\d)`)

// zero matches a zero with a sign.
var zero = regexp.MustCompile(`[+-](0\.0+)\b`)

// long matches an integer part of five or more digits.
var long = regexp.MustCompile(`(^|[^\w.,-])(\d{5,})\b`)

// separated writes minus signs, and commas between the thousands of the numbers of five or more digits of a page.
func separated(page string) string {
	var b strings.Builder
	write := func(s string) {
		s = zero.ReplaceAllString(s, "$1")
		s = minus.ReplaceAllString(s, "$1−$2")
		b.WriteString(long.ReplaceAllStringFunc(s, func(m string) string {
			digits := strings.TrimLeftFunc(m, func(r rune) bool { return r < '0' || r > '9' })
			out := m[:len(m)-len(digits)]
			for i, d := range digits {
				if i > 0 && (len(digits)-i)%3 == 0 {
					out += ","
				}
				out += string(d)
			}
			return out
		}))
	}
	last := 0
	for _, m := range code.FindAllStringIndex(page, -1) {
		write(page[last:m[0]])
		b.WriteString(page[m[0]:m[1]])
		last = m[1]
	}
	write(page[last:])
	return b.String()
}

// longP matches a p-value.
var longP = regexp.MustCompile(`p = ([0-9.]+(?:e-\d\d)?)`)

// shortP writes the p-values of a text with at most three significant digits.
func shortP(text string) string {
	return longP.ReplaceAllStringFunc(text, func(m string) string {
		number := strings.TrimPrefix(m, "p = ")
		full := strings.TrimSuffix(number, ".") // a period may end the sentence
		if p := roundedP(full); strings.HasPrefix(p, "<") {
			return "p " + p + number[len(full):]
		} else {
			return "p = " + p + number[len(full):]
		}
	})
}

// roundedP writes a p-value with at most three significant digits, or as "< 0.0001". It returns other text unchanged.
func roundedP(s string) string {
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil:
		return s
	case v < 1e-4:
		return "< 0.0001"
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
