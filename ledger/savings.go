package ledger

import (
	"fmt"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
)

// Savings is what hooks kept out of the requests of a session's main conversation, and what that took.
type Savings struct {
	Requests int      `json:"requests"` // that the provider measured
	Sent     int64    `json:"sent"`     // tokens of their input, cached or not, as measured
	Causes   []Saving `json:"causes"`   // most first; none: no result was replaced
	// ReadBack is what reading back has sent, with the whole of the requests that did nothing else.
	ReadBack tokens.Count `json:"read_back"`
	// Tools is what our tools took in the ToolRequests that are known to have carried them, if each had those of today; nil: not
	// known of any. These are all where the session began with them, else those since their first call.
	Tools        *tokens.Count `json:"tools,omitempty"`
	ToolRequests int           `json:"tool_requests,omitempty"`
	// Net is what was not sent less ReadBack and Tools, as far as it is known: below 0, more was sent.
	Net int `json:"net"`
	// Unknown is how many results a hook replaced before it was recorded how large they were. Net lacks them.
	Unknown int `json:"unknown_results,omitempty"`
}

// Saving is what was not sent for one cause, in all requests together.
type Saving struct {
	Cause   string       `json:"cause"`   // "repeated", "large", "terminal"
	Results int          `json:"results"` // that stubs stand for
	Tokens  tokens.Count `json:"tokens"`
}

// String says it in words.
func (s Savings) String() string {
	var b strings.Builder
	switch {
	case len(s.Causes) == 0 && s.Unknown > 0:
		return fmt.Sprintf("not known: %s replaced before sizes were recorded", chars.Plural(s.Unknown, "result"))
	case s.Requests == 0 && len(s.Causes) == 0:
		return "nothing yet: no request was measured"
	case s.Requests == 0:
		return "not known: no request was measured"
	case len(s.Causes) == 0:
		fmt.Fprintf(&b, "nothing yet in %s", chars.Plural(s.Requests, "request"))
	case s.Net < 0:
		fmt.Fprintf(&b, "nothing: %s more were sent in %s", chars.Tokens(-s.Net, false),
			chars.Plural(s.Requests, "request"))
	default:
		whole := s.Sent + int64(s.Net)
		fmt.Fprintf(&b, "%s, %.1f%% of the ≈%s that %s would have sent", chars.Tokens(s.Net, false),
			100*float64(s.Net)/float64(max(whole, 1)), chars.Commas(int(whole)), chars.Plural(s.Requests, "request"))
	}
	before := ": "
	for _, x := range s.Causes {
		fmt.Fprintf(&b, "%s%s %s", before, x.words(), x.Tokens)
		before = ", "
	}
	if s.ReadBack.N > 0 {
		fmt.Fprintf(&b, "; read back %s", s.ReadBack)
	}
	if s.Tools == nil && len(s.Causes) > 0 { // else nothing says that the session has them
		b.WriteString("; the tokens that ctxledger's tools took are not known")
	} else if s.Tools != nil && s.Tools.N > 0 {
		fmt.Fprintf(&b, "; ctxledger's tools took %s", s.Tools)
		if s.ToolRequests < s.Requests {
			fmt.Fprintf(&b, " in the %s since their first call", chars.Plural(s.ToolRequests, "request"))
		}
	}
	if s.Unknown > 0 {
		fmt.Fprintf(&b, "; without %s replaced before sizes were recorded", chars.Plural(s.Unknown, "result"))
	}
	return b.String()
}

// words names what was replaced.
func (s Saving) words() string {
	name := map[string]string{"repeated": "repeated result", "large": "large result",
		"terminal": "terminal output"}[s.Cause]
	if name == "" {
		name = s.Cause + " result"
	}
	return chars.Plural(s.Results, name)
}
