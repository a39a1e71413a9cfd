package serve

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"rao/model"
)

// bounds are the upper bounds of the histograms, in seconds.
var bounds = []float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10}

// histogram contains the number of durations in each interval between bounds, and the sum of the durations in seconds.
type histogram struct {
	counts [16]uint64 // one more than there are bounds
	sum    float64
}

func (h *histogram) add(seconds float64) {
	i, _ := slices.BinarySearch(bounds, seconds)
	h.counts[i]++
	h.sum += seconds
}

// answerKind is the key of the counts of requests.
type answerKind struct {
	model, endpoint string
	status          int
}

// timed is the key of the durations of requests.
type timed struct{ model, protocol, endpoint string }

// metrics counts requests, rows, decisions and changes of models for GET /metrics.
type metrics struct {
	mu        sync.Mutex
	requests  map[answerKind]uint64
	seconds   map[timed]*histogram
	rows      map[string]uint64 // by model, like the following maps
	rejected  map[string]uint64
	outliers  map[string]uint64
	decisions map[string]uint64 // decisions of streams
	latency   map[string]*histogram
	gaps      map[string]uint64
	changes   map[[2]string]uint64 // changes of models, by name and outcome
}

func newMetrics() *metrics {
	return &metrics{requests: map[answerKind]uint64{}, seconds: map[timed]*histogram{}, rows: map[string]uint64{},
		rejected: map[string]uint64{},
		outliers: map[string]uint64{}, decisions: map[string]uint64{}, latency: map[string]*histogram{},
		gaps: map[string]uint64{}, changes: map[[2]string]uint64{}}
}

func (m *metrics) request(kind answerKind, protocol string, took time.Duration, rows int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[kind]++
	if e := kind.endpoint; !strings.HasSuffix(e, "/decisions") && !strings.HasSuffix(e, "/ws") { // not for streams
		observe(m.seconds, timed{kind.model, protocol, kind.endpoint}, took)
	}
	if rows > 0 {
		m.rows[kind.model] += uint64(rows)
	}
}

func (m *metrics) changed(c change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changes[[2]string{c.model, c.outcome}]++
}

func observe[K comparable](h map[K]*histogram, key K, took time.Duration) {
	if h[key] == nil {
		h[key] = new(histogram)
	}
	h[key].add(took.Seconds())
}

