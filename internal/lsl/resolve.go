package lsl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// All streams listen for queries on multicastPort. Each also listens on one of the portRange ports from basePort.
const (
	multicastPort = 16571
	basePort      = 16572
	portRange     = 32
)

// groups are the multicast addresses that reach all streams in a network.
var groups = [...]string{"224.0.0.1", "224.0.0.183", "239.255.172.215"}

// maxStreams limits the number of streams accepted from replies.
const maxStreams = 1 << 12

// ResolveOptions are the options of [Resolve]. The zero value searches on all network interfaces for one second.
type ResolveOptions struct {
	// Peers are hosts to query one by one, for example hosts behind a router, which multicast does not reach.
	Peers []string
	// Local searches only this machine.
	Local bool
	// Minimum is the number of streams after which the search ends; 0 searches for the full time.
	Minimum int
	// Wait is the duration of the search; 0 means one second.
	Wait time.Duration
}

// Resolve searches for streams that match the query. It repeats the query until opt.Wait has passed, opt.Minimum
// streams are found or ctx is done. It returns each stream once, sorted by name. Finding no stream is not an error.
// Multicast packets do not leave the local network.
func Resolve(ctx context.Context, query Query, opt ResolveOptions) ([]Info, error) {
	if opt.Wait <= 0 {
		opt.Wait = time.Second
	}
	search, cancel := context.WithTimeout(ctx, opt.Wait)
	defer cancel()
	r := &resolver{query: query, id: strconv.FormatUint(rand.Uint64(), 10), minimum: opt.Minimum,
		enough: cancel, found: map[string]Info{}}
	if err := r.open(search, opt); err != nil {
		return nil, err
	}
	defer r.close()
	for pause := 50 * time.Millisecond; search.Err() == nil; pause = min(2*pause, 500*time.Millisecond) {
		r.ask()
		select {
		case <-search.Done():
		case <-time.After(pause):
		}
	}
	r.close()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.sorted(), nil
}

type resolver struct {
	query   Query
	id      string
	minimum int
	enough  context.CancelFunc
	sockets []asker
	done    sync.WaitGroup

	mu    sync.Mutex
	found map[string]Info // streams by uid
}

// asker is a socket with the addresses that it sends queries to.
type asker struct {
	conn *net.UDPConn
	to   []netip.AddrPort
}

// open opens one socket for each address of this machine, which queries the network of that address, and one for the
// peers.
func (r *resolver) open(ctx context.Context, opt ResolveOptions) error {
	var first error
	for _, own := range ownAddresses(opt.Local) {
		if err := r.listen(own, broadcasts(own)); err != nil && first == nil {
			first = err
		}
	}
	var to []netip.AddrPort
	for _, host := range opt.Peers {
		addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip4", host)
		if err != nil {
			return fmt.Errorf("the address of the peer %q is unknown (%w); correct the address", host, err)
		}
		for _, a := range addrs {
			to = append(to, responders(a.Unmap())...)
		}
	}
	if to != nil {
		if err := r.listen(netip.IPv4Unspecified(), to); err != nil {
			return err
		}
	}
	if len(r.sockets) == 0 {
		return fmt.Errorf("cannot search for streams, because no socket could be opened: %w", first)
	}
	return nil
}

// ownAddresses returns the IPv4 addresses of this machine.
func ownAddresses(local bool) []netip.Addr {
	out := []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	if local {
		return out
	}
	interfaces, _ := net.Interfaces() // on error, use only the loopback address
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		addrs, _ := i.Addrs()
		for _, a := range addrs {
			if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is4() {
				out = append(out, p.Addr())
			}
		}
	}
	return out
}

// broadcasts returns the addresses that a socket with this address queries.
func broadcasts(own netip.Addr) []netip.AddrPort {
	if own.IsLoopback() {
		return append(responders(own), netip.AddrPortFrom(own, multicastPort))
	}
	to := []netip.AddrPort{netip.AddrPortFrom(netip.AddrFrom4([4]byte{255, 255, 255, 255}), multicastPort)}
	for _, g := range groups {
		to = append(to, netip.AddrPortFrom(netip.MustParseAddr(g), multicastPort))
	}
	return to
}

// responders returns the ports on which the streams of a host listen.
func responders(host netip.Addr) (to []netip.AddrPort) {
	for p := range uint16(portRange) {
		to = append(to, netip.AddrPortFrom(host, basePort+p))
	}
	return to
}

// listen opens a socket and processes the replies that it receives.
func (r *resolver) listen(own netip.Addr, to []netip.AddrPort) error {
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(own, 0)))
	if err != nil {
		return err
	}
	r.sockets = append(r.sockets, asker{conn, to})
	r.done.Add(1)
	go func() {
		defer r.done.Done()
		buf := make([]byte, 1<<16)
		for {
			n, from, err := conn.ReadFromUDPAddrPort(buf)
			switch {
			case errors.Is(err, net.ErrClosed):
				return
			case err != nil: // for example, nobody listens at the address
				time.Sleep(time.Millisecond)
			default:
				r.addReply(buf[:n], from.Addr().Unmap())
			}
		}
	}()
	return nil
}

// ask sends the query to all addresses. It is called repeatedly, because packets can get lost.
func (r *resolver) ask() {
	for _, s := range r.sockets {
		port := s.conn.LocalAddr().(*net.UDPAddr).Port
		text := fmt.Appendf(nil, "LSL:shortinfo\r\n%s\r\n%d %s\r\n", r.query.text, port, r.id)
		for _, to := range s.to {
			_, _ = s.conn.WriteToUDPAddrPort(text, to)
		}
	}
}

// addReply processes one reply.
func (r *resolver) addReply(text []byte, from netip.Addr) {
	info, id, err := parseReply(text)
	if err != nil || id != r.id || !r.query.Match(info) {
		return
	}
	info.Address = from
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.found[info.UID]; !ok && len(r.found) < maxStreams {
		r.found[info.UID] = *info
	}
	if r.minimum > 0 && len(r.found) >= r.minimum {
		r.enough()
	}
}

// parseReply parses a reply to a query: the number of the query and the short description of the stream.
func parseReply(text []byte) (info *Info, id string, err error) {
	id, body, ok := strings.Cut(string(text), "\n")
	id = strings.TrimSpace(id)
	if !ok || strings.ContainsAny(id, "\r\t ") {
		return nil, "", errors.New("the reply lacks the number of the query or the description of a stream")
	}
	if info, err = parseInfo([]byte(body)); err != nil {
		return nil, "", err
	}
	if info.UID == "" || info.DataPort == 0 {
		return nil, "", fmt.Errorf("the stream %.80q has no UID or no port for IPv4", info.Name)
	}
	return info, id, nil
}

// close closes the sockets and waits for their goroutines.
func (r *resolver) close() {
	for _, s := range r.sockets {
		s.conn.Close()
	}
	r.done.Wait()
}

func (r *resolver) sorted() []Info {
	list := make([]Info, 0, len(r.found))
	for _, i := range r.found {
		list = append(list, i)
	}
	slices.SortFunc(list, func(a, b Info) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.SourceID, b.SourceID), cmp.Compare(a.UID, b.UID))
	})
	return list
}
