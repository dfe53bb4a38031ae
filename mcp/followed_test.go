package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/agents"
	"ctxledger.dev/ledger"
)

// ownedBy is a ledger whose owner says what it follows.
type ownedBy struct {
	Ledger
	info ledger.Info
}

func (o ownedBy) Info(ctx context.Context, r ledger.InfoRequest) (ledger.Info, error) {
	info, err := o.Ledger.Info(ctx, r)
	info.Following, info.Hosts, info.FollowOff, info.InProcess = o.info.Following, o.info.Hosts, o.info.FollowOff, false
	return info, err
}

// TestWhatIsNotFollowedIsNeverNone: changes and context_status say that nothing is known, and why, where nothing is
// followed, where the agent is not, where the chat is not recorded and where its file has not been read.
func TestWhatIsNotFollowedIsNeverNone(t *testing.T) {
	const host, told = "0b0e1f2a-1111-4222-8333-444455556666", "toolu_told"
	all := ledger.Info{Following: true, Hosts: agents.Hosts()}
	off := ledger.Info{FollowOff: "ctxledger.yaml:1 says follow: false"}
	const why = "session files are not followed here: ctxledger.yaml:1 says follow: false"
	for _, c := range []struct {
		name            string
		info            ledger.Info
		call            string // that the host sends with each of its calls
		changes, status string
	}{
		{"the setting", off, told, "no changes are known: " + why, ": nothing known about it, " + why},
		{"the setting, and an agent that does not say which chat it is", off, "", "no changes are known: " + why,
			"this chat is not recorded: " + why + ". Hand the conversation to compact_conversation"},
		{"an agent that does not say which chat it is", all, "",
			"no changes are known: this chat is not recorded",
			"this chat is not recorded: its host does not say which chat it is. Hand the conversation to compact_conversation"},
		{"an agent that is not followed", ledger.Info{Following: true, Hosts: []string{"codex"}}, told,
			"no changes are known: session files of claude-code are not followed",
			": nothing known about it, session files of claude-code are not followed"},
		{"before its file was read", all, told, "no changes recorded",
			": nothing known about it, its session file has not been read yet"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, nil)
			s, err := New(func(context.Context, []string) (Ledger, string, error) {
				return kept{ownedBy{f.local, c.info}}, "", nil
			}, f.o)
			if err != nil {
				t.Fatal(err)
			}
			r := ledger.BeginCallRequest{CallID: told, Tool: "mcp__ctxledger__changes", Args: json.RawMessage(`{}`),
				LiveSession: ledger.LiveSession{Host: "claude-code", HostID: host, Dir: shopRoot}}
			_, err = f.local.BeginCall(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			agent := connect(t, s, "tester")
			for tool, want := range map[string]string{"changes": c.changes, "context_status": c.status} {
				var r proto.CallToolRequest
				r.Params.Name = tool
				r.Params.Meta = proto.NewMetaFromMap(map[string]any{"claudecode/toolUseId": c.call})
				got, err := agent.CallTool(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				if text := textOf(t, got); !strings.Contains(text, want) || strings.Contains(text, "≈0") {
					t.Errorf("%s: %q, want %q", tool, text, want)
				}
			}
		})
	}
}
