// Package serve classifies observations over HTTP.
//
// A [Repository] loads models from files or folders and watches for changed files. A [Server] is an http.Handler that
// answers requests with these models:
//
//	models, err := serve.Open([]string{"models/"}, serve.OpenOptions{})
//	server := serve.New(models, serve.Options{})
//	err = http.ListenAndServe("127.0.0.1:8080", server)
//
// # Protocols
//
// Programs use the Open Inference Protocol, version 2, under /v2, as clients of KServe and Triton do. The binary tensor
// extension is supported. Clients of version 1 of KServe's protocol use /v1/models/NAME:predict. People and scripts can
// send JSON with column names, CSV, npy and pictures to /v1. The body of an error is {"error": "...", "request_id":
// "..."}; the error names the place and the remedy. GET /openapi.json lists all routes.
//
// # Decisions
//
// The model decides on the observations of single requests, and the Decoder of rao/stream on streams. If a model adapts
// to complete recordings, the server treats the matrices of a request as one recording and rejects a request with a
// single matrix.
//
// # Limits
//
// There are limits for bodies, rows, waiting requests, streams, the decisions stored per stream, and the total memory
// of requests; see [Options]. A request that cannot start in time gets status 503 and a Retry-After header. A panic
// ends only its own request. Tokens are checked before the body is read.
package serve
