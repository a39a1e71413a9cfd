package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/internal/format/archive"
	"rao/model"
)

//go:embed peer
var peerFiles embed.FS

var peerServers = []string{"fastapi", "mlserver"}

// webPeer is the same model in scikit-learn behind a Python server with one process per processor.
type webPeer struct {
	url  string
	cmd  *exec.Cmd
	said bytes.Buffer
	done chan struct{} // closed when the server has ended
	dir  string
}

// affine returns filters and an offset such that the features of a model are x·filters + offset. It returns an error if
// the features are not affine in the rows of x.
func affine(ctx context.Context, m *model.Model, x *mat.Dense) (filters [][]float64, offset []float64, err error) {
	n := m.Input.Dim
	probe := mat.NewDense(n+1, n, nil) // the origin, and one unit vector for each axis
	for j := range n {
		probe.Set(j+1, j, 1)
	}
	z, err := m.Transform(ctx, model.Vectors(probe))
	if err != nil {
		return nil, nil, err
	}
	offset = mat.Row(nil, 0, z.X)
	for j := range n {
		row := mat.Row(nil, j+1, z.X)
		for k := range row {
			row[k] -= offset[k]
		}
		filters = append(filters, row)
	}
	want, err := m.Transform(ctx, model.Vectors(x))
	if err != nil {
		return nil, nil, err
	}
	rows, _ := x.Dims()
	for i := range rows {
		for k := range offset {
			got := offset[k]
			for j := range n {
				got += x.At(i, j) * filters[j][k]
			}
			if d := math.Abs(got - want.X.At(i, k)); d > 1e-9*(1+math.Abs(got)) {
				return nil, nil, fmt.Errorf("feature %d of row %d differs by %g, so the model is not linear", k, i, d)
			}
		}
	}
	return filters, offset, nil
}

// startWebPeer starts the peer with the parameters of the model and waits until it answers. The data are used to check
// that the features are affine.
func startWebPeer(ctx context.Context, python, server string, m *model.Model, d *dataset.Data) (p *webPeer, err error) {
	p = &webPeer{}
	if p.dir, err = os.MkdirTemp("", "rao-bench-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.stop()
		}
	}()
	given, err := peerModel(ctx, m, d)
	if err != nil {
		return nil, err
	}
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	if err := p.write(given, ports); err != nil {
		return nil, err
	}
	p.url = fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	args := []string{"-m", "uvicorn", "--app-dir", p.dir, "--port", strconv.Itoa(ports[0]), "--workers",
		strconv.Itoa(runtime.NumCPU()), "--log-level", "warning", "--no-access-log", "peer_fastapi:app"}
	if server == "mlserver" {
		args = []string{"-c", "from mlserver.cli import main; main()", "start", p.dir}
	}
	p.cmd = exec.CommandContext(ctx, python, args...)
	p.cmd.Env = append(os.Environ(), "RAO_PEER="+filepath.Join(p.dir, "model.json"), "PYTHONPATH="+p.dir,
		"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	p.cmd.Stderr = &p.said
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(os.Interrupt) } // its workers also end
	p.cmd.WaitDelay = 10 * time.Second
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("-peer: %w", err)
	}
	p.done = make(chan struct{})
	go func() {
		p.cmd.Wait()
		close(p.done)
	}()
	return p, p.wait(ctx)
}

// peerModel returns the filters, means and covariances from which the peer computes the same decisions.
func peerModel(ctx context.Context, m *model.Model, d *dataset.Data) (map[string]any, error) {
	q, ok := m.Classifier.(*classify.QDA)
	if !ok {
		return nil, fmt.Errorf("-peer: the model has a classifier of type %T, which the peer cannot "+
			"reproduce", m.Classifier)
	}
	filters, offset, err := affine(ctx, m, mat.DenseCopyOf(d.X))
	if err != nil {
		return nil, err
	}
	var means, covariances [][]float64
	for i := range q.Classes {
		means, covariances = append(means, q.Means.RawRowView(i)), append(covariances, q.Covariances.At(i))
	}
	return map[string]any{"filters": filters, "offset": offset, "classes": q.Classes, "priors": q.Priors,
		"means": means, "covariances": covariances}, nil
}

// write writes the programs of the peer, the parameters of the model, and the configuration of MLServer.
func (p *webPeer) write(given map[string]any, ports []int) error {
	put := func(name string, b []byte) error { return archive.WriteBytes(filepath.Join(p.dir, name), b) }
	for name, v := range map[string]any{
		"model.json": given,
		"settings.json": map[string]any{"host": "127.0.0.1", "http_port": ports[0], "grpc_port": ports[1],
			"metrics_port": ports[2], "parallel_workers": runtime.NumCPU(), "debug": false},
		"model-settings.json": map[string]any{"name": "model", "implementation": "peer_mlserver.Peer"},
	} {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if err := put(name, b); err != nil {
			return err
		}
	}
	return fs.WalkDir(peerFiles, ".", func(name string, at fs.DirEntry, err error) error {
		if err != nil || at.IsDir() {
			return err
		}
		b, err := peerFiles.ReadFile(name)
		if err != nil {
			return err
		}
		return put(filepath.Base(name), b)
	})
}

func freePorts(n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer free.Close() // closed at the end, so that no port is returned twice
		ports[i] = free.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
}

func (p *webPeer) wait(ctx context.Context) error {
	client := http.Client{Timeout: 2 * time.Second}
	for range 240 {
		resp, err := client.Get(p.url + "/v2/models/model/ready")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-time.After(250 * time.Millisecond):
			continue
		case <-ctx.Done():
			return ctx.Err()
		case <-p.done:
		}
		break
	}
	p.stop()
	return fmt.Errorf("-peer: the peer does not answer: %s", strings.TrimSpace(p.said.String()))
}

// stop ends the peer and its workers.
func (p *webPeer) stop() {
	if p.done != nil {
		p.cmd.Process.Signal(os.Interrupt)
		select {
		case <-p.done:
		case <-time.After(p.cmd.WaitDelay):
			p.cmd.Process.Kill()
			<-p.done
		}
	}
	os.RemoveAll(p.dir)
}

// agree returns the largest difference between the posteriors of two servers.
func agree(ctx context.Context, l Load, other string) (float64, error) {
	var posterior [2][]float64
	for i, url := range []string{l.URL, other} {
		l.URL, l.Rows, l.Binary = url, 256, false
		b, err := l.Once(ctx)
		if err != nil {
			return 0, err
		}
		var a struct {
			Outputs []struct {
				Name string
				Data json.RawMessage
			}
		}
		if err := json.Unmarshal(b, &a); err != nil {
			return 0, err
		}
		for _, o := range a.Outputs {
			if o.Name != "posterior" {
				continue
			}
			if err := json.Unmarshal(o.Data, &posterior[i]); err != nil {
				return 0, err
			}
		}
	}
	if len(posterior[0]) == 0 || len(posterior[0]) != len(posterior[1]) {
		return 0, fmt.Errorf("the server returned %d probabilities, but the peer returned %d",
			len(posterior[0]), len(posterior[1]))
	}
	worst := 0.0
	for i, v := range posterior[0] {
		worst = max(worst, math.Abs(v-posterior[1][i]))
	}
	return worst, nil
}
