package config

import (
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/window"
)

// policies reads the values of the keys context and agents: how much of a conversation a model is to see, and
// what is otherwise for single agents. What a later document says holds over all that earlier ones say.
func policies(c *Config, parsers []*parser) error {
	base := window.Default()
	names := map[string]bool{}
	agents := make([]map[string]yamldoc.Field, len(parsers))
	for i, p := range parsers {
		var err error
		if agents[i], err = p.agentsByName(); err != nil {
			return err
		}
		for name := range agents[i] {
			names[name] = true
		}
		if p.context.Key == "" {
			continue
		}
		if err := p.policy(p.context, &base); err != nil {
			return err
		}
		c.Policy = &base
	}
	for name := range names {
		own := window.Default()
		for i, p := range parsers {
			if err := p.policyOf(agents[i][name], &own); err != nil {
				return err
			}
		}
		if c.Agents == nil {
			c.Agents = map[string]window.Policy{}
		}
		c.Agents[name] = own
	}
	return nil
}

// policyOf reads what a document says for everybody, and then for one agent (which may be nothing), over what w has.
func (p *parser) policyOf(agent yamldoc.Field, w *window.Policy) error {
	if p.context.Key != "" {
		if err := p.policy(p.context, w); err != nil {
			return err
		}
	}
	if agent.Key == "" {
		return nil
	}
	_, err := p.agent(agent, w)
	return err
}

// agentsByName returns the entries of the list of agents by their names in lower case.
func (p *parser) agentsByName() (map[string]yamldoc.Field, error) {
	if p.agents.Key == "" {
		return nil, nil
	}
	items, err := p.agents.Items()
	if err != nil {
		return nil, err
	}
	out := make(map[string]yamldoc.Field, len(items))
	for _, item := range items {
		scratch := window.Default()
		name, err := p.agent(item, &scratch)
		if err != nil {
			return nil, err
		}
		name = strings.ToLower(name)
		if _, again := out[name]; again {
			return nil, at(item, fault.New(fault.Invalid, "", "agents: %.1000q is listed twice", name))
		}
		out[name] = item
	}
	return out, nil
}

// agent reads what is otherwise for one agent into w.
func (p *parser) agent(f yamldoc.Field, w *window.Policy) (name string, err error) {
	var view yamldoc.Field
	err = p.each(f, map[string]any{
		"name": &name, "contextwindow": &view, "maxinturntoolpairs": &w.ToolPairs,
		"maxinturncontexttokens": &w.InTurnTokens,
	})
	switch {
	case err != nil:
		return name, err
	case strings.TrimSpace(name) == "":
		return name, at(f, fault.New(fault.Invalid, "", "agents: one has no name"))
	case view.Key != "":
		return name, p.policy(view, w)
	}
	return name, at(f, w.Check())
}

// policy reads the value of the key context, or of an agent's context_window, over what w has.
func (p *parser) policy(f yamldoc.Field, w *window.Policy) error {
	if sets(f, "threshold") { // who sets one does not want it undercut
		w.Compact.Effective, w.Compact.Idle, w.Compact.Gain = 0, 0, 0
	}
	var clear, arguments, tools, keep yamldoc.Field
	recovers := !w.Compact.NoRecovery
	err := p.each(f, map[string]any{
		"textonly": &w.TextOnly, "excludeagents": &w.ExcludeAgents, "maxturnage": &w.Turns,
		"maxtailmessages":    &w.Messages,
		"contextcapfraction": &w.CapFraction, "exact": &w.Exact,
		"maxtoolresultchars": &w.ResultChars, "toolresultcharoverrides": &tools, "maxreplaychars": &w.ReplayChars,
		"batchchars": &w.BatchChars, "oldwords": &w.OldWords, "readonlytools": &w.ReadOnly,
		"maxinturntoolpairs": &w.ToolPairs, "maxinturncontexttokens": &w.InTurnTokens,
		"maxtoolresulttokens": &w.Evict.MaxTokens, "inturntoolwindow": &w.Evict.Window,
		"threshold": &w.Compact.Fraction, "reserve": &w.Compact.Reserve, "effectivewindow": &w.Compact.Effective,
		"idle": &w.Compact.Idle, "gain": &w.Compact.Gain,
		"compactturns": &w.Compact.Turns, "maxturninputtokens": &w.Compact.SingleTurn, "warnat": &w.Compact.WarnAt,
		"cutoverat":        &w.Compact.CutoverAt,
		"antithrashwindow": &w.Compact.ThrashWindow, "antithrashratio": &w.Compact.ThrashRatio,
		"mode": &w.Compact.Mode, "recoverfromoverflow": &recovers,
		"clear": &clear, "arguments": &arguments, "keep": &keep,
	})
	w.Compact.NoRecovery = !recovers
	if err == nil && clear.Key != "" {
		err = p.each(clear, map[string]any{
			"trigger": &w.Clear.Trigger, "keep": &w.Clear.Keep, "atleast": &w.Clear.AtLeast,
			"exclude": &w.Clear.Exclude, "only": &w.Clear.Only, "inputs": &w.Clear.Inputs,
		})
	}
	if err == nil && keep.Key != "" {
		err = p.each(keep, map[string]any{
			"turns": &w.Keep.Turns, "tokens": &w.Keep.Tokens, "messages": &w.Keep.Messages,
		})
	}
	if err == nil && arguments.Key != "" {
		err = p.each(arguments, map[string]any{"trigger": &w.Arguments.Trigger, "keep": &w.Arguments.Keep,
			"over": &w.Arguments.Over, "tools": &w.Arguments.Tools})
	}
	if err == nil && tools.Key != "" {
		w.ResultCharsOf, err = byTool(tools)
	}
	if err == nil {
		err = at(f, w.Check())
	}
	return err
}

// sets reports whether a mapping has a key, in its folded form.
func sets(mapping yamldoc.Field, key string) bool {
	fields, err := mapping.Fields()
	return err == nil && slices.ContainsFunc(fields, func(f yamldoc.Field) bool { return fold(f.Key) == key })
}

// byTool reads a bound for each of some tools.
func byTool(f yamldoc.Field) (map[string]int, error) {
	fields, err := f.Fields()
	if err != nil {
		return nil, err
	}
	bounds := make(map[string]int, len(fields))
	for _, t := range fields {
		var n int
		if err := t.Decode(&n); err != nil {
			return nil, err
		}
		bounds[strings.ToLower(t.Key)] = n
	}
	return bounds, nil
}
