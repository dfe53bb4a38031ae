package taint

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/version"
	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// programs looks at what the real programs leave where hosts and the system keep it: standard error, the log of a
// daemon, and the arguments of its process. The directory of the workspace is named by a secret, and so is a session
// file; the configurations hold them where settings should be.
func programs(s *search, list []canary) {
	t := s.t
	bin := t.TempDir()
	if err := programtest.Build(bin, "ctxledger.dev/cmd/ctxmcp", "ctxledger.dev/cmd/ctxlsp"); err != nil {
		t.Fatal(err)
	}
	pl := named(t, list)
	s.look(MCP, "standard error", "with the ledger in the process",
		talk(t, pl, lines(list), filepath.Join(bin, "ctxmcp"), "--in-process"))
	pl.StopDaemons(t)
	s.look(MCP, "standard error", "", talk(t, pl, lines(list), filepath.Join(bin, "ctxmcp")))
	s.look(LSP, "standard error", "", talk(t, pl, frames(t, pl, list), filepath.Join(bin, "ctxlsp")))
	ws := pl.Workspace(t)
	info := followed(t, ws)
	args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", info.PID))
	if err != nil {
		t.Fatal(err)
	}
	s.look(File, "the arguments in `ps`", "",
		strings.NewReplacer(ws.State, "its state", ws.Root, "its workspace").Replace(string(args)))
	log, err := os.ReadFile(filepath.Join(ws.State, "log", "daemon.log"))
	if err != nil {
		t.Fatal(err)
	}
	s.look(File, "the log of a daemon", "", string(log))
}

// followed waits until the daemon of a workspace has recorded a session, and returns what it says of itself.
func followed(t *testing.T, ws workspace.Workspace) ledger.Info {
	t.Helper()
	api, err := daemon.Open(
		t.Context(), daemon.Options{State: ws.State, Workspace: ws.Root, Env: env.System(), Version: version.Version})
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close() // nothing was written
	ctx, cancel := context.WithTimeout(t.Context(), programtest.Patience)
	defer cancel()
	for after := int64(0); ; {
		info, err := api.Info(ctx, ledger.InfoRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if info.Sessions > 0 {
			return info
		}
		events, err := api.WaitEvents(ctx, ledger.WaitEventsRequest{After: after, Limit: 100, WaitMS: 1000})
		if err != nil {
			t.Fatal(err)
		}
		after = events.Next
	}
}

// named makes a place whose workspace has the name of a secret.
func named(t *testing.T, list []canary) programtest.Place {
	t.Helper()
	secret := nameable(list)
	pl := programtest.NewPlace(t)
	pl.Root = filepath.Join(pl.Root, secret)
	put := func(file, text string) {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(pl.Root, "ctxledger.yaml"),
		fmt.Sprintf("context: {mode: %[1]s}\nmodels: {%[1]s: {window: %[1]s}}\n%[1]s: x\n", secret))
	put(filepath.Join(pl.Home, ".config/ctxledger/config.yaml"), secret+": x\n")
	put(filepath.Join(pl.Home, ".claude/projects", slug(pl.Root), host+".jsonl"),
		session(pl.Root, list[:min(len(list), 8)]).b.String())
	return pl
}

// slug is the name that Claude Code gives the directory of a project.
func slug(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '-'
	}, path)
}

// talk says something to a program until it ends, and returns what that wrote on its standard error.
func talk(t *testing.T, pl programtest.Place, input, program string, args ...string) string {
	t.Helper()
	var errs bytes.Buffer
	c := pl.Command(t, program, args...)
	c.Stdin, c.Stderr = strings.NewReader(input), &errs
	_ = c.Run() // some are ended by their input
	return errs.String()
}

// lines are what a client says: one question to the ledger, which starts a daemon, and much that is no request.
func lines(list []canary) string {
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"changes"}}` + "\n")
	for _, c := range list {
		fmt.Fprintf(&b, "%s\n{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"%[2]s\n", strings.ReplaceAll(c.text, "\n", " "),
			inJSON(c.text))
	}
	return b.String()
}

// frames are the same for a language server.
func frames(t *testing.T, pl programtest.Place, list []canary) string {
	t.Helper()
	var b strings.Builder
	frame := func(body string) { fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(body), body) }
	frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,`+
		`"rootUri":"file://%s","capabilities":{}}}`, inJSON(pl.Root)))
	frame(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	for _, c := range list {
		text := inJSON(c.text)
		frame(text)
		frame(fmt.Sprintf(`{"jsonrpc":"2.0","method":"%s","params":{}}`, text))
		frame(fmt.Sprintf(`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration",`+
			`"params":{"settings":{"lens":"%s"}}}`, text))
	}
	return b.String()
}
