package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// player runs the agent in a sandbox, whose paths stay the same in all runs: requests name them.
type player struct {
	*sandbox.Sandbox
	agent  string // path of Claude Code
	orders string // path of this program, the MCP server of the sessions
	search bool   // the agent searches for tools
}

// pair plays a session without and with ctxledger. between runs after the first time, while its session file is there.
func (p *player) pair(ctx context.Context, session played, between func(id string) error) (out pair, err error) {
	out.name = session.name
	id := ""
	if out.without, id, err = p.play(ctx, session, false); err == nil {
		err = between(id)
	}
	if err == nil {
		out.with, _, err = p.play(ctx, session, true)
	}
	return out, err
}

// play plays a session in a new workspace and home, and returns its requests and its id.
func (p *player) play(ctx context.Context, session played, installed bool) (run, string, error) {
	if err := p.clear(ctx); err != nil {
		return run{}, "", err
	}
	if installed {
		if _, err := p.Run(ctx, "install", "claude-code", "--yes"); err != nil {
			return run{}, "", err
		}
	}
	r, id, err := p.ask(ctx, session.script, session.prompt, "")
	if err == nil && installed {
		r.said, err = p.said(ctx, id)
	}
	return r, id, err
}

// said returns what status says of what a session saved.
func (p *player) said(ctx context.Context, id string) (ledger.Savings, error) {
	var st struct{ Session ledger.Status }
	raw, err := p.Run(ctx, "--json", "status", id)
	if err == nil {
		err = json.Unmarshal(raw, &st)
	}
	return st.Session.Savings, err
}

// clear makes workspace and home as they are before anybody has worked there: with an MCP server that is not ours, and which
// the agent may call.
func (p *player) clear(ctx context.Context) error {
	states, err := filepath.Glob(filepath.Join(p.State, "*"))
	if err == nil {
		err = sandbox.StopOwners(ctx, states...)
	}
	for _, dir := range []string{p.Workspace, p.Home, p.State} {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	server, wrong := json.Marshal(map[string]any{"mcpServers": map[string]any{"shop": map[string]any{
		"command": p.orders, "args": []string{"-" + ordersFlag}, "alwaysLoad": true}}})
	err = errors.Join(err, wrong)
	write := func(dir, name, text string) {
		path := filepath.Join(dir, name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o700)
		}
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
	}
	write(p.Config, ".claude.json", string(server))
	write(p.Config, "settings.json", `{"permissions": {"allow": ["mcp__shop"]}}`)
	for name, text := range files() {
		write(p.Workspace, name, text)
	}
	return err
}

// ask lets the agent work on a prompt with a script, in a new session or in one that is there.
func (p *player) ask(ctx context.Context, script model.Script, prompt, session string) (run, string, error) {
	server := model.New(script, model.Vars{"dir": p.Workspace})
	server.Count = func(body []byte) int { n, _ := counted(body); return n.sum() } // what is no request is none
	url, stop, err := server.Serve()
	if err != nil {
		return run{}, "", err
	}
	defer stop()
	o := model.Options{Dir: p.Workspace, ConfigDir: p.Config, URL: url, Prompt: prompt, Resume: session, Servers: true,
		ExtraEnv: []string{workspace.StateVariable + "=" + p.State, "CTXLEDGER_HOOK_MS=20000"}}
	if p.search {
		o.ExtraEnv = append(o.ExtraEnv, "ENABLE_TOOL_SEARCH=true")
	}
	result, err := model.Exec(ctx, p.agent, o)
	if err != nil {
		return run{}, "", err
	}
	r, err := runOf(server.Log())
	return r, result.SessionID, err
}

// resumption is what the first request has when the agent goes on with a session as it was, and as compact wrote it.
type resumption struct{ before, after request }

// recorded puts a session file where the agent looks for those of the workspace, and returns its id.
func (p *player) recorded(ctx context.Context, file string) (id string, err error) {
	if err := p.clear(ctx); err != nil {
		return "", err
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(p.Config, "projects", unusual.ReplaceAllString(p.Workspace, "-"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return strings.TrimSuffix(filepath.Base(file), ".jsonl"), os.WriteFile(filepath.Join(dir, filepath.Base(file)), raw, 0o600)
}

// unusual is what Claude Code replaces in the name of a directory.
var unusual = regexp.MustCompile(`[^A-Za-z0-9]`)

// resume has a session written as a new one and the agent go on from both.
func (p *player) resume(ctx context.Context, id string) (out resumption, err error) {
	files, err := filepath.Glob(filepath.Join(p.Config, "projects", "*", id+".jsonl"))
	if err != nil || len(files) != 1 {
		return out, fmt.Errorf("session %s has the files %q: %w", id, files, err)
	}
	raw, err := p.Run(ctx, "--in-process", "--json", "resume", "--dir", p.Workspace, files[0])
	if err != nil {
		return out, err
	}
	var written struct{ ID string }
	if err := json.Unmarshal(raw, &written); err != nil {
		return out, err
	}
	for _, c := range []struct {
		id string
		to *request
	}{{id, &out.before}, {written.ID, &out.after}} {
		r, _, err := p.ask(ctx, model.Script{model.Say("I go on.")}, "Go on.", c.id)
		if err != nil {
			return out, err
		}
		*c.to = r.steps[0]
	}
	return out, nil
}
