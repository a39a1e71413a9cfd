package websocket

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// pipe is a connection whose other side has already said everything.
type pipe struct {
	io.Reader
	sent bytes.Buffer
}

func (p *pipe) Write(b []byte) (int, error)      { return p.sent.Write(b) }
func (p *pipe) Close() error                     { return nil }
func (p *pipe) LocalAddr() net.Addr              { return nil }
func (p *pipe) RemoteAddr() net.Addr             { return nil }
func (p *pipe) SetDeadline(time.Time) error      { return nil }
func (p *pipe) SetReadDeadline(time.Time) error  { return nil }
func (p *pipe) SetWriteDeadline(time.Time) error { return nil }

// received is the server's side of a connection on which a client sent the bytes.
func received(b []byte) (*Conn, *pipe) {
	p := &pipe{Reader: bytes.NewReader(b)}
	return Options{Limit: 1 << 10, Quiet: time.Second}.conn(p, bufio.NewReader(p), false), p
}

// masked is a frame with the mask 1 2 3 4, its first byte and its length as given.
func masked(first byte, length []byte, payload string) []byte {
	b := append([]byte{first}, length...)
	b[1] |= 0x80
	b = append(b, 1, 2, 3, 4)
	for i := range len(payload) {
		b = append(b, payload[i]^byte(1+i%4))
	}
	return b
}

// short is a masked frame of up to 125 bytes.
func short(first byte, payload string) []byte {
	return masked(first, []byte{byte(len(payload))}, payload)
}

// The examples of RFC 6455, sections 1.3 and 5.7.
func TestExamplesOfTheRFC(t *testing.T) {
	if got := accepted("dGhlIHNhbXBsZSBub25jZQ=="); got != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
		t.Errorf("the key is accepted with %s", got)
	}
	hello := []byte{0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58}
	ping := []byte{0x89, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58}
	c, p := received(append(ping, hello...))
	if kind, msg, err := c.Read(nil); kind != Text || string(msg) != "Hello" || err != nil {
		t.Errorf("%d %q %v", kind, msg, err)
	}
	if want := []byte{0x8a, 5, 'H', 'e', 'l', 'l', 'o'}; !bytes.Equal(p.sent.Bytes(), want) {
		t.Errorf("the ping is answered by % x", p.sent.Bytes())
	}
}

// Frames that the RFC forbids end the connection with the status that it names.
func TestForbiddenFrames(t *testing.T) {
	wide, most := strings.Repeat("a", 256), strings.Repeat("a", 1024)
	long := binary.BigEndian.AppendUint64([]byte{127}, 1<<40)
	for name, c := range map[string]struct {
		sent   []byte
		status Status
	}{
		"not masked":               {[]byte{0x81, 1, 'a'}, Protocol},
		"reserved bit":             {short(0xc1, "a"), Protocol},
		"unknown kind":             {short(0x83, "a"), Protocol},
		"unknown control":          {short(0x8b, ""), Protocol},
		"ping in pieces":           {short(0x09, "a"), Protocol},
		"long ping":                {masked(0x89, []byte{126, 0, 126}, strings.Repeat("a", 126)), Protocol},
		"nothing to continue":      {short(0x80, "a"), Protocol},
		"message within a message": {append(short(0x01, "a"), short(0x81, "b")...), Protocol},
		"length in too many bytes": {masked(0x82, []byte{126, 0, 3}, "abc"), Protocol},
		"the same with eight":      {masked(0x82, []byte{127, 0, 0, 0, 0, 0, 0, 1, 0}, wide), Protocol},
		"negative length":          {masked(0x82, []byte{127, 255, 0, 0, 0, 0, 0, 0, 0}, ""), Protocol},
		"too long":                 {masked(0x82, long, "abc"), TooBig},
		"too long in pieces":       {append(masked(0x02, []byte{126, 4, 0}, most), short(0x80, "b")...), TooBig},
		"no UTF-8":                 {short(0x81, "\xff"), BadPayload},
		"no UTF-8 in pieces":       {append(short(0x01, "\xe2"), short(0x80, "a")...), BadPayload},
		"close of one byte":        {short(0x88, "a"), Protocol},
		"close with 1005":          {short(0x88, "\x03\xed"), Protocol},
		"close with 999":           {short(0x88, "\x03\xe7"), Protocol},
		"reason without UTF-8":     {short(0x88, "\x03\xe8\xff"), BadPayload},
		"close":                    {short(0x88, "\x03\xe8bye"), Normal},
	} {
		conn, p := received(c.sent)
		_, _, err := conn.Read(nil)
		var end *CloseError
		if !errors.As(err, &end) || end.Status != c.status {
			t.Errorf("%s: %v, want status %d", name, err, c.status)
			continue
		}
		b := p.sent.Bytes()
		if len(b) < 4 || b[0] != 0x88 || Status(binary.BigEndian.Uint16(b[2:])) != c.status {
			t.Errorf("%s: answered by % x", name, b)
		}
		if err := conn.Write(Text, nil); err == nil {
			t.Errorf("%s: a message after the close frame", name)
		}
	}
}

