package compaction

import (
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
)

const (
	// leftOutPerLine is how many things one line of carried anchors names: more are not read.
	leftOutPerLine = 8
	// leftOutLooked is how many of the newest requests are looked through, and how much of each, in bytes.
	leftOutLooked = 200
	leftOutBytes  = 8_000
)

// exact recognises what must be copied letter by letter and is neither a path nor an identifier: URLs,
// exit codes, codes of errors, numbers with their units.
var exact = pattern.Lazy(`https?://[^\s<>"'` + "`" + `)\]]+|\b[Ee]xit(?: code| status)? \d+\b|\b[A-Z]{1,5}-?\d{2,6}\b|` +
	`\bE[A-Z]{4,}\b|` +
	`\b\d[\d.,]*\s?(?:ns|µs|ms|s|min|h|days?|KB|MB|GB|KiB|MiB|GiB|bytes?|tokens?|lines?|px|Hz|kHz|MHz|GHz|rows?|` +
	`columns?|USD|EUR)\b|\b\d[\d.,]*\s?[%€$]`)

// addLeftOut finds what a model's summary left out: paths, identifiers, codes, addresses and quantities that the user
// or the change log names and the document does not contain. It adds them verbatim, the most recent first, and
// reports whether there were any.
func (s *source) addLeftOut(d *layout.Document, text string) (bool, error) {
	if s.story == nil {
		return false, nil
	}
	var b *layout.Block
	added, looked := 0, 0
	seen := make(map[string]bool)
	add := func(turn int, things []string) bool {
		things = slices.DeleteFunc(things, func(t string) bool {
			gone := t == "" || seen[t] || strings.Contains(text, t)
			seen[t] = true
			return gone
		})
		for part := range slices.Chunk(things, leftOutPerLine) {
			l := "  turn " + strconv.Itoa(max(1, turn)) + ": " + strings.Join(part, ", ")
			if added += len(l) + 1; added > carriedChars {
				return false
			}
			if b == nil {
				b = carriedBlock(d)
			}
			d.Add(b, &layout.Line{Text: l, Class: layout.ClassAnchor, Pos: int64(len(b.Lines) + 1)})
		}
		return true
	}
	ops := s.past
	for i := s.cut - 1; i >= 0; i-- {
		it := &s.in.Items[i]
		for len(ops) > 0 && ops[len(ops)-1].Seq >= it.first() {
			op := &ops[len(ops)-1]
			ops = ops[:len(ops)-1]
			if !add(op.Turn, s.namedBy(op)) {
				return b != nil, nil
			}
		}
		if !it.Prompt || looked == leftOutLooked {
			continue
		}
		looked++
		said, err := s.in.textOf(it)
		if err != nil {
			return false, err
		}
		things := slices.Concat(it.Paths, it.Names,
			exact().FindAllString(chars.Strip(said[:min(len(said), leftOutBytes)]), 64))
		for i, t := range things {
			things[i] = layout.OneLine(t, 200)
		}
		if !add(it.Turn, things) {
			break
		}
	}
	return b != nil, nil
}

// namedBy is what the change log says of an operation that must be copied as it is: the file that it
// changed, and how a run failed.
func (s *source) namedBy(op *Operation) []string {
	switch {
	case !op.shell() && op.Target != "":
		return []string{s.in.path(op.Target)}
	case op.ExitCode != nil && *op.ExitCode != 0:
		return exact().FindAllString(chars.Strip(op.Outcome), 8)
	}
	return nil
}

// carriedBlock returns the block of carried anchors, which precedes the body.
func carriedBlock(d *layout.Document) *layout.Block {
	for _, b := range d.Blocks {
		if b.Head == layout.Carried {
			return b
		}
	}
	return d.InsertBeforeBody(&layout.Block{Head: layout.Carried})
}
