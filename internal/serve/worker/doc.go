// Package worker answers requests of another program over a pair of byte streams. rao worker runs it, and the Python
// package communicates with it.
//
// # Frames
//
// Requests and replies are frames and alternate strictly. Before the reply to a request with progress set, the worker
// may send any number of progress frames. All numbers are little-endian.
//
//	bytes 0..3    "RAOW"
//	bytes 4..7    uint32: length h of the header
//	bytes 8..15   uint64: length b of the body
//	h bytes       the header, a JSON object
//	b bytes       the body: the arrays that the header lists, each at a multiple of 8
//
// A header lists the name, type (as in numpy, such as "<f8") and shape of each array. The arrays follow each other in C
// order. The other fields of a request are described in [Request], the fields of a reply in [Reply].
//
// # Arena
//
// If the system supports it, both sides map one file, the arena, whose descriptor the worker inherits. A nonzero field
// arena of a request is the current length of the file. With in_arena, the body of the request starts at offset 0 of
// the file and b is 0. A long body of the reply follows it in the file if there is room. Bodies in the arena are never
// copied through a pipe.
//
// # Calls
//
// A fit with calls set may send frames with the field call, which ask for the dissimilarities of pairs of Gaussians.
// The caller answers each with a frame of the operation answer before the fit continues; see callback.go for the
// arrays. A potato with calls set asks for the distances of matrices from a center.
//
// # Lifetime
//
// The worker ends when its input ends, even in the middle of a fit, so it never outlives the program that started it.
// To interrupt a request, the caller ends the worker and starts another one. Models belong to the caller, which loads
// them again.
package worker
