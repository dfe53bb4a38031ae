package agents

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

const (
	// maxRaces is how often one run starts again because another process was faster. Every time
	// the other one has moved the import on.
	maxRaces = 32
)

// importer brings one session file into the ledger, and knows between runs how far it is.
type importer struct {
	ledger   Ledger
	path     string // absolute, without links
	open     func(path string) (*os.File, int64, error)
	progress func(done, total int64)
	// ours limits the sessions to those that were started in certain directories; nil: any. foreign says that
	// this one was started elsewhere.
	ours    func(dir string) bool
	foreign bool
	// first reads what has to be read before this file, if nothing of it was; nil: nothing has to.
	first func(context.Context, *importer)
	// budget is after how many batches a run stops, with more set if it is not at the end; 0: never.
	budget int
	more   bool
	by     sessionfile.Agent // that has to have written the file; "": any

	adapter sessionfile.Adapter
	about   sessionfile.About
	known   bool // whether the following is what the ledger said last
	state   ledger.ImportState
	decode  sessionfile.Decode
	made    entries
}

func newImporter(api Ledger, path string) *importer {
	return &importer{ledger: api, path: path, open: open, progress: func(int64, int64) {}}
}

// run imports what the file holds beyond the state of the ledger.
func (im *importer) run(ctx context.Context) (rep Report, err error) {
	rep, im.more = Report{Path: im.path}, false
	defer func() {
		rep.Session, rep.Offset = im.state.Session, im.state.Offset
		im.known = im.known && err == nil
	}()
	opened, size, err := im.open(im.path)
	if err != nil {
		return rep, err
	}
	defer opened.Close()
	file, err := sessionfile.Unpacked(opened)
	if err != nil {
		return rep, sessionfile.FileError(im.path, err)
	}
	if size == 0 && !im.known {
		return rep, fault.New(fault.Invalid, "agents.import", "%s is empty", im.path)
	}
	if err := im.describe(file); err != nil {
		return rep, err
	}
	if size, err = file.Size(); err != nil {
		return rep, sessionfile.FileError(im.path, err)
	}
	for range maxRaces {
		if err := im.locate(ctx, file, size); err == errMoved {
			continue
		} else if err != nil {
			return rep, err
		}
		if im.state.Offset == 0 && im.first != nil {
			im.first(ctx, im)
		}
		im.progress(im.state.Offset, size)
		if err := im.read(ctx, file, size, &rep); err != errMoved {
			return rep, err
		}
		im.known = false
	}
	return rep, &fault.Error{Code: fault.Limited, Op: "agents.import", Message: im.path, Err: errMoved}
}

// describe fills in what the session is, as long as something is missing. The host id stays.
func (im *importer) describe(file io.ReaderAt) error {
	if !im.about.Complete {
		if im.adapter.Agent == "" {
			im.adapter = adapterFor(im.path, file)
		}
		about, err := im.adapter.About(im.path, file)
		if err != nil {
			return sessionfile.FileError(im.path, err)
		}
		about.Session.HostID = cmp.Or(im.about.Session.HostID, about.Session.HostID)
		im.about = about
	}
	return im.belongs()
}

// belongs returns an error unless the session is one of those that are wanted. That is known only once the
// file names a directory.
func (im *importer) belongs() error {
	dir := im.about.Session.Dir
	switch {
	case im.ours == nil:
		return nil
	case dir == "":
		return fault.New(fault.Invalid, "agents.follow", "%s does not yet say where its session runs", im.path)
	}
	if im.foreign = !im.ours(dir); im.foreign {
		return fault.New(fault.Invalid, "agents.follow", "the session of %s runs in %s, which is not followed",
			im.path, dir)
	}
	return nil
}

// locate asks the ledger how far the import has come, if that is not known, and makes sure that
// the file still holds what was imported of it.
func (im *importer) locate(ctx context.Context, file io.ReaderAt, size int64) error {
	if !im.known {
		if err := im.ask(ctx); err != nil {
			return err
		}
	}
	if im.state.Offset == 0 {
		switch a, err := detect(im.path, file); {
		case err != nil:
			return err
		case im.by != "" && a.Agent != im.by:
			return fault.New(fault.Invalid, "agents.import", "%s is %s, not one of %s", im.path, a.Label, im.by)
		case a.Agent != im.adapter.Agent:
			return fault.New(fault.Invalid, "agents.import", "%s is %s", im.path, a.Label)
		}
	}
	sum, err := "", error(nil)
	if im.state.Offset <= size {
		sum, err = check(file, im.state.Offset)
	}
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return sessionfile.FileError(im.path, err)
	}
	if sum != im.state.Check || im.state.Offset > size {
		return im.startOver(ctx)
	}
	if im.known {
		return nil
	}
	im.known, im.decode = true, nil
	return nil
}

