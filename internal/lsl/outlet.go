package lsl

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// OutletOptions are the options of [NewOutlet]. The zero value offers the stream to the network.
type OutletOptions struct {
	// Local offers the stream on this machine only.
	Local bool
	// Buffer is the size of the buffer for each consumer, in seconds for a regular stream, or in hundreds of samples
	// for others; 0 means 60. If a consumer is too slow, it loses the oldest samples.
	Buffer float64
}

// Outlet offers a stream to any number of consumers. Its methods are safe for concurrent use. Samples are sent in the
// order of the calls.
type Outlet struct {
	info    Info
	limit   int // maximum number of buffered samples per consumer
	listen  net.Listener
	service *net.UDPConn
	group   []*net.UDPConn
	done    sync.WaitGroup

	mu        sync.Mutex
	consumers map[*consumer]bool
	conns     map[net.Conn]bool
	changed   chan struct{} // closed and replaced when a consumer connects or leaves
	closed    bool
	lost      int64
}

// NewOutlet offers a stream, starting immediately. It ignores the fields UID, Session, Host, Created and Address and
// the ports of info; [Outlet.Info] returns their values. Without a SourceID, consumers cannot find the stream again
// after the program restarts.
func NewOutlet(info Info, opt OutletOptions) (*Outlet, error) {
	if err := info.Validate(); err != nil {
		return nil, err
	}
	if err := info.describe(); err != nil {
		return nil, err
	}
	if opt.Buffer <= 0 {
		opt.Buffer = 60
	}
	rate := cmp.Or(info.Rate, 100)
	o := &Outlet{info: info, limit: max(64, int(min(opt.Buffer*rate, float64(1<<28/info.ChannelCount)))),
		consumers: map[*consumer]bool{}, conns: map[net.Conn]bool{}, changed: make(chan struct{})}
	if err := o.open(opt.Local); err != nil {
		o.shut()
		return nil, fmt.Errorf("the stream %q cannot be offered: %w", info.Name, err)
	}
	o.serve()
	return o, nil
}

// open opens the ports and records them in the description.
func (o *Outlet) open(local bool) error {
	host := "0.0.0.0"
	if local {
		host = "127.0.0.1"
	}
	var err error
	if o.listen, err = inRange(func(port int) (net.Listener, error) {
		return net.Listen("tcp4", fmt.Sprintf("%s:%d", host, port))
	}); err != nil {
		return err
	}
	if o.service, err = inRange(func(port int) (*net.UDPConn, error) {
		return net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(host), Port: port})
	}); err != nil {
		return err
	}
	if !local {
		o.join()
	}
	i := &o.info
	i.UID, i.Session, i.Created = newUID(), "default", Clock()
	i.Host, _ = os.Hostname() // the host name is only shown to people
	i.Address = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	i.DataPort = uint16(o.listen.Addr().(*net.TCPAddr).Port)
	i.ServicePort = uint16(o.service.LocalAddr().(*net.UDPAddr).Port)
	return nil
}

// inRange opens the first free port in the range of the protocol, or any free port if all ports in the range are in
// use.
func inRange[T any](open func(port int) (T, error)) (T, error) {
	for port := basePort; port < basePort+portRange; port++ {
		if c, err := open(port); err == nil {
			return c, nil
		}
	}
	return open(0)
}

// join listens for multicast queries on every interface. Without multicast, consumers can find the outlet only by its
// host.
func (o *Outlet) join() {
	interfaces, _ := net.Interfaces()
	for k := range interfaces {
		i := &interfaces[k]
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagMulticast == 0 {
			continue
		}
		for _, g := range groups {
			addr := &net.UDPAddr{IP: net.ParseIP(g), Port: multicastPort}
			if conn, err := net.ListenMulticastUDP("udp4", i, addr); err == nil {
				o.group = append(o.group, conn)
			}
		}
	}
}

func newUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// serve starts the goroutines that reply to queries and accept consumers.
func (o *Outlet) serve() {
	o.done.Add(2 + len(o.group))
	go o.accept()
	go o.answer(o.service, true)
	for _, conn := range o.group {
		go o.answer(conn, false)
	}
}

// Info returns the description, including the address of the stream.
func (o *Outlet) Info() Info { return o.info }

// Consumers returns the current number of consumers.
func (o *Outlet) Consumers() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.consumers)
}

