package serve

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Load is requests of one kind sent to a server for some time by some clients.
type Load struct {
	URL      string // of the server
	Model    string
	Shape    []int     // of one observation
	Values   []float64 // of the observations that are sent, over and over
	Rows     int       // observations of a request
	Binary   bool      // tensors in binary, not in JSON
	Clients  int
	Duration time.Duration
	Requests int // after which it ends, whatever the time; 0: only the time ends it
}

// LoadReport is what came of it. Its JSON names do not change.
type LoadReport struct {
	Requests      int           `json:"requests"`
	Errors        int           `json:"errors"`
	PerSecond     float64       `json:"requests_per_second"`
	RowsPerSecond float64       `json:"rows_per_second"`
	Median        time.Duration `json:"median_ns"`
	P99           time.Duration `json:"p99_ns"`
	HeapBytes     uint64        `json:"heap_bytes"` // of this process, at the end
}

// wantedOutputs are what a decision consists of.
const wantedOutputs = `"outputs":[{"name":"label"},{"name":"posterior"},{"name":"rejected"},{"name":"outlier"}]`

// body is the request, and the length of its JSON where binary numbers follow.
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

// Run sends requests until the time is up or ctx is done.
func (l *Load) Run(ctx context.Context) (*LoadReport, error) {
	body, length, err := l.body()
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: l.Clients}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	ctx, cancel := context.WithTimeout(ctx, l.Duration)
	defer cancel()
	times := make([][]time.Duration, l.Clients)
	errs := make([]int, l.Clients)
	var all sync.WaitGroup
	var sent atomic.Int64
	start := time.Now()
	for c := range l.Clients {
		all.Go(func() {
			for ctx.Err() == nil && (l.Requests == 0 || sent.Add(1) <= int64(l.Requests)) {
				began := time.Now()
				switch err := l.send(ctx, client, body, length, io.Discard); {
				case ctx.Err() != nil: // cut off by the end, not a request
				case err != nil:
					errs[c]++
				default:
					times[c] = append(times[c], time.Since(began))
				}
			}
		})
	}
	all.Wait()
	took := time.Since(start).Seconds()
	r := &LoadReport{}
	for _, n := range errs {
		r.Errors += n
	}
	sorted := slices.Concat(times...)
	slices.Sort(sorted)
	if r.Requests = len(sorted); r.Requests > 0 {
		r.Median, r.P99 = sorted[r.Requests/2], sorted[min(r.Requests-1, r.Requests*99/100)]
	}
	r.PerSecond = float64(r.Requests) / took
	r.RowsPerSecond = r.PerSecond * float64(l.Rows)
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	r.HeapBytes = mem.HeapInuse
	return r, nil
}

// Once sends one request and returns the body of the answer.
func (l *Load) Once(ctx context.Context) ([]byte, error) {
	body, length, err := l.body()
	if err != nil {
		return nil, err
	}
	var answer bytes.Buffer
	err = l.send(ctx, http.DefaultClient, body, length, &answer)
	return answer.Bytes(), err
}

// send sends a request and copies the answer.
func (l *Load) send(ctx context.Context, client *http.Client, body []byte, length string, answer io.Writer) error {
	req, err := http.NewRequestWithContext(ctx, "POST", l.URL+"/v2/models/"+l.Model+"/infer", bytes.NewReader(body))
	if err != nil {
		return err
	}
	if length != "" {
		req.Header.Set(headerLength, length)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(answer, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}
