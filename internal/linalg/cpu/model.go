//go:build !darwin

package cpu

import (
	"os"
	"strings"
)

// Model names the processor as its maker does, "" where the system does not say.
func Model() string {
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	if text, err := os.ReadFile("/proc/device-tree/model"); err == nil { // of boards with ARM
		return strings.TrimRight(string(text), "\x00\n")
	}
	return os.Getenv("PROCESSOR_IDENTIFIER") // of Windows
}
