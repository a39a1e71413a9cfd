package lsl

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

type connection struct {
	net.Conn
	r *bufio.Reader
}

// patientReader reads from a connection. A read fails if no data arrive within limit.
type patientReader struct {
	conn  net.Conn
	limit time.Duration // 0: no limit
}

func (p *patientReader) Read(b []byte) (int, error) {
	if p.limit > 0 {
		if err := p.conn.SetReadDeadline(time.Now().Add(p.limit)); err != nil {
			return 0, err
		}
	}
	return p.conn.Read(b)
}

// handshakeTimeout is the time limit for replies of the other side during a handshake.
const handshakeTimeout = 5 * time.Second

// dial connects to the data port of a stream.
func dial(ctx context.Context, info *Info) (net.Conn, error) {
	d := net.Dialer{Timeout: handshakeTimeout}
	conn, err := d.DialContext(ctx, "tcp4", netip.AddrPortFrom(info.Address, info.DataPort).String())
	if err != nil {
		return nil, err
	}
	return conn, conn.SetDeadline(time.Now().Add(handshakeTimeout))
}

// maxInfo limits the length of a description in bytes.
const maxInfo = 1 << 24

// fullInfo requests the full description of a stream, including the channels.
func fullInfo(ctx context.Context, info *Info) (*Info, error) {
	conn, err := dial(ctx, info)
	if err != nil {
		return nil, fmt.Errorf("the stream %q cannot be reached: %w; check the network and the program that sends it",
			info.Name, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if _, err := io.WriteString(conn, "LSL:fullinfo\r\n"); err != nil {
		return nil, err
	}
	text, _ := io.ReadAll(io.LimitReader(conn, maxInfo)) // parseInfo rejects an incomplete description
	full, err := parseInfo(text)
	if err != nil {
		return nil, fmt.Errorf("the stream %q: %w", info.Name, err)
	}
	if full.UID != info.UID || full.ChannelCount != info.ChannelCount || full.Format != info.Format {
		return nil, fmt.Errorf("the stream %q is gone, and another stream replies at its address; search for the "+
			"stream again", info.Name)
	}
	full.Address = info.Address
	full.DataPort, full.ServicePort = info.DataPort, info.ServicePort
	return full, nil
}

// connect requests the samples and reads up to the end of the test patterns.
func (in *Inlet) connect(ctx context.Context) (*connection, error) {
	info := in.Info()
	conn, err := dial(ctx, &info)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	c, err := in.handshake(conn, &info)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

func (in *Inlet) handshake(conn net.Conn, info *Info) (*connection, error) {
	if _, err := io.WriteString(conn, in.request(info)); err != nil {
		return nil, err
	}
	patient := &patientReader{conn: conn}
	r := bufio.NewReaderSize(patient, 1<<16)
	order, err := readResponse(r, info.UID)
	if err != nil {
		return nil, err
	}
	in.codec = newCodec(info.Format, info.ChannelCount, order)
	if err := in.codec.checkPattern(r); err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return nil, err
	}
	if info.Rate > 0 {
		patient.limit = in.opt.Silence
	}
	return &connection{conn, r}, nil
}

// request returns the request for the samples of a stream. The reference library uses a size of 32 for texts, which
// have no fixed size.
func (in *Inlet) request(info *Info) string {
	size := formatElems[info.Format].Size
	if info.Format == Text {
		size = 32
	}
	var b strings.Builder
	fmt.Fprintf(&b, "LSL:streamfeed/%d %s\r\n", protocolVersion, info.UID)
	for _, h := range [...][2]string{
		{"Native-Byte-Order", "1234"}, {"Endian-Performance", "0"}, {"Has-IEEE754-Floats", "1"},
		{"Supports-Subnormals", "1"}, {"Value-Size", strconv.Itoa(size)},
		{"Data-Protocol-Version", strconv.Itoa(protocolVersion)},
		{"Max-Buffer-Length", strconv.Itoa(in.samples())}, {"Max-Chunk-Length", "0"},
		{"Hostname", info.Host}, {"Source-Id", info.SourceID}, {"Session-Id", info.Session},
	} {
		b.WriteString(h[0] + ": " + h[1] + "\r\n")
	}
	return b.String() + "\r\n"
}

// These are the limits on the headers of a request or response.
const (
	maxLine    = 1 << 14
	maxHeaders = 64
)

// readLine reads a line and removes the line end.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return "", &protocolError{fmt.Sprintf("a line has more than %d bytes", maxLine)}
		case err == nil:
			return strings.TrimRight(string(line), "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

// readHeaders reads the headers up to an empty line. Names are converted to lower case.
func readHeaders(r *bufio.Reader) (map[string]string, error) {
	headers := map[string]string{}
	for range maxHeaders {
		line, err := readLine(r)
		if err != nil {
			return nil, err
		}
		if line == "" {
			return headers, nil
		}
		name, value, _ := strings.Cut(line, ":")
		value, _, _ = strings.Cut(value, ";") // remove a comment
		headers[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
	}
	return nil, &protocolError{fmt.Sprintf("its reply has more than %d headers", maxHeaders)}
}

// errGone means that the address of the stream now belongs to another stream.
var errGone = errors.New("the stream is no longer at its address")

// readResponse reads the status and headers of a response and returns the byte order.
func readResponse(r *bufio.Reader, uid string) (byteOrder, error) {
	status, err := readLine(r)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(status)
	if len(words) < 2 || !strings.HasPrefix(words[0], "LSL/") {
		return nil, &protocolError{fmt.Sprintf("its reply is %.80q", status)}
	}
	if words[1] == "404" {
		return nil, errGone
	}
	if words[1] != "200" {
		return nil, &protocolError{fmt.Sprintf("its reply is %.80q", status)}
	}
	headers, err := readHeaders(r)
	if err != nil {
		return nil, err
	}
	if got, ok := headers["uid"]; ok && !strings.EqualFold(got, uid) {
		return nil, errGone
	}
	if v := headers["data-protocol-version"]; v != "" && v != strconv.Itoa(protocolVersion) {
		return nil, &protocolError{fmt.Sprintf("its samples use version %.10q of the protocol, but rao needs %d; "+
			"use liblsl 1.10 or later on the sender", v, protocolVersion)}
	}
	switch order := headers["byte-order"]; order {
	case "1234", "0", "":
		return binary.LittleEndian, nil
	case "4321":
		return binary.BigEndian, nil
	default:
		return nil, &protocolError{fmt.Sprintf("its byte order is %.10q, which is unknown", order)}
	}
}