// A message may come in pieces with pings between them; a half character may end a piece.
func TestPieces(t *testing.T) {
	sent := bytes.Join([][]byte{short(0x01, "a\xc3"), short(0x89, "x"), short(0x00, ""), short(0x80, "\xa4b"),
		short(0x8a, ""), short(0x82, "")}, nil)
	c, _ := received(sent)
	if kind, msg, err := c.Read(make([]byte, 1)); kind != Text || string(msg) != "aäb" || err != nil {
		t.Errorf("%d %q %v", kind, msg, err)
	}
	if kind, msg, err := c.Read(nil); kind != Binary || len(msg) != 0 || err != nil {
		t.Errorf("%d %q %v", kind, msg, err)
	}
	if _, _, err := c.Read(nil); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

// A ping that comes after the own close frame is not answered, and the other side's close
// frame still arrives.
func TestPingAfterShutdown(t *testing.T) {
	c, p := received(append(short(0x89, "x"), short(0x88, "\x03\xe8")...))
	if err := c.Shutdown(Normal, ""); err != nil {
		t.Fatal(err)
	}
	said := p.sent.Len()
	var end *CloseError
	if _, _, err := c.Read(nil); !errors.As(err, &end) || end.Status != Normal || p.sent.Len() != said {
		t.Errorf("%v, and % x was sent", err, p.sent.Bytes()[said:])
	}
}

// echo sends back what it is sent.
func echo(t *testing.T) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := Accept(w, r, Options{Protocol: "echo"})
		if err != nil {
			var e *HandshakeError
			if errors.As(err, &e) {
				http.Error(w, e.Reason, e.Status)
			}
			return
		}
		defer c.Close()
		for {
			kind, msg, err := c.Read(nil)
			if err != nil {
				return
			}
			if err := c.Write(kind, msg); err != nil {
				t.Error(err)
			}
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func TestClientAndServer(t *testing.T) {
	server := echo(t)
	c, err := Dial(context.Background(), server.URL, nil, Options{Protocol: "echo"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Ping(); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 125, 126, 1<<16 - 1, 1 << 16, 1 << 20} {
		want := bytes.Repeat([]byte{'x'}, n)
		if err := c.Write(Binary, want); err != nil {
			t.Fatal(err)
		}
		if kind, got, err := c.Read(nil); kind != Binary || !bytes.Equal(got, want) || err != nil {
			t.Errorf("%d bytes: %d, %d bytes, %v", n, kind, len(got), err)
		}
	}
	if err := c.Shutdown(Normal, strings.Repeat("ä", 100)); err != nil {
		t.Fatal(err)
	}
	var end *CloseError
	if _, _, err := c.Read(nil); !errors.As(err, &end) || end.Status != Normal || len(end.Reason) != 122 {
		t.Errorf("%v", err)
	}
}

func TestHandshakeRefuses(t *testing.T) {
	server := echo(t)
	good := map[string]string{"Connection": "keep-alive, Upgrade", "Upgrade": "WebSocket",
		"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
	for _, c := range []struct {
		header, value string
		status        int
	}{
		{"Connection", "keep-alive", 426}, {"Upgrade", "h2c", 426}, {"Sec-WebSocket-Version", "8", 426},
		{"Sec-WebSocket-Key", "dGhl", 400}, {"Sec-WebSocket-Key", "", 400},
		{"Origin", "https://elsewhere.example", 403}, {"Origin", "null", 403}, {"Origin", server.URL, 101},
	} {
		req, err := http.NewRequest("GET", server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range good {
			req.Header.Set(k, v)
		}
		req.Header.Set(c.header, c.value)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.status {
			t.Errorf("%s: %s has status %d, want %d", c.header, c.value, resp.StatusCode, c.status)
		}
	}
	var e *HandshakeError
	header := http.Header{"Origin": {"http://elsewhere.example"}}
	if _, err := Dial(context.Background(), server.URL, header, Options{}); !errors.As(err, &e) || e.Status != 403 {
		t.Errorf("Dial says %v", err)
	}
	if _, err := Dial(context.Background(), "ftp://x", nil, Options{}); err == nil {
		t.Error("Dial takes ftp")
	}
}

// Whatever comes, Read returns whole messages within the limit, and then an error.
func FuzzRead(f *testing.F) {
	f.Add(short(0x81, "Hello"), false)
	f.Add(append(short(0x01, "a"), short(0x80, "b")...), false)
	f.Add([]byte{0x82, 1, 7, 0x88, 0}, true)
	f.Add(masked(0x82, []byte{127, 0, 0, 0, 0, 0, 1, 0, 0}, "a"), false)
	f.Fuzz(func(t *testing.T, sent []byte, client bool) {
		c, _ := received(sent)
		c.client = client
		for n := 0; ; n++ {
			kind, msg, err := c.Read(nil)
			if err != nil {
				break
			}
			if len(msg) > 1<<10 || kind == Text && !utf8.Valid(msg) || n > len(sent) {
				t.Fatal(fmt.Sprint(kind, len(msg), n))
			}
		}
	})
}
