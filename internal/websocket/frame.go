package websocket

import (
	"crypto/rand"
	"encoding/binary"
)

// appendFrame appends a whole message or control frame, masked by a new key when a client
// sends it.
func appendFrame(dst []byte, op byte, payload []byte, client bool) ([]byte, error) {
	dst = append(dst, 0x80|op)
	masked := byte(0)
	if client {
		masked = 0x80
	}
	switch n := len(payload); {
	case n < 126:
		dst = append(dst, masked|byte(n))
	case n < 1<<16:
		dst = binary.BigEndian.AppendUint16(append(dst, masked|126), uint16(n))
	default:
		dst = binary.BigEndian.AppendUint64(append(dst, masked|127), uint64(n))
	}
	if !client {
		return append(dst, payload...), nil
	}
	var key [4]byte
	if _, err := rand.Read(key[:]); err != nil {
		return dst, err
	}
	dst = append(append(dst, key[:]...), payload...)
	mask(dst[len(dst)-len(payload):], key)
	return dst, nil
}
