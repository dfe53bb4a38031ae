package config

import (
	"fmt"
	"slices"

	"ctxledger.dev/given/spec"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/yamldoc"
)

// sourceText is a source as it is written.
type sourceText struct {
	spec.Source
	source string
}

// sourceRules are the keys of a source of agents[].context.
func sourceRules() []Rule {
	return []Rule{
		{Key: "source", Kind: Text,
			Doc:  "where the text comes from: see [sources](given.md#sources)",
			into: func(t *target) any { return &t.source.source }},
		{Key: "max_chars", Kind: Count, Unit: "characters", Most: spec.MostChars, Default: "0",
			Doc:  "limit for the text; 0: 4,000, or 8,000 for `own_history`",
			into: func(t *target) any { return &t.source.MaxChars }},
		{Key: "label", Kind: Text, Doc: "its heading; default: depends on the source",
			into: func(t *target) any { return &t.source.Label }},
	}
}

// given takes what an agent is given, which a later document replaces.
func (p *parser) given(c *Config, a agentText) {
	if a.context.Key == "" && a.knownAs == nil && !a.skipState {
		return
	}
	i := slices.IndexFunc(c.Given.Agents, func(o spec.Agent) bool { return c.Given.Same(o.Name, a.name) })
	if i < 0 {
		i = len(c.Given.Agents)
		c.Given.Agents = append(c.Given.Agents, spec.Agent{})
	}
	agent := &c.Given.Agents[i]
	agent.Name = a.name
	if a.knownAs != nil {
		agent.KnownAs = a.knownAs
	}
	agent.SkipState = agent.SkipState || a.skipState
	if a.context.Key != "" {
		agent.Context = p.sources(a.context, false)
	}
}

// sources reads a list of sources: of a handoff, or else of an agent.
func (p *parser) sources(list yamldoc.Field, handoff bool) (out []spec.Source) {
	items, err := list.Items()
	p.wrong(list, "CFG005", err)
	if len(items) > spec.MaxSources {
		p.wrongValue(list, "CFG006", fmt.Sprintf("%.200s: %d sources exceed the limit of %d", list.Key, len(items),
			spec.MaxSources))
		return nil
	}
	for _, item := range items {
		s := sourceText{}
		p.mapping(item, rulesAt("agents.context"), "", &target{source: &s})
		at, written := p.set["source"]
		if delete(p.set, "source"); !written {
			at = item
		}
		if spec.Elsewhere(s.source) {
			p.warn(at, Note, "CFG600", fmt.Sprintf("source %.100q is ignored: %s", s.source, notYet))
			continue
		}
		parsed, err := spec.Parse(s.source)
		if err != nil {
			p.wrong(at, codeOf(parsed), err)
			continue
		}
		parsed.MaxChars, parsed.Label = s.MaxChars, s.Label
		p.source1(at, parsed, out, handoff)
		out = append(out, parsed)
	}
	return out
}

// codeOf returns the code of what is wrong with a source that cannot be parsed.
func codeOf(s spec.Source) string {
	switch s.Kind {
	case spec.File:
		return "CFG209"
	case spec.BriefField, spec.ChangesRecent, spec.OwnHistory:
		return "CFG208"
	}
	return "CFG206"
}

// token matches a placeholder in a path, such as {session_id}.
var token = pattern.Lazy(`\{[^{}]*\}`)

