package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// round is a message that calls a tool, and its result.
func round(id, tool string, args map[string]any, result string) [][]byte {
	in, _ := json.Marshal(args)
	text, _ := json.Marshal(result)
	return [][]byte{
		fmt.Appendf(nil, `{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}`, id, tool,
			in),
		fmt.Appendf(nil, `{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%s}]}`, id, text),
	}
}

// consumed hands in a conversation in which a file is read and then written, and returns its session.
func consumed(t *testing.T, l *engine.Local) string {
	t.Helper()
	body := strings.Repeat("func secretName() int { return 42 }\n", 400)
	messages := say("look at a.go")
	messages = append(messages, round("c1", "Read", map[string]any{"file_path": "a.go"}, body)...)
	messages = append(messages, round("c2", "Write", map[string]any{"file_path": "./a.go", "content": "package a"},
		"written")...)
	messages = append(messages, []byte(`{"role":"assistant","content":"done"}`))
	return hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session
}

// A recorded step holds for every later view, is counted exactly, and changes nothing that is stored.
func TestEditsAreStickyAndExact(t *testing.T) {
	dir := t.TempDir()
	l, _ := openIn(t, dir, "")
	id := consumed(t, l)
	whole, stored := render(t, l, id), originals(t, l, id, 0, 0)

	planned, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id, Reason: "manual", DryRun: true})
	if err != nil || len(planned.Edits) != 1 || planned.Step != 0 {
		t.Fatalf("%+v, %v", planned, err)
	}
	if got := render(t, l, id); !bytes.Equal(bytes.Join(got, nil), bytes.Join(whole, nil)) {
		t.Fatal("a plan changed the view")
	}

	request := ledger.EditViewRequest{Mutation: ledger.Mutation{Key: "k"}, Session: id, Reason: "manual"}
	made, err := l.EditView(t.Context(), request)
	if err != nil || made.Step == 0 || made.After != planned.After {
		t.Fatalf("%+v, %v", made, err)
	}
	again, err := l.EditView(t.Context(), request)
	if err != nil || again.Step != made.Step {
		t.Errorf("the same request: %+v, %v", again, err)
	}
	if next, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id, Reason: "manual"}); err != nil ||
		len(next.Edits) != 0 {
		t.Errorf("a second step: %+v, %v", next, err)
	}

	short := render(t, l, id)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, _ = openIn(t, dir, "")
	defer l.Close()
	if got := render(t, l, id); !bytes.Equal(bytes.Join(got, nil), bytes.Join(short, nil)) {
		t.Error("the view changed with the owner")
	}
	if got := originals(t, l, id, 0, 0); !bytes.Equal(got, stored) {
		t.Error("originals changed")
	}
	if err := transcript.Valid(transcript.Anthropic, short); err != nil {
		t.Error(err)
	}
	total := 0
	for _, m := range short {
		total += shownTokens(t, m)
	}
	if st := status(t, l, id); total != made.After || st.Used.N != made.TokensAfter.N {
		t.Errorf("the view has %d tokens, the step says %d, the status %d", total, made.After, st.Used.N)
	}
}

// shownTokens counts a message as the ledger does.
func shownTokens(t *testing.T, raw []byte) int {
	t.Helper()
	m, err := transcript.Decode(transcript.Anthropic, raw)
	if err != nil {
		t.Fatal(err)
	}
	const frame = 4
	n := frame
	for _, p := range m.Parts {
		n += tokens.O200kBase.CountString(p.Text) + tokens.O200kBase.CountString(p.Name) +
			tokens.O200kBase.CountString(string(p.Args))
	}
	return n
}

// A step names files: a text that is forgotten goes from there, too.
func TestForgettingReachesEdits(t *testing.T) {
	l := open(t)
	messages := say("look")
	for i := range 30 {
		messages = append(messages, round(fmt.Sprint("c", i), "Read", map[string]any{"file_path": "secret-place.go"},
			strings.Repeat("word ", 3000)+fmt.Sprint(i))...)
	}
	messages = append(messages, []byte(`{"role":"assistant","content":"done"}`))
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session
	if made, err := l.EditView(t.Context(),
		ledger.EditViewRequest{Session: id, Reason: "manual", Model: "claude-haiku-4-5"}); err != nil ||
		len(made.Edits) == 0 {
		t.Fatalf("%+v, %v", made, err)
	}
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: "secret-place"}); err != nil {
		t.Fatal(err)
	}
	for _, e := range log(t, l, id) {
		if bytes.Contains(e.Data, []byte("secret-place")) {
			t.Errorf("entry %d still has it: %.300s", e.Seq, e.Data)
		}
	}
	for _, m := range render(t, l, id) {
		if bytes.Contains(m, []byte("secret-place")) {
			t.Errorf("a message still has it: %.300s", m)
		}
	}
}

func TestEditViewRefuses(t *testing.T) {
	l := open(t)
	_, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: "nobody"})
	wantCode(t, err, fault.NotFound)
}

