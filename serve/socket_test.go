package serve

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"rao/internal/decisionrecord"
	"rao/internal/testkit"
	"rao/model"
)

// socketEvent is a message of a WebSocket.
type socketEvent struct {
	Event   string
	ID      int64
	Dropped int64
	Error   string
	decisionrecord.Record
}

// dial opens a WebSocket to a stream.
func dial(t *testing.T, address string, header http.Header, protocols ...string) *websocket.Conn {
	t.Helper()
	c, _ := testkit.Must2(websocket.Dial(t.Context(), address,
		&websocket.DialOptions{HTTPHeader: header, Subprotocols: protocols}))(t)
	t.Cleanup(func() { c.CloseNow() })
	return c
}

// refusal returns the status and the error with which a WebSocket is refused.
func refusal(t *testing.T, address string, header http.Header) (int, string) {
	t.Helper()
	c, resp, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{HTTPHeader: header})
	if err == nil {
		c.CloseNow()
		t.Fatal("a WebSocket that should be refused opened")
	}
	if resp == nil {
		t.Fatal(err)
	}
	var says struct{ Error string }
	testkit.NoError(t, json.NewDecoder(resp.Body).Decode(&says))
	return resp.StatusCode, says.Error
}

// readEvent reads the next message, which must be text.
func readEvent(t *testing.T, c *websocket.Conn) socketEvent {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var e socketEvent
	kind, msg := testkit.Must2(c.Read(ctx))(t)
	testkit.Equal(t, kind, websocket.MessageText, "kind")
	testkit.NoError(t, json.Unmarshal(msg, &e), string(msg))
	return e
}

// Samples sent over a WebSocket get the model's decisions, in every format, and a client that reconnects continues
// where it stopped.
func TestSocketDecides(t *testing.T) {
	_, server := newServer(t, Options{})
	const n = 6
	want := testkit.Must(nearest.Predict(context.Background(), model.Matrices(spdX.Stack.Select([]int{0, 1, 2, 3, 4,
		5}))))(t)
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
		testkit.NoError(t, c.Write(t.Context(), websocket.MessageBinary, b))
	}
	testkit.NoError(t, c.Write(t.Context(), websocket.MessageText, []byte(text.String())))
	var got []socketEvent
	for k := range n {
		e := readEvent(t, c)
		if got = append(got, e); e.Event != "decision" || e.ID != int64(k) || e.At != int64(k) ||
			e.Label != nearest.Classes[want.Label[k]] ||
			math.Abs(e.Posterior[1]-math.Exp(want.LogPosterior.At(k, 1))) > 1e-12 {
			t.Errorf("decision %d: %+v", k, e)
		}
	}
	again := dial(t, address+"?after=3", nil)
	if e := readEvent(t, again); e.ID != 4 || e.Probability != got[4].Probability {
		t.Errorf("after the third: %+v", e)
	}
	readEvent(t, again)

	// two sources at a time would mix their samples
	testkit.NoError(t, again.Write(t.Context(), websocket.MessageBinary, make([]byte, 400)))
	if e := readEvent(t, again); e.Event != "error" || !strings.Contains(e.Error, "send one request at a time") {
		t.Errorf("a second source: %+v", e)
	}
	answers(t, 204, "DELETE", server.URL+"/v1/streams/"+id, nil)
	if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("at the end of the stream: %v", err)
	}
}

