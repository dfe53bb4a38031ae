package compaction

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/intents"
)

// resumeHead begins the message with which a view ends if a compaction removed the routing signal. Orchestrators read it.
const resumeHead = "[Resume: pre-compaction routing signal from "

// routingChars bounds the keyword of a routing signal.
const routingChars = 200

// resumed returns the message with which the view ends after a compaction: the keyword by which the last handoff call routes
// the conversation. "": there is none, or what stays verbatim has it.
func resumed(in *Input, o Options, cut int) (string, error) {
	if o.NoRouting || o.Whole {
		return "", nil
	}
	at, keyword, err := lastSignal(in)
	if err != nil || keyword == "" || at >= cut {
		return "", err
	}
	for i := range in.Items[cut:] {
		text, err := in.textOf(&in.Items[cut+i])
		if err != nil || strings.Contains(text, keyword) {
			return "", err
		}
	}
	return resumeHead + agentOf(in.mask(in.Items[at].Author)) + "]\n" + layout.OneLine(keyword, routingChars), nil
}

// lastSignal returns the keyword of the last handoff call that did not fail, and the item that makes it.
func lastSignal(in *Input) (at int, keyword string, err error) {
	failed := map[string]bool{}
	for at := len(in.Items) - 1; at >= 0; at-- {
		it := &in.Items[at]
		for _, r := range it.Results {
			failed[r.CallID] = r.Failed
		}
		for _, c := range slices.Backward(it.Calls) {
			if intents.PlainName(c.Name) != "handoff" || failed[c.ID] {
				continue
			}
			args, err := in.argsOf(it, c.ID)
			if keyword := routedBy(args); err != nil || keyword != "" {
				return at, keyword, err
			}
		}
	}
	return 0, "", nil
}

// routedBy returns the keyword of a handoff call; "": it hands over without one, as ours does.
func routedBy(args json.RawMessage) string {
	var said struct {
		Route   string `json:"route_keyword"`
		Camel   string `json:"routeKeyword"`
		Keyword string `json:"keyword"`
	}
	_ = json.Unmarshal(args, &said) // what is no object has none
	return strings.TrimSpace(cmp.Or(said.Route, said.Camel, said.Keyword))
}
