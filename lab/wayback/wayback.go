// Package wayback makes homes of Claude Code in which hooks show stubs: the agent is offered read_artifact, and the person
// agreed that it may call it. It is for programs and tests that hand events to hooks without a Claude Code.
package wayback

import (
	"os"
	"path/filepath"
)

// Server is a program that the person agreed to, where none has to be there.
const Server = "/opt/ctxmcp"

// Make writes into a home what Claude Code has there with a server of ours, and returns the path of the session file, for
// the transcript_path of events.
func Make(home, server string) (sessionFile string, err error) {
	servers := `{"mcpServers":{"ctxledger":{"command":"` + server + `","args":[]}}}`
	sessionFile = filepath.Join(home, ".claude", "projects", "-shop", "main.jsonl")
	for path, text := range map[string]string{
		filepath.Join(home, ".claude.json"):            servers,
		filepath.Join(home, ".claude", ".claude.json"): servers, // where CLAUDE_CONFIG_DIR says so
		sessionFile: `{"type":"api-request-shape","shapeHash":"5a","shape":{"tools":` +
			`[{"name":"mcp__ctxledger__read_artifact"}]}}` + "\n" + `{"type":"api-request","shapeHash":"5a"}` + "\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	return sessionFile, nil
}
