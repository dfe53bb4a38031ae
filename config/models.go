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
func (p *parser) models(known *tokens.Registry, f yamldoc.Field) (*tokens.Registry, error) {
	entries, err := f.Fields()
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return known, nil
	}
	var models []tokens.Model
	for _, e := range entries {
		m, err := p.model(e)
		if err != nil {
			return nil, err
		}
		if _, err := known.With(m); err != nil {
			return nil, at(e, err) // together they say no line
		}
		models = append(models, m)
	}
	return known.With(models...)
}

// model reads the entry of one model.
func (p *parser) model(f yamldoc.Field) (tokens.Model, error) {
	m := tokens.Model{Name: f.Key}
	var family, encoding, ranks, price yamldoc.Field
	err := p.each(f, map[string]any{
		"family": &family, "encoding": &encoding, "ranks": &ranks, "window": &m.Window, "output": &m.Output,
		"price": &price,
	})
	if err == nil && price.Key != "" {
		err = p.each(price, map[string]any{
			"input": &m.Price.Input, "cachedread": &m.Price.CachedRead, "cachedwrite": &m.Price.CachedWrite,
			"output": &m.Price.Output,
		})
	}
	if err == nil {
		err = p.tokenizer(&m, f, family, encoding, ranks)
	}
	return m, err
}

// tokenizer sets how m counts, from the fields that say it; each may be absent.
func (p *parser) tokenizer(m *tokens.Model, entry, family, encoding, ranks yamldoc.Field) error {
	var name string
	if encoding.Key != "" {
		if family.Key != "" || ranks.Key != "" {
			return at(encoding, fault.New(fault.Invalid, "", "model %.1000q: encoding: give only one of "+
				"encoding, family and rank file", m.Name))
		}
		if err := encoding.Decode(&name); err != nil {
			return err
		}
		e, err := tokens.ParseEncoding(name)
		m.Encoding = e
		return at(encoding, err)
	}
	if family.Key != "" {
		if err := family.Decode(&name); err != nil {
			return err
		}
		var err error
		if m.Family, err = tokens.ParseFamily(name); err != nil {
			return at(family, err)
		}
	}
	if ranks.Key == "" {
		return nil
	}
	if !m.Family.Ranked() {
		return at(ranks, fault.New(fault.Invalid, "", "model %.1000q: ranks: a rank file needs the family whose "+
			"rules it goes with: one of %s", m.Name, tokens.RankedFamilies()))
	}
	var path string
	if err := ranks.Decode(&path); err != nil {
		return err
	}
	if len(path) > maxPath || !filepath.IsLocal(filepath.FromSlash(path)) {
		return at(ranks, fault.New(fault.Invalid, "", "model %.1000q: ranks: give a path inside %s, relative to it",
			m.Name, p.place()))
	}
	root, f, where := p.dir, m.Family, p.place()
	m.Ranks = sync.OnceValues(func() (*tokens.Encoding, error) { return readRanks(root, where, path, f) })
	return nil
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

// at puts the line of a field in front of an error about its value.
func at(f yamldoc.Field, err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.CodeOf(err), "config.load", "%s", fmt.Sprintf("line %d: %s", f.Line, err))
}
