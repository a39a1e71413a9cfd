// Package serve answers requests for decisions over HTTP.
//
// A [Repository] holds the models of some files or folders and looks for newer ones. A
// [Server] is the http.Handler in front of them:
//
//	models, err := serve.Open([]string{"models/"}, serve.OpenOptions{})
//	server := serve.New(models, serve.Options{})
//	err = http.ListenAndServe("127.0.0.1:8080", server)
//
// # Protocols
//
// Programs use the Open Inference Protocol, version 2, as KServe's and Triton's clients
// do, with its binary tensor extension: everything under /v2. Clients of version 1 use
// /v1/models/NAME:predict. For people and scripts there
// are JSON by column names, CSV, npy and pictures under /v1. The body of an error is
// {"error": "...", "request_id": "..."}; the error names the place and the remedy. GET /openapi.json
// lists all routes.
//
// # Decisions
//
// Nothing is decided here: single requests go to model.Model, streams to the Decoder of rao/stream.
// A model that adapts to complete recordings takes the matrices of a request as one recording
// and refuses a request with a single matrix.
//
// # Bounds
//
// Bodies, rows, waiting requests, streams and the decisions that a stream keeps are all
// bounded, and so is the memory that requests hold together; see [Options]. A request that
// cannot start in time gets status 503 and a Retry-After header. A panic ends its request alone.
// A token is checked before the body is read.
package serve
