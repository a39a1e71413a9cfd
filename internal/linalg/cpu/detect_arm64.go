package cpu

// detect returns the available paths other than Portable.
func detect() []Path { return []Path{NEON} }
