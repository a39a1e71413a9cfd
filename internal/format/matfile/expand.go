package matfile

import (
	"fmt"
	"strconv"
	"strings"
)

// ExpandPaths splits a comma-separated list of paths within MAT-files and expands ranges: data{4:6} becomes
// data{4},data{5},data{6}. It returns an error for an invalid range.
func ExpandPaths(spec string) ([]string, error) {
	var out []string
	for _, path := range splitOutside(spec) {
		colon := strings.IndexByte(path, ':')
		if colon < 0 {
			out = append(out, path)
			continue
		}
		open := strings.LastIndexAny(path[:colon], "{(,") + 1
		length := strings.IndexAny(path[colon:], "}),")
		if length < 0 {
			length = len(path) - colon
		}
		low, err1 := strconv.Atoi(strings.TrimSpace(path[open:colon]))
		high, err2 := strconv.Atoi(strings.TrimSpace(path[colon+1 : colon+length]))
		if err1 != nil || err2 != nil || low < 1 || high < low || high-low > 1<<12 {
			return nil, fmt.Errorf("the path %q has a range that is not {LOW:HIGH}, such as data{4:9}", path)
		}
		for k := low; k <= high; k++ {
			out = append(out, path[:open]+strconv.Itoa(k)+path[colon+length:])
		}
	}
	return out, nil
}

// splitOutside splits a list at commas that are not inside brackets.
func splitOutside(s string) []string {
	var out []string
	depth, last := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{', '(':
			depth++
		case '}', ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[last:i]))
				last = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(s[last:]))
}
