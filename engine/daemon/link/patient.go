package link

import (
	"net"
	"time"

	"ctxledger.dev/internal/limits"
)

// Patient is a connection with an idle timeout of limits.Call, in place of a deadline: a blob may be long.
type Patient struct {
	net.Conn
	timer *time.Timer
}

// NewPatient returns conn with the timeout.
func NewPatient(conn net.Conn) *Patient {
	return &Patient{Conn: conn, timer: time.AfterFunc(limits.Call, func() { _ = conn.Close() })}
}

func (p *Patient) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	p.moved(n)
	return n, err
}

func (p *Patient) Write(b []byte) (int, error) {
	n, err := p.Conn.Write(b)
	p.moved(n)
	return n, err
}

// moved restarts the timeout if bytes were transferred.
func (p *Patient) moved(n int) {
	if n > 0 {
		p.timer.Reset(limits.Call)
	}
}

func (p *Patient) Close() error {
	p.timer.Stop()
	return p.Conn.Close()
}

// HangUpAfter closes conn after d, unless stop is called before.
func HangUpAfter(conn net.Conn, d time.Duration) (stop func() bool) {
	return time.AfterFunc(d, func() { _ = conn.Close() }).Stop // the other side of conn sees the error
}
