package mcp

import (
	"strings"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// secret is a token that no rule can miss; in parts, so that no scanner takes this file for a leak.
var secret = "ghp_" + strings.Repeat("Ab1x", 9)

// leaks fails the test when a secret is in a text that leaves.
func leaks(t *testing.T, exit, text string) {
	t.Helper()
	if strings.Contains(text, secret) {
		t.Errorf("%s: the secret leaves: %s", exit, text)
	}
	if !strings.Contains(text, "[masked:github-token:") {
		t.Errorf("%s: nothing says that something was masked: %s", exit, text)
	}
}

// told records a conversation in which the secret is said.
func (f *fixture) told(t *testing.T) string {
	t.Helper()
	r, err := f.local.AppendMessages(t.Context(), ledger.AppendMessagesRequest{
		Format: transcript.Anthropic,
		Messages: [][]byte{
			transcript.NewMessage(transcript.Anthropic, transcript.RoleUser, "deploy with "+secret+" please"),
			transcript.NewMessage(transcript.Anthropic, transcript.RoleAssistant, "deployed"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.Session
}

func TestNoSecretLeavesThroughTheHandoff(t *testing.T) {
	f := newFixture(t, nil)
	session := f.told(t)
	c := connect(t, f.Server, "tester")
	text, err := resume(t, c, map[string]string{"session": session})
	if err != nil {
		t.Fatal(err)
	}
	leaks(t, "resume", text)
}

func TestTheSameAgentGetsItsExactBytes(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	page, _ := do[pageResult](t, c, "read_artifact", args{"id": f.told(t)})
	contains(t, page.Text, secret)
}

func TestNoSecretLeavesThroughTheMemoryTool(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	_, text := do[memoryResult](t, c, "memory", args{"action": "save", "name": "deploy", "body": "use " + secret})
	contains(t, text, "note: 1 secret values were masked")
	_, text = do[memoryResult](t, c, "memory", args{"action": "get", "name": "deploy"})
	leaks(t, "memory get", text)
}

func TestNoSecretLeavesThroughErrors(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	leaks(t, "a tool's error", refused(t, c, "memory", args{"action": "get", "name": secret}))
	if _, err := resume(t, c, map[string]string{secret: "x"}); err != nil {
		leaks(t, "a prompt's error", err.Error())
	}
}
