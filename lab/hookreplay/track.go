package main

import (
	"encoding/json"
	"unicode/utf8"

	"ctxledger.dev/agents"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// track is a recorded session with what all replays need of it.
type track struct {
	agents.Recording
	items    []item // by entry
	requests []request
}

// item is one entry of the main conversation; the zero item for any other.
type item struct {
	message  bool
	role     transcript.Role
	parts    []part
	request  int             // index of the request that a part of an answer belongs to and begins, else -1
	response json.RawMessage // what hooks are told as the result
	summary  bool            // of the host's own compaction
}

// part is one part of a message.
type part struct {
	transcript.Part
	text   string // what the model reads or wrote of it
	tokens int
	chars  int
	named  []string
	words  map[string]bool
}

// request is one request to a model, as recorded.
type request struct {
	usage sessions.Usage
	model string
}

func (r request) input() int64 { return r.usage.Input + r.usage.CacheRead + r.usage.CacheWrite }

func newTrack(r agents.Recording) *track {
	t := &track{Recording: r, items: make([]item, len(r.Entries))}
	groups := map[string]int{}
	for i, e := range r.Entries {
		it := &t.items[i]
		it.request = -1
		for _, at := range r.Summaries {
			it.summary = it.summary || at == i
		}
		if e.Kind != sessions.KindMessage || e.Author != "" || e.Hidden && !it.summary {
			continue
		}
		m, err := transcript.Decode(e.Format, transcript.MessageIn(e.Format, e.Original, e.Message))
		if err != nil {
			continue
		}
		it.message, it.role = true, m.Role
		for _, p := range m.Parts {
			if p.Kind != transcript.KindReasoning {
				it.parts = append(it.parts, partOf(p))
			}
		}
		var line struct {
			Response json.RawMessage `json:"toolUseResult"`
		}
		if json.Unmarshal(e.Original, &line) == nil {
			it.response = line.Response
		}
		if m.Role != transcript.RoleAssistant || e.Model == "" {
			continue
		}
		at, known := groups[e.Group]
		if !known || e.Group == "" {
			at = len(t.requests)
			groups[e.Group] = at
			t.requests = append(t.requests, request{model: e.Model})
			it.request = at
		}
		if e.Usage != nil {
			t.requests[at].usage = t.requests[at].usage.Add(*e.Usage)
		}
	}
	return t
}

func partOf(p transcript.Part) part {
	out := part{Part: p, text: p.Text}
	if p.Kind == transcript.KindCall {
		out.text = string(p.Args)
	}
	out.tokens = tokens.O200kBase.CountString(out.text)
	out.chars = utf8.RuneCountInString(out.text)
	read := out.text
	if p.Kind == transcript.KindCall {
		read = plain(p.Args)
	}
	out.named, out.words = replay.Identifiers(read)
	return out
}

// plain returns the texts in arguments, without the escapes of JSON.
func plain(args json.RawMessage) string {
	var v any
	if json.Unmarshal(args, &v) != nil {
		return string(args)
	}
	var out string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out += v + "\n"
		case map[string]any:
			for _, one := range v {
				walk(one)
			}
		case []any:
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(v)
	return out
}
