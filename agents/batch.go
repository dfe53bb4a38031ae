package agents

import (
	"unicode/utf8"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/sessions"
)

// entryOverhead is what an entry takes in a request without its texts, in bytes: it keeps a batch
// of many tiny entries below a frame.
const entryOverhead = 512

// batch is what one AppendEntries carries: the entries of the lines between two offsets. A line
// that gives no entry still moves the end.
type batch struct {
	from, to int64 // offsets in the file
	line     int64 // newlines before to
	entries  []sessions.NewEntry
	bytes    int // weight of the entries

	corrupt, partly, invalid, oversize Lines
}

// weight returns what an entry takes in a request, in bytes.
func weight(e sessions.NewEntry) int {
	n := entryOverhead + len(e.Original) + len(e.HostID) + len(e.HostParent) + len(e.Group) +
		len(e.Origin.Session) + len(e.Origin.Record) +
		len(e.Author) + len(e.Model) + len(e.Note)
	for _, f := range e.Effects {
		n += len(f.Path)
	}
	if e.Attached != nil {
		n += len(e.Attached.Path)
	}
	return n
}

// fits reports whether one more entry belongs into the batch.
func (b *batch) fits(e sessions.NewEntry) bool {
	return len(b.entries) == 0 ||
		len(b.entries) < limits.AppendCount && b.bytes+weight(e) <= limits.AppendBatch
}

// take adds a line, which moves the end of the batch also when no entry of it is kept.
func (b *batch) take(rec *sessionfile.Record, e sessions.NewEntry, kept bool) {
	switch {
	case kept:
		b.entries = append(b.entries, e)
		b.bytes += weight(e)
		if !utf8.Valid(rec.Text) {
			b.invalid.add(rec.Number)
		}
	case rec.State == sessionfile.Broken:
		if rec.Piece {
			b.partly.add(rec.Number)
		} else {
			b.corrupt.add(rec.Number)
		}
	}
	if rec.Long {
		b.oversize.add(rec.Number)
	}
	next := rec.After()
	b.to, b.line = next.Offset, next.Line
}

// addTo adds what became of the lines of an appended batch to a report. So many of its entries were known.
func (b *batch) addTo(r *Report, known int) {
	if r.Entries += len(b.entries) - known; known < len(b.entries) {
		r.Bytes += b.to - b.from
	}
	r.Corrupt = r.Corrupt.plus(b.corrupt)
	r.Partly = r.Partly.plus(b.partly)
	r.InvalidUTF8 = r.InvalidUTF8.plus(b.invalid)
	r.Oversize = r.Oversize.plus(b.oversize)
}

// following returns the empty batch after b.
func (b *batch) following() batch { return batch{from: b.to, to: b.to, line: b.line} }
