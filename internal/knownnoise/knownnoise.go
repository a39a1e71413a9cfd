// Package knownnoise makes the noise of private statistics repeatable, for tests and for studies that are recorded.
// Known noise hides nothing. The package is internal, so that no program outside of this module can make a release
// with it.
package knownnoise

import "math/rand/v2"

// Source gives uniform numbers of 64 bits that follow from a seed.
type Source struct{ pcg *rand.PCG }

// New returns the source of a seed.
func New(seed uint64) *Source { return &Source{rand.NewPCG(seed, 0)} }

// Uint64 returns the next number.
func (s *Source) Uint64() uint64 { return s.pcg.Uint64() }
