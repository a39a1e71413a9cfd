// Package transport serves the Open Inference Protocol over gRPC. Each call becomes a request to the HTTP handler of
// rao/serve, so tokens, certificates, limits, logs and counts are the same for both transports:
//
//	server := transport.New(serve.New(models, serve.Options{}), transport.Options{})
//	listener, err := net.Listen("tcp", "127.0.0.1:8081")
//	err = server.Serve(listener)
package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"

	"rao/serve/grpc/inference"
)

// Options are the settings of a gRPC server. The zero value has good defaults.
type Options struct {
	TLS        *tls.Config // nil for calls without encryption
	MaxMessage int         // limit for a received message in bytes; default 4 MiB
	MaxCalls   int         // limit for concurrent calls; default 64; more calls fail with Unavailable
}

// Server is a gRPC server. It is safe for concurrent use.
type Server struct {
	inference.UnimplementedGRPCInferenceServiceServer
	handler http.Handler
	rpc     *grpc.Server
	calls   atomic.Int64
}

// New returns a server that passes calls to handler. more contains additional options of the gRPC server.
func New(handler http.Handler, opt Options, more ...grpc.ServerOption) *Server {
	if opt.MaxMessage <= 0 {
		opt.MaxMessage = 4 << 20
	}
	if opt.MaxCalls <= 0 {
		opt.MaxCalls = 64
	}
	s := &Server{handler: handler}
	more = append(more, grpc.MaxRecvMsgSize(opt.MaxMessage), grpc.MaxConcurrentStreams(uint32(opt.MaxCalls)),
		grpc.InTapHandle(func(ctx context.Context, _ *tap.Info) (context.Context, error) {
			if s.calls.Load() >= int64(opt.MaxCalls) { // checked before the message is read
				return nil, status.Error(codes.Unavailable, "too many calls are in progress; try again in a second")
			}
			return ctx, nil
		}))
	more = append(more, grpc.StatsHandler(counter{&s.calls}))
	if opt.TLS != nil {
		more = append(more, grpc.Creds(credentials.NewTLS(opt.TLS)))
	}
	s.rpc = grpc.NewServer(more...)
	inference.RegisterGRPCInferenceServiceServer(s.rpc, s)
	healthpb.RegisterHealthServer(s.rpc, &healthService{Server: health.NewServer(), of: s})
	return s
}

// counter counts the calls that are being answered.
type counter struct{ calls *atomic.Int64 }

// TagRPC implements stats.Handler.
func (counter) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC implements stats.Handler.
func (c counter) HandleRPC(_ context.Context, s stats.RPCStats) {
	switch s.(type) {
	case *stats.Begin:
		c.calls.Add(1)
	case *stats.End:
		c.calls.Add(-1)
	}
}

// TagConn implements stats.Handler.
func (counter) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn implements stats.Handler.
func (counter) HandleConn(context.Context, stats.ConnStats) {}

// Serve accepts calls on l until [Server.Stop] is called, and then returns nil. Otherwise it returns the error of l.
func (s *Server) Serve(l net.Listener) error { return s.rpc.Serve(l) }

// Stop waits for the running calls, then stops the server.
func (s *Server) Stop() { s.rpc.GracefulStop() }

// answer records the status, headers and body that the HTTP handler writes.
type answer struct {
	header http.Header
	status int
	bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.Buffer.Write(b)
}

// passed lists the metadata keys of a call that become headers of the HTTP request.
var passed = []string{"authorization", "x-request-id", "traceparent", "tracestate"}

// inferenceHeaderLength is the header for the number of JSON bytes in a body.
const inferenceHeaderLength = "Inference-Header-Content-Length"

