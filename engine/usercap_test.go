package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// What a user pastes is kept whole and shown as head and tail; the request beside it stays, and so does what is not
// above the bound.
func TestALargeMessageOfTheUserIsShownByItsEnds(t *testing.T) {
	pasted := "first line of the log\n" + strings.Repeat("GET /shop 200 in 12 ms\n", 9_000) + "panic at the end"
	ask := "Why does it end so? " + strings.Repeat("I have looked at it for hours. ", 200)
	blocks, err := json.Marshal(map[string]any{"role": "user", "content": []any{
		map[string]string{"type": "text", "text": ask}, map[string]string{"type": "text", "text": pasted},
	}})
	if err != nil {
		t.Fatal(err)
	}
	allowed := transcript.NewMessage(transcript.Anthropic, transcript.RoleUser, strings.Repeat("x", 200_000))
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: [][]byte{blocks}}).Session
	edited, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id})
	if err != nil || len(edited.Edits) != 1 || edited.Reason != "birth" {
		t.Fatalf("edited %+v, %v", edited, err)
	}
	hand(t, l, ledger.AppendMessagesRequest{Session: id, Messages: [][]byte{blocks,
		[]byte(`{"role":"assistant","content":"ok"}`), allowed}})
	shown := render(t, l, id)
	m, err := transcript.Decode(transcript.Anthropic, shown[0])
	if err != nil || len(m.Parts) != 2 || m.Parts[0].Text != ask {
		t.Fatalf("%v: the request was changed: %.200s", err, shown[0])
	}
	handle := log(t, l, id)[0].Handle()
	text := m.Parts[1].Text
	if !strings.HasPrefix(text, "first line of the log\nGET") || !strings.HasSuffix(text, "12 ms\npanic at the end") ||
		!strings.Contains(text, `read_artifact(id="`+handle+`", lines=`) || utf8.RuneCountInString(text) > 4_300 {
		t.Errorf("shown as\n%s", text)
	}
	if string(shown[2]) != string(allowed) {
		t.Error("a message of the allowed length was changed")
	}
	page, err := l.ReadArtifact(t.Context(),
		ledger.ReadArtifactRequest{ID: handle, Selection: artifacts.Selection{Grep: "panic at"}})
	if err != nil || !strings.Contains(page.Text, "panic at the end") {
		t.Errorf("read back: %q, %v", page.Text, err)
	}
	if again, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id}); err != nil || len(again.Edits) > 0 {
		t.Errorf("edited again: %+v, %v", again, err)
	}
}