// What was cleared is read back, byte for byte, by the handle in the text that replaces it.
func TestInvariant2ClearedResultsAreReadBackByTheirHandles(t *testing.T) {
	volume(t)
	l := open(t)
	messages := say("look")
	for i := range 14 {
		messages = append(messages, round(fmt.Sprint("c", i), "Grep", map[string]any{"pattern": fmt.Sprint(i)},
			fmt.Sprint(i, strings.Repeat(" word", 7000)))...)
	}
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: append(messages,
		[]byte(`{"role":"assistant","content":"done"}`))}).Session
	if made, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id, Reason: "manual"}); err != nil ||
		len(made.Edits) != 8 {
		t.Fatalf("%d edits, %v", len(made.Edits), err)
	}
	for i, m := range render(t, l, id) {
		_, rest, cleared := strings.Cut(string(m), `read_artifact(id=\"`)
		if !cleared {
			continue
		}
		handle, _, _ := strings.Cut(rest, `\"`)
		page, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: handle})
		if err != nil || !strings.HasPrefix(page.Text, fmt.Sprint((i-2)/2, " word word")) {
			t.Errorf("handle %s: %.80q, %v", handle, page.Text, err)
		}
	}
}

// What a compaction takes along goes with it: taken back, the view is what it was, byte for byte.
func TestRestoringACompactionRestoresWhatItTookAlong(t *testing.T) {
	volume(t)
	l := open(t)
	id := shop(t, l)
	before := bytes.Join(render(t, l, id), nil)
	plan := compact(t, l, id, compactionOf(3))
	steps := 0
	for _, e := range log(t, l, id) {
		if e.Kind == sessions.KindEdits {
			steps++
		}
	}
	if steps != 1 {
		t.Fatalf("%d steps were taken along: the case is gone", steps)
	}
	const frame = 10 // of the summary's message, which its record does not count, for the model
	if st := status(t, l, id); st.Used.N < plan.Summary.TokensAfter.N || st.Used.N > plan.Summary.TokensAfter.N+frame {
		t.Errorf("the view has %d tokens, the summary says %d", st.Used.N, plan.Summary.TokensAfter.N)
	}
	if _, err := l.Restore(t.Context(), ledger.RestoreRequest{ID: plan.Summary.ID}); err != nil {
		t.Fatal(err)
	}
	if after := bytes.Join(render(t, l, id), nil); !bytes.Equal(before, after) {
		t.Errorf("%d bytes before, %d after", len(before), len(after))
	}
}

// A host that keeps what it is shown hands back edited messages, and they are known again: also behind
// a note that replaces several.
func TestEditedMessagesHandedBackAreKnown(t *testing.T) {
	p := window.Default()
	p.ToolPairs, p.Compact.ThrashWindow = 2, 0
	for _, c := range []struct {
		name   string
		reason string
	}{{"edited", "manual"}, {"edited with a compaction", ""}} {
		t.Run(c.name, func(t *testing.T) {
			l := openWith(t, p)
			messages := say(strings.Repeat("a long request ", 400), strings.Repeat("a long answer ", 400), "look")
			for i := range 14 {
				messages = append(messages,
					round(fmt.Sprint("c", i), "Read", map[string]any{"file_path": "a.go"},
						strings.Repeat("word ", 4000)+fmt.Sprint(i))...)
			}
			messages = append(messages, round("w", "Write", map[string]any{"file_path": "a.go", "content": "x"},
				"ok")...)
			messages = append(messages, []byte(`{"role":"assistant","content":"done"}`))
			id := hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session
			if c.reason == "" {
				compact(t, l, id, compactionOf(1))
			} else if made, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id,
				Reason: c.reason}); err != nil || len(made.Edits) == 0 {
				t.Fatalf("%+v, %v", made, err)
			}
			if !slices.ContainsFunc(log(t, l, id),
				func(e sessions.Entry) bool { return e.Kind == sessions.KindEdits }) {
				t.Fatal("nothing was edited")
			}
			before := len(log(t, l, id))
			back := append(render(t, l, id), transcript.NewMessage(transcript.Anthropic, transcript.RoleUser, "go on"))
			resp := hand(t, l, ledger.AppendMessagesRequest{Messages: back})
			if resp.Session != id || len(log(t, l, id)) != before+1 {
				t.Errorf("session %s of %d entries went on as %s with %d", id, before, resp.Session,
					len(log(t, l, resp.Session)))
			}
		})
	}
}

// A step is bounded: what does not fit into one waits for the next.
func TestAStepIsBounded(t *testing.T) {
	volume(t)
	p := window.Default()
	p.ResultChars = 10
	l := openWith(t, p)
	messages := say("look")
	for i := range 1_000 {
		messages = append(messages, round(fmt.Sprint("c", i), "Grep", map[string]any{"pattern": fmt.Sprint(i)},
			strings.Repeat("word ", 60))...)
	}
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session
	var made []int
	for len(made) == 0 || made[len(made)-1] > 0 {
		step, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id, Reason: "manual"})
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, len(step.Edits))
	}
	if len(made) != 3 || made[0]+made[1] != 1_000 {
		t.Errorf("steps of %d edits", made)
	}
}
