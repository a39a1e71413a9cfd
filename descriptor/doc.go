// Package descriptor holds filters of signals: common spatial patterns, filter banks, Xdawn,
// and correlations with oscillations.
package descriptor
