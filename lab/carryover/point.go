package carryover

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/intents"
	"ctxledger.dev/transcript"
)

const (
	laterCalls  = 200 // tool calls after a compaction that are looked at
	lastRequest = 10  // messages of the user that are looked at
)

// Message is one message of the main conversation.
type Message struct {
	transcript.Message
	// Request says that a person wrote it, as far as the host shows.
	Request bool
}

// Point is what one compaction has to keep: facts of the messages before it and after it.
type Point struct {
	need, hard set
	files      []*file
	commands   []*command
	requests   []string // the last ten, oldest first

	ranked []string // identifiers known before, often and recently said ones first
	before string   // everything said before, in order
	calls  int      // after it, at most laterCalls
}

// file is a file that was changed before.
type file struct {
	path  string // two segments
	names set    // identifiers in the bodies of its edits
}

// NewPoint collects what a compaction between before and after has to keep. dir is the directory in which the
// session ran: a file directly in it is identified by its name alone. "" if it is unknown.
func NewPoint(dir string, before, after []Message) *Point {
	p := &Point{need: set{}, hard: set{}}
	b := newPast(dir)
	for i := range before {
		b.take(&before[i])
	}
	p.files, p.commands = b.changed, b.commands
	p.requests = b.requests[max(0, len(b.requests)-lastRequest):]
	p.ranked, p.before = b.rank(), b.said.String()
	p.follow(after, newText(p.before))
	return p
}

// Calls returns how many tool calls after the compaction were looked at, at most 200.
func (p *Point) Calls() int { return p.calls }

// follow collects what the later calls need.
func (p *Point) follow(after []Message, known *text) {
	again := set{}
	for i := range after {
		for _, part := range after[i].Parts {
			switch part.Kind {
			case transcript.KindResult:
				again.add(identifiers(part.Text)...)
			case transcript.KindText:
				if after[i].Role == transcript.RoleUser {
					again.add(identifiers(part.Text)...)
				}
			case transcript.KindCall:
				if p.calls++; p.calls > laterCalls {
					p.calls = laterCalls
					return
				}
				p.use(part, known, again)
			}
		}
	}
}

// use takes one later call into account. again is what was said again since the compaction.
func (p *Point) use(call transcript.Part, known *text, again set) {
	args, body := arguments(call)
	for _, id := range identifiers(args) {
		if !known.names(id) {
			continue
		}
		p.need.add(id)
		if !again[id] {
			p.hard.add(id)
		}
	}
	for _, id := range identifiers(body) {
		if known.names(id) {
			p.need.add(id)
		}
	}
	// What an agent has used once is in its view from then on.
	again.add(identifiers(args)...)
	again.add(identifiers(body)...)
}

// arguments returns the texts in the arguments of a call, and apart from them those that are the body of
// an edit.
func arguments(call transcript.Part) (args, body string) {
	m := intents.Classify(call.Name, call.Args)
	all := strings.Join(stringsIn(call.Args), "\n")
	if m.Op == intents.OpWrite || m.Op == intents.OpPatch {
		return m.Target, all
	}
	return all, ""
}

// stringsIn returns the strings of a JSON value, those of members in the order of their names.
func stringsIn(raw json.RawMessage) []string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return appendStrings(nil, v)
}

// options are arguments whose values are words of the tool itself: a summary need not keep them.
var options = map[string]bool{
	"status": true, "type": true, "mode": true, "output_mode": true, "subagent_type": true, "model": true,
}

func appendStrings(out []string, v any) []string {
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, e := range v {
			out = appendStrings(out, e)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if !options[k] {
				out = appendStrings(out, v[k])
			}
		}
	}
	return out
}
