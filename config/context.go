package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/window"
)

// policies reads the values of the keys context and agents: how much of a conversation a model is to see, and
// what is otherwise for single agents. What a later document says holds over all that earlier ones say.
func policies(c *Config, parsers []*parser) {
	base := window.Default()
	names := map[string]bool{}
	agents := make([]map[string]yamldoc.Field, len(parsers))
	for i, p := range parsers {
		agents[i] = p.agentsByName()
		for name := range agents[i] {
			names[name] = true
		}
		if p.everybody(c, &base) {
			c.Policy, c.shown.policy = &base, base
			p.originate("context")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		for i, p := range parsers {
			p.entry("agents."+name, agents[i][name])
		}
		own := window.Default()
		for i, p := range parsers {
			p.everybody(c, &own)
			if f := agents[i][name]; f.Key != "" {
				a := p.agent(f, &own)
				p.together(c, own)
				p.excluded(c, a)
				p.given(c, a)
			}
		}
		if c.Agents == nil {
			c.Agents = map[string]window.Policy{}
		}
		c.Agents[name] = own
	}
}

// everybody reads what a document says for all agents over what w has, and reports whether it says anything. The keys
// of other programs come first.
func (p *parser) everybody(c *Config, w *window.Policy) bool {
	clear(p.set) // of others
	said := false
	for _, section := range []struct {
		key   string
		value yamldoc.Field
	}{{"compaction", p.parts.compaction}, {"context_budget", p.parts.contextBudget}, {"context", p.parts.context}} {
		if section.value.Key == "" {
			continue
		}
		said = true
		p.mapping(section.value, Find(topRules(), section.key).Rules, "", &target{policy: w, parts: &p.parts})
		if section.key == "compaction" {
			p.budget(w)
		}
	}
	if said {
		p.together(c, *w)
		p.excluded(c, agentText{})
	}
	return said
}

// budget reads fuseraft's budget of mode window, which is also when a compaction is due there.
func (p *parser) budget(w *window.Policy) {
	f, n := p.parts.tokenBudget, w.Compact.Effective
	rule := Rule{Code: "CFG305"}
	ofView := settings.Mode(w.Compact.Mode).OfView()
	if ofView {
		rule.Least = 1
	}
	switch {
	case f.Key == "", !p.whole(f, &n), !p.inRange(f, f.Key, &rule, n):
	case !ofView:
		p.at(f, Note, "CFG600", f.Key+" is ignored: it is the budget of mode window")
	default:
		w.Compact.Effective = n
	}
}

// maxAgents is how many agents a file can list: each has a policy of its own, and a person writes a few.
const maxAgents = 200

// agentsByName returns the entries of the list of agents by their names in lower case, those of coding agents by their
// one name.
func (p *parser) agentsByName() map[string]yamldoc.Field {
	list := p.parts.agents
	if list.Key == "" {
		return nil
	}
	items, err := list.Items()
	if err != nil {
		p.wrong(list, "CFG005", err)
		return nil
	}
	if len(items) > maxAgents {
		p.wrongValue(list, "CFG006", fmt.Sprintf("agents: %d exceed the limit of %d", len(items), maxAgents))
		return nil
	}
	out := make(map[string]yamldoc.Field, len(items))
	for _, item := range items {
		scratch := window.Default()
		a := p.agent(item, &scratch)
		name := agentname.Key(a.name)
		for _, known := range append(a.knownAs, a.name) {
			p.names[agentname.Key(known)] = true
		}
		if strings.TrimSpace(name) == "" {
			p.wrongValue(item, "CFG101", "agents: one has no name")
			continue
		}
		if _, again := out[name]; again {
			p.wrongValue(item, "CFG101", "agents: \""+short(name)+"\" is listed twice")
			continue
		}
		out[name] = item
	}
	return out
}

// short returns the beginning of a name for a message.
func short(name string) string { return string([]rune(name)[:min(200, len([]rune(name)))]) }

// agent reads what is otherwise for one agent into w, and returns how it is written.
func (p *parser) agent(f yamldoc.Field, w *window.Policy) agentText {
	var a agentText
	t := &target{policy: w, agent: &a}
	clear(p.set) // of others
	p.mapping(f, rulesAt("agents"), "", t)
	if a.view.Key != "" {
		p.mapping(a.view, contextRules(), "", t)
	}
	return a
}