// ask sends a request to the handler. If the status of the answer is not 2xx, the error has the corresponding gRPC
// code.
func (s *Server) ask(ctx context.Context, method, path string, body []byte, jsonLength int) (*answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	if method == http.MethodGet {
		r.Body = http.NoBody
	}
	r.RequestURI = path
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		for _, name := range passed {
			for _, v := range md.Get(name) {
				r.Header.Add(name, v)
			}
		}
		for _, v := range md.Get(":authority") {
			r.Host = v
		}
	}
	if p, ok := peer.FromContext(ctx); ok {
		r.RemoteAddr = p.Addr.String()
		if secure, ok := p.AuthInfo.(credentials.TLSInfo); ok {
			r.TLS = &secure.State
		}
	}
	if jsonLength > 0 {
		r.Header.Set(inferenceHeaderLength, strconv.Itoa(jsonLength))
	}
	a := &answer{header: http.Header{}}
	s.handler.ServeHTTP(a, r)
	grpc.SetHeader(ctx, metadata.Pairs("x-request-id", a.header.Get("X-Request-ID")))
	if a.status/100 == 2 {
		return a, nil
	}
	var said struct{ Error, Reason string }
	if json.Unmarshal(a.Bytes(), &said) != nil || said.Error+said.Reason == "" {
		said.Error = http.StatusText(a.status)
	}
	return a, status.Error(codeOf(a.status), said.Error+said.Reason)
}

// codeOf returns the gRPC code for an HTTP status.
func codeOf(httpStatus int) codes.Code {
	switch httpStatus {
	case http.StatusUnauthorized:
		return codes.Unauthenticated
	case http.StatusForbidden, http.StatusMisdirectedRequest:
		return codes.PermissionDenied
	case http.StatusNotFound:
		return codes.NotFound
	case http.StatusRequestEntityTooLarge, http.StatusTooManyRequests:
		return codes.ResourceExhausted
	case http.StatusRequestTimeout:
		return codes.DeadlineExceeded
	case http.StatusServiceUnavailable:
		return codes.Unavailable
	case 499:
		return codes.Canceled
	case http.StatusNotImplemented:
		return codes.Unimplemented
	}
	if httpStatus >= 500 {
		return codes.Internal
	}
	return codes.InvalidArgument
}

// get sends a GET request and decodes the JSON of the answer.
func (s *Server) get(ctx context.Context, path string, into any) error {
	a, err := s.ask(ctx, http.MethodGet, path, nil, 0)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(a.Bytes(), into); err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	return nil
}

// modelPath returns the path of a model under /v2.
func modelPath(name, version string) string {
	path := "/v2/models/" + url.PathEscape(name)
	if version != "" {
		path += "/versions/" + url.PathEscape(version)
	}
	return path
}

// ServerLive implements inference.GRPCInferenceServiceServer.
func (s *Server) ServerLive(ctx context.Context, _ *inference.ServerLiveRequest) (
	*inference.ServerLiveResponse, error) {
	_, err := s.ask(ctx, http.MethodGet, "/v2/health/live", nil, 0)
	return &inference.ServerLiveResponse{Live: err == nil}, nil
}

// ServerReady implements inference.GRPCInferenceServiceServer.
func (s *Server) ServerReady(ctx context.Context, _ *inference.ServerReadyRequest) (*inference.ServerReadyResponse,
	error) {
	_, err := s.ask(ctx, http.MethodGet, "/v2/health/ready", nil, 0)
	return &inference.ServerReadyResponse{Ready: err == nil}, nil
}

// ModelReady implements inference.GRPCInferenceServiceServer.
func (s *Server) ModelReady(ctx context.Context, q *inference.ModelReadyRequest) (
	*inference.ModelReadyResponse, error) {
	_, err := s.ask(ctx, http.MethodGet, modelPath(q.Name, q.Version)+"/ready", nil, 0)
	if status.Code(err) == codes.NotFound {
		return &inference.ModelReadyResponse{}, nil
	}
	return &inference.ModelReadyResponse{Ready: err == nil}, err
}

