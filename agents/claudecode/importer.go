package claudecode

import (
	"context"
	"io"
	"math"
	"os"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

const (
	// warmLen is how many bytes before the beginning of a resumed import are read again for the
	// decoder's sake: a message of the provider is hardly ever spread over more.
	warmLen = 1 << 20
	// maxRaces is how often one run starts again because another process was faster. Every time
	// the other one has moved the import on.
	maxRaces = 32
)

// importer brings one session file into the ledger, and knows between runs where it stands.
type importer struct {
	ledger   Ledger
	path     string // absolute, without links
	open     func(path string) (*os.File, int64, error)
	progress func(done, total int64)
	// ours limits the sessions to those that were started in certain directories; nil: any. foreign says that
	// this one was started elsewhere.
	ours    func(dir string) bool
	foreign bool
	// budget is after how many batches a run stops, with more set if it is not at the end; 0: never.
	budget int
	more   bool

	desc  description
	known bool // whether the following is what the ledger said last
	state ledger.ImportState
	dec   Decoder
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
	file, size, err := im.open(im.path)
	if err != nil {
		return rep, err
	}
	defer file.Close()
	if size == 0 && !im.known {
		return rep, fault.New(fault.Invalid, "claudecode.import", "%s is empty", im.path)
	}
	if err := im.describe(file); err != nil {
		return rep, err
	}
	for range maxRaces {
		if err := im.locate(ctx, file, size); err != nil {
			return rep, err
		}
		im.progress(im.state.Offset, size)
		if err := im.read(ctx, file, size, &rep); err != errMoved {
			return rep, err
		}
		im.known = false
	}
	return rep, &fault.Error{Code: fault.Limited, Op: "claudecode.import", Message: im.path, Err: errMoved}
}

// describe fills in what the session is, as long as something is missing. The host id stays.
func (im *importer) describe(file *os.File) error {
	if !im.desc.complete {
		d, err := describe(im.path, file)
		if err != nil {
			return fileError(im.path, err)
		}
		if id := im.desc.session.HostID; id != "" {
			d.session.HostID = id
		}
		im.desc = d
	}
	return im.belongs()
}

// belongs returns an error unless the session is one of those that are wanted. It can be told only when the
// file names a directory.
func (im *importer) belongs() error {
	dir := im.desc.session.Dir
	switch {
	case im.ours == nil:
		return nil
	case dir == "":
		return fault.New(fault.Invalid, "claudecode.follow", "%s does not say yet where its session runs", im.path)
	}
	if im.foreign = !im.ours(dir); im.foreign {
		return fault.New(fault.Invalid, "claudecode.follow", "the session of %s runs in %s, which is not followed", im.path, dir)
	}
	return nil
}

// locate asks the ledger how far the import has come, if that is not known, and makes sure that
// the file still holds what was imported of it.
func (im *importer) locate(ctx context.Context, file *os.File, size int64) error {
	if !im.known {
		if err := im.ask(ctx); err != nil {
			return err
		}
	}
	if im.state.Offset == 0 {
		if err := recognise(im.path, file); err != nil {
			return err
		}
	}
	sum, err := "", error(nil)
	if im.state.Offset <= size {
		sum, err = check(file, im.state.Offset)
	}
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return fileError(im.path, err)
	}
	if sum != im.state.Check || im.state.Offset > size {
		return im.rewritten()
	}
	if im.known {
		return nil
	}
	im.known = true
	return im.warm(file)
}

// rewritten is the error for a file that does not continue what was imported.
func (im *importer) rewritten() error {
	return fault.New(fault.Conflict, "claudecode.import",
		"%s is not what was imported of session %s before: its first %d bytes have changed",
		im.path, im.desc.session.HostID, im.state.Offset).
		WithHint("what was imported stays in the ledger; session files only ever grow, so look at what rewrote this one")
}

// ask gets the state of the import, and the ledger's name for the parent of the session.
func (im *importer) ask(ctx context.Context) error {
	id := importID(im.desc.session.HostID)
	state, err := im.ledger.ImportState(ctx, ledger.ImportStateRequest{Import: id})
	if err != nil {
		return err
	}
	state.Import = id
	im.state = state
	if im.desc.parent == "" {
		return nil
	}
	parent, err := im.ledger.ImportState(ctx, ledger.ImportStateRequest{Import: importID(im.desc.parent)})
	im.desc.session.Parent = parent.Session
	return err
}

// warm lets the decoder see the lines before the place where reading starts, so that it counts
// the usage of a message that is spread over both sides of it once.
func (im *importer) warm(file *os.File) error {
	im.dec = Decoder{Subagent: im.desc.subagent, last: im.desc.start}
	from := max(0, im.state.Offset-warmLen)
	r := NewReader(io.NewSectionReader(file, from, im.state.Offset-from), from, 0)
	for whole := from == 0; ; whole = true {
		rec, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fileError(im.path, err)
		}
		if whole {
			im.dec.Entry(rec.Text)
		}
	}
}

// read appends the lines from where the import stands to the end of the file. The last batch
// says that it is the last, so an import that was cut off always has something left to send.
func (im *importer) read(ctx context.Context, file *os.File, size int64, rep *Report) error {
	from := im.state.Offset
	r := NewReader(io.NewSectionReader(file, from, math.MaxInt64-from), from, im.state.Line)
	b := batch{from: from, to: from, line: im.state.Line}
	flight := sender{im: im, rep: rep, size: size}
	for left := im.budget; ; {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return flight.end(ctx, fileError(im.path, err))
		}
		before := im.dec
		l, err := im.line(ctx, file, rec)
		if err != nil {
			return flight.end(ctx, err)
		}
		if l.fate == torn {
			rep.Torn, rep.TornLine = true, rec.Line
		}
		if l.fate == torn || l.fate == waiting {
			break
		}
		if l.fate == kept && !b.fits(l.entry) {
			if err := flight.send(ctx, file, b, false); err != nil {
				return flight.end(ctx, err)
			}
			b = b.following()
			if left--; left == 0 {
				im.dec, im.more = before, true
				return flight.end(ctx, nil)
			}
		}
		b.take(rec, l)
	}
	if b.to == b.from {
		return flight.end(ctx, nil)
	}
	return flight.end(ctx, flight.send(ctx, file, b, true))
}
