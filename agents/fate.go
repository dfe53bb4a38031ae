package agents

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/sessions"
)

// fate is what becomes of a line.
type fate int

const (
	blank    fate = iota // nothing on it
	kept                 // one entry
	corrupt              // no record: left out, reported
	unstored             // longer than any blob: left out, reported
	torn                 // the beginning of a record: left for later, reported
	waiting              // white space that no newline ends yet: left for later
)

// decoded is a line with what becomes of it.
type decoded struct {
	fate    fate
	entry   sessions.NewEntry // of a kept line
	invalid bool              // a kept line is not valid UTF-8
}

// line decides what becomes of a line, and stores what is too long for a request.
func (im *importer) line(ctx context.Context, file *os.File, rec *sessionfile.Record) (decoded, error) {
	switch {
	case rec.Long:
		return im.longLine(ctx, file, rec)
	case rec.State == sessionfile.Blank && rec.Ended:
		return decoded{fate: blank}, nil
	case rec.State == sessionfile.Blank:
		return decoded{fate: waiting}, nil
	case rec.State == sessionfile.Broken && rec.Ended:
		return decoded{fate: corrupt}, nil
	case rec.State == sessionfile.Broken:
		return decoded{fate: torn}, nil
	}
	e := im.made.entry(rec)
	if len(e.Original) > limits.EntryInline {
		ref, err := im.ledger.PutBlob(ctx, bytes.NewReader(e.Original))
		if err != nil {
			return decoded{}, err
		}
		e.Original, e.Blob = nil, ref.Hash
	}
	return decoded{fate: kept, entry: e, invalid: !utf8.Valid(rec.Text)}, nil
}

// longLine keeps a line that is too long to be read, as a note that names a blob.
func (im *importer) longLine(ctx context.Context, file *os.File, rec *sessionfile.Record) (decoded, error) {
	switch {
	case !rec.Ended:
		return decoded{fate: torn}, nil
	case rec.Size > limits.Blob:
		return decoded{fate: unstored}, nil
	}
	ref, err := im.ledger.PutBlob(ctx, io.NewSectionReader(file, rec.Offset, rec.Size))
	if err != nil {
		return decoded{}, err
	}
	return decoded{fate: kept, entry: sessions.NewEntry{
		Kind: sessions.KindNote,
		Time: im.made.last,
		Blob: ref.Hash,
		Note: fmt.Sprintf("line of %d bytes, longer than %d: kept, not read", rec.Size, limits.Line),
	}}, nil
}
