package tooltest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rao/internal/testkit"
)

// Screen collects what is written to a terminal.
type Screen struct{ testkit.Buffer }

// Shows reports whether the text is written within seconds.
func (s *Screen) Shows(want string) bool {
	for range 1000 {
		if strings.Contains(s.String(), want) {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// Terminal returns a terminal and what is written to it.
func Terminal(t *testing.T) (*Screen, *os.File) {
	t.Helper()
	far, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { far.Close() })
	n, err := unix.IoctlGetInt(int(far.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(far.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { terminal.Close() })
	s := &Screen{}
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := far.Read(b)
			if err != nil {
				return
			}
			s.Write(b[:n])
		}
	}()
	return s, terminal
}
