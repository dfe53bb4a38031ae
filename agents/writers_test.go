package agents

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/codex"
	"ctxledger.dev/agents/registry"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/testonly/formattest"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

var update = flag.Bool("update", false, "rewrite what the writers are to write")

// continuation makes a session of messages, with ids that are numbers.
func continuation(t testing.TB, said []sessionfile.Said, keeps map[string]json.RawMessage) *sessionfile.Continuation {
	t.Helper()
	steps, _, err := sessionfile.StepsOf(said, keeps)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	next := func() string { n++; return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
	return &sessionfile.Continuation{
		Origin: sessionfile.Origin{Session: "ab03de2c", Host: "claude-code", HostID: "old"}, ID: next(),
		Dir: "/w/größe", Title: "A title", Document: "The document.", Before: 1000, Steps: steps, NewID: next,
		At: time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC),
	}
}

// messages makes messages of a provider ready to be written.
func messages(f transcript.Format, raws ...[]byte) (out []sessionfile.Said) {
	for i, raw := range raws {
		out = append(out, sessionfile.Said{JSON: raw, Format: f, Model: "m",
			Time: time.Date(2026, 11, 20, 12, 0, i, 0, time.UTC)})
	}
	return out
}

// TestWhatIsWritten compares both writers with files.
func TestWhatIsWritten(t *testing.T) {
	said := messages(transcript.Anthropic,
		[]byte(`{"role":"user","content":"Fix <it> & go"}`),
		[]byte(`{"role":"assistant","id":"msg_1","content":[{"type":"thinking","thinking":"hm","signature":"x"},`+
			`{"type":"text","text":"I look."},`+
			`{"type":"tool_use","id":"toolu_1","name":"Read","input":{"file_path":"/w/a.go"}},`+
			`{"type":"tool_use","id":"toolu_2","name":"Bash","input":{"command":"go test"}}]}`),
		[]byte(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_2","content":"FAIL","is_error":true}]}`),
		[]byte(`{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":[{"type":"text",`+
			`"text":"1\tpackage a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aaaa"}}]}]}`),
		[]byte(`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Edit","input":`+
			`{"file_path":"/w/a.go","old_string":"a","new_string":"b"}},{"type":"tool_use","id":"toolu 3","name":"Task",`+
			`"input":{"prompt":"x"}}]}`),
		[]byte(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"done"}]}`),
	)
	keeps := map[string]json.RawMessage{"toolu_1": json.RawMessage(`{"type":"text","file":{"filePath":"/w/a.go"}}`)}
	for _, w := range []sessionfile.Writer{claudecode.Writer(), codex.Writer()} {
		name := string(w.Agent) + ".jsonl"
		got, err := w.Encode(continuation(t, said, keeps))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", "written", name)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v: got\n%s", name, err, got)
		}
	}
}

// TestWhateverIsWrittenIsWhole writes conversations as broken hosts hand them in, of every provider, and the recorded
// sessions. What is written decodes again, in one chain, with whole pairs, without reasoning.
func TestWhateverIsWrittenIsWhole(t *testing.T) {
	for _, p := range formattest.Providers() {
		t.Run(p.Name, func(t *testing.T) {
			for seed := range uint64(20) {
				r := rand.New(rand.NewPCG(seed, 20))
				lines := formattest.RandomTalk(r, transcript.Takes(p.Format, transcript.RoleSystem))
				c := continuation(t, messages(p.Format, p.Messages(lines...)...), nil)
				whole(t, c)
				if t.Failed() {
					t.Fatalf("seed %d: %q", seed, lines)
				}
			}
		})
	}
	for _, path := range []string{shop, "../testdata/sessions/compacted.jsonl"} {
		said, before := spoken(t, path)
		c := continuation(t, said, nil)
		ours := tokens.O200kBase.CountString(c.Document) // and a last answer, if there is none
		for _, s := range c.Steps {
			if s.Ours {
				ours += tokens.O200kBase.CountString(s.Blocks[0].Text)
			}
		}
		if after := whole(t, c); after > before+ours {
			t.Errorf("%s: %d tokens were written, it has %d", path, after, before)
		}
	}
}

// spoken returns the messages of a session file, and their tokens.
func spoken(t *testing.T, path string) (said []sessionfile.Said, size int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // opened for reading
	all, err := Read(f, path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all.Entries {
		if e.Kind == sessions.KindMessage {
			raw := transcript.MessageIn(e.Format, e.Original, e.Message)
			said = append(said, sessionfile.Said{JSON: raw, Format: e.Format, Model: e.Model, Reply: e.Group,
				Time: e.Time, Loaded: e.Loaded})
			size += sizeOf(t, e.Format, raw)
		}
	}
	return said, size
}

func sizeOf(t *testing.T, f transcript.Format, raw []byte) (n int) {
	t.Helper()
	m, err := transcript.Decode(f, raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.Parts {
		n += tokens.O200kBase.CountString(p.Text) + tokens.O200kBase.CountString(string(p.Args))
	}
	return n
}

// callIDs are the ids that providers take.
var callIDs = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// whole checks what both writers write of a session, and returns the tokens of Claude Code's.
func whole(t *testing.T, c *sessionfile.Continuation) (size int) {
	t.Helper()
	file, err := claudecode.Writer().Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	chain, open, seen, last := "", map[string]bool{}, map[string]bool{}, transcript.Part{}
	decode := claudecode.Adapter().Decoder("x.jsonl")
	for r, err := range sessionfile.Records(bytes.NewReader(file), sessionfile.Position{}, decode) {
		if err != nil || r.State != sessionfile.Whole {
			t.Fatalf("line %d: %v, %q", r.Number, err, r.Text)
		}
		if r.ID == "" {
			continue // the title
		}
		if r.Parent != chain || r.Continues != c.Origin.Session || r.Request() != nil || r.Compaction != nil {
			t.Fatalf("line %d follows %q, not %q: %q", r.Number, r.Parent, chain, r.Text)
		}
		chain = r.ID
		m := r.Spoken()
		if r.Message.Empty() {
			continue
		}
		if len(m.Parts) == 0 || m.Role != transcript.RoleTool && len(open) > 0 {
			t.Fatalf("line %d: %d parts, open calls %v", r.Number, len(m.Parts), open)
		}
		for _, p := range m.Parts {
			last = p
			switch {
			case p.Kind == transcript.KindReasoning:
				t.Fatalf("line %d has reasoning", r.Number)
			case p.Kind == transcript.KindCall && !p.Sealed:
				if seen[p.ID] || !callIDs.MatchString(p.ID) || p.Malformed() {
					t.Fatalf("line %d: call %q of %s", r.Number, p.ID, p.Args)
				}
				seen[p.ID], open[p.ID] = true, true
			case p.Kind == transcript.KindResult && !p.Sealed:
				if !open[p.ID] || len(m.Parts) > 1 {
					t.Fatalf("line %d: result of %q, %d parts", r.Number, p.ID, len(m.Parts))
				}
				delete(open, p.ID)
			}
			size += tokens.O200kBase.CountString(p.Text) + tokens.O200kBase.CountString(string(p.Args))
		}
	}
	if len(open) > 0 || last.Kind != transcript.KindText {
		t.Fatalf("open calls %v, ends with %s", open, last.Kind)
	}
	rollout(t, c)
	return size
}

// rollout checks a Codex rollout.
func rollout(t *testing.T, c *sessionfile.Continuation) {
	t.Helper()
	file, err := codex.Writer().Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	open, users := map[string]bool{}, 0
	for line := range bytes.Lines(file) {
		var r struct {
			Type    string
			Payload struct {
				Type   string
				CallID string `json:"call_id"`
				Input  string
			}
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		switch kind := r.Payload.Type; {
		case strings.HasSuffix(kind, "_call"):
			open[r.Payload.CallID] = true
		case strings.HasSuffix(kind, "_output"):
			if !open[r.Payload.CallID] {
				t.Fatalf("a result without its call: %s", line)
			}
			delete(open, r.Payload.CallID)
		case kind == "user_message":
			users++
		case kind == "reasoning" || kind == "token_count":
			t.Fatalf("%s", line)
		}
	}
	if len(open) > 0 || users == 0 {
		t.Fatalf("open calls %v, %d events of the user", open, users)
	}
}

func TestWhoCannotTakeASession(t *testing.T) {
	for _, a := range registry.All() {
		w, err := WriterFor(string(a.Name))
		if why := a.Write.Cannot; err == nil && w.Agent != a.Name || err != nil && (!fault.Is(err, fault.Invalid) ||
			!strings.Contains(err.Error(), string(a.Name)) || !strings.Contains(err.Error(), why)) {
			t.Errorf("%s: %v", a.Name, err)
		}
		if a.Sessions.Decoder != nil && a.Write.Encode == nil && a.Write.Cannot == "" {
			t.Errorf("%s is read, and nothing says why it is not written", a.Name)
		}
	}
	if w, err := WriterFor("Claude Code"); err != nil || w.Agent != claudecode.Name {
		t.Errorf("by another name: %s, %v", w.Agent, err)
	}
	if _, err := WriterFor("gemini-cli"); err == nil || !strings.Contains(err.Error(), "for gemini:") {
		t.Error(err)
	}
	if _, err := WriterFor("vi"); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "vi") {
		t.Error(err)
	}
}

// TestACopyCountsWhereItHappened imports what was written, alone and behind the session that it was written from: no
// usage, no effects on files, and the document is not hidden.
func TestACopyCountsWhereItHappened(t *testing.T) {
	said, _ := spoken(t, shop)
	c := continuation(t, said, nil)
	file, err := claudecode.Writer().Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	own := `{"type":"user","uuid":"u9","sessionId":"s","cwd":"/w","message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"a9","parentUuid":"u9","sessionId":"s","message":{"id":"m9","role":"assistant","model":"m",` +
		`"content":[{"type":"text","text":"x"}],"stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":5}}}
`
	path := filepath.Join(t.TempDir(), c.ID+".jsonl")
	if err := os.WriteFile(path, append(file, own...), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRecorder(t)
	mustImport(t, r, path)
	if s := r.batches[0].Session; s.Continues != c.Origin.Session || s.HostID != c.ID || s.Title == "" {
		t.Errorf("the session is %+v", s)
	}
	if u := sumUsage(r.entries()); u.Input != 7 || u.Output != 5 {
		t.Errorf("usage %+v", u)
	}
	summaries, copies := 0, 0
	for _, e := range r.entries() {
		if e.Copied {
			copies++
		}
		copied := e.HostID != "u9" && e.HostID != "a9" && e.HostID != ""
		if len(e.Effects) > 0 || e.Cut != nil || e.Copied != copied {
			t.Errorf("entry %s: copied %v, effects %v, cut %v", e.HostID, e.Copied, e.Effects, e.Cut)
		}
		if bytes.Contains(e.Original, []byte(`"isCompactSummary":true`)) {
			if summaries++; e.Hidden {
				t.Error("the document is hidden")
			}
		}
	}
	if summaries != 1 || copies < len(c.Steps) {
		t.Errorf("%d documents, %d copies", summaries, copies)
	}
}