// Lost returns how many samples consumers have lost because they were too slow.
func (o *Outlet) Lost() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lost
}

// Wait waits until the stream has a consumer.
func (o *Outlet) Wait(ctx context.Context) error {
	for {
		o.mu.Lock()
		n, changed, closed := len(o.consumers), o.changed, o.closed
		o.mu.Unlock()
		switch {
		case n > 0:
			return nil
		case closed:
			return errClosed
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

var errClosed = errors.New("the outlet is closed; open a new one")

// Push sends a block of samples (samples×channels, oldest first). at is the time of the last sample on [Clock]; 0
// means now. In a regular stream, earlier samples have earlier times, according to the rate; otherwise all samples
// have the same time. If the format cannot represent a value, Push returns an error and sends nothing. Float32
// rounds.
func (o *Outlet) Push(values []float64, at float64) error {
	if o.info.Format == Text {
		return fmt.Errorf("the stream %q contains text, not numbers; send text", o.info.Name)
	}
	return o.push(values, nil, at)
}

// PushText is [Outlet.Push] for a stream of texts. Invalid UTF-8 is replaced, because consumers would treat it as an
// error of the stream.
func (o *Outlet) PushText(texts []string, at float64) error {
	if o.info.Format != Text {
		return fmt.Errorf("the stream %q contains numbers, not text; send numbers", o.info.Name)
	}
	texts = slices.Clone(texts)
	for k, t := range texts {
		t = strings.ToValidUTF8(t, "\ufffd")
		texts[k] = t
		if len(t) > maxText {
			return fmt.Errorf("a text has %d bytes, but the limit is %d; send shorter texts", len(t), maxText)
		}
	}
	return o.push(nil, texts, at)
}

func (o *Outlet) push(values []float64, texts []string, at float64) error {
	n, channels := len(values)+len(texts), o.info.ChannelCount
	if n%channels != 0 {
		return fmt.Errorf("the number of values is %d, which is not a multiple of the %d channels of the stream "+
			"%q", n, channels, o.info.Name)
	}
	if err := o.info.Format.holds(values); err != nil {
		return err
	}
	if n == 0 {
		return nil
	}
	if at == 0 {
		at = Clock()
	}
	if o.info.Rate > 0 {
		at -= float64(n/channels-1) / o.info.Rate
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return errClosed
	}
	blocks := map[byteOrder]block{}
	for c := range o.consumers {
		b, ok := blocks[c.order]
		if !ok {
			b = encode(newCodec(o.info.Format, channels, c.order), values, texts, at)
			blocks[c.order] = b
		}
		o.lost += c.offer(b)
	}
	return nil
}

// block is several encoded samples.
type block struct {
	data    []byte
	samples int
}

// encode encodes a block. Only the first sample has a time stamp; consumers deduce the others.
func encode(c *codec, values []float64, texts []string, at float64) block {
	var b block
	for len(values)+len(texts) > 0 {
		v, t := min(c.channels, len(values)), min(c.channels, len(texts))
		b.data = c.appendSample(b.data, at, b.samples == 0, values[:v], texts[:t])
		values, texts = values[v:], texts[t:]
		b.samples++
	}
	return b
}

// drainTimeout is how long [Outlet.Close] waits for consumers to receive buffered samples.
const drainTimeout = 2 * time.Second

// Close ends the stream. It first sends buffered samples to consumers, and waits for them for at most two seconds.
func (o *Outlet) Close() error {
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return nil
	}
	o.closed = true
	consumers := make([]*consumer, 0, len(o.consumers))
	for c := range o.consumers {
		consumers = append(consumers, c)
	}
	o.mu.Unlock()
	late := time.NewTimer(drainTimeout)
	defer late.Stop()
	for _, c := range consumers {
		c.finish()
	}
	for _, c := range consumers {
		select {
		case <-c.ended:
		case <-late.C:
			late.Reset(0)
		}
	}
	o.shut()
	return nil
}

// shut closes all sockets and waits for their goroutines.
func (o *Outlet) shut() {
	o.mu.Lock()
	o.closed = true
	for conn := range o.conns {
		conn.Close()
	}
	o.mu.Unlock()
	if o.listen != nil {
		o.listen.Close()
	}
	for _, c := range slices.Concat([]*net.UDPConn{o.service}, o.group) {
		if c != nil {
			c.Close()
		}
	}
	o.done.Wait()
}
