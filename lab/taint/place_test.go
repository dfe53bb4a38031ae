package taint

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/cli"
	"ctxledger.dev/config"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/given"
	"ctxledger.dev/given/spec"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/wiring"
	"ctxledger.dev/ledger"
	"ctxledger.dev/mcp"
	"ctxledger.dev/workspace"
)

// place is where the commands run: a workspace with a ledger that each of them opens in its own process.
type place struct {
	t                   *testing.T
	root, state, config string
	file                string    // the session file
	session             string    // that was imported
	now                 time.Time // what the clock says
	input               string    // standard input of the commands
}

func (p *place) env() env.Env {
	e := env.System()
	e.Dir, e.Home, e.Now = p.root, filepath.Dir(p.root), func() time.Time { return p.now }
	e.Lookup = func(name string) string {
		return map[string]string{"CTXLEDGER_STATE": p.state, "XDG_CONFIG_HOME": p.config,
			"PATH": os.Getenv("PATH")}[name]
	}
	return e
}

// run returns what a command prints, on both channels.
func (p *place) run(args ...string) (stdout, stderr string) {
	out, errs, _ := p.status(args...)
	return out, errs
}

// status is run with the exit status.
func (p *place) status(args ...string) (stdout, stderr string, status int) {
	var out, errs bytes.Buffer
	status = cli.Main(p.t.Context(), cli.Config{
		Args: append([]string{"--in-process"}, args...), Env: p.env(), Version: "test", In: strings.NewReader(p.input),
		Out: &out, Err: &errs,
	})
	return out.String(), errs.String(), status
}

// must is run for a command that does what it is asked for.
func (p *place) must(args ...string) (stdout, stderr string) {
	p.t.Helper()
	out, errs, status := p.status(args...)
	if status != 0 {
		p.t.Fatalf("%.200q: %.1000s%.1000s", args, out, errs)
	}
	return out, errs
}

// open opens the ledger of the place.
func (p *place) open(ctx context.Context) (ledger.API, error) {
	ws, err := workspace.Find(p.env(), workspace.Options{})
	if err != nil {
		return nil, err
	}
	return daemon.OpenWorkspace(ctx, ws, daemon.Options{Env: p.env(), Version: "test", InProcess: true})
}

// write writes a file of a directory of the place's own, and returns its path.
func (p *place) write(name, text string) string {
	p.t.Helper()
	file := filepath.Join(filepath.Dir(p.root), name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return file
}

// newPlace makes a workspace in which nothing was recorded yet.
func newPlace(t *testing.T) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, root: filepath.Join(root, "project"), state: filepath.Join(inMemory(t), "state"),
		config: filepath.Join(root, "config"), now: began.Add(time.Minute)}
	if err := os.MkdirAll(filepath.Join(p.root, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.root, config.File), []byte(declared), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// declared is what agents are given in a place.
const declared = "agents: [{name: Tester, context: [{source: session_context}, {source: changes_recent}, " +
	"{source: own_history}, {source: execution_state}, {source: investigation_log}]}]\n" +
	"selection: {state_machine: {states: {a: {agent: Developer, transitions: [{to: b, handoff_context: " +
	"[{source: session_context}, {source: investigation_log}]}]}, b: {agent: Tester}}}}\n"

// inMemory is a directory in memory, where there is one: every command opens the ledger, and waits for the disk.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "ctxl-taint")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // what stays is in memory
	return dir
}

// record imports a session.
func (p *place) record(w *writer) {
	p.t.Helper()
	p.file = p.write(host+".jsonl", w.b.String())
	p.now = w.time().Add(time.Minute)
	out, errs := p.run("import", p.file)
	if p.session = regexp.MustCompile(`(?m)^[0-9a-f]{8}$`).FindString(out); p.session == "" {
		p.t.Fatalf("the import said %s%s", out, errs)
	}
}

// asker asks an MCP server in its own form.
type asker func(method string, params map[string]any) string

// serve returns what asks an MCP server on the ledger, and what ends that.
func (p *place) serve() (ask asker, closed func()) {
	t := p.t
	t.Helper()
	api, err := p.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := mcp.New(func(context.Context, []string) (mcp.Ledger, string, error) { return api, "", nil },
		mcp.Options{Version: "test", Env: p.env(), AgentTools: true, GraphTools: true,
			Given: func(string) (spec.Spec, given.Told) { return wiring.Given(p.env())(p.root) }})
	if err != nil {
		t.Fatal(err)
	}
	c := s.Connect(nil)
	ask = func(method string, params map[string]any) string {
		line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
		if err != nil {
			t.Fatal(err)
		}
		return string(s.Handle(c.Context(t.Context()), line))
	}
	return ask, func() { _ = c.Close() } // it closes the ledger
}
