package ctxledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
)

// TestTheFirstStatusHasReadWhatIsThere: the first command in a place with sessions starts the owner, and waits until it
// has read them.
func TestTheFirstStatusHasReadWhatIsThere(t *testing.T) {
	const count = 6
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

// TestTheFirstCommandFindsTheSessionThatItNames: in a fresh ledger a command that names a session waits as well until the
// session files are read, and one about changes does.
func TestTheFirstCommandFindsTheSessionThatItNames(t *testing.T) {
	const named, first = "05758ff7-b05d-45d5-a684-000000000001", "05758ff7-b05d-45d5-a684-000000000000"
	for _, c := range []struct {
		count int // sessions, all copies of one: changes are those of the copy that is read first
		args  []string
		want  string // in the answer
	}{
		{3, []string{"status", named, "--json"}, `"host_id": "` + named},
		{3, []string{"sessions", named}, "was never compacted"},
		{1, []string{"changes", "--session", first}, "report/report.go"},
		{3, []string{"changes"}, "report/report.go"},
		{3, []string{"context", "--json"}, `"model": "scripted"`},
		{3, []string{"why", "report/report.go"}, "report/report.go"},
	} {
		t.Run(c.args[0], func(t *testing.T) {
			m := newHome(t)
			m.file("shop/go.mod", "module shop\n")
			m.shopSessions(c.count)
			if out := m.run("shop", "ctxledger", c.args...); !bytes.Contains(out, []byte(c.want)) {
				t.Errorf("%s: %.300s", c.args, out)
			}
		})
	}
}

// TestACompactionThatSavesLittleIsNotMade: the command says what it would save and what is to be said for it to be made.
func TestACompactionThatSavesLittleIsNotMade(t *testing.T) {
	m := newHome(t)
	m.file("shop/go.mod", "module shop\n")
	talk, err := json.Marshal([]map[string]any{
		{"role": "user", "content": strings.Repeat("Mind the gap. ", 300)},
		{"role": "assistant", "content": "I do."}, {"role": "user", "content": strings.Repeat("Look at this. ", 4_000)},
	})
	if err != nil {
		t.Fatal(err)
	}
	m.file("shop/talk.json", string(talk))
	compact := func(args ...string) (out struct{ Outcome, Why string }) {
		t.Helper()
		raw := m.run("shop", "ctxledger", append([]string{"compact", "--json", "talk.json"}, args...)...)
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	const why = "it still fits, and compacting it would save only "
	if out := compact(); out.Outcome != "nothing_to_do" || !strings.HasPrefix(out.Why, why) ||
		!strings.Contains(out.Why, "less than 10%; to compact it anyway, say how many turns to keep (--keep") {
		t.Errorf("%+v", out)
	}
	if out := compact("--keep", "1"); out.Outcome != "compacted" {
		t.Errorf("with --keep: %+v", out)
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