// ServerMetadata implements inference.GRPCInferenceServiceServer.
func (s *Server) ServerMetadata(ctx context.Context, _ *inference.ServerMetadataRequest) (
	*inference.ServerMetadataResponse, error) {
	out := &inference.ServerMetadataResponse{}
	return out, s.get(ctx, "/v2", out)
}

// ModelMetadata implements inference.GRPCInferenceServiceServer.
func (s *Server) ModelMetadata(ctx context.Context, q *inference.ModelMetadataRequest) (
	*inference.ModelMetadataResponse, error) {
	out := &inference.ModelMetadataResponse{}
	return out, s.get(ctx, modelPath(q.Name, q.Version), out)
}

// tensorHead is the JSON of a tensor in the HTTP protocol. The elements of the tensor follow the JSON.
type tensorHead struct {
	Name       string  `json:"name"`
	Datatype   string  `json:"datatype"`
	Shape      []int64 `json:"shape"`
	Parameters struct {
		Size int `json:"binary_data_size"`
	} `json:"parameters"`
}

// inferHead is the JSON of a request or an answer in the HTTP protocol.
type inferHead struct {
	ModelName    string            `json:"model_name,omitempty"`
	ModelVersion string            `json:"model_version,omitempty"`
	ID           string            `json:"id,omitempty"`
	Parameters   map[string]bool   `json:"parameters,omitempty"`
	Inputs       []tensorHead      `json:"inputs,omitempty"`
	Outputs      []json.RawMessage `json:"outputs,omitempty"`
}

// ModelInfer implements inference.GRPCInferenceServiceServer.
func (s *Server) ModelInfer(ctx context.Context, q *inference.ModelInferRequest) (
	*inference.ModelInferResponse, error) {
	if raw := len(q.RawInputContents); raw > 0 && raw != len(q.Inputs) {
		return nil, status.Errorf(codes.InvalidArgument, "the number of raw_input_contents is %d, but there are %d "+
			"inputs", raw, len(q.Inputs))
	}
	head := inferHead{ID: q.Id, Parameters: map[string]bool{"binary_data_output": true}}
	var tail []byte
	for i, in := range q.Inputs {
		t := tensorHead{Name: in.Name, Datatype: in.Datatype, Shape: in.Shape}
		if t.Shape == nil {
			t.Shape = []int64{}
		}
		before := len(tail)
		if len(q.RawInputContents) > 0 {
			if in.Contents != nil {
				return nil, status.Errorf(codes.InvalidArgument,
					"input %q has both contents and raw_input_contents; send one of them", in.Name)
			}
			tail = append(tail, q.RawInputContents[i]...)
		} else {
			var err error
			if tail, err = appendContents(tail, in); err != nil {
				return nil, err
			}
		}
		t.Parameters.Size = len(tail) - before
		head.Inputs = append(head.Inputs, t)
	}
	for _, o := range q.Outputs {
		b, err := json.Marshal(map[string]string{"name": o.Name})
		if err != nil {
			return nil, status.Error(codes.InvalidArgument, err.Error())
		}
		head.Outputs = append(head.Outputs, b)
	}
	b, err := json.Marshal(head)
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	a, err := s.ask(ctx, http.MethodPost, modelPath(q.ModelName, q.ModelVersion)+"/infer", append(b, tail...), len(b))
	if err != nil {
		return nil, err
	}
	return inferAnswer(a)
}

