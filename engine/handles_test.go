package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/testonly/cases"
	"ctxledger.dev/internal/testonly/formattest"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
	"ctxledger.dev/window/overflow"
)

// anyMarker matches what stands in a view for something that was left out, and shownHandle the handle in it or behind it.
var (
	anyMarker = regexp.MustCompile(`\[ELIDED|\[RESULT ELIDED|chars elided|truncated — [\d,]+ chars|\[TRUNCATED HERE|` +
		`characters of this message are left out|\.\.\.\(argument truncated\)|\[omitted — superseded|\[superseded — |` +
		`\[text omitted\]|\[COLLAPSED TOOL CALLS|\[tool result — evicted|\[cleared|context-trimmed|\[result offloaded`)
	shownHandle = regexp.MustCompile(`(?:Artifact: |"artifact": "|read_artifact\(id=")([0-9a-f]{8,64}(?:\.[0-9-]+)?)`)
)

// roundsOf is a random conversation in Anthropic's format, with tools that read, write and run what was before.
func roundsOf(r *rand.Rand) [][]byte {
	messages := say("look at the files")
	for i := range 20 + r.IntN(20) {
		file := fmt.Sprintf("f%d.go", r.IntN(4))
		long := strings.Repeat(fmt.Sprintf("line %d of \"it\"\n", i), 1+r.IntN(400))
		tool, args := "Read", map[string]any{"file_path": file}
		switch r.IntN(5) {
		case 0:
			tool, args["content"] = "Write", long
			long = "written"
		case 1:
			tool, args = "Bash", map[string]any{"command": fmt.Sprintf("make %d", r.IntN(3))}
		case 2:
			tool, args = "Grep", map[string]any{"pattern": fmt.Sprintf("p%d", r.IntN(3))}
		}
		call, err := json.Marshal(map[string]any{"role": "assistant", "content": []any{
			map[string]any{"type": "text", "text": strings.Repeat("I think about it. ", 1+r.IntN(60))},
			map[string]any{"type": "tool_use", "id": fmt.Sprint("c", i), "name": tool, "input": args}}})
		if err != nil {
			panic(err)
		}
		messages = append(messages, call, round(fmt.Sprint("c", i), tool, args, long)[1])
		if r.IntN(8) == 0 {
			messages = append(messages, say("a", "done", strings.Repeat("pasted ", r.IntN(400)))[1:]...)
		}
	}
	return append(messages, say("", "done")[1:]...)
}

// anyBounds is anyPolicy with bounds for longer texts.
func anyBounds(r *rand.Rand) *window.Policy {
	p := anyPolicy(r)
	p.Filter = window.Filter{}
	p.ResultChars, p.ReplayChars, p.UserChars = r.IntN(2)*900, r.IntN(2)*90, r.IntN(2)*900
	p.ToolPairs, p.InTurnTokens = r.IntN(4)/3*6, r.IntN(4)/3*(200+r.IntN(3_000)) // they leave other passes little
	p.Evict.MaxTokens = r.IntN(4) / 3 * 2_000
	p.Arguments = window.ArgumentPolicy{Trigger: 1e-6 * float64(r.IntN(2)), Over: 100}
	return p
}

// Every text that stands for something else in a view has a handle, and the handle reads exactly what it stands for: in a
// recorded session, in made-up ones, for every provider, and in copies that were trimmed after an overflow.
func TestInvariant2EveryMarkerHasAHandleThatReadsTheOriginal(t *testing.T) {
	seen := map[string]int{} // by pass
	check := func(l *engine.Local, id string, seed uint64) {
		t.Helper()
		r := rand.New(rand.NewPCG(seed, 31))
		for range 2 { // a later step meets what an earlier one left
			reader := ledger.Reader{Agent: "any", Policy: anyBounds(r)}
			made, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id, Reader: reader, Reason: "manual"})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			entries := log(t, l, id)
			for _, e := range made.Edits {
				seen[e.Pass]++
				readsBack(t, l, id, entries, e)
			}
			markersHaveHandles(t, l, id, reader)
		}
	}
	l := open(t)
	for seed := range uint64(cases.Some(30)) {
		r := rand.New(rand.NewPCG(seed, 30))
		check(l, hand(t, l, ledger.AppendMessagesRequest{Messages: roundsOf(r)}).Session, seed)
		for i, p := range providers {
			talk := formattest.ValidTalk(r, transcript.Takes(p.Format, transcript.RoleSystem), 100*i+int(seed))
			check(l, hand(t, l, ledger.AppendMessagesRequest{Format: p.Format, Messages: p.Messages(talk...)}).Session,
				seed)
		}
	}
	if !testing.Short() {
		for seed := range uint64(3) {
			l := open(t)
			check(l, shop(t, l), seed)
		}
		for _, pass := range []string{"result_cap", "user_cap", "replay_cap", "consumed_read", "superseded_write",
			"repeated_call", "repeated_command", "repeated_text", "old_words", "tool_pairs", "in_turn_tokens",
			"evict", "clear", "arguments"} {
			if seen[pass] == 0 {
				t.Errorf("pass %s made no edit: the test shows nothing of it: %v", pass, seen)
			}
		}
	}
}

