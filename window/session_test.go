package window

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// recordedLog reads a session file of the coding agent, just enough of it for a view.
func recordedLog(t *testing.T, file string) *testLog {
	t.Helper()
	f, err := os.Open(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l := &testLog{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var line struct {
			Type, UUID, ParentUUID        string
			IsSidechain, IsCompactSummary bool
			IsMeta                        bool
			Message                       json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		e := sessions.Entry{
			Kind: sessions.KindNote, HostID: line.UUID, HostParent: line.ParentUUID,
			Hidden: line.IsSidechain || line.IsCompactSummary || line.IsMeta,
		}
		if line.Type == "user" || line.Type == "assistant" {
			e.Kind = sessions.KindMessage
			var m struct {
				ID      string
				Content json.RawMessage
			}
			if err := json.Unmarshal(line.Message, &m); err != nil {
				t.Fatal(err)
			}
			e.Group = m.ID
			e.Prompt = line.Type == "user" && bytes.HasPrefix(m.Content, []byte(`"`))
		}
		l.add(t, e, string(line.Message))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestViewOfARecordedSession(t *testing.T) {
	l := recordedLog(t, "../testdata/sessions/shop.jsonl")
	v := Plan(Input{Entries: l.entries})
	messages := l.render(t, v)
	if err := transcript.Valid(transcript.Anthropic, messages); err != nil {
		t.Error(err)
	}
	// Nothing is missing, and nothing was repaired: every shown record is in the view once.
	var shown, used []int64
	groups := map[string]bool{}
	for _, e := range l.entries {
		if e.Kind == sessions.KindMessage && !e.Hidden {
			shown = append(shown, e.Seq)
			groups[e.Group] = e.Group != ""
		}
	}
	answers := 0
	for _, s := range v.Slots {
		used = append(used, s.Seqs...)
		if len(s.DropCalls)+len(s.KeepResults)+len(s.AddResults) > 0 {
			t.Errorf("repaired: %+v", s)
		}
		if s.Role == transcript.RoleAssistant {
			answers++
		}
	}
	slices.Sort(used)
	if !slices.Equal(shown, used) {
		t.Errorf("%d records are shown, %d stand in the view", len(shown), len(used))
	}
	if delete(groups, ""); answers != len(groups) {
		t.Errorf("%d answers in the view, %d message ids in the file", answers, len(groups))
	}
	// A view that begins anywhere is valid, too.
	for first := int64(1); first <= int64(len(l.entries)); first += 7 {
		cut := Plan(Input{Entries: l.entries, Cutoff: &Cutoff{Summary: "s", FirstKept: first}})
		if err := transcript.Valid(transcript.Anthropic, l.render(t, cut)); err != nil {
			t.Errorf("from %d: %v", first, err)
		}
	}
}

// A host that writes a session as it goes has written any beginning of the file at some moment.
func TestInvariant4HoldsForARecordedSession(t *testing.T) {
	l := recordedLog(t, "../testdata/sessions/shop.jsonl")
	whole := l.render(t, Plan(Input{Entries: l.entries}))
	for n := 0; n < len(l.entries); n += 5 {
		v := Plan(Input{Entries: l.entries[:n]})
		v.Slots = v.Slots[:lastUnit(l, v)]
		for i, m := range l.render(t, v) {
			if !bytes.Equal(m, whole[i]) {
				t.Fatalf("message %d of the view of %d entries changed later", i, n)
			}
		}
	}
}
