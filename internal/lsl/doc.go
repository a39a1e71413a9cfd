// Package lsl implements Lab Streaming Layer, the protocol with which EEG amplifiers, stimulus programs and recorders
// exchange time series over a network.
//
// [Resolve] finds streams, and [Open] connects an [Inlet] to one of them. [NewOutlet] offers a stream to others. The
// package implements protocol version 1.10, the version of the reference library liblsl, over IPv4. It does not need
// liblsl, and exchanges streams with programs that use liblsl. The older version 1.00 is rejected.
//
// The time stamps of a stream come from the clock of its sender. An inlet measures the offset of that clock from
// [Clock] and corrects the time stamps. For regular streams it also removes jitter, with the recursive least squares of
// the reference library. It finds a lost stream again by its source_id, and reports how many samples were lost.
//
// Data from the network are not trusted: sizes are limited, and anything invalid is an error.
package lsl
