package sessionfile

import (
	"bytes"
	"errors"
	"iter"
	"strings"

	"ctxledger.dev/internal/jsonspan"
)

// blank are the bytes that may stand between records without being a part of one.
const blank = " \t\r\n"

// Pieces cuts a line that is no record as a whole: agents that were killed, or wrote at the same time, left several records
// on one, the torn beginning or end of one beside others, and runs of NUL. It yields the records and what lies between them,
// in order and without a gap, and whether a piece is a record. ended says that nothing follows the line; otherwise its
// last piece may be a record whose rest is still to come.
//
// An object counts as a record if it looks like one of an agent known here, or stands for itself. What is inside of a torn
// record looks like none. The time that this takes grows with the line and with nothing else.
func Pieces(text []byte, ended bool) iter.Seq2[jsonspan.Span, bool] {
	return func(yield func(jsonspan.Span, bool) bool) {
		from := 0 // where the piece begins that was not yielded yet
		s := splitter{text: text, ended: ended}
		for at := range s.records {
			if len(bytes.Trim(text[from:at.From], blank)) == 0 {
				at.From = from
			}
			at.To += len(text[at.To:]) - len(bytes.TrimLeft(text[at.To:], blank))
			if from < at.From && !yield(jsonspan.Span{From: from, To: at.From}, false) || !yield(at, true) {
				return
			}
			from = at.To
		}
		if from < len(text) {
			yield(jsonspan.Span{From: from, To: len(text)}, false)
		}
	}
}

// splitter finds the records of a line.
type splitter struct {
	text  []byte
	ended bool
}

// records yields the records of the line.
func (s *splitter) records(yield func(jsonspan.Span) bool) {
	apart := true          // whether what comes next is known to be inside of no record
	var torn jsonspan.Span // what was torn about where the next one begins
	for pos := 0; ; {
		open := bytes.IndexByte(s.text[pos:], '{')
		if open < 0 {
			return
		}
		gap := bytes.TrimRight(s.text[pos:pos+open], blank)
		apart = len(gap) == 0 && apart || len(gap) > 0 && gap[len(gap)-1] == 0
		at, inner, whole := s.object(pos + open)
		pos = at.To
		switch {
		case whole:
			found, alone, inside := sniff(at.In(s.text)), s.followed("\x00{", pos), s.followed(",:]}", pos)
			apart = apart && (found.record() || found.Has("type") && !inside) ||
				alone && (found.record() || found.Item()) || !torn.Empty() && isRest(gap) && s.replaces(at, torn)
			torn = jsonspan.Span{}
		case (s.ended || pos < len(s.text)) && s.ends(inner, pos) && s.replaces(inner, at):
			at, apart = inner, true // it was torn where a value begins, so that the next one became that value
		default:
			apart, torn, pos = false, at, s.restart(at)
		}
		if apart && !yield(at) {
			return
		}
	}
}

// isRest reports whether a text can be what is left of the value in which a record was torn: a literal name or an escape
// stops being JSON at its own beginning.
func isRest(text []byte) bool {
	return len(text) <= len(`\u123`) && !bytes.ContainsAny(text, "\x00\",:[]}")
}

// object passes over the object that begins at an offset. It returns its span, up to where it stops being JSON if it is
// not whole, and the object that ended last inside of it.
func (s *splitter) object(from int) (at, inner jsonspan.Span, whole bool) {
	w := jsonspan.At(s.text, jsonspan.Span{From: from, To: len(s.text)}, jsonspan.MaxDepth)
	var inside func()
	inside = func() {
		for range w.Inside {
			c, from := w.Peek(), w.Pos()
			if c != '{' && c != '[' {
				continue
			}
			if inside(); c == '{' && w.Err() == nil {
				inner = jsonspan.Span{From: from, To: w.Pos()}
			}
		}
	}
	inside()
	at = jsonspan.Span{From: from, To: w.Pos()}
	if e, torn := errors.AsType[*jsonspan.Error](w.Err()); torn {
		at.To = e.Pos
		return at, inner, false
	}
	return at, inner, true
}

// followed reports whether one of some bytes follows an offset. The end of the line is a NUL.
func (s *splitter) followed(by string, at int) bool {
	next := byte(0)
	if rest := bytes.TrimLeft(s.text[at:], blank); len(rest) > 0 {
		next = rest[0]
	}
	return strings.IndexByte(by, next) >= 0
}

// replaces reports whether an object where another one is torn is a record, and not what that one had there.
func (s *splitter) replaces(object, torn jsonspan.Span) bool {
	found := sniff(object.In(s.text))
	return found.record() || found.Item() && !sniff(torn.In(s.text)).record()
}

// ends reports whether nothing but white space lies between an object and an offset.
func (s *splitter) ends(object jsonspan.Span, at int) bool {
	return !object.Empty() && len(bytes.Trim(s.text[object.To:at], blank)) == 0
}

// restart returns where to look for the next record after one that stops being JSON: there, or just before, since one that
// was torn in a string took the quote of the next one's first name for the end of that string.
func (s *splitter) restart(torn jsonspan.Span) int {
	if torn.To == len(s.text) {
		return torn.To
	}
	before := bytes.TrimRight(torn.In(s.text), blank)
	name, quoted := bytes.CutSuffix(before, []byte{'"'})
	if before, found := bytes.CutSuffix(bytes.TrimRight(name, blank), []byte{'{'}); quoted && found && len(before) > 0 {
		return torn.From + len(before)
	}
	return torn.To
}
