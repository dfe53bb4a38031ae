package ctxledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
)

// TestTheFirstStatusHasReadWhatIsThere: the first command in a place with sessions starts the owner, and waits until it
// has read them.
func TestTheFirstStatusHasReadWhatIsThere(t *testing.T) {
	const count = 20
	for _, command := range []string{"status", "sessions"} {
		t.Run(command, func(t *testing.T) {
			m := newHome(t)
			m.file("shop/go.mod", "module shop\n")
			records := m.shopSessions(count)
			var out struct {
				Ledger   ledger.Info
				Session  ledger.Status
				Sessions []any
			}
			if err := json.Unmarshal(m.run("shop", "ctxledger", command, "--json"), &out); err != nil {
				t.Fatal(err)
			}
			if command == "status" && (out.Ledger.Sessions != count || out.Session.Session.Seq != int64(records)) {
				t.Errorf("%d of %d sessions, %d of %d records", out.Ledger.Sessions, count, out.Session.Session.Seq, records)
			}
			if command == "sessions" && len(out.Sessions) != count {
				t.Errorf("%d of %d sessions", len(out.Sessions), count)
			}
		})
	}
}

// shopSessions writes session files of Claude Code for the directory shop, and returns how many records each has.
func (m *matrix) shopSessions(count int) (records int) {
	m.t.Helper()
	raw, err := os.ReadFile("../../testdata/sessions/shop.jsonl")
	if err != nil {
		m.t.Fatal(err)
	}
	dir := filepath.Join(m.home, "shop")
	raw = bytes.ReplaceAll(raw, []byte("/home/dev/shop"), []byte(dir))
	e := env.Env{Home: m.home, Lookup: func(string) string { return "" }}
	rel, err := filepath.Rel(m.home, claudecode.ProjectDir(e, dir))
	if err != nil {
		m.t.Fatal(err)
	}
	var first struct{ SessionID string }
	if err := json.Unmarshal(raw[:bytes.IndexByte(raw, '\n')], &first); err != nil {
		m.t.Fatal(err)
	}
	for i := range count {
		id := fmt.Sprintf("05758ff7-b05d-45d5-a684-%012d", i)
		m.file(filepath.Join(rel, id+".jsonl"), string(bytes.ReplaceAll(raw, []byte(first.SessionID), []byte(id))))
	}
	return bytes.Count(raw, []byte("\n"))
}