// decided adds the numbers of rejected observations and outliers in a request.
func (m *metrics) decided(name string, p *model.Prediction) {
	var rejected, outliers uint64
	for i := range p.Label {
		rejected += uint64(truth(p.Rejected[i]))
		outliers += uint64(truth(p.Outlier[i]))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rejected[name] += rejected
	m.outliers[name] += outliers
}

func (m *metrics) streamed(name string, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.decisions[name]++
	observe(m.latency, name, took)
}

// gap counts decisions that a listener of a stream missed.
func (m *metrics) gap(name string, missed int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gaps[name] += uint64(missed)
}

func (s *Server) showMetrics(w http.ResponseWriter, _ *http.Request) error {
	var b bytes.Buffer
	s.metrics.write(&b)
	head(&b, "rao_model_loaded", "gauge", "1 for every model and version that is served")
	for _, e := range s.newest() {
		for _, v := range e.versions() {
			fmt.Fprintf(&b, "rao_model_loaded{model=%q,version=%q} 1\n", e.name, v)
		}
	}
	head(&b, "rao_model_problems", "gauge", "number of model files that cannot be served")
	fmt.Fprintf(&b, "rao_model_problems %d\n", len(s.models.problems()))
	head(&b, "rao_build_info", "gauge", "version and commit of the program")
	fmt.Fprintf(&b, "rao_build_info{version=\"%s\",commit=\"%s\",go=\"%s\"} 1\n", labelValue.Replace(s.opt.Version),
		labelValue.Replace(s.opt.Commit), runtime.Version())
	head(&b, "rao_memory_bytes", "gauge", "memory of requests: bodies, numbers and answers")
	fmt.Fprintf(&b, "rao_memory_bytes %d\n", s.memory.used.Load())
	s.writeDrift(&b)
	head(&b, "rao_streams", "gauge", "open streams")
	fmt.Fprintf(&b, "rao_streams %d\n", s.streams.count())
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	head(&b, "go_goroutines", "gauge", "goroutines")
	fmt.Fprintf(&b, "go_goroutines %d\n", runtime.NumGoroutine())
	head(&b, "go_memstats_heap_inuse_bytes", "gauge", "memory of the heap in use")
	fmt.Fprintf(&b, "go_memstats_heap_inuse_bytes %d\n", mem.HeapInuse)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, err := w.Write(b.Bytes())
	return err
}

func head(b *bytes.Buffer, name, kind, help string) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// write appends the metrics in the text format of Prometheus.
func (m *metrics) write(b *bytes.Buffer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	head(b, "rao_requests_total", "counter", "requests answered")
	keys := slices.SortedFunc(maps.Keys(m.requests), func(x, y answerKind) int {
		return cmp.Or(cmp.Compare(x.model, y.model), cmp.Compare(x.endpoint, y.endpoint),
			cmp.Compare(x.status, y.status))
	})
	for _, k := range keys {
		fmt.Fprintf(b, "rao_requests_total{model=%q,endpoint=%q,code=\"%d\"} %d\n", k.model, k.endpoint, k.status,
			m.requests[k])
	}
	head(b, "rao_model_changes_total", "counter", "model files loaded, replaced, restored, refused and removed")
	byName := func(x, y [2]string) int { return slices.Compare(x[:], y[:]) }
	for _, k := range slices.SortedFunc(maps.Keys(m.changes), byName) {
		fmt.Fprintf(b, "rao_model_changes_total{model=%q,outcome=%q} %d\n", k[0], k[1], m.changes[k])
	}
	head(b, "rao_request_seconds", "histogram", "time of a request")
	for _, k := range slices.SortedFunc(maps.Keys(m.seconds), func(x, y timed) int {
		return cmp.Or(cmp.Compare(x.model, y.model), cmp.Compare(x.endpoint, y.endpoint))
	}) {
		m.seconds[k].write(b, "rao_request_seconds",
			fmt.Sprintf("model=%q,protocol=%q,endpoint=%q", k.model, k.protocol, k.endpoint))
	}
	for _, c := range []struct {
		name, help string
		values     map[string]uint64
	}{
		{"rao_rows_total", "observations classified in requests", m.rows},
		{"rao_rejected_total", "observations rejected", m.rejected},
		{"rao_outliers_total", "observations far outside the training data", m.outliers},
		{"rao_stream_decisions_total", "decisions of streams", m.decisions},
		{"rao_stream_gap_total", "decisions that listeners of streams missed", m.gaps},
	} {
		head(b, c.name, "counter", c.help)
		for _, k := range slices.Sorted(maps.Keys(c.values)) {
			fmt.Fprintf(b, "%s{model=%q} %d\n", c.name, k, c.values[k])
		}
	}
	head(b, "rao_stream_latency_seconds", "histogram", "time from samples to the decision")
	for _, k := range slices.Sorted(maps.Keys(m.latency)) {
		m.latency[k].write(b, "rao_stream_latency_seconds", fmt.Sprintf("model=%q", k))
	}
}

// write appends the counts of a histogram with the given labels.
func (h *histogram) write(b *bytes.Buffer, name, labels string) {
	sum := uint64(0)
	for i, bound := range bounds {
		sum += h.counts[i]
		fmt.Fprintf(b, "%s_bucket{%s,le=\"%g\"} %d\n", name, labels, bound, sum)
	}
	sum += h.counts[len(bounds)]
	fmt.Fprintf(b, "%s_bucket{%s,le=\"+Inf\"} %d\n%s_sum{%s} %g\n%s_count{%s} %d\n",
		name, labels, sum, name, labels, h.sum, name, labels, sum)
}