// appendContents appends the elements of an input to dst in the binary form of the HTTP protocol.
func appendContents(dst []byte, in *inference.ModelInferRequest_InferInputTensor) ([]byte, error) {
	c, le := in.Contents, binary.LittleEndian
	if c == nil {
		return dst, nil
	}
	before := len(dst)
	switch in.Datatype {
	case "BOOL":
		for _, v := range c.BoolContents {
			dst = append(dst, map[bool]byte{true: 1}[v])
		}
	case "INT8":
		for _, v := range c.IntContents {
			dst = append(dst, byte(v))
		}
	case "INT16":
		for _, v := range c.IntContents {
			dst = le.AppendUint16(dst, uint16(v))
		}
	case "INT32":
		for _, v := range c.IntContents {
			dst = le.AppendUint32(dst, uint32(v))
		}
	case "INT64":
		for _, v := range c.Int64Contents {
			dst = le.AppendUint64(dst, uint64(v))
		}
	case "UINT8":
		for _, v := range c.UintContents {
			dst = append(dst, byte(v))
		}
	case "UINT16":
		for _, v := range c.UintContents {
			dst = le.AppendUint16(dst, uint16(v))
		}
	case "UINT32":
		for _, v := range c.UintContents {
			dst = le.AppendUint32(dst, v)
		}
	case "UINT64":
		for _, v := range c.Uint64Contents {
			dst = le.AppendUint64(dst, v)
		}
	case "FP32":
		for _, v := range c.Fp32Contents {
			dst = le.AppendUint32(dst, math.Float32bits(v))
		}
	case "FP64":
		for _, v := range c.Fp64Contents {
			dst = le.AppendUint64(dst, math.Float64bits(v))
		}
	case "BYTES":
		for _, v := range c.BytesContents {
			dst = append(le.AppendUint32(dst, uint32(len(v))), v...)
		}
	}
	filled := len(c.BoolContents) + len(c.IntContents) + len(c.Int64Contents) + len(c.UintContents) +
		len(c.Uint64Contents) + len(c.Fp32Contents) + len(c.Fp64Contents) + len(c.BytesContents)
	if filled > 0 && len(dst) == before {
		return nil, status.Errorf(codes.InvalidArgument, "input %q has the type %s, but its contents have another "+
			"type", in.Name, in.Datatype)
	}
	return dst, nil
}

// inferAnswer converts an HTTP answer with JSON and binary tensors to a gRPC message.
func inferAnswer(a *answer) (*inference.ModelInferResponse, error) {
	n, err := strconv.Atoi(a.header.Get(inferenceHeaderLength))
	if err != nil || n < 0 || n > a.Len() {
		return nil, status.Error(codes.Internal, "the answer does not give the length of its JSON")
	}
	var head inferHead
	if err := json.Unmarshal(a.Bytes()[:n], &head); err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	out := &inference.ModelInferResponse{ModelName: head.ModelName, ModelVersion: head.ModelVersion, Id: head.ID}
	tail := a.Bytes()[n:]
	for _, raw := range head.Outputs {
		var t tensorHead
		if err := json.Unmarshal(raw, &t); err != nil {
			return nil, status.Error(codes.Internal, err.Error())
		}
		if size := t.Parameters.Size; size < 0 || size > len(tail) {
			return nil, status.Error(codes.Internal, fmt.Sprintf("output %q is cut off", t.Name))
		}
		out.Outputs = append(out.Outputs, &inference.ModelInferResponse_InferOutputTensor{Name: t.Name,
			Datatype: t.Datatype, Shape: t.Shape})
		out.RawOutputContents = append(out.RawOutputContents, tail[:t.Parameters.Size])
		tail = tail[t.Parameters.Size:]
	}
	return out, nil
}

// healthService is the standard gRPC health service. It reports SERVING while the server is ready.
type healthService struct {
	*health.Server
	of *Server
}

// Check implements healthpb.HealthServer.
func (h *healthService) Check(ctx context.Context, q *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse,
	error) {
	if q.Service != "" && q.Service != inference.GRPCInferenceService_ServiceDesc.ServiceName {
		return nil, status.Errorf(codes.NotFound, "there is no service %q; leave the name empty for the health of "+
			"the server", q.Service)
	}
	out := &healthpb.HealthCheckResponse{Status: healthpb.HealthCheckResponse_SERVING}
	if _, err := h.of.ask(ctx, http.MethodGet, "/v2/health/ready", nil, 0); err != nil {
		out.Status = healthpb.HealthCheckResponse_NOT_SERVING
	}
	return out, nil
}
