package link_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
)

// frame returns v as a frame.
func frame(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	if err := link.WriteJSON(&b, v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// answering publishes an owner that answers each connection with a text, and then keeps it open or not.
func answering(t *testing.T, text string, hangsUp bool) link.Options {
	t.Helper()
	l, err := net.Listen("tcp", link.Loopback+":0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close() // at the end of the test
			_, _ = conn.Write([]byte(text))
			if hangsUp {
				_ = conn.Close()
			}
		}
	}()
	t.Cleanup(func() {
		_ = l.Close() // ends the goroutine
		<-ended
	})
	o := link.Options{State: t.TempDir(), Env: env.System()}
	own, err := json.Marshal(link.Owner{Protocol: link.Protocol, PID: os.Getpid(), Token: "token",
		Address: "tcp:" + l.Addr().String()})
	if err == nil {
		err = os.WriteFile(filepath.Join(o.State, link.OwnerName), own, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestAHookGetsNoAnswer has owners that do not answer. A hook does not wait longer than it may, and says what happened.
func TestAHookGetsNoAnswer(t *testing.T) {
	welcome := frame(t, link.Welcome{Protocol: link.Protocol, PID: 7})
	for _, c := range []struct {
		name, text string
		hangsUp    bool
		says       string
	}{
		{"silence", "", false, "does not answer"},
		{"another program", "HTTP/1.1 400 Bad Request\r\n\r\n", false, "does not answer"},
		{"nothing, and the end", "", true, "does not answer"},
		{"a welcome alone", welcome, false, "pid 7 has not answered in time"},
		{"a welcome, and the end", welcome, true, "pid 7 has not answered in time"},
		{"half of an answer", welcome + frame(t, link.Response{}) + "\x00\x00\x00\x09half", true,
			"pid 7 has not answered in time"},
		{"a refusal", frame(t, link.Welcome{Protocol: link.Protocol,
			Error: fault.New(fault.Limited, "x", "it is full")}), true, "it is full"},
		{"an error", welcome + frame(t, link.Response{Error: fault.New(fault.Corrupt, "x", "it is damaged")}), true,
			"it is damaged"},
		{"an older protocol", frame(t, link.Welcome{Protocol: link.Protocol - 1,
			Error: fault.New(fault.Invalid, "x", "unknown connection purpose")}), true, "older owner"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := answering(t, c.text, c.hangsUp)
			whole, connecting := 20*time.Second, 20*time.Second // which ends before, because the owner hangs up
			switch {
			case c.text == "" && !c.hangsUp:
				connecting = 100 * time.Millisecond
			case !c.hangsUp:
				whole = 2 * time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), whole)
			defer cancel()
			e := link.HookEvent{Input: []byte(strings.Repeat("x", 1<<20))}
			a, err := link.Hook(ctx, o, e, connecting)
			if a.Out != nil || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q, %v", a.Out, err)
			}
		})
	}
}

// TestWithoutAnOwner: what is in the place of owner.json is an error, and nothing is dialled.
func TestWithoutAnOwner(t *testing.T) {
	for says, content := range map[string]string{
		"no daemon runs":  "",
		"not readable":    "{",
		"invalid address": `{"pid":1,"address":"tcp:192.0.2.1:80","token":"x"}`,
		"no daemon runs ": `{"pid":1,"address":"unix:/nowhere","token":"x"}`,
		" no daemon runs": `{"pid":1000000000,"in_process":true}`,
		"exclusive use":   `{"pid":1,"in_process":true}`,
	} {
		o := link.Options{State: t.TempDir(), Env: env.System()}
		if content != "" {
			if err := os.WriteFile(filepath.Join(o.State, link.OwnerName), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if _, err := link.Hook(ctx, o, link.HookEvent{}, time.Second); err == nil ||
			!strings.Contains(err.Error(), strings.TrimSpace(says)) {
			t.Errorf("%s: %v", content, err)
		}
		cancel()
	}
}

// TestAnAnswerMayHaveAnyLength reads one that is longer than a frame.
func TestAnAnswerMayHaveAnyLength(t *testing.T) {
	var text strings.Builder
	text.WriteString(frame(t, link.Welcome{Protocol: link.Protocol}) + frame(t, link.Response{}))
	long := strings.Repeat("0123456789", 600_000)
	if err := link.SendStream(&text, strings.NewReader(long), func() bool { return false }); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	a, err := link.Hook(ctx, answering(t, text.String(), false), link.HookEvent{}, 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close() // it was read
	if string(a.Out) != long {
		t.Errorf("%d bytes", len(a.Out))
	}
}
