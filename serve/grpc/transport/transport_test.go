package transport

import (
	"context"
	"encoding/binary"
	"math"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"rao/dataset"
	"rao/method"
	"rao/serve"
	"rao/serve/grpc/inference"
	_ "rao/sets"
)

// start serves a model of digits over gRPC.
func start(t *testing.T, opt serve.Options) (inference.GRPCInferenceServiceClient, *grpc.ClientConn, *serve.Server) {
	t.Helper()
	d, err := dataset.Open(t.Context(), "digits:train", dataset.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pca, err := method.Lookup("pca")
	if err != nil {
		t.Fatal(err)
	}
	m, err := pca.Fit(t.Context(), method.InMemory{Data: d}, method.Settings{}.With("filters", "3"), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := m.Save(filepath.Join(dir, "digits.rao")); err != nil {
		t.Fatal(err)
	}
	models, err := serve.Open([]string{dir}, serve.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	web := serve.New(models, opt)
	s := New(web, Options{MaxMessage: 1 << 20})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	t.Cleanup(func() { s.Stop(); web.Close() })
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return inference.NewGRPCInferenceServiceClient(conn), conn, web
}

func request(row []float64) *inference.ModelInferRequest {
	x := &inference.ModelInferRequest_InferInputTensor{Name: "X", Datatype: "FP64", Shape: []int64{1, int64(len(row))},
		Contents: &inference.InferTensorContents{Fp64Contents: row}}
	return &inference.ModelInferRequest{ModelName: "digits", Id: "7",
		Inputs: []*inference.ModelInferRequest_InferInputTensor{x}}
}

// Typed and raw contents give the decision that HTTP gives.
func TestInfer(t *testing.T) {
	c, conn, web := start(t, serve.Options{Version: "1.2"})
	ctx := t.Context()
	row := make([]float64, 64)
	for i := range row {
		row[i] = float64(i % 17)
	}
	q := request(row)
	typed, err := c.ModelInfer(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	if typed.Id != "7" || typed.ModelName != "digits" || !strings.HasPrefix(typed.ModelVersion, "sha256:") {
		t.Errorf("%v", typed)
	}
	var raw []byte
	for _, v := range row {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
	}
	q.Inputs[0].Datatype, q.Inputs[0].Contents, q.RawInputContents = "FP32", nil, [][]byte{raw}
	q.Outputs = []*inference.ModelInferRequest_InferRequestedOutputTensor{{Name: "posterior"}, {Name: "label"}}
	again, err := c.ModelInfer(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Outputs) != 2 || again.Outputs[0].Name != "posterior" || again.Outputs[0].Shape[1] != 10 {
		t.Fatalf("%v", again.Outputs)
	}
	for i, o := range typed.Outputs {
		if o.Name == "label" && string(typed.RawOutputContents[i]) != string(again.RawOutputContents[1]) {
			t.Errorf("labels %q and %q", typed.RawOutputContents[i], again.RawOutputContents[1])
		}
	}
	meta, err := c.ModelMetadata(ctx, &inference.ModelMetadataRequest{Name: "digits"})
	if err != nil || meta.Inputs[0].Shape[1] != 64 || meta.Outputs[0].Name != "label" {
		t.Errorf("%v, %v", meta, err)
	}
	server, err := c.ServerMetadata(ctx, &inference.ServerMetadataRequest{})
	if err != nil || server.Name != "rao" || server.Version != "1.2" {
		t.Errorf("%v, %v", server, err)
	}
	ready := func() bool {
		r, err := c.ServerReady(ctx, &inference.ServerReadyRequest{})
		h, herr := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{})
		if err != nil || herr != nil || r.Ready != (h.Status == healthpb.HealthCheckResponse_SERVING) {
			t.Fatalf("%v %v, %v %v", r, err, h, herr)
		}
		return r.Ready
	}
	if !ready() {
		t.Error("not ready")
	}
	web.Drain()
	if ready() {
		t.Error("ready while it drains")
	}
	if m, err := c.ModelReady(ctx, &inference.ModelReadyRequest{Name: "nope"}); err != nil || m.Ready {
		t.Errorf("a model that is not there: %v, %v", m, err)
	}
}

// Errors have the codes of gRPC, and tokens are metadata.
func TestRefusals(t *testing.T) {
	c, _, _ := start(t, serve.Options{Tokens: map[string]string{"s": ""}})
	with := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer s", "x-request-id", "mine")
	row := make([]float64, 64)
	large := request(make([]float64, 1<<17))
	mixed := request(row)
	mixed.Inputs[0].Datatype = "INT64"
	both := request(row)
	both.RawInputContents = [][]byte{{1}}
	missing := request(row)
	missing.ModelName = "nope"
	for _, q := range []struct {
		ctx     context.Context
		request *inference.ModelInferRequest
		want    codes.Code
	}{
		{t.Context(), request(row), codes.Unauthenticated}, {with, request(row), codes.OK},
		{with, request(row[:3]), codes.InvalidArgument}, {with, large, codes.ResourceExhausted},
		{with, mixed, codes.InvalidArgument}, {with, both, codes.InvalidArgument}, {with, missing, codes.NotFound},
	} {
		if _, err := c.ModelInfer(q.ctx, q.request); status.Code(err) != q.want {
			t.Errorf("%v, want %v", err, q.want)
		}
	}
	var header metadata.MD
	_, err := c.ModelInfer(with, request(row), grpc.Header(&header))
	if err != nil || strings.Join(header.Get("x-request-id"), ",") != "mine" {
		t.Errorf("%v, %v", header, err)
	}
}
