package main

import "golang.org/x/sys/unix"

// processor names the processor as its maker does, "" where the system does not say.
func processor() string {
	name, err := unix.Sysctl("machdep.cpu.brand_string")
	if err != nil {
		return ""
	}
	return name
}
