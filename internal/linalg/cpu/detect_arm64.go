package cpu

// detect returns the paths besides Portable.
func detect() []Path { return []Path{NEON} }
