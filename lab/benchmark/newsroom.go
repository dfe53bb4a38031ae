package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/lsp/live"
)

// newsroom is an agent that reads one file again and again, in a session file as Claude Code writes it.
type newsroom struct {
	box   *sandbox.Sandbox
	file  *os.File
	lines int
}

// readAgain is the file that the agent reads.
const readAgain = "guide.md"

// newNewsroom begins a session.
func newNewsroom(box *sandbox.Sandbox) (*newsroom, error) {
	project := strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", r) {
			return r
		}
		return '-'
	}, box.Workspace)
	dir := filepath.Join(box.Config, "projects", project)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(dir, session+".jsonl"))
	if err != nil {
		return nil, err
	}
	n := &newsroom{box: box, file: file}
	return n, n.write("user", map[string]any{"role": "user", "content": "Please read."})
}

// write appends a record.
func (n *newsroom) write(kind string, message map[string]any) error {
	n.lines++
	raw, err := json.Marshal(map[string]any{
		"type": kind, "message": message, "uuid": fmt.Sprintf("00000000-0000-4000-8000-%012d", n.lines), "sessionId": session,
		"timestamp": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "cwd": n.box.Workspace, "version": "2.1.328",
	})
	if err != nil {
		return err
	}
	_, err = n.file.Write(append(raw, '\n'))
	return err
}

// read reads the file.
func (n *newsroom) read() error {
	id := fmt.Sprintf("toolu_%d", n.lines)
	err := n.write("assistant", map[string]any{"id": "msg_" + id, "role": "assistant", "model": "gpt-5", "content": []any{
		map[string]any{"type": "tool_use", "id": id, "name": "Read", "input": map[string]any{"file_path": filepath.Join(n.box.Workspace, readAgain)}},
	}})
	if err != nil {
		return err
	}
	return n.write("user", map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": "text"}}})
}

// connect opens the file in an editor, and waits until it shows the live session.
func (n *newsroom) connect(ctx context.Context, b *bench) (*langServer, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "ctxlsp"))
	cmd.Dir, cmd.Env = n.box.Workspace, n.box.Env()
	s, err := attach(cmd)
	if err != nil {
		return nil, err
	}
	can := map[string]any{"workspace": map[string]any{"codeLens": map[string]any{"refreshSupport": true}}}
	root := "file://" + filepath.ToSlash(n.box.Workspace)
	if _, err := s.Initialize(ctx, can, map[string]any{"lens": "always"}, map[string]any{"rootUri": root}); err != nil {
		return nil, err
	}
	if err := s.Open(root+"/"+readAgain, "markdown", "text"); err != nil {
		return nil, err
	}
	if err := n.read(); err != nil {
		return nil, err
	}
	_, err = s.Until(ctx, func([]scriptededitor.Message) bool { return s.Asked("workspace/codeLens/refresh") > 0 })
	return s, err
}

// measureNews measures from when an agent has written the result of a read into its session file until an open
// editor is asked to show it: after a pause, and at any moment after the previous one.
func (b *bench) measureNews(ctx context.Context) error {
	return b.inSandbox(ctx, func(box *sandbox.Sandbox) error {
		n, err := newNewsroom(box)
		if err != nil {
			return err
		}
		s, err := n.connect(ctx, b)
		if err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(3, 4))
		for _, c := range []struct {
			when string
			wait func() time.Duration
		}{
			{"after a pause", func() time.Duration { return 3 * live.Pause }},
			{"during other notifications", func() time.Duration { return time.Duration(rng.Int64N(int64(2 * live.Pause))) }},
		} {
			var took times
			for range b.runs * newsRounds {
				env.Sleep(ctx, c.wait())
				before := s.Asked("workspace/codeLens/refresh")
				err := took.clock(func() error {
					if err := n.read(); err != nil {
						return err
					}
					_, err := s.Until(ctx, func([]scriptededitor.Message) bool { return s.Asked("workspace/codeLens/refresh") > before })
					return err
				})
				if err != nil {
					return err
				}
			}
			b.report.add("editor: from a line in an agent's session file to the editor's refresh, "+c.when, millis(took.median())+", p99 "+millis(took.at(0.99)), "", "", fmt.Sprint(len(took)))
		}
		return s.stop(ctx)
	})
}

// newsRounds is the number of refreshes measured for each of the runs.
const newsRounds = 20
