package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// loadClient sends one request repeatedly over one connection. It does not use http.Client, which would need more
// processor time than the server.
type loadClient struct {
	host    string
	request []byte
	conn    net.Conn // nil before the first request and after an error
	in      *bufio.Reader
	unhook  func() bool // detaches the connection from the context
	times   []time.Duration
	errors  int
}

// run sends requests until the load ends. sent counts the requests of all clients.
func (c *loadClient) run(ctx context.Context, l *Load, start time.Time, sent *atomic.Int64) {
	defer c.close()
	wake := time.NewTimer(0)
	defer wake.Stop()
	for {
		number := sent.Add(1) - 1
		if ctx.Err() != nil || l.Requests > 0 && number >= int64(l.Requests) {
			return
		}
		began := time.Now()
		if l.Rate > 0 {
			due := l.due(number)
			if due >= l.Duration {
				return
			}
			if began = start.Add(due); !sleepUntil(ctx, wake, began) {
				return
			}
		}
		switch err := c.send(ctx, io.Discard); {
		case ctx.Err() != nil: // the load has ended, so the interrupted request is not an error
			return
		case err != nil:
			c.errors++
		default:
			c.times = append(c.times, time.Since(began))
		}
	}
}

// sleepUntil waits until the time at. It returns false if ctx is done earlier.
func sleepUntil(ctx context.Context, wake *time.Timer, at time.Time) bool {
	left := time.Until(at)
	if left <= 0 {
		return true
	}
	wake.Reset(left)
	select {
	case <-wake.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// send sends the request and copies the body of the answer to the writer.
func (c *loadClient) send(ctx context.Context, answer io.Writer) (err error) {
	if c.conn == nil {
		if err := c.dial(ctx); err != nil {
			return err
		}
	}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	if _, err := c.conn.Write(c.request); err != nil {
		return err
	}
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(answer, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered with status %d; check its log, or send fewer requests at a time",
			resp.StatusCode)
	}
	if resp.Close {
		c.close()
	}
	return nil
}

func (c *loadClient) dial(ctx context.Context) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", c.host)
	if err != nil {
		return err
	}
	c.conn, c.in = conn, bufio.NewReader(conn)
	c.unhook = context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	return nil
}

func (c *loadClient) close() {
	if c.conn != nil {
		c.unhook()
		c.conn.Close()
		c.conn = nil
	}
}
