package transcript

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
)

// How a message is edited that is an array of blocks, one for each of its parts: Anthropic's and
// Gemini's are.

// dropped says which blocks go. Where a call goes, reasoning that would then end the message goes
// with it: the provider refuses a message that ends in reasoning.
func dropped(parts []Part, e Edits) []bool {
	drop := make([]bool, len(parts))
	seen := map[string]int{}
	calls := false
	for i, p := range parts {
		switch p.Kind {
		case KindCall:
			drop[i] = e.DropCalls[p.ID]
			calls = calls || drop[i]
		case KindResult:
			keep, named := e.KeepResults[p.ID]
			drop[i] = named && seen[p.ID] >= keep
			seen[p.ID]++
		}
	}
	for i, p := range parts {
		drop[i] = drop[i] || e.TextOnly && !p.says()
	}
	for i := len(drop) - 1; calls && i >= 0; i-- {
		if !drop[i] && parts[i].Kind != KindReasoning {
			break
		}
		drop[i] = true
	}
	return drop
}

// says reports whether a part is a text that says something.
func (p Part) says() bool { return p.Kind == KindText && strings.TrimSpace(p.Text) != "" }

// replaceResults returns the splices that put texts in the place of results. replace returns those of
// one block.
func replaceResults(parts []Part, drop []bool, texts map[string]string, replace func(i int, literal []byte) ([]splice, error)) ([]splice, error) {
	var out []splice
	missing := maps.Clone(texts)
	for i, p := range parts {
		text, named := texts[p.ID]
		if p.Kind != KindResult || !named {
			continue
		}
		delete(missing, p.ID)
		if drop[i] || p.Sealed {
			continue
		}
		splices, err := replace(i, quote(text))
		if err != nil {
			return nil, err
		}
		out = append(out, splices...)
	}
	return out, notThere(missing)
}

// insert returns the splice that puts blocks into the array at a span: behind its last result that
// stays, or in front of everything else, since results come first.
func insert(blocks []byte, array Span, spans []Span, parts []Part, drop []bool) splice {
	first, result := -1, -1
	for i, p := range parts {
		if drop[i] {
			continue
		}
		if first < 0 {
			first = i
		}
		if p.Kind == KindResult {
			result = i
		}
	}
	switch {
	case result >= 0:
		at := spans[result].To
		return splice{emptyAt(at), append([]byte{','}, blocks...)}
	case first >= 0:
		at := spans[first].From
		return splice{emptyAt(at), append(slices.Clip(blocks), ',')}
	}
	at := array.From + 1
	return splice{emptyAt(at), blocks}
}

// buildParts writes parts as blocks with commas between them.
func buildParts(parts []Part, build func(Part) ([]byte, error)) ([]byte, error) {
	blocks := make([][]byte, len(parts))
	for i, p := range parts {
		b, err := build(p)
		if err != nil {
			return nil, fault.New(fault.CodeOf(err), op, "part %d: %v", i, err)
		}
		blocks[i] = b
	}
	return bytes.Join(blocks, []byte(",")), nil
}
