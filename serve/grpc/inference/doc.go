// Package inference contains the messages, the client and the server interface of the Open Inference Protocol, version
// 2, over gRPC. The code is generated from inference.proto by protoc with protoc-gen-go and protoc-gen-go-grpc.
package inference
