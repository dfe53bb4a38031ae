package ctxmcp

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/lab/programtest"
)

// recorded is a session that the real Claude Code wrote, see testdata/sessions/README.md.
const recorded = "../../testdata/sessions/shop.jsonl"

// recordedCall is the id of a tool call in it, as Claude Code sends it with the call.
const recordedCall = "toolu_0195ff57f4318393ee3deb3f"

// claudeProject puts the recorded session where Claude Code would keep it for the workspace, and
// returns Claude Code's directory and the session's id.
func claudeProject(t *testing.T, root string) (dir, session string) {
	t.Helper()
	raw, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	raw = bytes.ReplaceAll(raw, []byte("/home/dev/shop"), []byte(root))
	var first struct {
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal(raw[:bytes.IndexByte(raw, '\n')], &first); err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	project := filepath.Join(dir, "projects", strings.Map(func(r rune) rune {
		if r < '0' || '9' < r && r < 'A' || 'Z' < r && r < 'a' || 'z' < r {
			return '-'
		}
		return r
	}, root))
	if err := os.MkdirAll(project, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, first.SessionID+".jsonl"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, first.SessionID
}

func TestSessionsAreFollowedWithoutAnyInstallation(t *testing.T) {
	for _, x := range []struct {
		name      string
		arguments []string
		setting   string
		followed  bool
	}{
		{"through the daemon", nil, "", true},
		{"in this process", []string{"--in-process"}, "", true},
		{"unless the configuration says no", []string{"--in-process"}, "follow: false\n", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			pl := programtest.NewPlace(t)
			if err := os.WriteFile(filepath.Join(pl.Root, "ctxledger.yaml"), []byte(x.setting), 0o644); err != nil {
				t.Fatal(err)
			}
			if x.arguments == nil {
				pl.StopDaemons(t)
			}
			dir, _ := claudeProject(t, pl.Root)
			cmd := pl.Command(t, binary, x.arguments...)
			cmd.Env = append(cmd.Env, "CLAUDE_CONFIG_DIR="+dir)
			p := start(t, cmd)
			found, tries := false, 0
			for began := time.Now(); !found && time.Since(began) < programtest.Patience &&
				(x.followed || tries < 3); tries++ { // each waits for the session
				p.send(t, callFrom("1", "context_status", recordedCall, nil))
				found = strings.Contains(p.answer(t, "1").text(t), "window holds")
			}
			t.Logf("found %v with call %d", found, tries)
			if found != x.followed {
				t.Errorf("the session was found: %v; %s", found, p.stderr)
			}
			if found { // the tool finds the session of its own call by itself
				p.send(t, callFrom("2", "compact_conversation", recordedCall, map[string]any{"return": "receipt"}))
				text := p.answer(t, "2").text(t)
				has(t, text, "compacted\nsession ")
				has(t, text, "`resume`")
			}
			p.end(t)
		})
	}
}
