//go:build unix

package daemon

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ctxledger.dev/engine/daemon/link"
)

// TestAWrongAddressCostsLittle puts an address into owner.json at which no owner of this ledger answers: left
// by one that died, or changed under one that lives. A client does not wait for an answer there.
func TestAWrongAddressCostsLittle(t *testing.T) {
	for _, c := range []struct {
		name    string
		address func(t *testing.T) string
	}{
		{"a socket that takes connections and is silent", func(t *testing.T) string {
			return answering(t, "unix", filepath.Join(shortDir(t), "s"), "")
		}},
		{"a port that takes connections and is silent",
			func(t *testing.T) string { return answering(t, "tcp", link.Loopback+":0", "") }},
		{"a port of a web server", func(t *testing.T) string {
			return answering(t, "tcp", link.Loopback+":0", "HTTP/1.1 400 Bad Request\r\n\r\n")
		}},
		{"a frame that is no welcome",
			func(t *testing.T) string { return answering(t, "tcp", link.Loopback+":0", "\x00\x00\x00\x02[]") }},
		{"a socket whose queue is full", fullQueue},
		{"a socket for datagrams", func(t *testing.T) string {
			path := filepath.Join(shortDir(t), "s")
			l, err := net.ListenPacket("unixgram", path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			return "unix:" + path
		}},
		{"a directory", func(t *testing.T) string { return "unix:" + t.TempDir() }},
	} {
		address := c.address(t)
		t.Run(c.name+", without an owner", func(t *testing.T) {
			t.Parallel()
			state := stateDir(t)
			if err := os.Mkdir(state, 0o700); err != nil {
				t.Fatal(err)
			}
			leave(t, state, link.Owner{PID: os.Getpid(), Address: address})
			opensSoon(t, optionsFor(t, state))
		})
		t.Run(c.name+", under an owner", func(t *testing.T) {
			t.Parallel()
			state := stateDir(t)
			o := optionsFor(t, state)
			save(t, open(t, o), "fact")
			changed := published(t, state)
			changed.Address = address
			if err := publish(changed, state); err != nil {
				t.Fatal(err)
			}
			opensSoon(t, o)
		})
	}
}

// opensSoon opens a ledger and makes a call. Without looking whether somebody has the ledger open, that would
// end after limits.Connect.
func opensSoon(t *testing.T, o Options) {
	t.Helper()
	began := time.Now()
	api, err := Open(deadlined(t), o)
	if err != nil {
		t.Errorf("after %v: %v", time.Since(began), err)
		return
	}
	save(t, api, "found")
	t.Logf("after %v", time.Since(began).Round(time.Millisecond))
	if err := api.Close(); err != nil {
		t.Error(err)
	}
}

// answering returns the address of a listener that answers each connection with a text.
func answering(t *testing.T, network, at, text string) string {
	t.Helper()
	l, err := net.Listen(network, at)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var conns []net.Conn
		for {
			conn, err := l.Accept()
			if err != nil {
				break
			}
			_, _ = conn.Write([]byte(text)) // the client may have disconnected
			conns = append(conns, conn)
		}
		for _, conn := range conns {
			_ = conn.Close() // the test is over
		}
	}()
	t.Cleanup(func() {
		_ = l.Close() // ends the goroutine
		<-ended
	})
	return network + ":" + l.Addr().String()
}

// fullQueue is the address of a socket with more connections waiting than the system keeps.
func fullQueue(t *testing.T) string {
	t.Helper()
	path := filepath.Join(shortDir(t), "s")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	for range 8 {
		conn, err := net.DialTimeout("unix", path, 50*time.Millisecond)
		if err != nil {
			break
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
	return "unix:" + path
}

// shortDir is a temporary directory whose path is short enough for a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(shortTemp(), "cl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
