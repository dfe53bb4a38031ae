package window

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// testLog is a log with its originals.
type testLog struct {
	entries   []sessions.Entry
	originals [][]byte // by index
}

// add appends a message, with the header that the engine would write for it.
func (l *testLog) add(t testing.TB, e sessions.Entry, original string) {
	t.Helper()
	e.Seq = int64(len(l.entries) + 1)
	if e.Kind == "" {
		e.Kind = sessions.KindMessage
	}
	if e.Kind == sessions.KindMessage {
		e.Format = transcript.Anthropic
		m, err := transcript.Decode(transcript.Anthropic, []byte(original))
		if err != nil {
			t.Fatalf("entry %d: %v in %s", e.Seq, err, original)
		}
		e.Role, e.Tokens, e.Thoughts = m.Role, frameTokens, transcript.OnlyReasoning(m)
		for _, p := range m.Parts {
			n := len(p.Text) + len(p.Args) + len(p.Name)
			e.Tokens += n
			switch p.Kind {
			case transcript.KindText:
				e.Chars += len(p.Text)
			case transcript.KindCall:
				e.Calls = append(e.Calls, sessions.Call{ID: p.ID, Name: p.Name, Tokens: n})
			case transcript.KindResult:
				r := sessions.Result{CallID: p.ID, Tokens: n, Chars: n}
				if strings.HasPrefix(p.Text, "large") {
					r.Artifact, r.StubTokens = "a"+p.ID, 4
				}
				e.Results = append(e.Results, r)
			}
		}
	}
	l.entries = append(l.entries, e)
	l.originals = append(l.originals, []byte(original))
}

// stubText replaces an artifact in these tests.
func stubText(artifact string) (string, bool) { return "stub", true }

// render writes a view as a provider would get it.
func (l *testLog) render(t testing.TB, v View) [][]byte {
	t.Helper()
	var out [][]byte
	for _, s := range v.Slots {
		out = append(out, l.renderSlot(t, s)...)
		if s.After != "" {
			out = append(out, transcript.NewMessage(s.Format, transcript.RoleUser, s.After))
		}
	}
	return out
}

func (l *testLog) renderSlot(t testing.TB, s Slot) [][]byte {
	t.Helper()
	if s.Note != "" {
		return [][]byte{transcript.NewMessage(s.Format, s.Role, s.Note)}
	}
	var raws [][]byte
	for _, seq := range s.Seqs {
		raw := l.originals[seq-1]
		if e := l.entries[seq-1]; e.Forgotten != nil {
			raw = transcript.NewMessage(e.Format, e.Role, "[forgotten]")
		}
		raw, err := transcript.Edit(s.Format, raw, transcript.Edits{Shorten: s.Shorten(seq)})
		if err != nil {
			t.Fatalf("shorten %d: %v", seq, err)
		}
		raws = append(raws, raw)
	}
	m, err := transcript.Merge(s.Format, raws)
	if err != nil {
		t.Fatalf("merge %v: %v", s.Seqs, err)
	}
	if m, err = transcript.Edit(s.Format, m, s.Edits(stubText)); err != nil {
		t.Fatalf("edit %v: %v", s.Seqs, err)
	}
	if m == nil {
		return nil
	}
	return [][]byte{m}
}

// parseLog reads the notation of the table tests, one entry a line:
//
//	prompt WORD…            a request of the user
//	asst GROUP WORD…        an answer; "c1" makes a call, "think" is reasoning, other words are text
//	tool r1 r2              results of c1 and c2; "R1" is a large one
//	user r1 WORD…           results and text in one message
//	note ID…                a record of the host; it keeps the records with these ids behind the summary that follows
//	summary                 with which the host itself replaced what came before
//	hidden                  a subagent's message
//	loaded WORD…            what the host loaded for the agent
//	rewind N                back to entry N
//
// "#id" and "^parent" give the host's ids.
func parseLog(t testing.TB, text string) *testLog {
	t.Helper()
	l := &testLog{}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		var e sessions.Entry
		var words []string
		for w := range strings.FieldsSeq(line) {
			switch w[0] {
			case '#':
				e.HostID = w[1:]
			case '^':
				e.HostParent = w[1:]
			default:
				words = append(words, w)
			}
		}
		kind, words := words[0], words[1:]
		original := ""
		switch kind {
		case "prompt":
			e.Prompt = true
			original = wire("user", words)
		case "hidden":
			e.Hidden, e.Prompt = true, true
			original = wire("user", []string{"hidden"})
		case "asst":
			e.Group = strings.Trim(words[0], "-")
			original = wire("assistant", words[1:])
		case "loaded":
			e.Loaded = true
			original = wire("user", words)
		case "tool", "user":
			original = wire("user", words)
		case "summary":
			e.Hidden, e.Earlier = true, true
			original = wire("user", []string{"summary"})
		case "note":
			e.Kind, e.Cut = sessions.KindNote, &sessions.HostCut{Kept: words}
		case "rewind":
			e.Kind, e.Data = sessions.KindRewind, []byte(`{"to":`+words[0]+`}`)
		case "compaction":
			e.Kind = sessions.KindCompaction
		default:
			t.Fatalf("unknown entry %q", line)
		}
		l.add(t, e, original)
	}
	return l
}

// wire builds a message from words.
func wire(role string, words []string) string {
	var blocks []string
	for _, w := range words {
		n, err := strconv.Atoi(w[1:])
		switch {
		case w == "think":
			blocks = append(blocks, `{"type":"thinking","thinking":"hm","signature":"s"}`)
		case err == nil && w[0] == 'c':
			blocks = append(blocks, fmt.Sprintf(`{"type":"tool_use","id":"%d","name":"T","input":{}}`, n))
		case err == nil && w[0] == 'r':
			blocks = append(blocks, fmt.Sprintf(`{"type":"tool_result","tool_use_id":"%d","content":"ok"}`, n))
		case err == nil && w[0] == 'R':
			blocks = append(blocks, fmt.Sprintf(`{"type":"tool_result","tool_use_id":"%d","content":"large result"}`,
				n))
		default:
			text, _ := json.Marshal(w)
			blocks = append(blocks, fmt.Sprintf(`{"type":"text","text":%s}`, text))
		}
	}
	return fmt.Sprintf(`{"role":%q,"content":[%s]}`, role, strings.Join(blocks, ","))
}

// brief writes a view in one line: entries of each message, then its edits.
func brief(v View) string {
	var out []string
	if v.Summary != "" {
		out = append(out, "["+v.Summary+"]")
	}
	for _, s := range v.Slots {
		var b strings.Builder
		b.WriteString(string(s.Role[0]))
		for i, seq := range s.Seqs {
			fmt.Fprintf(&b, "%s%d", map[bool]string{true: "", false: ","}[i == 0], seq)
		}
		for _, id := range s.DropCalls {
			b.WriteString("-c" + id)
		}
		for _, id := range sortedKeys(s.KeepResults) {
			fmt.Fprintf(&b, "-r%s:%d", id, s.KeepResults[id])
		}
		for _, p := range s.AddResults {
			b.WriteString("+r" + p.ID)
		}
		for _, id := range sortedKeys(s.Stubs) {
			b.WriteString("~" + s.Stubs[id])
		}
		out = append(out, b.String())
	}
	if v.Left != (Left{}) {
		out = append(out, fmt.Sprintf("!%d,%d", v.Left.Results, v.Left.Loaded))
	}
	return strings.Join(out, " ")
}
