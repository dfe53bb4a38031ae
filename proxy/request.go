package proxy

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// maxName bounds the name of an item, in bytes.
const maxName = 200

// request is what the body of a request says.
type request struct {
	model    string
	cacheKey string   // that the agent gives to its conversation; "": none
	previous string   // the answer that it goes on from, where the provider keeps the conversation; "": none
	items    []item   // in the order in which the provider caches them
	raws     [][]byte // the messages, which are the last of items
}

// item is a part of a request that the provider's cache compares.
type item struct {
	ledger.RequestItem
	server string // of a tool: see serverOf
	raw    []byte
}

// holds says what the members of a request hold.
var holds = map[string]string{
	"tools":  ledger.ItemTool,
	"system": ledger.ItemSystem, "instructions": ledger.ItemSystem, "systemInstruction": ledger.ItemSystem,
	"system_instruction": ledger.ItemSystem,
	"messages":           ledger.ItemMessage, "input": ledger.ItemMessage, "contents": ledger.ItemMessage,
}

// request returns what a request for an answer says. at is its path. Errors: invalid for what is not JSON.
func (d *dialect) request(at string, body []byte) (*request, error) {
	r := &request{model: modelAt(at)}
	if len(body) == 0 { // the provider could not be reached, and nobody read it
		return r, nil
	}
	var tools, system []item
	w := jsonspan.New(body, jsonspan.MaxDepth)
	for name, v := range w.Members {
		value := v.In(body)
		switch key := jsonspan.Unquote(name.In(body)); holds[key] {
		case ledger.ItemTool:
			for _, raw := range elements(value) {
				tools = d.tool(tools, raw)
			}
		case ledger.ItemSystem:
			for _, raw := range elements(value) {
				if text := member(raw, "text"); !strings.HasPrefix(text, billing) {
					system = append(system, d.item(ledger.ItemSystem, "", raw))
				}
			}
		case ledger.ItemMessage:
			for _, raw := range elements(value) {
				if len(raw) > 0 && raw[0] == '"' { // the responses API takes a text for a message of the user
					raw = fmt.Appendf(nil, `{"role":"user","content":%s}`, raw)
				}
				r.raws = append(r.raws, raw)
			}
		default:
			switch key {
			case "model":
				r.model = jsonspan.Unquote(value)
			case "prompt_cache_key":
				r.cacheKey = jsonspan.Unquote(value)
			case "previous_response_id":
				r.previous = jsonspan.Unquote(value)
			}
		}
	}
	if err := w.Err(); err != nil {
		return nil, fault.New(fault.Invalid, "proxy.request", "the body of the request: %s", err)
	}
	r.items = slices.Concat(tools, system)
	for _, raw := range r.raws {
		r.items = append(r.items, d.item(ledger.ItemMessage, roleOf(raw), raw))
	}
	return r, nil
}

// modelAt returns the model that a path names; "": none.
func modelAt(at string) (model string) {
	if name, _, found := strings.Cut(path.Base(at), ":"); found {
		model, _ = url.PathUnescape(name)
	}
	return model
}

// head is how many items come before the messages.
func (r *request) head() int { return len(r.items) - len(r.raws) }

// hasTools reports whether the model can call tools.
func (r *request) hasTools() bool { return len(r.items) > 0 && r.items[0].Kind == ledger.ItemTool }

// messages are the last of the items.
func (r *request) messages() []item { return r.items[r.head():] }

// billing begins the part of Claude Code's system prompt that the provider takes out, and no cache has.
const billing = "x-anthropic-billing-header"

// elements returns what an array holds, else the one value; nothing for null.
func elements(value []byte) (out [][]byte) {
	switch {
	case string(value) == "null":
	case len(value) > 0 && value[0] == '[':
		for v := range jsonspan.New(value, jsonspan.MaxDepth).Elements {
			out = append(out, v.In(value))
		}
	default:
		out = append(out, value)
	}
	return out
}

// member returns a text that an object has; "": none.
func member(object []byte, name string) string {
	if value := inside(object, name); len(value) > 0 && value[0] == '"' {
		return jsonspan.Unquote(value)
	}
	return ""
}

// inside returns a member of an object; nil: none.
func inside(object []byte, name string) []byte {
	if len(object) == 0 || object[0] != '{' {
		return nil
	}
	for n, v := range jsonspan.New(object, jsonspan.MaxDepth).Members {
		if jsonspan.Unquote(n.In(object)) == name {
			return v.In(object)
		}
	}
	return nil
}

// roleOf returns the role of a message, or the type of an item of the responses API.
func roleOf(raw []byte) string {
	if role := member(raw, "role"); role != "" {
		return chars.Cut(role, maxName)
	}
	return chars.Cut(member(raw, "type"), maxName)
}

// tool adds the definition of a tool, or those of several.
func (d *dialect) tool(tools []item, raw []byte) []item {
	if all := inside(raw, "functionDeclarations"); all != nil {
		for _, one := range elements(all) {
			tools = d.tool(tools, one)
		}
		return tools
	}
	if string(inside(raw, "defer_loading")) == "true" { // the model does not see it before it asks for it
		return tools
	}
	name := member(raw, "name")
	if name == "" {
		name = member(inside(raw, "function"), "name")
	}
	if name == "" {
		name = member(raw, "type") // that the provider runs
	}
	one := d.item(ledger.ItemTool, chars.Cut(name, maxName), raw)
	one.server = serverOf(name)
	return append(tools, one)
}

// serverOf returns the MCP server that a tool is named after, as Claude Code ("mcp__db__query"), Codex ("mcp__db") and
// Gemini CLI ("mcp_db_query") name them; "": the tool is the agent's own.
func serverOf(tool string) string {
	rest, found := strings.CutPrefix(tool, "mcp__")
	by := "__"
	if !found {
		if rest, found = strings.CutPrefix(tool, "mcp_"); !found {
			return ""
		}
		by = "_"
	}
	server, _, _ := strings.Cut(rest, by)
	return server
}

// item describes a part of a request. Its tokens are counted where it turns out to be new.
func (d *dialect) item(kind, name string, raw []byte) item {
	digest, err := sessions.ValueDigest(d.format, raw)
	if err != nil { // too deep, or what no format has
		digest = sessions.Digest(raw)
	}
	return item{raw: raw, RequestItem: ledger.RequestItem{Kind: kind, Name: name, Digest: digest[:16], Bytes: len(raw)}}
}

// text returns what a model reads of an item.
func (d *dialect) text(i item) string {
	if i.Kind == ledger.ItemMessage {
		if m, err := transcript.Decode(d.format, i.raw); err == nil {
			return transcript.FullText(m)
		}
	}
	return string(i.raw)
}
