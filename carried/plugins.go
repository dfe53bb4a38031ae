package carried

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
)

// ofPlugin is the scope of what a plugin brings: an update of the plugin replaces it.
const ofPlugin = "plugin"

// plugin is one that the settings of Claude Code enable.
type plugin struct {
	id   string // name@marketplace
	name string // what the names of all that it brings begin with
	dir  string // where it is installed, or ought to be
	read bool   // it is there, and may be read
	// says is what its manifest and its entry in the marketplace say of it.
	says []document
}

// document is an object in a file.
type document struct {
	path string
	object
}

// plugins returns the plugins that are enabled.
func (f *finder) plugins(config string) (all []plugin) {
	installed := f.document(config, "plugins", "installed_plugins.json").member("plugins")
	markets := f.document(config, "plugins", "known_marketplaces.json")
	for _, id := range f.enabledPlugins(config) {
		name, market, _ := strings.Cut(id, "@")
		p := plugin{id: id, name: name, dir: f.installedAt(installed.member(id))}
		at := markets.member(market).string("installLocation")
		offered := f.document(at, ".claude-plugin", "marketplace.json")
		for _, e := range offered.member("plugins").elements() {
			if e.string("name") != name {
				continue
			}
			p.says = append(p.says, document{offered.path, e})
			if live := e.string("source"); live != "" && f.reader.exists(filepath.Join(at, filepath.FromSlash(live))) {
				p.dir = filepath.Join(at, filepath.FromSlash(live)) // what was installed is a copy of it
			}
		}
		if p.read = f.reader.exists(p.dir); p.read {
			manifest := f.document(p.dir, ".claude-plugin", "plugin.json")
			p.name, p.says = cmp.Or(manifest.string("name"), p.name), append(p.says, manifest)
		}
		all = append(all, p)
	}
	return all
}

// document returns the object that a file is.
func (f *finder) document(names ...string) document {
	path := filepath.Join(names...)
	top, _ := jsonObject(f.reader.read(path).text)
	return document{path, top}
}

// enabledPlugins returns the plugins that settings enable: those of the project come before those of the user, and a
// person's own of the project before them.
func (f *finder) enabledPlugins(config string) []string {
	on := map[string]bool{}
	for _, settings := range []document{f.document(config, "settings.json"),
		f.document(f.Root, ".claude", "settings.json"), f.document(f.Root, filepath.FromSlash(settingsOfClaude))} {
		for _, m := range settings.member("enabledPlugins").members() {
			on[m.name] = string(m.value.at.In(m.value.text)) != "false"
		}
	}
	maps.DeleteFunc(on, func(_ string, on bool) bool { return !on })
	return slices.Sorted(maps.Keys(on))
}

// installedAt returns where a plugin is installed for the workspace; "" if it is not.
func (f *finder) installedAt(entries object) (dir string) {
	for _, e := range entries.elements() {
		if project := e.string("projectPath"); project == "" || project == f.Root {
			dir = e.string("installPath")
		}
	}
	return dir
}

// skillsOf reads the skills and commands of a plugin.
func (f *finder) skillsOf(p plugin) (all []*skill) {
	all = f.commandsOf(p)
	how := claudeSkills
	how.from = 0 // a path may be that of one skill
	for _, path := range p.paths("skills", "skills") {
		all = append(all, f.skillsIn(path, how)...)
	}
	for _, s := range all {
		s.scope, s.prefix, s.name = ofPlugin, p.name+":", p.name+":"+s.name
		if s.m.text("description")+s.m.text("when_to_use") == "" {
			s.out = true
		}
	}
	return all
}

// commandsOf reads the commands of a plugin: its manifest has an object of them by their names, or paths.
func (f *finder) commandsOf(p plugin) (all []*skill) {
	if !p.read {
		return nil
	}
	for _, d := range p.says {
		for _, m := range d.member("commands").members() {
			from := &file{path: d.path, text: m.value.string("content")}
			if path := p.inside(m.value.string("source")); path != "" {
				from = f.reader.read(path)
			} else if from.text == "" {
				continue
			}
			all = append(all, claudeCommand(m.name, from, m.value.string("description")))
		}
	}
	for _, path := range instead(p.paths("commands", "commands"), len(all)) {
		all = append(all, f.claudeCommands(path)...)
	}
	return all
}

// instead returns the paths that a plugin names, its own one only if it names none, and no others by keys.
func instead(paths []string, others int) []string {
	if len(paths)+others > 1 {
		return paths[1:]
	}
	return paths
}

// bring returns what a plugin brings besides skills, commands and servers; that it cannot be read, where it cannot.
func (f *finder) bring(p plugin) (parts []Part) {
	if !p.read {
		part := f.listed(Plugin, p.id, p.dir, "", "", "")
		part.Unknown = true
		part.add(Unreadable, "it is enabled, but not in a directory that is read: its parts are unknown", Span{})
		parts = append(parts, part)
	} else {
		parts = append(f.claudeAgents(p.name+":", instead(p.paths("agents", "agents"), 0)...), f.hooksOf(p)...)
	}
	for i := range parts {
		parts[i].Scope = ofPlugin
	}
	return parts
}

// paths returns where a plugin has something: at its own place, and where it says.
func (p plugin) paths(own, what string) (all []string) {
	if !p.read {
		return nil
	}
	all = append(all, filepath.Join(p.dir, own))
	for _, d := range p.says {
		for _, named := range append(d.texts(what), d.string(what)) {
			if path := p.inside(named); path != "" && !slices.Contains(all, path) {
				all = append(all, path)
			}
		}
	}
	return all
}

// inside returns the path that a plugin names, "" for none and for one outside of it.
func (p plugin) inside(named string) string {
	path := filepath.Join(p.dir, filepath.FromSlash(named))
	if rel, err := filepath.Rel(p.dir, path); named == "" || err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return path
}

// tables returns the objects of a name that a plugin has: in what is said of it, each or several in a list, and in files.
// A file of servers may have them without the name.
func (f *finder) tables(p plugin, own, what string) (all []document) {
	for _, d := range p.says {
		value := d.member(what)
		for _, table := range append(value.elements(), value) {
			all = append(all, document{d.path, table})
		}
	}
	for _, path := range p.paths(own, what) {
		d := f.document(path)
		if table := d.member(what); table.text != nil || what != "mcpServers" {
			d.object = table
		}
		all = append(all, d)
	}
	return all
}

// serversOf returns the MCP servers of a plugin. Claude Code leaves out what cannot be started or reached.
func (f *finder) serversOf(p plugin) (parts []Part) {
	for _, d := range f.tables(p, ".mcp.json", "mcpServers") {
		for _, part := range f.serversIn(d.path, d.object) {
			if len(part.Config.Command) == 0 && part.Config.URL == "" {
				continue
			}
			part.Name, part.Scope = chars.Line("plugin:"+p.name+":"+part.Name), ofPlugin
			part.Config.replace("${CLAUDE_PLUGIN_ROOT}", p.dir)
			parts = append(parts, part)
		}
	}
	return parts
}

// hooksOf returns the hooks of a plugin: what they add to a request is known when they have run.
func (f *finder) hooksOf(p plugin) []Part {
	path, events := "", []string{}
	for _, d := range f.tables(p, filepath.Join("hooks", "hooks.json"), "hooks") {
		for _, m := range d.members() {
			path, events = d.path, append(events, chars.Line(m.name))
		}
	}
	if path == "" {
		return nil
	}
	slices.Sort(events)
	part := f.listed(Hook, p.name+": "+strings.Join(slices.Compact(events), ", "), path, "", "", "")
	part.Unknown = true
	return []Part{part}
}
