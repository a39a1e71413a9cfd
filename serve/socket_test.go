package serve

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"rao/internal/websocket"
	"rao/model"
)

// socketEvent is a message of a WebSocket.
type socketEvent struct {
	Event   string
	ID      int64
	Dropped int64
	Error   string
	decision
}

// dial opens a WebSocket to a stream.
func dial(t *testing.T, address string, header http.Header) *websocket.Conn {
	t.Helper()
	c, err := websocket.Dial(context.Background(), address, header, websocket.Options{Quiet: 20 * time.Second,
		Protocol: socketProtocol})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// told reads the next message.
func told(t *testing.T, c *websocket.Conn) socketEvent {
	t.Helper()
	var e socketEvent
	kind, msg, err := c.Read(nil)
	if err != nil || kind != websocket.Text {
		t.Fatalf("kind %d, %v", kind, err)
	}
	if err := json.Unmarshal(msg, &e); err != nil {
		t.Fatalf("%s: %v", msg, err)
	}
	return e
}

// Samples that come over a WebSocket are decided as the model decides, in every form, and
// one who comes back goes on where he was.
func TestSocketDecides(t *testing.T) {
	_, server := newServer(t, Options{})
	const n = 6
	want, err := nearest.Predict(context.Background(), model.Matrices(spdX.Stack.Select([]int{0, 1, 2, 3, 4, 5})))
	if err != nil {
		t.Fatal(err)
	}
	id := open(t, server.URL)
	address := server.URL + "/v1/streams/" + id + "/ws"
	c := dial(t, address+"?type=f64", nil)
	var text strings.Builder
	for k := range n {
		var b []byte
		switch row := spdX.Stack.At(k); {
		case k < 4:
			b = float64s(row)
		default:
			line, _ := json.Marshal(row)
			fmt.Fprintf(&text, "%s\n", line)
			continue
		}
		if err := c.Write(websocket.Binary, b); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Write(websocket.Text, []byte(text.String())); err != nil {
		t.Fatal(err)
	}
	var got []socketEvent
	for k := range n {
		e := told(t, c)
		if got = append(got, e); e.Event != "decision" || e.ID != int64(k) || e.At != int64(k) ||
			e.Label != nearest.Classes[want.Label[k]] ||
			math.Abs(e.Posterior[1]-math.Exp(want.LogPosterior.At(k, 1))) > 1e-12 {
			t.Errorf("decision %d: %+v", k, e)
		}
	}
	again := dial(t, address+"?after=3", nil)
	if e := told(t, again); e.ID != 4 || e.Probability != got[4].Probability {
		t.Errorf("after the third: %+v", e)
	}
	told(t, again)

	// two sources at a time would mix their samples
	if err := again.Write(websocket.Binary, make([]byte, 400)); err != nil {
		t.Fatal(err)
	}
	if e := told(t, again); e.Event != "error" || !strings.Contains(e.Error, "one after the other") {
		t.Errorf("a second source: %+v", e)
	}
	if status, _, _ := call(t, "DELETE", server.URL+"/v1/streams/"+id, nil); status != 204 {
		t.Errorf("status %d", status)
	}
	var end *websocket.CloseError
	if _, _, err := c.Read(nil); !errors.As(err, &end) || end.Status != websocket.Normal {
		t.Errorf("at the end of the stream: %v", err)
	}
}

// Bad samples end the connection with words; the stream stays.
func TestSocketRefuses(t *testing.T) {
	_, server := newServer(t, Options{Token: "s3cret/token+"})
	bearer := []string{"Authorization", "Bearer s3cret/token+"}
	_, b, _ := call(t, "POST", server.URL+"/v1/streams", []byte(`{"model":"nearest"}`), bearer...)
	var a struct{ ID string }
	if err := json.Unmarshal(b, &a); err != nil {
		t.Fatal(err)
	}
	address := server.URL + "/v1/streams/" + a.ID + "/ws"
	for _, offer := range []string{"", "bearer.c2VjcmV0", "bearer.!"} {
		_, err := websocket.Dial(context.Background(), address, nil, websocket.Options{Protocol: offer})
		if refused := new(websocket.HandshakeError); !errors.As(err, &refused) || refused.Status != 401 {
			t.Errorf("offering %q: %v", offer, err)
		}
	}
	// as a browser brings it
	secret := base64.RawURLEncoding.EncodeToString([]byte("s3cret/token+"))
	header := http.Header{"Sec-Websocket-Protocol": {"bearer." + secret}}
	nan := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(math.NaN())))
	for _, c := range []struct {
		kind websocket.Kind
		msg  string
		says string
	}{
		{websocket.Binary, "short", "a message of 5 bytes"},
		{websocket.Text, "[1,2]", "sample 0 has 2 values"},
		{websocket.Text, "[1,x]", "value 1"},
		{websocket.Binary, strings.Repeat(string(nan), 100), "not finite"},
	} {
		conn := dial(t, address, header)
		if err := conn.Write(c.kind, []byte(c.msg)); err != nil {
			t.Fatal(err)
		}
		if e := told(t, conn); e.Event != "error" || !strings.Contains(e.Error, c.says) {
			t.Errorf("%.20q: %+v", c.msg, e)
		}
	}
	header.Set("Origin", "https://elsewhere.example")
	_, err := websocket.Dial(context.Background(), address, header, websocket.Options{})
	if refused := new(websocket.HandshakeError); !errors.As(err, &refused) || refused.Status != 403 {
		t.Errorf("a page of elsewhere: %v", err)
	}
	for path, says := range map[string]string{"?type=f16": "f32 or f64", "?after=x": "number of a decision",
		"": "WebSocket"} {
		status, b, _ := call(t, "GET", address+path, nil, bearer...)
		if status < 400 || !strings.Contains(string(b), says) {
			t.Errorf("%s: status %d: %s", path, status, b)
		}
	}
	if status, b, _ := call(t, "GET", server.URL+"/v1/streams", nil, bearer...); status != 200 ||
		!strings.Contains(string(b), a.ID) {
		t.Errorf("the list: status %d: %s", status, b)
	}
}

