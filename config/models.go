package config

import (
	"fmt"
	"path/filepath"
	"sync"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/tokens"
)

// models reads the value of the key models: a mapping from the names of models to what is known of
// them. It returns a registry that knows them besides those of known.
func (p *parser) models(known *tokens.Registry, f yamldoc.Field) *tokens.Registry {
	entries, err := f.Fields()
	if err != nil {
		p.wrong(f, err)
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
	p.mapping(f, modelRules, "", &target{model: &m})
	p.tokenizer(&m)
	clear(p.set) // of other models
	return m.Model, failed(p.problems[before:]) == nil
}

// tokenizer sets how m counts, from the fields that say it; each may be absent.
func (p *parser) tokenizer(m *modelText) {
	var name string
	if f := m.encoding; f.Key != "" {
		if m.family.Key != "" || m.ranks.Key != "" {
			p.wrongEntry(f, fmt.Errorf("model %.1000q: encoding: give only one of encoding, family and rank file",
				m.Name))
			return
		}
		if p.decode(f, &name) {
			e, err := tokens.ParseEncoding(name)
			m.Encoding = e
			p.wrong(f, err)
		}
		return
	}
	if f := m.family; f.Key != "" && p.decode(f, &name) {
		var err error
		m.Family, err = tokens.ParseFamily(name)
		p.wrong(f, err)
	}
	if m.ranks.Key != "" {
		p.ranks(m)
	}
}

// ranks has the model counted with a rank file, which is read when it is needed.
func (p *parser) ranks(m *modelText) {
	if !m.Family.Ranked() {
		p.wrongEntry(m.ranks, fmt.Errorf("model %.1000q: ranks: a rank file needs the family whose rules it goes with: "+
			"one of %s", m.Name, tokens.RankedFamilies()))
		return
	}
	var path string
	if !p.decode(m.ranks, &path) {
		return
	}
	if len(path) > maxPath || !filepath.IsLocal(filepath.FromSlash(path)) {
		p.wrong(m.ranks, fmt.Errorf("model %.1000q: ranks: give a path inside %s, relative to it", m.Name, p.place()))
		return
	}
	root, f, where := p.dir, m.Family, p.place()
	m.Ranks = sync.OnceValues(func() (*tokens.Encoding, error) { return readRanks(root, where, path, f) })
}

// wrongEntry reports an error about a field, if there is one, at its key.
func (p *parser) wrongEntry(f yamldoc.Field, err error) {
	if err != nil {
		p.at(f, Error, err.Error()).Hint = fault.HintOf(err)
	}
}

// maxPath is the longest path of a rank file, in bytes: that of most systems.
const maxPath = 4096

// maxNamed is how much of a path an error quotes, in characters.
const maxNamed = 200

// readRanks reads a rank file. Its errors name the file, and nothing of what is in it.
func readRanks(root, where, path string, f tokens.Family) (*tokens.Encoding, error) {
	const op = "config.ranks"
	name := chars.Short(chars.Line(path), maxNamed)
	tree, err := safefs.Open(root)
	if err != nil {
		return nil, err
	}
	defer tree.Close() // only read
	info, err := tree.Stat(path)
	switch {
	case err != nil:
		return nil, fault.New(fault.CodeOf(err), op, "rank file %s: %s", name, err)
	case info.Kind == safefs.Absent:
		return nil, fault.New(fault.NotFound, op, "rank file %s: there is no such file in %s", name, where).
			WithHint("put it there, or take ranks out of %s: the model is then estimated", File)
	case info.Kind != safefs.File:
		return nil, fault.New(fault.Invalid, op, "rank file %s: it is not a regular file inside %s", name, where)
	case info.Size > tokens.MaxRanks:
		return nil, fault.New(fault.TooLarge, op, "rank file %s: it has %d bytes, more than the limit of %d", name,
			info.Size, tokens.MaxRanks)
	}
	data := tree.Read(path, tokens.MaxRanks)
	if data == nil && info.Size > 0 {
		return nil, fault.New(fault.Denied, op, "rank file %s: it cannot be read", name)
	}
	e, err := tokens.ParseRanks(f, data)
	if err != nil {
		wrapped := fault.New(fault.CodeOf(err), op, "rank file %s: %s", name, err)
		if hint := fault.HintOf(err); hint != "" {
			return nil, wrapped.WithHint("%s", hint)
		}
		return nil, wrapped
	}
	return e, nil
}
