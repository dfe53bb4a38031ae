package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// request is what the server reads of a Messages request. Everything else is ignored.
type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	Stream    bool      `json:"stream"`
	Messages  []message `json:"messages"`
	Tools     []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

// message is a message whose content is a string or a list of blocks.
type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// text returns the text of the message: the string, or its text blocks one after the other.
func (m message) text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(m.Content, &blocks) != nil {
		return ""
	}
	var b strings.Builder
	for _, block := range blocks {
		if block.Type == "text" {
			b.WriteString(block.Text)
		}
	}
	return b.String()
}

// lastUser returns the text of the last user message, or "".
func (r *request) lastUser() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "user" {
			return r.Messages[i].text()
		}
	}
	return ""
}

// compactionPrompt is how Claude Code's request for a summary begins.
const compactionPrompt = "CRITICAL: Respond with TEXT ONLY"

// sideAnswer returns the text for a request that is not the next one of the main conversation,
// and whether it is such a request. The main conversation is the only one that offers tools and
// allows tokens for an answer.
func (r *request) sideAnswer(subagent bool) (string, bool) {
	switch {
	case strings.HasPrefix(strings.TrimSpace(r.lastUser()), compactionPrompt):
		return "<analysis>The scripted model read the conversation.</analysis>" +
			"<summary>The work so far is summarised here by the scripted model.</summary>", true
	case r.MaxTokens == 1:
		return "#", true
	case len(r.Tools) == 0:
		return "A scripted session", true
	case subagent:
		return "The subagent has nothing to add.", true
	default:
		return "", false
	}
}

// tool returns the offered name for a call's tool: itself, or the one name that ends in it.
func (r *request) tool(name string) (string, error) {
	ending := regexp.MustCompile(`(?i)(^|__|_)` + regexp.QuoteMeta(name) + `$`)
	var found []string
	for _, offered := range r.Tools {
		if offered.Name == name {
			return name, nil
		}
		if ending.MatchString(offered.Name) {
			found = append(found, offered.Name)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("the script calls %s, which matches %d of the %d tools offered", name,
			len(found), len(r.Tools))
	}
	return found[0], nil
}
