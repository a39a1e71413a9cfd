// Command rao-serve is rao serve with two additions: the Open Inference Protocol over gRPC, and traces and metrics of
// requests with OpenTelemetry. It accepts the flags of rao serve and
//
//	--grpc-addr HOST:PORT  address for gRPC; none by default
//
// OpenTelemetry is configured by its environment variables. If OTEL_EXPORTER_OTLP_ENDPOINT is set, traces and metrics
// of all requests are sent there over OTLP.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/pflag"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/grpc"

	"rao/cmd/rao/cli"
	verb "rao/cmd/rao/serve"
	"rao/serve"
	"rao/serve/grpc/transport"
)

func main() {
	ctx := context.Background()
	stop, err := telemetry(ctx)
	if err != nil {
		fmt.Fprintf(os.Stderr, "rao-serve: OpenTelemetry: %v\n", err)
		os.Exit(1)
	}
	verb.Extend(func(f *pflag.FlagSet, opt *serve.ListenOptions) {
		addr := f.String("grpc-addr", "", "address and port of the Open Inference Protocol over gRPC")
		if stop != nil {
			opt.Wrap = func(h http.Handler) http.Handler { return otelhttp.NewHandler(h, "rao") }
		}
		opt.Transport = func(h http.Handler, secure *tls.Config, log *slog.Logger) (func(), error) {
			if *addr == "" {
				return func() {}, nil
			}
			return listen(*addr, h, secure, log)
		}
	})
	code := cli.Run(append([]string{"serve"}, os.Args[1:]...), os.Stdin, os.Stdout, os.Stderr)
	if stop != nil {
		late, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if err := stop(late); err != nil {
			fmt.Fprintf(os.Stderr, "rao-serve: OpenTelemetry: %v\n", err)
		}
	}
	os.Exit(code)
}

// listen starts a gRPC server at the address.
func listen(addr string, h http.Handler, secure *tls.Config, log *slog.Logger) (stop func(), err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	s := transport.New(h, transport.Options{TLS: secure})
	go func() {
		if err := s.Serve(l); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			log.Error("grpc", "error", err.Error())
		}
	}()
	fmt.Fprintf(os.Stderr, "gRPC on %s\n", l.Addr())
	return s.Stop, nil
}

// telemetry starts the OpenTelemetry exporters if the environment names an endpoint. Otherwise stop is nil. stop sends
// the traces and metrics that have not been sent yet.
func telemetry(ctx context.Context) (stop func(context.Context) error, err error) {
	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" || os.Getenv("OTEL_SDK_DISABLED") == "true" {
		return nil, nil
	}
	spans, err := otlptracegrpc.New(ctx)
	if err != nil {
		return nil, err
	}
	counts, err := otlpmetricgrpc.New(ctx)
	if err != nil {
		return nil, err
	}
	traces := trace.NewTracerProvider(trace.WithBatcher(spans))
	metrics := metric.NewMeterProvider(metric.WithReader(metric.NewPeriodicReader(counts)))
	otel.SetTracerProvider(traces)
	otel.SetMeterProvider(metrics)
	otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{},
		propagation.Baggage{}))
	return func(ctx context.Context) error { return errors.Join(traces.Shutdown(ctx), metrics.Shutdown(ctx)) }, nil
}
