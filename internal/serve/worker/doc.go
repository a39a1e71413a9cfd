// Package worker answers requests of another program over a pair of byte streams. rao worker runs it, and the Python
// package communicates with it.
//
// # Frames
//
// Requests and replies are frames, which alternate strictly. If the field progress of a request is set, the worker may
// send any number of progress frames before the reply. All numbers are little-endian.
//
//	bytes 0..3    "RAOW"
//	bytes 4..7    uint32: length h of the header
//	bytes 8..15   uint64: length b of the body
//	h bytes       the header, a JSON object
//	b bytes       the body: the arrays that the header lists, each at a multiple of 8
//
// A header lists the name, type (as in numpy, such as "<f8") and shape of each array. The arrays are in C order.
// [Request] describes the other fields of a request, and [Reply] the fields of a reply.
//
// # Arena
//
// On systems with shared memory, both sides map one file, the arena. The worker inherits the descriptor of the file. A
// nonzero field arena of a request is the current length of the file. With in_arena, the body of the request starts at
// offset 0 of the file and b is 0. A long body of the reply follows it in the file if there is room. Bodies in the
// arena are never copied through a pipe.
//
// # Calls
//
// A fit with calls set may send frames with the field call, which ask for the dissimilarities of pairs of Gaussians.
// The caller answers each with a frame of the operation answer before the fit continues; see callback.go for the
// arrays. A potato with calls set asks for the distances of matrices from a center.
//
// # Decoders
//
// A worker has at most one decoder of a live signal, which open_decoder creates from a loaded model. The operation push
// passes samples to it and returns the decisions that they complete. The Python package starts a worker for each
// decoder, so a long request of another caller does not delay decisions.
//
// # Lifetime
//
// The worker ends when its input ends, even in the middle of a fit, so it never outlives the program that started it.
// To interrupt a request, the caller ends the worker and starts another one. Models belong to the caller, which loads
// them again.
package worker
