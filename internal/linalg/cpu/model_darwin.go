package cpu

import "golang.org/x/sys/unix"

// Model names the processor as its maker does, "" where the system does not say.
func Model() string {
	name, err := unix.Sysctl("machdep.cpu.brand_string")
	if err != nil {
		return ""
	}
	return name
}
