package carried

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/internal/pattern"
)

// An Edit replaces bytes of a file.
type Edit struct {
	At   Span
	Text string
}

// A Switch is a way to have an agent no longer use an MCP server.
type Switch struct {
	Title string
	Path  string // of the file to edit, which may not exist yet
	Edits []Edit // in its text, in their order
}

// settingsOfClaude is the file with a person's own settings of a project, which is not checked in.
const settingsOfClaude = ".claude/settings.local.json"

// SwitchOff returns the ways to switch off a server that stands at p.At in its configuration: the form that its agent has
// for it, or else removing the entry. No byte is changed that is no part of it. text returns a file as it is now, "" for one
// that is not there, and whether it can be edited.
func SwitchOff(root string, p Part, text func(path string) (string, bool)) (out []Switch) {
	source, ok := text(p.Path)
	if p.Kind != Server || p.Scope == ofPlugin || !ok {
		return nil
	}
	if p.agent.disable != nil {
		if edits := p.agent.disable(source, p.At); edits != nil {
			out = append(out, Switch{"Disable " + p.Name, p.Path, edits})
		}
		return out
	}
	of, n := holder(source, p.At)
	if n < 0 {
		return nil
	}
	if p.agent.rejects && p.Path == filepath.Join(root, ".mcp.json") {
		path := filepath.Join(root, filepath.FromSlash(settingsOfClaude))
		if edits, ok := rejecting(path, p.Name, text); ok {
			out = append(out, Switch{"Disable " + p.Name + " for you, in " + settingsOfClaude, path, edits})
		}
	}
	return append(out, Switch{"Remove " + p.Name + " from " + filepath.Base(p.Path), p.Path, of.without(source, n)})
}

// jsonSwitch returns edits that switch off the server whose name is at a span, for an agent that reads "enabled".
func jsonSwitch(source string, at Span) []Edit {
	of, n := holder(source, at)
	if n < 0 {
		return nil
	}
	edits, _ := of.members()[n].value.set(source, "enabled", "false")
	return edits
}

// rejecting returns edits of a person's settings after which Claude Code no longer uses a server of .mcp.json.
func rejecting(path, server string, text func(string) (string, bool)) ([]Edit, bool) {
	const list = "disabledMcpjsonServers"
	source, ok := text(path)
	name, err := json.Marshal(server)
	if !ok || err != nil {
		return nil, false
	}
	if strings.TrimSpace(source) == "" {
		whole := "{\n  \"" + list + "\": [" + string(name) + "]\n}\n"
		return []Edit{{Span{0, len(source)}, whole}}, true
	}
	top, ok := jsonObject(source)
	if !ok {
		return nil, false
	}
	v := top.member(list)
	if v.text == nil {
		return top.set(source, list, "["+string(name)+"]")
	}
	if v.text[v.at.From] != '[' {
		return nil, false
	}
	at := v.at.From + 1
	for first := range jsonspan.At(v.text, v.at, jsonspan.MaxDepth).Elements {
		return []Edit{{Span{first.From, first.From}, string(name) + "," + gap(source, at, first.From)}}, true
	}
	return []Edit{{Span{at, at}, string(name)}}, true
}

// holder returns the object in a text that has a member whose name is at a span, and which of its members that is; -1: none
// has.
func holder(source string, at Span) (object, int) {
	o, _ := jsonObject(source)
	for depth := 0; depth < jsonspan.MaxDepth; depth++ {
		within := object{}
		for i, m := range o.members() {
			if m.at == at {
				return o, i
			}
			if m.value.at.From <= at.From && at.To <= m.value.at.To {
				within = m.value
			}
		}
		if o = within; o.text == nil {
			break
		}
	}
	return o, -1
}

// set returns edits that give a member of an object a value, false if it is not an object.
func (o object) set(source, name, value string) ([]Edit, bool) {
	if o.text == nil || o.text[o.at.From] != '{' {
		return nil, false
	}
	if v := o.member(name); v.text != nil {
		return []Edit{{Span{v.at.From, v.at.To}, value}}, true
	}
	at, added := o.at.From+1, `"`+name+`": `+value
	if all := o.members(); len(all) > 0 {
		first := all[0].at.From
		return []Edit{{Span{first, first}, added + "," + gap(source, at, first)}}, true
	}
	return []Edit{{Span{at, at}, added}}, true
}

// without returns edits that remove a member of an object, and the comma that it no longer needs.
func (o object) without(source string, n int) []Edit {
	all := o.members()
	m := all[n]
	from, to := m.at.From, m.value.at.To
	if comma := commaAt(source, to); comma >= 0 {
		to = comma + 1
		if n+1 < len(all) {
			to += len(source[to:]) - len(strings.TrimLeft(source[to:], " \t\r\n"))
		}
		return []Edit{{Span{from, to}, ""}}
	}
	if n == 0 {
		return []Edit{{Span{from, to}, ""}}
	}
	comma := commaAt(source, all[n-1].value.at.To)
	if strings.TrimSpace(source[comma+1:from]) == "" {
		return []Edit{{Span{comma, to}, ""}}
	}
	return []Edit{{Span{comma, comma + 1}, ""}, {Span{from, to}, ""}} // a comment between them stays
}

// commaAt returns where the comma is that follows, behind white space and comments; -1: none does.
func commaAt(source string, from int) int {
	text := []byte(source)
	for i := from; i < len(text); {
		switch text[i] {
		case ',':
			return i
		case ' ', '\t', '\r', '\n':
			i++
		case '/':
			i = tokenEnd(text, i)
		default:
			return -1
		}
	}
	return -1
}

// gap returns the white space between two places, to be repeated between others: a space, unless lines end there.
func gap(source string, from, to int) string {
	space := source[from:to]
	if strings.TrimSpace(space) == "" && strings.Contains(space, "\n") {
		return space
	}
	return " "
}

// tomlOn matches a line that enables a server.
var tomlOn = pattern.Lazy(`^\s*enabled\s*=\s*(true)\b`)

// tomlSwitch returns edits that switch off the server whose table has its head at a span. It gives up where a text
// of several lines could look like what it searches.
func tomlSwitch(source string, head Span) []Edit {
	if head.To > len(source) || head.From > head.To || !tomlTable().MatchString(source[head.From:head.To]) {
		return nil
	}
	at, first := head.From, true
	behind := []Edit{{Span{head.To, head.To}, "\nenabled = false"}}
	for line := range strings.Lines(source[head.From:]) {
		switch {
		case first:
			if strings.HasSuffix(line, "\r\n") {
				behind[0].Text = "\r\nenabled = false"
			}
		case tomlAny().MatchString(line):
			return behind
		case strings.Contains(line, `"""`) || strings.Contains(line, `'''`):
			return nil
		}
		if m := tomlOn().FindStringSubmatchIndex(line); m != nil {
			return []Edit{{Span{at + m[2], at + m[3]}, "false"}}
		}
		at, first = at+len(line), false
	}
	return behind
}
