//go:build !amd64

package cpu

func detect() Path { return Portable }
