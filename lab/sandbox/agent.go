package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ctxledger.dev/internal/env"
)

// HostSession is the id of an Agent's session.
const HostSession = "0b0b0b0b-1111-4222-8333-444444444444"

// Agent is a coding agent at work: it writes the file of a session as Claude Code does.
type Agent struct {
	File           string // of its session
	root, model    string
	records, reads int
}

// NewAgent begins a session in the directory root, with what its user asks for. config is where Claude Code keeps its files.
func NewAgent(config, root, model, asked string) (*Agent, error) {
	dashed := strings.Map(func(r rune) rune {
		if r < '0' || '9' < r && r < 'A' || 'Z' < r && r < 'a' || 'z' < r {
			return '-'
		}
		return r
	}, root)
	dir := filepath.Join(config, "projects", dashed)
	a := &Agent{File: filepath.Join(dir, HostSession+".jsonl"), root: root, model: model}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return a, a.Write("user", map[string]any{"role": "user", "content": asked})
}

// Write appends a record with a message.
func (a *Agent) Write(kind string, message map[string]any) (err error) {
	a.records++
	raw, err := json.Marshal(map[string]any{"type": kind, "message": message,
		"uuid": fmt.Sprintf("00000000-0000-4000-8000-%012d", a.records), "parentUuid": nil,
		"timestamp": env.System().Now().UTC().Format("2006-01-02T15:04:05.000Z"), "sessionId": HostSession, "cwd": a.root,
		"version": "2.1.328", "isSidechain": false})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(a.File, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(raw, '\n'))
	return errors.Join(err, f.Close())
}

// Read reads a file, with a request of so many tokens by its provider.
func (a *Agent) Read(name, content string, input int) error {
	a.reads++
	id := fmt.Sprintf("toolu_%d", a.reads)
	return errors.Join(a.Write("assistant", map[string]any{
		"id": "msg_" + id, "type": "message", "role": "assistant", "model": a.model,
		"content": []any{map[string]any{"type": "tool_use", "id": id, "name": "Read",
			"input": map[string]any{"file_path": filepath.Join(a.root, name)}}},
		"usage": map[string]any{"input_tokens": input, "output_tokens": 5},
	}), a.Write("user", map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": id, "content": content}}}))
}
