package config

import (
	"fmt"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/tokens"
)

// models reads the value of the key models: a mapping from the names of models to what is known of
// them. It returns a registry that knows them besides those of known.
func (p *parser) models(known *tokens.Registry, f yamldoc.Field) *tokens.Registry {
	entries, err := f.Fields()
	if err != nil {
		p.wrong(f, "CFG005", err)
		return known
	}
	var models []tokens.Model
	for _, e := range entries {
		m, ok := p.model(e)
		if !ok {
			continue
		}
		if _, err := known.With(m); err != nil {
			p.wrongEntry(e, err) // together they say no line
			continue
		}
		models = append(models, m)
		p.widest = max(p.widest, m.Window)
		p.entry("models."+e.Key, e)
	}
	if len(models) == 0 {
		return known
	}
	all, err := known.With(models...)
	if err != nil {
		p.wrongEntry(f, err)
		return known
	}
	return all
}

// model reads the entry of one model.
func (p *parser) model(f yamldoc.Field) (tokens.Model, bool) {
	m := modelText{Model: tokens.Model{Name: f.Key}}
	before := len(p.problems)
	p.mapping(f, rulesAt("models"), "", &target{model: &m})
	p.tokenizer(&m)
	clear(p.set) // of other models
	return m.Model, failed(p.problems[before:]) == nil
}

// tokenizer sets how m counts, from the fields that say it; each may be absent.
func (p *parser) tokenizer(m *modelText) {
	if m.ranks.Key != "" {
		p.at(m.ranks, Warning, "CFG600", "ranks has no effect: rank files are no longer read; its tokens are estimated (≈)").
			Hint = "remove the line"
	}
	var name string
	if f := m.encoding; f.Key != "" {
		if m.family.Key != "" {
			p.wrongEntry(f, fmt.Errorf("model %.1000q: encoding: give only one of encoding and family", m.Name))
			return
		}
		if p.decode(f, &name) {
			e, err := tokens.ParseEncoding(name)
			m.Encoding = e
			p.wrong(f, "CFG005", err)
		}
		return
	}
	if f := m.family; f.Key != "" && p.decode(f, &name) {
		var err error
		m.Family, err = tokens.ParseFamily(name)
		p.wrong(f, "CFG005", err)
	}
}

// wrongEntry reports an error about a field, if there is one, at its key.
func (p *parser) wrongEntry(f yamldoc.Field, err error) {
	if err != nil {
		p.at(f, Error, "CFG113", err.Error()).Hint = fault.HintOf(err)
	}
}
