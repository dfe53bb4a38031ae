package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// request is what the server reads of a request, whatever its dialect.
type request struct {
	Session string   // the agent's name of the conversation, or ""
	Helper  string   // the agent's name of the subagent that asks, or ""
	Model   string   // the model that is asked for
	Stream  bool     // the answer is to come as server-sent events
	Tools   []tool   // what the model may call
	Results []string // the results of the calls of the step before, as the model reads them
	Aside   string   // the answer, if this is not the next request of the main conversation; "": it is
}

// tool is a tool that a request offers. Space is the namespace that a call has to name with it, or "".
type tool struct{ Name, Space string }

// title answers requests without tools, which ask for the title of a conversation.
const title = "A scripted session"

// tool returns the offered tool for a call's: the one of this name, or the one whose name ends in it.
func (r *request) tool(name string) (tool, error) {
	ending := regexp.MustCompile(`(?i)(^|__|_)` + regexp.QuoteMeta(name) + `$`)
	var found []tool
	for _, offered := range r.Tools {
		if offered.Name == name {
			return offered, nil
		}
		if ending.MatchString(offered.Name) {
			found = append(found, offered)
		}
	}
	if len(found) != 1 {
		return tool{}, fmt.Errorf("the script calls %s, which matches %d of the %d tools offered", name,
			len(found), len(r.Tools))
	}
	return found[0], nil
}

// textOf returns the text of content in any dialect: a string, or a list of parts, whose texts are joined.
func textOf(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Text)
	}
	return b.String()
}