// source1 warns of a source that gives nothing, or again what others before it give.
func (p *parser) source1(at yamldoc.Field, s spec.Source, before []spec.Source, handoff bool) {
	same := func(o spec.Source) bool { return o.String() == s.String() }
	own := s.Kind == spec.OwnHistory
	switch {
	case own && handoff:
		p.warn(at, Warning, "CFG207", "own_history is left out of a handoff: it is what another agent said").
			Hint = "remove it, or hand over what the agent noted: session_context"
	case slices.ContainsFunc(before, same):
		p.warn(at, Warning, "CFG210", fmt.Sprintf("source %.100q is listed twice", s)).Hint = "remove one"
	case own && slices.ContainsFunc(before, func(o spec.Source) bool { return o.Kind == spec.OwnHistory }):
		p.warn(at, Warning, "CFG210", "own_history is listed twice: the last one counts").Hint = "remove one"
	}
	for _, t := range token().FindAllString(s.Param, -1) {
		if s.Kind == spec.File && t != sessionToken {
			p.warn(at, Warning, "CFG010", fmt.Sprintf("%.100q is not replaced, and no file of that name is likely", t)).
				Hint = "only " + sessionToken + " is replaced"
		}
	}
}

// sessionToken is the placeholder for the session id in a path.
const sessionToken = "{session_id}"

// handoffs reads, of fuseraft's state machine, which agent hands its work to which, and what it gives it.
func (p *parser) handoffs(selection yamldoc.Field) (out spec.Spec) {
	type transition struct {
		from string
		to   string
		list yamldoc.Field
	}
	var all []transition
	agents := map[string]string{} // by the state
	machine := p.member(selection, "state_machine")
	ignored := p.hasMore(selection, "state_machine") || p.hasMore(machine, "states")
	for _, state := range p.below(p.member(machine, "states")) {
		ignored = ignored || p.hasMore(state, "agent", "transitions")
		agent := p.text(p.member(state, "agent"))
		if agents[fold(state.Key)] = agent; agent != "" {
			out.States = append(out.States, agent)
		}
		list := p.member(state, "transitions")
		for _, item := range p.items(list) {
			ignored = ignored || p.hasMore(item, "to", "handoff_context")
			if given := p.member(item, "handoff_context"); given.Key != "" {
				all = append(all, transition{agent, fold(p.text(p.member(item, "to"))), given})
			}
		}
	}
	for _, t := range all {
		h := spec.Handoff{From: t.from, To: agents[t.to], Sources: p.sources(t.list, true)}
		if h.To == "" || h.From == "" {
			p.at(t.list, Warning, "CFG403",
				"the transition leads from or to a state without an agent: nothing is handed over").
				Hint = "give both states an agent"
			continue
		}
		out.Handoffs = append(out.Handoffs, h)
	}
	if len(out.States) == 0 {
		p.at(selection, Note, "CFG600", selection.Key+" is ignored: "+other)
	} else if ignored {
		p.at(selection, Note, "CFG600", selection.Key+": only the agents of states and handoff_context have an effect; the rest "+
			"is about running agents, which ctxledger does not do")
	}
	return out
}

// below returns the members of a mapping; what is none has none, and is a problem.
func (p *parser) below(f yamldoc.Field) []yamldoc.Field {
	if f.Key == "" {
		return nil
	}
	fields, err := f.Fields()
	p.wrong(f, "CFG005", err)
	return fields
}

// hasMore reports whether a mapping has members besides those of the given keys.
func (p *parser) hasMore(f yamldoc.Field, keys ...string) bool {
	return slices.ContainsFunc(p.below(f), func(m yamldoc.Field) bool {
		return !slices.ContainsFunc(keys, func(key string) bool { return fold(key) == fold(m.Key) })
	})
}

// member returns a member of a mapping, the zero field if there is none.
func (p *parser) member(f yamldoc.Field, key string) yamldoc.Field {
	for _, m := range p.below(f) {
		if fold(m.Key) == fold(key) {
			return m
		}
	}
	return yamldoc.Field{}
}

// items returns the items of a list, as below does the members of a mapping.
func (p *parser) items(f yamldoc.Field) []yamldoc.Field {
	if f.Key == "" {
		return nil
	}
	items, err := f.Items()
	p.wrong(f, "CFG005", err)
	return items
}

// text returns a text.
func (p *parser) text(f yamldoc.Field) (s string) {
	if f.Key != "" {
		p.decode(f, &s)
	}
	return s
}
