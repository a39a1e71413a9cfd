package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/internal/decisionrecord"
	"rao/internal/lsl"
	"rao/internal/testkit"
	"rao/model"
	"rao/recipe"
	live "rao/stream"
)

// The server finds a Lab Streaming Layer stream, reads it, and decides until the stream is closed.
func TestSignalOfTheNetwork(t *testing.T) {
	_, server := newServer(t, Options{Signals: "local"})
	name := fmt.Sprintf("rao-serve-test-%d", os.Getpid())
	outlet, err := lsl.NewOutlet(lsl.Info{Name: name, Type: "EEG", ChannelCount: 64, Format: lsl.Float32, Rate: 100,
		SourceID: name}, lsl.OutletOptions{Local: true})
	if err != nil {
		t.Skipf("no stream can be offered here: %v", err)
	}
	defer outlet.Close()
	query := fmt.Sprintf("name='%s'", name)
	status, b, _ := call(t, "POST", server.URL+"/v1/streams",
		[]byte(fmt.Sprintf(`{"model":"nearest","signal":%q}`, query)))
	if status == 404 {
		t.Skip("streams of this machine are not found here")
	}
	if status != 400 || !strings.Contains(string(b), "64 channels") {
		t.Errorf("a model of another width: status %d: %s", status, b)
	}
	id := opened(t, server.URL, fmt.Sprintf(`{"model":"digits","signal":%q}`, query))
	if _, b, _ := call(t, "GET", server.URL+"/v1/signals", nil); !strings.Contains(string(b), name) {
		t.Errorf("the list of signals: %s", b)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	testkit.NoError(t, outlet.Wait(ctx))
	const n = 5
	x := rowsOf(digitsX, n)
	want := testkit.Must(digits.Predict(context.Background(), model.Vectors(x)))(t)
	start := lsl.Clock()
	for i := range n {
		testkit.NoError(t, outlet.Push(mat.Row(nil, i, x), start+float64(i)/100))
	}
	for i, e := range events(t, server.URL, id, "", n) {
		var d decisionrecord.Record
		if err := json.Unmarshal([]byte(e.data), &d); err != nil || d.Label != digits.Classes[want.Label[i]] {
			t.Errorf("decision %d: %+v, %v", i, e, err)
		}
	}
	answers(t, 409, "POST", server.URL+"/v1/streams/"+id+"/samples", make([]byte, 512),
		"Content-Type",
		"application/x-f64")
	answers(t, 204, "DELETE", server.URL+"/v1/streams/"+id, nil)
	for range 500 {
		if outlet.Consumers() == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	testkit.Equal(t, outlet.Consumers(), 0, "consumers after the stream was closed")
}

// Without permission, the server does not search the network for streams.
func TestSignalsNeedLeave(t *testing.T) {
	_, server := newServer(t, Options{})
	testkit.Equal(t, string(answers(t, 200, "GET", server.URL+"/v1/signals", nil)), "[]\n", "signals")
	answers(t, 403, "POST", server.URL+"/v1/streams", []byte(`{"model":"digits","signal":"type='EEG'"}`))
}

// The units of a signal apply to its samples, unless the request gives others: a signal in microvolts is not treated as
// volts.
func TestUnitsOfASignal(t *testing.T) {
	m := &model.Model{Input: model.Schema{Recipe: &recipe.Recipe{Signal: &recipe.Signal{}}}}
	info := lsl.Info{Rate: 250, ChannelCount: 2,
		Channels: []lsl.Channel{{Label: "C3", Unit: "microvolts"}, {Label: "C4", Unit: "microvolts"}}}
	testkit.EqualSlices(t, ofSignal(live.DecoderOptions{}, m, info).Units, []string{"microvolts", "microvolts"},
		"units")
	given := live.DecoderOptions{Units: []string{"V", "V"}}
	testkit.EqualSlices(t, ofSignal(given, m, info).Units, given.Units, "units")
}
