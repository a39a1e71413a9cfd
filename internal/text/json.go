package text

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// AppendString appends s as a JSON string, with the escapes of encoding/json.
func AppendString(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f || c == '<' || c == '>' || c == '&' {
			b, err := json.Marshal(strings.ToValidUTF8(s, "\ufffd"))
			if err != nil {
				return append(dst, `""`...)
			}
			return append(dst, b...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// AppendNumber appends v as a JSON number, or null if it is not finite.
func AppendNumber(dst []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(dst, "null"...)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}
