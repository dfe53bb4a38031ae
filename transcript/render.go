package transcript

import (
	"maps"
	"slices"

	"ctxledger.dev/internal/fault"
)

// Record is one record of a message. IDs and Shorten are Edits.IDs and Edits.Shorten for it alone.
type Record struct {
	JSON    []byte
	IDs     []string
	Mixed   bool                                     // it may have results and other parts, in any order
	Shorten func(p Part) (text string, changed bool) // nil: nothing
}

// Piece is one message as a provider gets it.
type Piece struct {
	Record int // index of the first record that it comes from; -1 for a result that was added
	JSON   []byte
}

// Render writes the records of one message of the neutral model with edits, as the provider wants
// them: joined to one message, or, in a format whose lists have a message of their own for each result
// or each item, one after the other. What is not edited keeps its bytes. Nothing may be left.
// The errors are those of Merge and Edit.
func Render(f Format, records []Record, e Edits) ([]Piece, error) {
	c, err := codecOf(f)
	if err != nil {
		return nil, err
	}
	pieces, mixed := make([]Piece, 0, len(records)+len(e.AddResults)), false
	for i, r := range records {
		pieces = append(pieces, Piece{i, r.JSON})
		mixed = mixed || r.Mixed
	}
	added := e.AddResults
	shortened := slices.ContainsFunc(records, func(r Record) bool { return r.Shorten != nil })
	if e.AddResults = nil; shortened || !e.Empty() {
		if pieces, err = c.edited(records, e); err != nil {
			return nil, err
		}
	}
	if c.merge != nil {
		return c.joined(pieces, added, mixed)
	}
	for _, p := range added {
		raw, err := built([]Part{p}, c.result)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, Piece{-1, raw})
	}
	return pieces, nil
}

// joined makes one message of pieces and results that are added. It is arranged if it is mixed.
func (c codec) joined(pieces []Piece, added []Part, mixed bool) ([]Piece, error) {
	if len(pieces) == 0 {
		if len(added) == 0 {
			return nil, nil
		}
		pieces = []Piece{{-1, []byte(c.empty)}}
	}
	raws := make([][]byte, len(pieces))
	for i, p := range pieces {
		raws[i] = p.JSON
	}
	whole, err := Merge(c.format, raws)
	if err == nil {
		whole, err = Edit(c.format, whole, Edits{AddResults: added})
	}
	if err == nil && mixed && c.arrange != nil {
		whole, err = c.arrange(whole)
	}
	return []Piece{{pieces[0].Record, whole}}, err
}

// edited edits each record by itself.
func (c codec) edited(records []Record, e Edits) ([]Piece, error) {
	s := editor{codec: c, edits: e, missing: maps.Clone(e.Results), seen: map[string]int{}}
	for i, r := range records {
		if err := s.record(r); err != nil {
			return nil, fault.New(fault.CodeOf(err), op, "record %d: %v", i, err)
		}
	}
	if err := notThere(s.missing); err != nil {
		return nil, err
	}
	return s.sendable(), nil
}

// editor edits the records of one message, one after the other.
type editor struct {
	codec
	edits   Edits
	missing map[string]string // results to replace that did not come yet
	seen    map[string]int    // how many results of a call came
	all     []edited
}

// edited is one record after its edits; nothing is left of one that is dropped.
type edited struct {
	raw       []byte
	reasoning bool // and nothing else
}

func (s *editor) record(r Record) error {
	if err := checkSize(r.JSON); err != nil {
		return err
	}
	m, err := s.decode(r.JSON)
	if err != nil {
		return err
	}
	Identify(&m, r.IDs)
	own := Edits{DropCalls: s.edits.DropCalls, IDs: r.IDs, Shorten: r.Shorten, Results: map[string]string{},
		KeepResults: map[string]int{}, TextOnly: s.edits.TextOnly}
	if own.Shorten == nil {
		own.Shorten = s.edits.Shorten
	}
	here := map[string]int{}
	for _, p := range m.Parts {
		if p.Kind != KindResult {
			continue
		}
		here[p.ID]++
		if text, named := s.edits.Results[p.ID]; named {
			own.Results[p.ID] = text
			delete(s.missing, p.ID)
		}
		if keep, named := s.edits.KeepResults[p.ID]; named {
			own.KeepResults[p.ID] = max(0, keep-s.seen[p.ID])
		}
	}
	for id, n := range here {
		s.seen[id] += n
	}
	raw := r.JSON
	if !own.Empty() {
		if raw, err = s.edit(raw, own); err != nil {
			return err
		}
	}
	s.all = append(s.all, edited{raw, onlyReasoning(m.Parts)})
	return nil
}

// sendable returns what is left. Reasoning goes with the call that it led to: a provider refuses
// reasoning that nothing follows.
func (s *editor) sendable() []Piece {
	var out []Piece
	gone := false    // what stood directly behind
	var next *edited // what follows and stays
	for i := len(s.all) - 1; i >= 0; i-- {
		r := &s.all[i]
		if r.raw == nil || r.reasoning && gone && (next == nil || next.reasoning) {
			gone = true
			continue
		}
		gone, next = false, r
		out = append(out, Piece{i, r.raw})
	}
	slices.Reverse(out)
	return out
}

// notThere is the error for results that are to be replaced and that the message does not have.
func notThere(missing map[string]string) error {
	if len(missing) == 0 {
		return nil
	}
	id := slices.Min(slices.Collect(maps.Keys(missing)))
	return fault.New(fault.NotFound, op, "the message has no result of call %s", id)
}

// onlyReasoning reports whether parts are reasoning and nothing else that says anything.
func onlyReasoning(parts []Part) bool {
	reasoning := false
	for _, p := range parts {
		switch {
		case p.Kind == KindReasoning:
			reasoning = true
		case p.Kind != KindText || p.Text != "":
			return false
		}
	}
	return reasoning
}
