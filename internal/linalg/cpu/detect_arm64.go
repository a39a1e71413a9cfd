package cpu

// detect returns the paths beside Portable.
func detect() []Path { return []Path{NEON} }