// startOver lets the import begin again, for a file that does not continue what was imported: it was rewritten, replaced
// or cut. The ledger keeps what it has, and leaves out what comes again. It returns errMoved.
func (im *importer) startOver(ctx context.Context) error {
	r := ledger.AppendEntriesRequest{Import: im.state.Import, Session: im.about.Session, Offset: im.state.Offset,
		Next: im.state.Offset, Check: im.state.Check, Again: true}
	_, err := im.ledger.AppendEntries(ctx, r)
	if im.known = false; err == nil || fault.Is(err, fault.Conflict) { // another process was faster
		return errMoved
	}
	return err
}

// ask gets the state of the import.
func (im *importer) ask(ctx context.Context) error {
	id := im.importID(im.about.Session.HostID)
	state, err := im.ledger.ImportState(ctx, ledger.ImportStateRequest{Import: id})
	if err != nil {
		return err
	}
	state.Import = id
	im.state = state
	return nil
}

// warm lets the decoder see the lines before the place where reading starts: only then it knows the parts of an answer on
// both sides of it, and history that was written again.
func (im *importer) warm(file io.ReaderAt) error {
	im.decode, im.made = im.adapter.Decoder(im.path), entries{last: im.about.Start}
	// The import may have come to the middle of a damaged line, whose pieces are then what they were.
	read := io.MultiReader(io.NewSectionReader(file, 0, im.state.Offset), strings.NewReader("\n"))
	for rec, err := range sessionfile.Records(read, sessionfile.Position{}, im.decode) {
		if err != nil {
			return sessionfile.FileError(im.path, err)
		}
		if rec.State == sessionfile.Whole {
			im.made.note(rec)
			repeated(rec) // which tells the parts of its answer apart
		}
	}
	return nil
}

// read appends the lines from the offset of the import to the end of the file. The last batch
// says that it is the last, so an import that was cut off always has something left to send.
func (im *importer) read(ctx context.Context, file io.ReaderAt, size int64, rep *Report) error {
	from := im.state.Offset
	if im.decode == nil {
		if size == from {
			return nil
		}
		if err := im.warm(file); err != nil {
			return err
		}
	}
	b := batch{from: from, to: from, line: im.state.Line}
	flight := sender{im: im, rep: rep, size: size}
	left := im.budget
	rest := io.NewSectionReader(file, from, math.MaxInt64-from)
	start := sessionfile.Position{Offset: from, Line: im.state.Line}
	for rec, err := range sessionfile.Records(rest, start, im.decode) {
		if err != nil {
			return flight.end(ctx, sessionfile.FileError(im.path, err))
		}
		if rec.State != sessionfile.Whole && !rec.Ended { // left for later
			if rec.State == sessionfile.Broken {
				rep.Torn, rep.TornLine = true, rec.Number
			}
			break
		}
		before := im.made
		e, kept, err := im.entry(ctx, file, rec)
		if err != nil {
			return flight.end(ctx, err)
		}
		if kept && !b.fits(e) {
			if err := flight.send(ctx, file, b, false); err != nil {
				return flight.end(ctx, err)
			}
			b = b.following()
			if left--; left == 0 {
				im.made, im.more = before, true
				return flight.end(ctx, nil)
			}
		}
		b.take(rec, e, kept)
	}
	if b.to == b.from {
		return flight.end(ctx, nil)
	}
	return flight.end(ctx, flight.send(ctx, file, b, true))
}

// entry makes an entry of a line, if it gives one, and stores what is too long for a request. A line that is too
// long to be read becomes a note.
func (im *importer) entry(
	ctx context.Context, file io.ReaderAt, rec *sessionfile.Record,
) (e sessions.NewEntry, kept bool, err error) {
	var content io.Reader
	switch {
	case rec.Long && rec.Size <= limits.Blob:
		e = sessions.NewEntry{Kind: sessions.KindNote, Time: im.made.last}
		e.Note = fmt.Sprintf("line of %d bytes, longer than %d: kept unparsed", rec.Size, limits.Line)
		content = io.NewSectionReader(file, rec.Offset, rec.Size)
	case rec.State != sessionfile.Whole:
		return e, false, nil
	default:
		e = im.made.entry(rec)
		if len(e.Original) <= limits.EntryInline {
			return e, true, nil
		}
		content = bytes.NewReader(e.Original)
	}
	ref, err := im.ledger.PutBlob(ctx, content)
	if err != nil {
		return e, false, err
	}
	e.Original, e.Blob = nil, ref.Hash
	return e, true, nil
}
