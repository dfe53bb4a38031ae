package claudecode

import (
	"encoding/json"

	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// maxStandIn bounds what is counted of a text in the place of a result, in bytes: Claude Code shows 2,000 of a filed one.
const maxStandIn = 16 << 10

// takenOut returns the results that a record says Claude Code has taken out of its context: old ones (2.1.328 attaches
// tool_results_cut; earlier versions wrote boundaries), and those that it filed because they were too large together.
func (l *line) takenOut() (out []sessions.Cleared) {
	var said struct {
		Metadata struct {
			CompactedToolIDs []string
		} `json:"microcompactMetadata"`
		Attachment struct {
			CallIDs []string
			StandIn string
		}
		Replacements []struct{ ToolUseID, Replacement string }
	}
	if json.Unmarshal(l.text, &said) != nil {
		return nil
	}
	take := func(call, text string) {
		if call != "" {
			n := tokens.O200kBase.CountString(text[:min(len(text), maxStandIn)])
			out = append(out, sessions.Cleared{Call: call, Tokens: n})
		}
	}
	for _, call := range said.Metadata.CompactedToolIDs {
		take(call, transcript.Cleared)
	}
	for _, call := range said.Attachment.CallIDs {
		take(call, said.Attachment.StandIn)
	}
	for _, r := range said.Replacements {
		take(r.ToolUseID, r.Replacement)
	}
	return out
}
