package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// threeResults is a message of Anthropic's format with the results of three calls, and words behind them.
const threeResults = `{"role":"user","content":[` +
	`{"type":"tool_result","tool_use_id":"c1","content":"first\nsecond line\nthird"},` +
	`{"type":"tool_result","tool_use_id":"c2","content":[{"type":"text","text":"{\"items\":[{\"name\":\"shoe\"}]}"},` +
	`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},` +
	`{"type":"tool_result","tool_use_id":"c3","content":"{\"items\":[{\"name\":\"hat\"}]}"},` +
	`{"type":"text","text":"Go on."}]}`

// threeCalls is the message that makes the calls.
const threeCalls = `{"role":"assistant","content":[{"type":"text","text":"I look."},` +
	`{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"ls\nls -l","timeout":5}},` +
	`{"type":"tool_use","id":"c2","name":"Shop","input":{}},{"type":"tool_use","id":"c3","name":"Shop","input":{}}]}`

// Messages and results read back as the text that a model saw, and raw as the bytes that came.
func TestMessagesReadBackAsText(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: [][]byte{
		[]byte(`{"role":"user","content":"Look at the shop."}`), []byte(threeCalls), []byte(threeResults),
	}}).Session
	entries := log(t, l, id)
	call, results := entries[1].Handle(), entries[2].Handle()
	for name, c := range map[string]struct {
		id   string
		s    artifacts.Selection
		raw  bool
		want string
	}{
		"a message": {id: entries[0].Handle(), want: "Look at the shop."},
		"its bytes": {id: entries[0].Handle(), raw: true, want: `{"role":"user","content":"Look at the shop."}`},
		"calls": {id: call,
			want: "I look.\n\ncall Bash\ncommand:\nls\nls -l\ntimeout: 5\n\ncall Shop\n\n\ncall Shop\n"},
		"a line of a result":  {id: results + ".1", s: artifacts.Selection{Lines: "2"}, want: "second line\n"},
		"grep in a result":    {id: results + ".1", s: artifacts.Selection{Grep: "^th"}, want: "3:third\n"},
		"with an image":       {id: results + ".2", want: "{\"items\":[{\"name\":\"shoe\"}]}\n[1 attachment]"},
		"a path in a result":  {id: results + ".3", s: artifacts.Selection{JSONPath: "$.items[0].name"}, want: "hat"},
		"bytes of a result":   {id: results + ".3", raw: true, want: threeResults},
		"all of the message":  {id: results, s: artifacts.Selection{Tail: 1}, want: "Go on."},
		"by the whole of ids": {id: entries[0].ID, want: "Look at the shop."},
	} {
		t.Run(name, func(t *testing.T) {
			page, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: c.id, Raw: c.raw, Selection: c.s})
			ok := page.Text == c.want || c.s.JSONPath != "" && strings.Contains(page.Text, c.want)
			if err != nil || !ok || page.ID != c.id {
				t.Errorf("%q, %v; want %q", page.Text, err, c.want)
			}
		})
	}
	for _, wrong := range []string{".4", ".0", ".01", ".x", "."} {
		if _, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: results + wrong}); !fault.Is(err,
			fault.NotFound) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// Two results of one message are cleared with a handle each.
