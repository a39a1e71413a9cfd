//go:build amd64 || arm64

package dense

import "unsafe"

type packKernel func(k int, src unsafe.Pointer, stride int, dst unsafe.Pointer)

func packDouble(f packKernel) func(k int, src *float64, stride int, dst *float64) {
	return func(k int, src *float64, stride int, dst *float64) {
		f(k, unsafe.Pointer(src), stride*8, unsafe.Pointer(dst))
	}
}

func packSingle(f packKernel) func(k int, src *float32, stride int, dst *float32) {
	return func(k int, src *float32, stride int, dst *float32) {
		f(k, unsafe.Pointer(src), stride*4, unsafe.Pointer(dst))
	}
}
