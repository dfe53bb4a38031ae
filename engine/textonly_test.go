package engine_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// A view of texts alone has no trace of calls, results or reasoning, for any provider, and counts as little as
// it shows.
func TestAViewOfTextsAloneForEveryProvider(t *testing.T) {
	p := window.Default()
	p.TextOnly = true
	for _, provider := range providers {
		t.Run(provider.Name, func(t *testing.T) {
			l := open(t)
			lines := []string{"u go", "a think words +x1 +y1", "t x1=one y1=two", "a think +x2", "t x2=three",
				"a done", "u on", "a hm"}
			resp := hand(t, l, ledger.AppendMessagesRequest{Format: provider.Format,
				Messages: provider.Messages(lines...)})
			reader := ledger.Reader{Policy: &p}
			v, err := ledger.Messages(t.Context(), l, ledger.ViewRequest{Session: resp.Session, Reader: reader})
			if err != nil {
				t.Fatal(err)
			}
			var raws [][]byte
			counted := 0
			for _, m := range v.Messages {
				raws, counted = append(raws, m.JSON), counted+m.Tokens
				decoded, err := transcript.Decode(provider.Format, m.JSON)
				if err != nil {
					t.Fatal(err)
				}
				if slices.ContainsFunc(decoded.Parts,
					func(p transcript.Part) bool { return p.Kind != transcript.KindText }) {
					t.Errorf("%s", m.JSON)
				}
			}
			if err := transcript.Valid(provider.Format, raws); err != nil {
				t.Error(err)
			}
			texts := string(bytes.Join(raws, nil))
			for _, word := range []string{"go", "words", "done", "on", "hm"} {
				if !strings.Contains(texts, word) {
					t.Errorf("%q is gone: %s", word, texts)
				}
			}
			if len(raws) != 5 || counted > 5*len(raws)+5 {
				t.Errorf("%d messages of %d tokens: %s", len(raws), counted, texts)
			}
		})
	}
}

// What a command did to a file makes what was read of it untrue as well.
func TestAReadIsConsumedByACommandThatMovesTheFile(t *testing.T) {
	l := open(t)
	body := strings.Repeat("func secretName() int { return 42 }\n", 400)
	messages := say("look at a.go")
	messages = append(messages, round("c1", "Read", map[string]any{"file_path": "a.go"}, body)...)
	messages = append(messages, round("c2", "Read", map[string]any{"file_path": "b.go"}, body)...)
	messages = append(messages, round("c3", "Bash", map[string]any{"command": "mv a.go c.go"}, "")...)
	messages = append(messages, []byte(`{"role":"assistant","content":"done"}`))
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session
	made, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id, Reason: "manual"})
	if err != nil || len(made.Edits) != 1 || made.Edits[0].Pass != "consumed_read" || made.Edits[0].Call != "c1" {
		t.Errorf("%+v, %v", made, err)
	}
}
