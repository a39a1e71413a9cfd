package cpu

import "golang.org/x/sys/unix"

// Model returns the manufacturer's name of the processor, or "" if the system does not report it.
func Model() string {
	name, err := unix.Sysctl("machdep.cpu.brand_string")
	if err != nil {
		return ""
	}
	return name
}
