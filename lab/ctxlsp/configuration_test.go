package ctxlsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/uri"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/testonly/scriptededitor"
)

// TestAConfigurationIsHelpedWith opens ctxledger.yaml, as editors do that request diagnostics and as those that do not.
func TestAConfigurationIsHelpedWith(t *testing.T) {
	for name, caps := range map[string]map[string]any{
		"pushed": nil, "pulled": {"textDocument": map[string]any{"diagnostic": map[string]any{}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			s := p.start(t)
			_, err := s.Initialize(s.ctx, caps, map[string]any{"live": false, "hover": "always"}, nil)
			must(t, err)
			const broken = "context:\n  treshold: 0.5\n  kéep: 1\n  clear: {keep: x}\n"
			file := string(uri.File(filepath.Join(p.Root, config.File)))
			must(t, s.Open(file, "yaml", broken))
			s.mistakes(t, file, `1:2 warning unknown setting "treshold" (did you mean threshold?)`,
				`2:2 warning unknown setting "kéep"`, "3:16 error keep: a number is expected, not `x`")
			all := scriptededitor.Range{End: scriptededitor.Position{Line: 99}}
			must(t, s.Change(file, 2, all, "context:\n  threshold: 0.5\n"))
			s.mistakes(t, file)
			must(t, s.Change(file, 3, all, "hooks: {outputs: true}\n"))
			own := config.UserFile(env.Env{Home: p.Home, Lookup: func(string) string { return "" }})
			s.mistakes(t, file, "0:8 warning hooks.outputs: true has no effect here: a workspace's file can switch hooks "+
				"off, but only your own can turn on costly ones (write it in your own file, "+own+")")
			must(t, s.Open(string(uri.File(own)), "yaml", "hooks: {outputs: true}\nfolow: true\n"))
			s.mistakes(t, string(uri.File(own)), `1:0 warning unknown setting "folow" (did you mean follow?)`)
			must(t, s.Change(file, 4, all, "context:\n  threshold: 0.5\n"))
			s.mistakes(t, file)

			at := map[string]any{"position": scriptededitor.Position{Line: 1, Character: 4}}
			hover := string(ask[json.RawMessage](t, s, "textDocument/hover", file, at))
			if !strings.Contains(hover, "fraction of the window above which a compaction is due") ||
				!strings.Contains(hover, `"start":{"line":1,"character":2},"end":{"line":1,"character":11}`) {
				t.Errorf("hover %s", hover)
			}
			items := string(ask[json.RawMessage](t, s, "textDocument/completion", file, at))
			if !strings.Contains(items, `"newText":"max_turn_age: "`) || strings.Contains(items, `"label":"follow"`) {
				t.Errorf("completion %.300s", items)
			}
			must(t, s.Open("untitled:x", "yaml", "context:\n"))
			if other := string(ask[json.RawMessage](t, s, "textDocument/completion", "untitled:x", at)); other != "null" {
				t.Errorf("completion of another document: %s", other)
			}
		})
	}
}

// mistakes waits until exactly these are published: line and column from 0, severity and message.
func (s *server) mistakes(t *testing.T, file string, want ...string) {
	t.Helper()
	_, err := s.Until(s.ctx, func(told []scriptededitor.Message) bool {
		return strings.Join(mistakesIn(told, file), "\n") == strings.Join(want, "\n")
	})
	if err != nil {
		told, _ := s.Until(t.Context(), func([]scriptededitor.Message) bool { return true })
		t.Fatalf("published: %q, %v", mistakesIn(told, file), err)
	}
}

// mistakesIn returns what was published last for a document.
func mistakesIn(told []scriptededitor.Message, file string) (list []string) {
	var p struct {
		Diagnostics []struct {
			Range    scriptededitor.Range
			Severity int
			Message  string
		}
	}
	if raw := published(told, file); raw == "" || json.Unmarshal([]byte(raw), &p) != nil {
		return []string{"nothing"}
	}
	for _, d := range p.Diagnostics {
		severity := []string{"", "error", "warning", "information"}[d.Severity]
		at := d.Range.Start
		list = append(list, fmt.Sprintf("%d:%d %s %s", at.Line, at.Character, severity, d.Message))
	}
	return list
}

// TestTheRealNeovimHelpsWithAConfiguration runs the real editor.
func TestTheRealNeovimHelpsWithAConfiguration(t *testing.T) {
	dir := realEditors(t)
	p := newPlace(t)
	p.put(t, config.File, "context:\n  treshold: 0.5\n")
	cmd := exec.CommandContext(within(t), filepath.Join(dir, "nvim"), "--headless", "-u", "NONE", "-n", "-i", "NONE", "-c",
		"luafile "+script(t, "neovim_configuration.lua"))
	cmd.Dir, cmd.Env = p.Root, p.environment("CTX_FILE="+filepath.Join(p.Root, config.File))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got struct {
		Diagnostic, Hover string
		Line, Column      int
		Labels            []string
	}
	must(t, json.Unmarshal(bytes.TrimSpace(out), &got))
	if !strings.Contains(got.Diagnostic, "did you mean threshold?") || got.Line != 1 || got.Column != 2 ||
		!strings.Contains(got.Hover, "how much of a conversation a model sees") || !slices.Contains(got.Labels, "keep") {
		t.Errorf("%+v", got)
	}
}
