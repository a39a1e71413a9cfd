package table

import (
	"math"
	"math/bits"
	"strconv"
	"unsafe"
)

// ParseFloat reads a number: decimal notation, or nan or inf in any case. An empty field, NA and N/A give NaN. It
// returns false for any other field.
func ParseFloat(field []byte) (float64, bool) {
	if v, n, ok := scan(field); ok && n == len(field) {
		return v, true
	}
	// This conversion does not copy the text. strconv copies the text into errors, so the result does not refer to the
	// buffer.
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

// ParseValue reads a number like [ParseFloat], and also reads true as 1 and false as 0.
func ParseValue(field []byte) (float64, bool) {
	if v, ok := ParseFloat(field); ok {
		return v, true
	}
	return parseTruth(field)
}

func parseTruth(field []byte) (float64, bool) {
	switch string(field) {
	case "true", "True", "TRUE":
		return 1, true
	case "false", "False", "FALSE":
		return 0, true
	}
	return 0, false
}

// mostDigits is the largest number of decimal digits that always fit in a uint64.
const mostDigits = 19

// scan reads a number at the start of text, [+-]digits[.digits][e[+-]digits], and returns its length in bytes. ok is
// false if there is no number, or if scan cannot round it because it has too many digits or too large an exponent. The
// caller then uses strconv, which is two to four times slower.
func scan(text []byte) (v float64, length int, ok bool) {
	i := 0
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		i++
	}
	n, from := uint64(0), i
	for ; i < len(text) && text[i]-'0' <= 9; i++ {
		n = 10*n + uint64(text[i]-'0')
	}
	digits, exponent := i-from, 0
	if i < len(text) && text[i] == '.' {
		i++
		from = i
		for ; i < len(text) && text[i]-'0' <= 9; i++ {
			n = 10*n + uint64(text[i]-'0')
		}
		digits += i - from
		exponent = from - i
	}
	if digits == 0 || digits > mostDigits {
		return 0, 0, false
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		e, used := scanExponent(text[i+1:])
		if used == 0 {
			return 0, 0, false
		}
		exponent += e
		i += 1 + used
	}
	if v, ok = decimal(n, exponent); text[0] == '-' {
		v = -v
	}
	return v, i, ok
}

// scanExponent reads an integer of up to three digits and returns its length in bytes, or a length of 0 if there is no
// integer.
func scanExponent(text []byte) (e, length int) {
	i := 0
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		i++
	}
	from := i
	for ; i < len(text) && text[i]-'0' <= 9; i++ {
		if i-from == 3 {
			return 0, 0
		}
		e = 10*e + int(text[i]-'0')
	}
	if i == from {
		return 0, 0
	}
	if text[0] == '-' {
		e = -e
	}
	return e, i
}

var tens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// decimal returns n times a power of ten, correctly rounded. ok is false if n or the exponent is
// too large for that.
func decimal(n uint64, exponent int) (v float64, ok bool) {
	exact := n <= 1<<53
	switch {
	case exponent == 0 || n == 0:
		return float64(n), true
	case exact && 0 < exponent && exponent < len(tens):
		return float64(n) * tens[exponent], true
	case exact && 0 < -exponent && -exponent < len(tens):
		return float64(n) / tens[-exponent], true
	case 0 < -exponent && -exponent <= mostDigits:
		return quotient(n, uint64(tens[-exponent])), true
	}
	return 0, false
}

// quotient returns n/d, both not 0, correctly rounded. It computes at least 63 bits and checks whether there is a
// remainder.
func quotient(n, d uint64) float64 {
	up, down := bits.LeadingZeros64(n), bits.LeadingZeros64(d)
	n, d = n<<up, d<<down
	q, rest := bits.Div64(n>>1, n<<63, d)
	if rest != 0 {
		q |= 1
	}
	return float64(q) * math.Float64frombits(uint64(1023-63+down-up)<<52)
}
