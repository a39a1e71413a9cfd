package lsl

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// recover searches for the stream by its source_id and connects to it again.
func (in *Inlet) recover(ctx context.Context) (*connection, error) {
	old := in.Info()
	query, err := sameSource(&old)
	if err != nil {
		return nil, err
	}
	opt := ResolveOptions{Peers: append([]string{old.Address.String()}, in.opt.Peers...),
		Local: old.Address.IsLoopback(), Minimum: 1, Wait: time.Second}
	if in.opt.Recover > 0 {
		opt.Wait = min(opt.Wait, in.opt.Recover)
	}
	began := time.Now()
	for {
		found, err := Resolve(ctx, query, opt)
		if err != nil {
			return nil, err
		}
		if next, ok := only(found, old.UID); ok {
			if conn, err := in.resume(ctx, next); err == nil {
				return conn, nil
			} else if isProtocol(err) {
				return nil, err
			}
		}
		if in.opt.Recover > 0 && time.Since(began) > in.opt.Recover {
			return nil, fmt.Errorf("the stream %q was lost and not found again within %v; check the program that "+
				"sends it", old.Name, in.opt.Recover)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// only returns the stream with the same uid, or otherwise the only stream found. If no stream or several others were
// found, ok is false.
func only(found []Info, uid string) (Info, bool) {
	for _, f := range found {
		if f.UID == uid {
			return f, true
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return Info{}, false
}

// resume connects to the stream that replaces the lost one.
func (in *Inlet) resume(ctx context.Context, next Info) (*connection, error) {
	old := in.Info()
	full, err := fullInfo(ctx, &next)
	if err != nil {
		return nil, err
	}
	if full.Rate != old.Rate {
		return nil, &protocolError{fmt.Sprintf("after reconnecting, the stream has %g samples per second instead of %g",
			full.Rate, old.Rate)}
	}
	in.mu.Lock()
	in.info = *full
	if full.UID != old.UID {
		in.offset, in.known = Offset{}, false // it may have another clock
	}
	in.mu.Unlock()
	conn, err := in.connect(ctx)
	if err == nil && !in.opt.Raw && full.UID != old.UID {
		in.compare(ctx, 0)
	}
	return conn, err
}

// sameSource returns the query for a stream after a restart, possibly on another host.
func sameSource(info *Info) (Query, error) {
	text := "channel_count='" + strconv.Itoa(info.ChannelCount) + "' and channel_format='" + info.Format.String() + "'"
	for _, f := range [...][2]string{{"name", info.Name}, {"type", info.Type}, {"source_id", info.SourceID}} {
		if literal, ok := quoted(f[1]); ok && f[1] != "" {
			text += " and " + f[0] + "=" + literal
		}
	}
	return ParseQuery(text)
}