// Whatever a page of another site, or one whose name was turned to this machine, asks for is
// refused.
func TestOtherSitesAreRefused(t *testing.T) {
	_, server := newServer(t, Options{Hosts: []string{"127.0.0.1"}})
	body := []byte(`{"model":"nearest"}`)
	for _, c := range []struct {
		header []string
		status int
	}{
		{nil, 201},
		{[]string{"Sec-Fetch-Site", "same-origin"}, 201},
		{[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		{[]string{"Origin", "https://elsewhere.example"}, 403},
	} {
		if status, b, _ := call(t, "POST", server.URL+"/v1/streams", body, c.header...); status != c.status {
			t.Errorf("%v: status %d: %s", c.header, status, b)
		}
	}
	named := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	if status, b, _ := call(t, "GET", named+"/v2", nil); status != 421 || !strings.Contains(string(b), "localhost") {
		t.Errorf("another name: status %d: %s", status, b)
	}
	if status, _, _ := call(t, "GET", named+"/healthz", nil); status != 200 {
		t.Errorf("health under another name: status %d", status)
	}
}

// What appendJSON writes is the decision.
func TestDecisionAsJSON(t *testing.T) {
	want := decision{7, "a\"<é", 0.25, true, false, 1.5, []float64{0.25, 1e-300, 0.75}}
	var got decision
	b := append(want.appendJSON([]byte{'{'}), '}')
	if err := json.Unmarshal(b, &got); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %+v, %v", b, got, err)
	}
	var fields, names map[string]any
	std, _ := json.Marshal(want)
	if json.Unmarshal(std, &names) != nil || json.Unmarshal(b, &fields) != nil || len(fields) != len(names) {
		t.Errorf("%s, encoding/json writes %s", b, std)
	}
}
