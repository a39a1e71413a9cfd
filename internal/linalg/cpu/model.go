//go:build !darwin

package cpu

import (
	"os"
	"strings"
)

// Model returns the manufacturer's name of the processor, or "" if the system does not report it.
func Model() string {
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	if text, err := os.ReadFile("/proc/device-tree/model"); err == nil { // boards with Arm processors
		return strings.TrimRight(string(text), "\x00\n")
	}
	return os.Getenv("PROCESSOR_IDENTIFIER") // on Windows
}
