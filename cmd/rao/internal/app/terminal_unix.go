//go:build unix

package app

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalWidth returns the number of columns of a terminal, or 0 if f is not a terminal.
func terminalWidth(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
