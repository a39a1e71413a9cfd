// Package worker answers requests of another program over a pair of byte streams: it is
// what rao worker runs, and what the Python package speaks to.
//
// # Frames
//
// Requests and replies are frames, in strict turn; before its reply to a request that asks
// for progress the worker may send any number of progress frames. All numbers are
// little-endian.
//
//	bytes 0..3    "RAOW"
//	bytes 4..7    uint32: length h of the header
//	bytes 8..15   uint64: length b of the body
//	h bytes       the header, a JSON object
//	b bytes       the body: the arrays that the header lists, each at a multiple of 8
//
// A header lists its arrays by name, type as numpy writes it ("<f8"), and shape; they lie in
// C order, one after the other. The other fields of a request are those of [Request], of a
// reply those of [Reply].
//
// # Arena
//
// Where the system has it, both sides map one file of memory, the arena, whose descriptor
// the worker inherits. A request whose arena is not 0 says how long the file is now; with
// in_arena its body begins at offset 0 there and b is 0. A long body of the reply follows
// behind it when there is room. Bodies in the arena are never copied through a pipe.
//
// # Calls
//
// A fit with calls set may send frames with the field call, which ask for the dissimilarities of pairs of Gaussians.
// The caller answers each by a frame of the operation answer before the fit goes on; see callback.go for the arrays.
// A potato with calls asks for the distances of matrices from a center.
//
// # Life
//
// The worker ends when its input does, also in the middle of a fit: it never outlives the
// program that started it. Whoever wants to interrupt a request ends the worker and starts
// another; models are values of the caller, who loads them again.
package worker
