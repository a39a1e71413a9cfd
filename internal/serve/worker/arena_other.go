//go:build !linux && !darwin

package worker

import "errors"

// MapArena returns a function that fails, because shared memory is not supported on this system.
func MapArena(uintptr) func(size int64) ([]byte, error) {
	return func(int64) ([]byte, error) { return nil, errors.New("shared memory is not available on this system") }
}
