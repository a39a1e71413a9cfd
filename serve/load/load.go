package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Load describes requests of one kind that several clients send to a server. Each client has its own connection.
type Load struct {
	URL      string // address of the server
	Model    string
	Shape    []int     // shape of one observation
	Values   []float64 // values of the observations, which are sent repeatedly
	Rows     int       // observations per request
	Binary   bool      // send tensors as binary data instead of JSON
	Clients  int
	Duration time.Duration
	Requests int // limit for the number of requests; 0 for none

	// Rate is the number of requests that are due per second. They are due at equal intervals, even if the server is
	// too slow. A request that is due while all clients wait for answers is sent late. If Rate is 0, each client sends
	// a request as soon as it has received the previous answer.
	Rate float64
}

// LoadReport is the result of sending a [Load]. The latency of a request is the time from when the request is due, or
// from when it is sent if Rate is 0, to the end of the response. The JSON field names are stable.
type LoadReport struct {
	Rate          float64       `json:"rate,omitempty"` // requests due per second
	Requests      int           `json:"requests"`       // answered requests
	Missing       int           `json:"missing"`        // requests that were due but not answered
	Errors        int           `json:"errors"`
	PerSecond     float64       `json:"requests_per_second"`
	RowsPerSecond float64       `json:"rows_per_second"`
	Median        time.Duration `json:"median_ns"`
	P99           time.Duration `json:"p99_ns"`
	P999          time.Duration `json:"p999_ns"`
	HeapBytes     uint64        `json:"heap_bytes"` // heap of this process at the end
}

// wantedOutputs requests all outputs of a decision.
const wantedOutputs = `"outputs":[{"name":"label"},{"name":"posterior"},{"name":"rejected"},{"name":"outlier"}]`

// body returns the body of the request. If binary numbers follow the JSON, it also returns the length of the JSON.
func (l *Load) body() ([]byte, string, error) {
	size := 1
	for _, d := range l.Shape {
		size *= d
	}
	shape, err := json.Marshal(append([]int{l.Rows}, l.Shape...))
	if err != nil {
		return nil, "", err
	}
	values := make([]float64, l.Rows*size)
	for i := range values {
		values[i] = l.Values[i%len(l.Values)]
	}
	head := fmt.Appendf(nil, `{"inputs":[{"name":"X","shape":%s,"datatype":"FP64",`, shape)
	if !l.Binary {
		data, err := json.Marshal(values)
		if err != nil {
			return nil, "", err
		}
		return append(fmt.Appendf(head, `"data":%s`, data), "}],"+wantedOutputs+"}"...), "", nil
	}
	head = fmt.Appendf(head, `"parameters":{"binary_data_size":%d}}],"parameters":{"binary_data_output":true},%s}`,
		8*len(values), wantedOutputs)
	length := strconv.Itoa(len(head))
	for _, v := range values {
		head = binary.LittleEndian.AppendUint64(head, math.Float64bits(v))
	}
	return head, length, nil
}

// message returns the complete request, including headers.
func (l *Load) message() (host string, request []byte, err error) {
	at, err := url.Parse(l.URL)
	if err != nil {
		return "", nil, err
	}
	if at.Scheme != "http" {
		return "", nil, fmt.Errorf("the address %s is not supported; use http://HOST:PORT", l.URL)
	}
	body, length, err := l.body()
	if err != nil {
		return "", nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST /v2/models/%s/infer HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n",
		url.PathEscape(l.Model), at.Host, len(body))
	if length != "" {
		fmt.Fprintf(&b, "Inference-Header-Content-Length: %s\r\nContent-Type: application/octet-stream\r\n\r\n", length)
	} else {
		b.WriteString("Content-Type: application/json\r\n\r\n")
	}
	b.Write(body)
	return at.Host, b.Bytes(), nil
}

// Run sends requests until the time is up or ctx is done. With a rate, it waits a little longer for requests that were
// due.
func (l *Load) Run(ctx context.Context) (*LoadReport, error) {
	host, request, err := l.message()
	if err != nil {
		return nil, err
	}
	limit := l.Duration
	if l.Rate > 0 {
		limit += grace
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	all := make([]loadClient, l.Clients)
	var running sync.WaitGroup
	var sent atomic.Int64
	start := time.Now()
	for i := range all {
		c := &all[i]
		c.host, c.request = host, request
		running.Go(func() { c.run(ctx, l, start, &sent) })
	}
	running.Wait()
	return l.report(all, time.Since(start)), nil
}

// due returns the time from the start until a request is due.
func (l *Load) due(number int64) time.Duration {
	return time.Duration(float64(number) / l.Rate * float64(time.Second))
}

func (l *Load) report(all []loadClient, took time.Duration) *LoadReport {
	r := &LoadReport{Rate: l.Rate}
	var sorted []time.Duration
	for i := range all {
		r.Errors += all[i].errors
		sorted = append(sorted, all[i].times...)
	}
	slices.Sort(sorted)
	if r.Requests = len(sorted); r.Requests > 0 {
		share := func(thousandths int) time.Duration { return sorted[r.Requests*thousandths/1000] }
		r.Median, r.P99, r.P999 = share(500), share(990), share(999)
	}
	if l.Rate > 0 {
		fell := int(math.Ceil(l.Duration.Seconds() * l.Rate))
		if l.Requests > 0 {
			fell = min(fell, l.Requests)
		}
		r.Missing = max(0, fell-r.Requests-r.Errors)
	}
	r.PerSecond = float64(r.Requests) / took.Seconds()
	r.RowsPerSecond = r.PerSecond * float64(l.Rows)
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	r.HeapBytes = mem.HeapInuse
	return r
}

// Once sends one request and returns the body of the answer.
func (l *Load) Once(ctx context.Context) ([]byte, error) {
	host, request, err := l.message()
	if err != nil {
		return nil, err
	}
	c := loadClient{host: host, request: request}
	defer c.close()
	var answer bytes.Buffer
	err = c.send(ctx, &answer)
	return answer.Bytes(), err
}
