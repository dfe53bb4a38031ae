package hooks

import (
	"bytes"
	"encoding/json"
	"strings"
)

// specific is the part of an answer that depends on the event.
type specific struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision,omitempty"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
	Context  string `json:"additionalContext,omitempty"`
	Output   any    `json:"updatedToolOutput,omitempty"`
}

// answer returns the JSON that a hook prints.
func answer(s specific) []byte {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if to.Encode(struct {
		Specific specific `json:"hookSpecificOutput"`
	}{s}) != nil {
		return nil // of values that can always be encoded
	}
	return b.Bytes()
}

// Context returns the output of SessionStart, SubagentStart or UserPromptSubmit that adds a text to the context.
func (e Event) Context(text string) []byte {
	if e.Name != SessionStart && e.Name != SubagentStart && e.Name != UserPromptSubmit || text == "" {
		return nil
	}
	return answer(specific{Event: e.Name, Context: text})
}

// Note returns the output of PreToolUse that adds a text to the context and lets the call run as it would.
func (e Event) Note(text string) []byte {
	if e.Name != PreToolUse || text == "" {
		return nil
	}
	return answer(specific{Event: PreToolUse, Context: text})
}

// Deny returns the output of PreToolUse that refuses the call. The model reads the reason.
func (e Event) Deny(reason string) []byte {
	if e.Name != PreToolUse {
		return nil
	}
	return answer(specific{Event: PreToolUse, Decision: "deny", Reason: reason})
}

// Allow returns the output of PreToolUse that lets the call run without asking. Rules of the person that deny it or ask
// count all the same.
func (e Event) Allow() []byte {
	if e.Name != PreToolUse {
		return nil
	}
	return answer(specific{Event: PreToolUse, Decision: "allow"})
}

// Instructions returns the output of PreCompact: plain text, which is added to what the host asks its model for. Claude
// Code takes a text that begins with a brace for JSON.
func (e Event) Instructions(text string) []byte {
	text = strings.TrimLeft(text, " \t\r\n{")
	if e.Name != PreCompact || text == "" {
		return nil
	}
	return []byte(strings.TrimRight(text, "\n") + "\n")
}
