package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// count is what a request has of each kind, in tokens of o200k_base.
type count struct {
	system  int // the system prompt
	tools   int // the list of tools, as JSON
	calls   int // names and arguments
	results int // of calls
	words   int // everything else in messages: the user's and the model's words, and what the agent or a hook adds
}

func (c count) sum() int { return c.system + c.tools + c.calls + c.results + c.words }

// add returns the sum of two counts; minus, their difference.
func (c count) add(b count) count {
	return count{c.system + b.system, c.tools + b.tools, c.calls + b.calls, c.results + b.results, c.words + b.words}
}

func (c count) minus(b count) count {
	return count{c.system - b.system, c.tools - b.tools, c.calls - b.calls, c.results - b.results, c.words - b.words}
}

// request is one request of the main conversation.
type request struct {
	count
	listed  map[string]int // tokens of each tool, by its name
	body    string
	results []string // of the step before
}

// run is what reached the model in one session.
type run struct {
	steps  []request
	asides []count        // requests beside the conversation: for a title, for example
	said   ledger.Savings // what status says of the session
}

// runOf counts the requests that a model has had.
func runOf(log []model.Exchange) (r run, err error) {
	for _, x := range log {
		if x.Err != nil {
			return r, x.Err
		}
		n, err := counted(x.Body)
		if err != nil {
			return r, err
		}
		if x.Step < 0 {
			r.asides = append(r.asides, n)
			continue
		}
		listed, err := toolsOf(x.Body)
		if err != nil {
			return r, err
		}
		r.steps = append(r.steps, request{count: n, listed: listed, body: string(x.Body), results: x.Results})
	}
	if len(r.steps) == 0 {
		return r, fmt.Errorf("the model was not asked")
	}
	return r, nil
}

// total adds up what a session sent.
func (r run) total() (n count) {
	for _, s := range r.steps {
		n = n.add(s.count)
	}
	for _, a := range r.asides {
		n = n.add(a)
	}
	return n
}

// block is a part of a message or of the system prompt.
type block struct {
	Type, Text, Name string
	Input, Content   json.RawMessage
}

// blocksOf returns the blocks of content, which is a text or a list.
func blocksOf(raw json.RawMessage) (blocks []block, err error) {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return []block{{Type: "text", Text: text}}, nil
	}
	return blocks, json.Unmarshal(raw, &blocks)
}

// textOf returns the texts of content, joined.
func textOf(raw json.RawMessage) (string, error) {
	blocks, err := blocksOf(raw)
	var texts []string
	for _, b := range blocks {
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, "\n"), err
}

// body is what is counted of a request of the Messages API.
type body struct {
	System, Tools json.RawMessage
	Messages      []struct{ Content json.RawMessage }
}

// counted counts a request, each text alone.
func counted(raw []byte) (n count, err error) {
	var r body
	if err := json.Unmarshal(raw, &r); err != nil {
		return n, err
	}
	system, err := textOf(r.System)
	if err != nil {
		return n, err
	}
	n.system, n.tools = size(system), size(string(r.Tools))
	for _, m := range r.Messages {
		blocks, err := blocksOf(m.Content)
		if err != nil {
			return n, err
		}
		for _, b := range blocks {
			switch b.Type {
			case "tool_use":
				n.calls += size(b.Name + string(b.Input))
			case "tool_result":
				text, err := textOf(b.Content)
				if err != nil {
					return n, err
				}
				n.results += size(text)
			default:
				n.words += size(b.Text)
			}
		}
	}
	return n, nil
}

func size(text string) int { return tokens.O200kBase.CountString(text) }

// toolsOf returns the tokens of each tool that a request lists.
func toolsOf(raw []byte) (map[string]int, error) {
	var r body
	var tools []json.RawMessage
	err := json.Unmarshal(raw, &r)
	if err == nil && len(r.Tools) > 0 {
		err = json.Unmarshal(r.Tools, &tools)
	}
	listed := map[string]int{}
	for _, one := range tools {
		var t struct{ Name string }
		if err == nil {
			err = json.Unmarshal(one, &t)
		}
		listed[t.Name] = size(string(one))
	}
	return listed, err
}

// pair is a session without and with ctxledger.
type pair struct {
	name          string
	without, with run
}

// own are the names of the tools that only the session with ctxledger lists: ours, and the agent's own because of us.
func (p pair) own() (ours, agents []string) {
	before := p.without.steps[0].listed
	for _, name := range slices.Sorted(maps.Keys(p.with.steps[0].listed)) {
		_, there := before[name]
		switch {
		case there:
		case strings.HasPrefix(name, "mcp__ctxledger__"):
			ours = append(ours, name)
		default:
			agents = append(agents, name)
		}
	}
	return ours, agents
}

// listed returns the tokens of some tools in one request, and in all.
func (r run) listed(names []string) (one, all int) {
	for i, s := range r.steps {
		for _, name := range names {
			all += s.listed[name]
			if i == 0 {
				one += s.listed[name]
			}
		}
	}
	return one, all
}

var (
	handle = regexp.MustCompile(`(?m)^\s*(\d+\t)?Artifact: [0-9a-f]{12}`)
	named  = regexp.MustCompile(`[A-Za-z0-9_-]{8,}`)
)

// stubs returns how many results of calls are stubs, of how many.
func (r run) stubs() (n, of int) {
	for _, s := range r.steps {
		for _, result := range s.results {
			if of++; handle.MatchString(result) {
				n++
			}
		}
	}
	return n, of
}

// needs returns the steps whose calls name something that the model had read without ctxledger and has not with it: it is
// in the original of a stub alone.
func (p pair) needs() (steps []int) {
	for i := range min(len(p.with.steps), len(p.without.steps)) - 1 {
		calls := callsOf(p.without.steps[i+1].body)
		if slices.ContainsFunc(named.FindAllString(calls, -1), func(name string) bool {
			return strings.Contains(p.without.steps[i].body, name) && !strings.Contains(p.with.steps[i].body, name)
		}) {
			steps = append(steps, i)
		}
	}
	return steps
}

// callsOf returns the arguments of the calls in the last answer that a request has.
func callsOf(raw string) (arguments string) {
	var r struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if json.Unmarshal([]byte(raw), &r) != nil {
		return ""
	}
	for _, m := range slices.Backward(r.Messages) {
		if m.Role != "assistant" {
			continue
		}
		blocks, err := blocksOf(m.Content)
		for _, b := range blocks {
			arguments += string(b.Input)
		}
		if err == nil {
			return arguments
		}
	}
	return arguments
}
