package carried

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/confedit"
	"ctxledger.dev/internal/jsonspan"
)

// mcpFile is a configuration with MCP servers: a JSON object, in which the member of a name is an object with a member
// for each server.
type mcpFile struct {
	path   string
	member string
}

// maxServers is how many servers of one file are named.
const maxServers = 200

// servers returns the MCP servers of some configurations. Nothing is shown of a server but its name: the rest may hold
// secrets.
func (f *finder) servers(files ...mcpFile) (parts []Part) {
	for _, c := range files {
		if c.path == "" {
			continue
		}
		read := f.reader.read(c.path)
		if read.absent {
			continue
		}
		if read.reason != "" {
			parts = append(parts, f.unread(Server, f.nameOf(c.path), read))
			continue
		}
		top, ok := jsonObject(read.text)
		if !ok {
			parts = append(parts, f.unread(Server, f.nameOf(c.path), &file{path: read.path, reason: "it is not JSON"}))
			continue
		}
		parts = append(parts, f.serversIn(read.path, top.member(c.member), c.member)...)
	}
	return parts
}

// serversIn returns the servers that are the members of an object, which is at a path of members in its file.
func (f *finder) serversIn(path string, of object, at ...string) (parts []Part) {
	for _, m := range of.members() {
		if len(parts) >= maxServers {
			break
		}
		p := f.server(path, m.name, m.at, m.value.isFalse("enabled") || m.value.isTrue("disabled"))
		p.Config, p.entry = serverConfig(m.value), append(slices.Clip(at), m.name)
		parts = append(parts, p)
	}
	return parts
}

// server returns one server. What it adds is known only once it runs.
func (f *finder) server(path, name string, at Span, disabled bool) Part {
	p := f.listed(Server, chars.Short(chars.Line(name), maxSkillName), path, "", "", "")
	p.At, p.Unknown = at, !disabled
	p.Config = &ServerConfig{Problem: "its configuration is TOML: only server names are read from it"}
	if disabled {
		p.When = "it is enabled"
	}
	return p
}

// claudeOwn returns the file in which Claude Code keeps what it knows of all workspaces.
func (f *finder) claudeOwn() *file {
	own := f.home(".claude.json")
	if dir := f.Env.Lookup("CLAUDE_CONFIG_DIR"); dir != "" {
		own = filepath.Join(f.agent.dir(f.Env), ".claude.json")
	}
	f.reader.allow(own)
	return f.reader.read(own)
}

// claudeState returns what it knows of the present one.
func (f *finder) claudeState() object {
	top, _ := jsonObject(f.claudeOwn().text)
	return top.member("projects").member(f.Root)
}

// claudeServers returns the servers of Claude Code: of the project, of the user, of the user for this project, and of plugins.
func (f *finder) claudeServers(plugins []plugin) (parts []Part) {
	own := f.claudeOwn()
	var off []string
	if top, ok := jsonObject(own.text); ok {
		here := top.member("projects").member(f.Root)
		parts = append(parts, f.serversIn(own.path, top.member("mcpServers"), "mcpServers")...)
		parts = append(parts, f.serversIn(own.path, here.member("mcpServers"), "projects", f.Root, "mcpServers")...)
		off = append(off, here.texts("disabledMcpServers")...)
		off = append(off, here.texts("disabledMcpjsonServers")...)
	}
	for _, settings := range []string{f.below(".claude", "settings.json"), f.below(".claude", "settings.local.json")} {
		if top, ok := jsonObject(f.reader.read(settings).text); ok {
			off = append(off, top.texts("disabledMcpjsonServers")...)
		}
	}
	parts = append(parts, f.servers(mcpFile{f.below(".mcp.json"), "mcpServers"})...)
	for _, p := range plugins {
		parts = append(parts, f.serversOf(p)...)
	}
	for i := range parts {
		p := &parts[i]
		same := func(other Part) bool { return other.Config.same(p.Config) }
		switch {
		case slices.Contains(off, p.Name):
			p.Unknown, p.When = false, "it is enabled"
		case p.Scope == ofPlugin && slices.ContainsFunc(parts[:i], same):
			p.Unknown = false
			p.add(Shadowed, "not used: another server has the same command or url", p.At)
		}
	}
	return parts
}

// codexServers returns the servers of Codex: tables in TOML.
func (f *finder) codexServers(home string) (parts []Part) {
	const holder = "mcp_servers"
	for _, path := range []string{filepath.Join(home, "config.toml"), f.below(".codex", "config.toml")} {
		text := f.reader.read(path).text
		tables, err := confedit.Tables([]byte(text), []string{holder})
		if err != nil {
			parts = append(parts, f.unread(Server, f.nameOf(path), &file{path: path, reason: "it is not TOML"}))
		}
		for name, table := range tables {
			p := f.server(path, name, Span{}, table["enabled"] == false)
			p.entry = []string{holder, name}
			lines := strings.SplitAfter(text, "\n")
			if n := confedit.TableLine([]byte(text), p.entry); n > 0 {
				p.At.From = len(strings.Join(lines[:n-1], ""))
				p.At.To = p.At.From + len(strings.TrimRight(lines[n-1], "\r\n"))
			}
			parts = append(parts, p)
		}
	}
	slices.SortStableFunc(parts, func(a, b Part) int {
		return cmp.Or(-strings.Compare(a.Scope, b.Scope), cmp.Compare(a.At.From, b.At.From))
	})
	return parts[:min(len(parts), maxServers)]
}

// object is a JSON object in a text whose comments are blanked.
type object struct {
	text []byte
	at   jsonspan.Span
}

// jsonObject returns the object that a text is, if it is one. Comments and commas behind the last element are allowed,
// as in the configurations of editors.
func jsonObject(text string) (object, bool) {
	raw := []byte(text)
	at, err := jsonspan.Whole(raw, jsonspan.MaxDepth)
	if err != nil {
		raw, _ = confedit.Plain(raw) // with comments, perhaps
		at, err = jsonspan.Whole(raw, jsonspan.MaxDepth)
	}
	if err != nil || raw[at.From] != '{' {
		return object{}, false
	}
	return object{raw, at}, true
}

// aMember is a member of an object.
type aMember struct {
	name  string
	at    Span // of the name
	value object
}

func (o object) members() (out []aMember) {
	if o.text == nil || o.text[o.at.From] != '{' {
		return nil
	}
	for name, value := range jsonspan.At(o.text, o.at, jsonspan.MaxDepth).Members {
		out = append(out, aMember{jsonspan.Unquote(name.In(o.text)), Span{name.From, name.To}, object{o.text, value}})
	}
	return out
}

// member returns the value of the last member of a name, which may be anything.
func (o object) member(name string) (value object) {
	for _, m := range o.members() {
		if m.name == name {
			value = m.value
		}
	}
	return value
}

func (o object) is(name, value string) bool {
	v := o.member(name)
	return v.text != nil && string(v.at.In(v.text)) == value
}

func (o object) isTrue(name string) bool  { return o.is(name, "true") }
func (o object) isFalse(name string) bool { return o.is(name, "false") }

// elements returns the elements of a list.
func (o object) elements() (out []object) {
	if o.text == nil || o.text[o.at.From] != '[' {
		return nil
	}
	for e := range jsonspan.At(o.text, o.at, jsonspan.MaxDepth).Elements {
		out = append(out, object{o.text, e})
	}
	return out
}

// texts returns the texts of the list that a member is.
func (o object) texts(name string) (out []string) {
	for _, e := range o.member(name).elements() {
		if raw := e.at.In(e.text); raw[0] == '"' {
			out = append(out, jsonspan.Unquote(raw))
		}
	}
	return out
}
