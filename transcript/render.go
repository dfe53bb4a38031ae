package transcript

import (
	"maps"
	"slices"

	"ctxledger.dev/internal/fault"
)

// Piece is one message as a provider gets it.
type Piece struct {
	Record int // index of the first record that it comes from; -1 for a result that was added
	JSON   []byte
}

// Render writes the records of one message of the neutral model with edits, as the provider wants
// them: joined to one message, or, in a format whose lists have a message of their own for each result
// or each item, one after the other. What is not edited keeps its bytes. Nothing may be left.
// The errors are those of Merge and Edit.
func Render(f Format, records [][]byte, e Edits) ([]Piece, error) {
	c, err := codecOf(f)
	if err != nil {
		return nil, err
	}
	if c.merge == nil {
		return c.list(records, e)
	}
	whole, err := Merge(f, records)
	if err != nil {
		return nil, err
	}
	if whole, err = Edit(f, whole, e); err != nil || whole == nil {
		return nil, err
	}
	return []Piece{{0, whole}}, nil
}

// list renders records of a format that joins nothing.
func (c codec) list(records [][]byte, e Edits) ([]Piece, error) {
	pieces := make([]Piece, 0, len(records)+len(e.AddResults))
	if e.Empty() {
		for i, raw := range records {
			pieces = append(pieces, Piece{i, raw})
		}
		return pieces, nil
	}
	l := lister{codec: c, edits: e, missing: maps.Clone(e.Results), seen: map[string]int{}}
	for i, raw := range records {
		if err := l.record(i, raw); err != nil {
			return nil, fault.New(fault.CodeOf(err), op, "record %d: %v", i, err)
		}
	}
	if err := notThere(l.missing); err != nil {
		return nil, err
	}
	pieces = append(pieces, l.sendable()...)
	for _, p := range e.AddResults {
		raw, err := c.build(Message{Role: RoleTool, Parts: []Part{p}})
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, Piece{-1, raw})
	}
	return pieces, nil
}

// lister edits records that stay messages of their own.
type lister struct {
	codec
	edits   Edits
	missing map[string]string // results to replace that did not come yet
	seen    map[string]int    // how many results of a call came
	all     []listed
}

// listed is one record after its edits; nothing is left of one that is dropped.
type listed struct {
	piece     Piece
	reasoning bool // and nothing else
}

func (l *lister) record(i int, raw []byte) error {
	if err := checkSize(raw); err != nil {
		return err
	}
	m, err := l.decode(raw)
	if err != nil {
		return err
	}
	own := Edits{DropCalls: l.edits.DropCalls, Shorten: l.edits.Shorten}
	for _, p := range m.Parts {
		if p.Kind != KindResult {
			continue
		}
		if text, named := l.edits.Results[p.ID]; named {
			own.Results = map[string]string{p.ID: text}
			delete(l.missing, p.ID)
		}
		if keep, named := l.edits.KeepResults[p.ID]; named && l.seen[p.ID] >= keep {
			own.KeepResults = map[string]int{p.ID: 0}
		}
		l.seen[p.ID]++
	}
	if raw, err = l.edit(raw, own); err != nil {
		return err
	}
	l.all = append(l.all, listed{Piece{i, raw}, onlyReasoning(m.Parts)})
	return nil
}

// sendable returns what is left. Reasoning goes with the call that it led to: a provider refuses
// reasoning that nothing follows.
func (l *lister) sendable() []Piece {
	var out []Piece
	for i, r := range l.all {
		if r.piece.JSON != nil && !(r.reasoning && l.orphan(i)) {
			out = append(out, r.piece)
		}
	}
	return out
}

// orphan reports whether what follows a record of reasoning was dropped, up to the next reasoning.
func (l *lister) orphan(i int) bool {
	for _, r := range l.all[i+1:] {
		if r.piece.JSON != nil {
			return r.reasoning && !l.all[i+1].reasoning
		}
	}
	return i+1 < len(l.all)
}

// notThere is the error for results that are to be replaced and that the message does not have.
func notThere(missing map[string]string) error {
	if len(missing) == 0 {
		return nil
	}
	id := slices.Min(slices.Collect(maps.Keys(missing)))
	return fault.New(fault.NotFound, op, "the message has no result of call %s", id)
}

// onlyReasoning reports whether parts are reasoning and nothing else.
func onlyReasoning(parts []Part) bool {
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(p Part) bool { return p.Kind != KindReasoning })
}
