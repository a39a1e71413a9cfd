package gdf

import (
	"fmt"
	"math"
)

// signed converts a signed integer. The lowest value marks a missing sample (a break in the recordings of the BCI
// competitions, an overflow in BioSig) and becomes NaN.
func signed(v, lowest int64) float64 {
	if v == lowest {
		return math.NaN()
	}
	return float64(v)
}

// sampleType returns the size in bytes and the decoder of a GDF sample type. Types from 256 are signed integers of
// type−255 bits; types from 512 are unsigned integers of type−511 bits.
func sampleType(code uint32) (int, func([]byte) float64, error) {
	switch code {
	case 1, 255 + 8:
		return 1, func(b []byte) float64 { return float64(int8(b[0])) }, nil
	case 0, 2, 511 + 8:
		return 1, func(b []byte) float64 { return float64(b[0]) }, nil
	case 3, 255 + 16:
		return 2, func(b []byte) float64 { return signed(int64(int16(le.Uint16(b))), math.MinInt16) }, nil
	case 4, 511 + 16:
		return 2, func(b []byte) float64 { return float64(le.Uint16(b)) }, nil
	case 5, 255 + 32:
		return 4, func(b []byte) float64 { return signed(int64(int32(le.Uint32(b))), math.MinInt32) }, nil
	case 6, 511 + 32:
		return 4, func(b []byte) float64 { return float64(le.Uint32(b)) }, nil
	case 7, 255 + 64:
		return 8, func(b []byte) float64 { return signed(int64(le.Uint64(b)), math.MinInt64) }, nil
	case 8, 511 + 64:
		return 8, func(b []byte) float64 { return float64(le.Uint64(b)) }, nil
	case 16:
		return 4, func(b []byte) float64 { return float64(math.Float32frombits(le.Uint32(b))) }, nil
	case 17:
		return 8, func(b []byte) float64 { return math.Float64frombits(le.Uint64(b)) }, nil
	case 18:
		return 16, float128, nil
	case 255 + 24:
		return 3, func(b []byte) float64 { return signed(int64(int32(uint24(b)<<8)>>8), -1<<23) }, nil
	case 511 + 24:
		return 3, func(b []byte) float64 { return float64(uint24(b)) }, nil
	}
	return 0, nil, fmt.Errorf("samples of GDF type %d are not supported; convert the file to 16, 24 or 32 bits", code)
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }

// float128 converts an IEEE 754 quadruple-precision number. It keeps the leading 52 bits of the mantissa.
func float128(b []byte) float64 {
	hi, lo := le.Uint64(b[8:]), le.Uint64(b)
	sign := hi >> 63 << 63
	exponent := int(hi>>48) & 0x7fff
	mantissa := hi<<16>>12 | lo>>60
	switch e := exponent - 16383 + 1023; {
	case exponent == 0x7fff && mantissa == 0:
		return math.Float64frombits(sign | 0x7ff<<52)
	case exponent == 0x7fff:
		return math.NaN()
	case e >= 0x7ff:
		return math.Float64frombits(sign | 0x7ff<<52)
	case e <= 0:
		return math.Float64frombits(sign)
	default:
		return math.Float64frombits(sign | uint64(e)<<52 | mantissa)
	}
}
