package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// keepServer asks for a server to be kept.
func keepServer(place, config string, tools ...ledger.AskedTool) ledger.KeepServerRequest {
	return ledger.KeepServerRequest{Place: place, AskedServer: ledger.AskedServer{Config: config, Tools: tools,
		Instructions: 7}}
}

// TestWhatServersAnsweredIsKept: the newest answer of each place, with secrets masked, up to a bound.
func TestWhatServersAnsweredIsKept(t *testing.T) {
	l, c := openIn(t, t.TempDir(), "/w")
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	for _, r := range []ledger.KeepServerRequest{
		keepServer("a", "1", ledger.AskedTool{Name: "find", Tokens: 40}),
		keepServer("a", "2", ledger.AskedTool{Name: secret, Tokens: 50}),
		keepServer("b", "3"),
	} {
		c.now = c.now.Add(time.Hour)
		if _, err := l.KeepServer(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	use, err := l.ToolUse(t.Context(), ledger.ToolUseRequest{})
	if err != nil || len(use.Servers) != 2 || use.Servers[0].Config != "3" || use.Servers[1].Config != "2" {
		t.Fatalf("%+v, %v", use.Servers, err)
	}
	a := use.Servers[1]
	if !a.At.Equal(c.now.Add(-time.Hour)) || a.Instructions != 7 || len(a.Tools) != 1 || a.Tools[0].Tokens != 50 ||
		strings.Contains(a.Tools[0].Name, secret) || !strings.HasPrefix(a.Tools[0].Name, "[masked:") {
		t.Errorf("%+v", a)
	}
	for i := range ledger.MaxAskedServers + 3 {
		c.now = c.now.Add(time.Second)
		if _, err := l.KeepServer(t.Context(), keepServer(fmt.Sprint("p", i), fmt.Sprint("c", i))); err != nil {
			t.Fatal(err)
		}
	}
	use, err = l.ToolUse(t.Context(), ledger.ToolUseRequest{})
	if n := len(use.Servers); err != nil || n != ledger.MaxAskedServers || use.Servers[n-1].Config != "c3" {
		t.Errorf("%d servers, the oldest %+v, %v", n, use.Servers[n-1], err)
	}
}

func TestWhatNoServerAnswersIsRefused(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	for _, c := range []struct {
		r    ledger.KeepServerRequest
		code fault.Code
	}{
		{keepServer("", "1"), fault.Invalid},
		{keepServer("a", ""), fault.Invalid},
		{keepServer("a", "1", ledger.AskedTool{Name: "x", Tokens: -1}), fault.Invalid},
		{keepServer("a", "1", ledger.AskedTool{Name: strings.Repeat("x", ledger.MaxToolName+1)}), fault.TooLarge},
		{keepServer("a", "1", make([]ledger.AskedTool, ledger.MaxServerTools+1)...), fault.TooLarge},
	} {
		_, err := l.KeepServer(t.Context(), c.r)
		wantCode(t, err, c.code)
	}
	use, err := l.ToolUse(t.Context(), ledger.ToolUseRequest{})
	if err != nil || len(use.Servers) > 0 {
		t.Errorf("%+v, %v", use.Servers, err)
	}
}
