package table

import (
	"math"
	"strconv"
	"unsafe"
)

// ParseFloat reads a number: decimal notation, nan and inf in any case, and an
// empty field as NaN. It reports whether the field is one.
func ParseFloat(field []byte) (float64, bool) {
	if v, ok := simple(field); ok {
		return v, true
	}
	// strconv copies the text only into an error, so it need not be copied before.
	switch s := unsafe.String(unsafe.SliceData(field), len(field)); s {
	case "", "NA", "N/A":
		return math.NaN(), true
	default:
		for _, c := range field { // no hexadecimal, no underscores
			if c == '_' || c == 'x' || c == 'X' {
				return 0, false
			}
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil && !math.IsInf(v, 0) {
			return 0, false
		}
		return v, true
	}
}

var tens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// simple reads [-]digits[.digits] of at most 15 digits, for which one division of
// two exact numbers gives the correctly rounded result: counts in a quarter, measurements with three
// decimals in a bit more than half of strconv's time.
func simple(field []byte) (float64, bool) {
	i, negative := 0, false
	if len(field) > 0 && field[0] == '-' {
		negative = true
		i++
	}
	var n int64
	digits, decimals, point := 0, 0, false
	for ; i < len(field); i++ {
		switch c := field[i]; {
		case c >= '0' && c <= '9':
			n = 10*n + int64(c-'0')
			digits++
			if point {
				decimals++
			}
			if digits > 15 {
				return 0, false
			}
		case c == '.' && !point:
			point = true
		default:
			return 0, false
		}
	}
	if digits == 0 {
		return 0, false
	}
	v := float64(n) / tens[decimals]
	if negative {
		v = -v
	}
	return v, true
}