// readsBack fails unless the handle in the text of an edit reads what the edit replaces.
func readsBack(t *testing.T, l *engine.Local, id string, entries []sessions.Entry, e window.Edit) {
	t.Helper()
	if e.Part == window.PartManifest {
		return // it is a message more, and replaces nothing
	}
	m := shownHandle.FindStringSubmatch(e.Text)
	if m == nil {
		t.Errorf("%s: no handle in %q", e.Pass, e.Text)
		return
	}
	if e.Part == window.PartRange {
		if got := readBlob(t, l, m[1]); got != string(originals(t, l, id, e.Seq, e.To)) {
			t.Errorf("%s: %s reads other records than %d-%d", e.Pass, m[1], e.Seq, e.To)
		}
		return
	}
	entry := entries[e.Seq-1]
	for _, p := range messageParts(t, l, id, entry) {
		switch {
		case e.Part == window.PartResult && p.Kind == transcript.KindResult && p.ID == e.Call:
			if got := readText(t, l, m[1]); got != p.Text && (p.Media == 0 || !strings.HasPrefix(got, p.Text)) {
				t.Errorf("%s: %s reads %d bytes, not the %d of the result:\n%.100q\n%.100q", e.Pass, m[1], len(got),
					len(p.Text), got, p.Text)
			}
		case e.Part == window.PartWords && p.Kind == transcript.KindText:
			if !strings.Contains(readText(t, l, m[1]), p.Text) {
				t.Errorf("%s: %s does not read %.100q", e.Pass, m[1], p.Text)
			}
		case e.Part == window.PartArguments && p.Kind == transcript.KindCall && p.ID == e.Call:
			if raw := readBlob(t, l, m[1]); raw != string(received(t, l, id, entry)) {
				t.Errorf("%s: %s reads %.200q, not the message with call %s", e.Pass, m[1], raw, e.Call)
			}
		}
	}
}

// messageParts returns the parts of an entry's message with the ids of the log.
func messageParts(t *testing.T, l *engine.Local, id string, e sessions.Entry) []transcript.Part {
	t.Helper()
	m, err := transcript.Decode(e.Format, received(t, l, id, e))
	if err != nil {
		t.Fatal(err)
	}
	transcript.Identify(&m, e.CallIDs())
	return m.Parts
}

// received returns the provider's message of an entry, as received.
func received(t *testing.T, l *engine.Local, id string, e sessions.Entry) []byte {
	t.Helper()
	raw := bytes.TrimSuffix(originals(t, l, id, e.Seq, e.Seq), []byte("\n"))
	return transcript.MessageIn(e.Format, raw, e.Message)
}

// readText reads all pages of what a handle names.
func readText(t *testing.T, l *engine.Local, handle string) string {
	t.Helper()
	var b strings.Builder
	for r := (ledger.ReadArtifactRequest{ID: handle}); ; {
		page, err := l.ReadArtifact(t.Context(), r)
		if err != nil {
			t.Errorf("handle %s: %v", handle, err)
			return ""
		}
		b.WriteString(page.Text)
		if page.Next == nil {
			return b.String()
		}
		r.Selection = *page.Next
	}
}

// readBlob is what `ctxledger artifact read` prints of a handle.
func readBlob(t *testing.T, l *engine.Local, handle string) string {
	t.Helper()
	rc, err := l.ReadBlob(t.Context(), ledger.ReadBlobRequest{Handle: handle})
	if err != nil {
		t.Errorf("handle %s: %v", handle, err)
		return ""
	}
	defer rc.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(rc); err != nil {
		t.Error(err)
	}
	return b.String()
}

// markersHaveHandles looks through a view, and through the copies that are tried after an overflow.
func markersHaveHandles(t *testing.T, l *engine.Local, id string, reader ledger.Reader) {
	t.Helper()
	v, err := ledger.Messages(t.Context(), l, ledger.ViewRequest{Session: id, Reader: reader, Handles: true})
	if err != nil {
		t.Fatal(err)
	}
	c := overflow.Copy{Whole: id}
	for _, m := range v.Messages {
		c.Format, c.Messages, c.Handles = m.Format, append(c.Messages, m.JSON), append(c.Handles, m.Handles)
	}
	views := [][][]byte{c.Messages}
	for stage := 1; stage <= overflow.Stages; stage++ {
		if trimmed, err := overflow.Trim(c, stage); err == nil {
			views = append(views, trimmed.Messages)
		}
	}
	for _, view := range views {
		for _, raw := range view {
			m, err := transcript.Decode(c.Format, raw)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range m.Parts {
				markedTexts(t, l, p.Text)
				markedTexts(t, l, jsonTexts(p.Args))
			}
		}
	}
}

// jsonTexts returns arguments with what is escaped in them.
func jsonTexts(args json.RawMessage) string {
	return strings.NewReplacer(`\n`, "\n", `\u2014`, "—").Replace(string(args))
}

// markedTexts fails unless each marker of a text is followed by a handle that can be read, in its line or the next.
func markedTexts(t *testing.T, l *engine.Local, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !anyMarker.MatchString(line) {
			continue
		}
		near := strings.Join(lines[i:min(len(lines), i+3)], "\n")
		m := shownHandle.FindStringSubmatch(near)
		if m == nil {
			t.Errorf("no handle at %.300q", near)
			continue
		}
		if _, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: m[1]}); err != nil {
			t.Errorf("%.300q: %v", near, err)
		}
	}
}