func TestResultsOfOneMessageHaveTheirOwnHandles(t *testing.T) {
	l := open(t)
	messages := say("look")
	for i := range 10 {
		messages = append(messages, []byte(fmt.Sprintf(`{"role":"assistant","content":[`+
			`{"type":"tool_use","id":"a%d","name":"Grep","input":{"pattern":"a%[1]d"}},`+
			`{"type":"tool_use","id":"b%[1]d","name":"Grep","input":{"pattern":"b%[1]d"}}]}`, i)),
			[]byte(fmt.Sprintf(`{"role":"user","content":[`+
				`{"type":"tool_result","tool_use_id":"a%d","content":"a%[1]d%[2]s"},`+
				`{"type":"tool_result","tool_use_id":"b%[1]d","content":"b%[1]d%[2]s"}]}`, i, strings.Repeat(" word", 3500))))
	}
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: append(messages,
		[]byte(`{"role":"assistant","content":"done"}`))}).Session
	if _, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id, Reason: "manual"}); err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, m := range render(t, l, id) {
		for _, rest := range strings.Split(string(m), `[cleared: Grep(`)[1:] {
			name, _, _ := strings.Cut(rest, ")")
			_, handle, _ := strings.Cut(rest, `read_artifact(id=\"`)
			handle, _, _ = strings.Cut(handle, `\"`)
			page, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: handle})
			if read++; err != nil || !strings.HasPrefix(page.Text, name+" word word") {
				t.Errorf("%s: handle %s reads %.40q, %v", name, handle, page.Text, err)
			}
		}
	}
	if read < 8 {
		t.Errorf("%d results were cleared: the case is gone", read)
	}
}

// A host that records each block of an answer by itself gives each an id: the first reads the whole answer.
func TestAnAnswerInSeveralRecordsReadsAsOne(t *testing.T) {
	l := open(t)
	block := func(host, content string) sessions.NewEntry {
		raw := []byte(`{"role":"assistant","content":[` + content + `]}`)
		return sessions.NewEntry{Kind: sessions.KindMessage, HostID: host, Group: "m1", Format: transcript.Anthropic,
			Original: raw}
	}
	id := imported(t, l, 0,
		sessions.NewEntry{Kind: sessions.KindMessage, HostID: "u1", Format: transcript.Anthropic,
			Original: []byte(`{"role":"user","content":"Look."}`)},
		block("a1", `{"type":"text","text":"I look."}`),
		block("a2", `{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"ls"}}`),
	)
	entries := log(t, l, id)
	for i, want := range []string{"Look.", "I look.\n\ncall Bash\ncommand: ls", "call Bash\ncommand: ls"} {
		page, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: entries[i].Handle()})
		if err != nil || page.Text != want {
			t.Errorf("%d: %q, %v; want %q", i, page.Text, err, want)
		}
	}
}

// A session that has read a file twice, and looked it up since: grep shows its newest text first, and what was read back of it
// last. What does not fit is read by the call that the page names.
func TestGrepOfASessionShowsTheNewestTextFirst(t *testing.T) {
	l := open(t)
	old, now := "func Price() int { return 1 } // "+strings.Repeat("old ", 20), "func Price() int { return 2 }"
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: append(append(append(say("look"),
		round("c1", "Read", map[string]any{"path": "price.go", "offset": 10, "limit": 5}, old)...),
		round("c2", "Read", map[string]any{"path": "price.go"}, now)...),
		round("c3", "mcp__ctxledger__read_artifact", map[string]any{"id": "x"}, "3:"+now+" // copied")...)}).Session
	asked := ledger.ReadArtifactRequest{ID: id, Selection: artifacts.Selection{Grep: `func Price\(`, Limit: 300}}
	page, err := l.ReadArtifact(t.Context(), asked)
	if err != nil || page.Range != "newest first: 2 of 3 matches" || page.Next == nil {
		t.Fatalf("%+v, %v", page, err)
	}
	asked.Selection = *page.Next
	rest, err := l.ReadArtifact(t.Context(), asked)
	if err != nil || rest.Range != "newest first: matches 3-3 of 3" {
		t.Errorf("%+v, %v", rest, err)
	}
	at := -1
	for _, want := range []string{"return 2 }\n", "Read limit: 5 offset: 10 path: price.go]", "// old", "// copied"} {
		next := strings.Index(page.Text+rest.Text, want)
		if next <= at {
			t.Errorf("%q is missing, or at a wrong place:\n%s\nnext page:\n%s", want, page.Text, rest.Text)
		}
		at = next
	}
}
