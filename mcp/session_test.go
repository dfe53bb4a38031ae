package mcp

import (
	"strings"
	"testing"

	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// chatCall is a call that the recorded session of Claude Code makes.
const chatCall = "toolu_0195ff57f4318393ee3deb3f"

// TestACallBelongsToTheChatThatItsHostNames: and to no other, however many there are.
func TestACallBelongsToTheChatThatItsHostNames(t *testing.T) {
	f := newFixture(t, func(o *Options) {
		o.Env.Lookup = func(name string) string { // of a chat before this one
			return map[string]string{"CLAUDE_CODE_SESSION_ID": "stale"}[name]
		}
	})
	claude := f.shop(t)
	codex, err := f.local.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
		Import: "codex", Session: sessions.Session{Host: "codex", HostID: "0199-thread"}, Next: 1, Done: true,
		Entries: []sessions.NewEntry{{Kind: sessions.KindMessage, Time: f.o.Env.Now(), Format: "anthropic",
			Original: []byte(`{"role":"user","content":"hi"}`)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, f.Server, "tester")
	for _, tt := range []struct {
		name string
		meta map[string]any
		want string // session; "": none
	}{
		{"Claude Code", map[string]any{"claudecode/toolUseId": chatCall}, claude},
		{"Codex", map[string]any{"threadId": "0199-thread", "sessionId": "0199-other"}, codex.Session},
		{"an older Codex", map[string]any{"sessionId": "0199-thread"}, codex.Session},
		{"a call that is not recorded", map[string]any{"claudecode/toolUseId": "toolu_other"}, ""},
		{"a thread that is not recorded", map[string]any{"threadId": "0199"}, ""},
		{"a call that is not text", map[string]any{"claudecode/toolUseId": 7}, ""},
		{"a call without end", map[string]any{"claudecode/toolUseId": strings.Repeat(chatCall, 1000)}, ""},
		{"a host that says nothing", nil, ""},
	} {
		for _, tool := range []string{"context_status", "compact_conversation"} {
			var r proto.CallToolRequest
			r.Params.Name = tool
			if tt.meta != nil {
				r.Params.Meta = proto.NewMetaFromMap(tt.meta)
			}
			got, err := c.CallTool(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			text := textOf(t, got)
			if tt.want != "" {
				contains(t, text, "session "+tt.want)
				continue
			}
			contains(t, text, "this chat is not recorded", `"messages"`)
			if strings.Contains(text, claude) || strings.Contains(text, codex.Session) {
				t.Errorf("%s: %s names another chat's session: %s", tt.name, tool, text)
			}
		}
	}
	if all, err := f.local.Summaries(t.Context(), ledger.SummariesRequest{Session: claude}); err != nil ||
		len(all.Summaries) != 1 {
		t.Errorf("%d compactions of the session of one call, %v", len(all.Summaries), err)
	}
}
