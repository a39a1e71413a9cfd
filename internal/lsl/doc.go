// Package lsl speaks Lab Streaming Layer, the protocol of live recordings on a network.
// EEG amplifiers, stimulus programs and recorders exchange their time series by it.
//
// [Resolve] finds streams and [Open] an [Inlet] to one of them. [NewOutlet] offers a stream
// to others. The protocol is version 1.10, which the reference library liblsl speaks,
// over IPv4. Nothing of that library is needed, and a program on it does not see a
// difference. Version 1.00, which came before, is refused.
//
// Every stream is stamped by the clock of its sender. An inlet measures how far that clock
// is from [Clock] and corrects the stamps. It takes the jitter out of those of regular
// streams, by the recursive least squares of the reference. It finds a stream that went
// away again by its source_id, and reports how many samples were lost.
//
// What comes from the network is not trusted: sizes are bounded, and what is no stream is an
// error that says so.
package lsl