// Bad samples end the connection with an explanation; the stream stays open.
func TestSocketRefuses(t *testing.T) {
	_, server := newServer(t, Options{Tokens: map[string]string{"s3cret/token+": ""}})
	bearer := []string{"Authorization", "Bearer s3cret/token+"}
	id := opened(t, server.URL, `{"model":"nearest"}`, bearer...)
	address := server.URL + "/v1/streams/" + id + "/ws"
	for _, offer := range []string{"", "bearer.c2VjcmV0", "bearer.!"} {
		if status, says := refusal(t, address, http.Header{"Sec-Websocket-Protocol": {offer}}); status != 401 {
			t.Errorf("offering %q: status %d: %s", offer, status, says)
		}
	}
	// as a browser brings it
	secret := base64.RawURLEncoding.EncodeToString([]byte("s3cret/token+"))
	protocols := []string{socketProtocol, bearerProtocol + secret}
	nan := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(math.NaN())))
	for _, c := range []struct {
		kind websocket.MessageType
		msg  string
		says string
	}{
		{websocket.MessageBinary, "short", "the message has 5 bytes"},
		{websocket.MessageText, "[1,2]", "sample 0 has 2 values"},
		{websocket.MessageText, "[1,x]", "value 1"},
		{websocket.MessageBinary, strings.Repeat(string(nan), 100), "matrix 0 is NaN"},
	} {
		conn := dial(t, address, nil, protocols...)
		testkit.NoError(t, conn.Write(t.Context(), c.kind, []byte(c.msg)))
		if e := readEvent(t, conn); e.Event != "error" || !strings.Contains(e.Error, c.says) {
			t.Errorf("%.20q: %+v", c.msg, e)
		}
		if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
			t.Errorf("%.20q ends with %v", c.msg, err)
		}
	}
	testkit.Equal(t, dial(t, address, nil, protocols...).Subprotocol(), socketProtocol, "the subprotocol")
	header := http.Header{"Origin": {"https://elsewhere.example"}, "Authorization": {"Bearer s3cret/token+"}}
	if status, says := refusal(t, address, header); status != 403 || !strings.Contains(says, "elsewhere.example") {
		t.Errorf("a page of elsewhere: status %d: %s", status, says)
	}
	for path, says := range map[string]string{"?type=f16": "f32 or f64", "?after=x": "number of a decision",
		"": "WebSocket"} {
		status, b, _ := call(t, "GET", address+path, nil, bearer...)
		if status < 400 || !strings.Contains(string(b), says) {
			t.Errorf("%s: status %d: %s", path, status, b)
		}
	}
	testkit.Contains(t, string(answers(t, 200, "GET", server.URL+"/v1/streams", nil, bearer...)), id)
}

// Requests from pages of other sites, or with a rebound host name, are rejected.
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
		answers(t, c.status, "POST", server.URL+"/v1/streams", body, c.header...)
	}
	named := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	testkit.Contains(t, string(answers(t, 421, "GET", named+"/v2", nil)), "localhost")
	answers(t, 200, "GET", named+"/healthz", nil)
}

// A message beyond the limit ends the connection before it fills the memory.
func TestSocketLimit(t *testing.T) {
	_, server := newServer(t, Options{MaxBody: 1 << 10})
	c := dial(t, server.URL+"/v1/streams/"+open(t, server.URL)+"/ws", nil)
	testkit.NoError(t, c.Write(t.Context(), websocket.MessageBinary, make([]byte, 2<<10)))
	if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
		t.Errorf("a long message: %v", err)
	}
}

// A client that answers pings stays connected. A client that does not is disconnected.
func TestSocketKeepAlive(t *testing.T) {
	const every = 20 * time.Millisecond
	ended := make(chan error, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		go keepAlive(ctx, conn, every)
		_, _, err = conn.Read(ctx)
		ended <- err
	}))
	defer server.Close()
	deaf := &websocket.DialOptions{OnPingReceived: func(context.Context, []byte) bool { return false }}
	for _, c := range []struct {
		options *websocket.DialOptions
		stays   bool
	}{{nil, true}, {deaf, false}} {
		conn, _ := testkit.Must2(websocket.Dial(t.Context(), server.URL, c.options))(t)
		closed := conn.CloseRead(t.Context()) // which answers pings
		if c.stays {
			select {
			case err := <-ended:
				t.Errorf("a client that answers was cut off: %v", err)
			case <-time.After(20 * every):
			}
			conn.CloseNow()
			<-ended
			continue
		}
		select {
		case <-closed.Done():
		case <-time.After(20 * time.Second):
			t.Error("a client that does not answer stays")
		}
		conn.CloseNow()
		<-ended
	}
}

// The reason in a close frame is text of at most 123 bytes.
func TestCloseReason(t *testing.T) {
	if got := closeReason(strings.Repeat("é", 100)); len(got) != 122 || !utf8.ValidString(got) {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}
