package lsl

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// A description that can be read can be written, and is then read unchanged.
func FuzzParseInfo(f *testing.F) {
	testkit.Seeds(f, "fullinfo.xml", "shortinfo.bin")
	f.Fuzz(func(t *testing.T, text []byte) {
		if info, id, err := parseReply(text); err == nil && (info.UID == "" || strings.ContainsAny(id, "\r\n")) {
			t.Errorf("%+v, %q", info, id)
		}
		info, err := parseInfo(text)
		if err != nil {
			return
		}
		again := testkit.Must(parseInfo(info.short()))(t, fmt.Sprintf("%+v", info))
		if again.Name != info.Name || again.ChannelCount != info.ChannelCount || again.Rate != info.Rate {
			t.Errorf("%+v became %+v", info, again)
		}
	})
}

// A query never panics, and means the same when it is sent on.
func FuzzParseQuery(f *testing.F) {
	for _, s := range []string{"type='EEG'", "not(name='a') or channel_count>=3 and contains(uid,\"x\")", "((("} {
		f.Add(s)
	}
	info := amplifier()
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ParseQuery(text)
		if err != nil {
			return
		}
		again, err := ParseQuery(q.String())
		if err != nil || again.Match(&info) != q.Match(&info) {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// Any bytes are read as samples or give an error, and need no more memory than their length justifies.
func FuzzSamples(f *testing.F) {
	for format := range Format(len(formatNames)) {
		c := newCodec(format, 2, binary.LittleEndian)
		f.Add(byte(format), false, c.appendPatterns(nil))
	}
	f.Fuzz(func(t *testing.T, format byte, big bool, data []byte) {
		var order byteOrder = binary.LittleEndian
		if big {
			order = binary.BigEndian
		}
		c := newCodec(Format(format)%Format(len(formatNames)), 2, order)
		values, texts := c.buffers()
		r := bufio.NewReader(bytes.NewReader(data))
		for {
			before := len(data)
			at, stamped, err := c.read(r, values, texts)
			if err != nil {
				return
			}
			again := c.appendSample(nil, at, stamped, values, texts)
			if c.format == Text && len(again) > before+16 {
				t.Errorf("%d bytes became %d", before, len(again))
			}
		}
	})
}

// Heads of requests and responses, and answers about clocks, never cause a panic.
func FuzzHeads(f *testing.F) {
	testkit.Seeds(f, "streamfeed_float32.bin", "request.bin")
	f.Add([]byte(" 7 1.5 2.5 3.5"))
	f.Add([]byte("type='EEG'\r\n16572 4711\r\n"))
	o := &Outlet{info: amplifier(), limit: 10}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = readResponse(bufio.NewReader(bytes.NewReader(data)), "uid")
		r := bufio.NewReader(bytes.NewReader(data))
		if line, err := readLine(r); err == nil {
			method, uid, _ := strings.Cut(line, " ")
			head, order, limit := o.feed(method, uid, r)
			if order != nil && (!bytes.HasPrefix(head, []byte("LSL/110 200 OK\r\n")) || limit < 1 || limit > 10) {
				t.Errorf("%q, %d", head, limit)
			}
		}
		_, _ = o.shortReply(string(data))
		timeReply(data, 1)
		if a, _, err := parseAnswer(data, 1, 2); err == nil && a.RoundTrip < 0 {
			t.Errorf("%+v", a)
		}
	})
}
