package audit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/report"
	"ctxledger.dev/tokens"
)

// Options say what is read, and where progress is reported.
type Options struct {
	Env    env.Env
	Paths  []string            // files and directories; none: where the agents keep their sessions
	Models *tokens.Registry    // prices, and how models count
	Zone   *time.Location      // that days are those of
	Mask   func(string) string // masks the secrets in a text
	// Expect and Advance receive how many bytes there are to read, and have been read. They may be called by
	// several goroutines at once.
	Expect, Advance func(bytes int64)
	// Figures is the file where the figures of session files are kept for later audits by the same Program; "": nowhere.
	Figures, Program string
}

// Audit is what session files say, and what of them could not be read.
type Audit struct {
	report.Report
	Looked  []string  `json:"looked"`            // where it was looked for session files
	Skipped []Failure `json:"skipped,omitempty"` // files in directories that are no sessions of an agent known here
	Unread  int       `json:"unread,omitempty"`  // files that were not read before the audit was interrupted
	Failed  []Failure `json:"failed,omitempty"`
	// Unfollowed are links in directories that were not followed, and files that are only named like sessions, each with the
	// reason.
	Unfollowed []Failure `json:"unfollowed,omitempty"`
	Damaged    []Damaged `json:"damaged,omitempty"`
	candidates []candidate
	measured   []*report.Measured
}

// View returns what was spent in a span, by one of report.Views. Blocks that are not over at now have a pace; days are those of
// its zone.
func (a Audit) View(by string, in report.Span, now time.Time) report.View {
	return report.ViewOf(a.measured, by, in, now)
}

// Failure is a path that could not be read.
type Failure struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Damaged is a file with lines that could not be read, which are left out.
type Damaged struct {
	Path string `json:"path"`
	Damage
}

// Damage counts the lines of a session file that could not be read, or not whole. What is damaged is left out.
type Damage struct {
	Broken int   `json:"broken"` // no record
	Partly int   `json:"partly"` // records, which were read, and what is none
	Long   int   `json:"long"`   // longer than a record may be
	First  int64 `json:"first"`  // number of the first such line, from 1; 0: there is none
	partly int64 // number of the newest line in Partly
}

// Run reads all session files that the paths name. What cannot be read is part of the answer. Errors: too_large
// for more than 100,000 files; that of ctx, with the figures of the files that were read before it ended.
func Run(ctx context.Context, o Options) (Audit, error) {
	s := newSearch()
	out := Audit{Looked: o.Paths}
	if len(o.Paths) == 0 {
		out.Looked = s.places(o.Env)
	}
	for _, p := range out.Looked {
		if _, err := os.Stat(p); err != nil && len(o.Paths) == 0 {
			continue // an agent that is not used here
		}
		if err := s.path(ctx, p); err != nil {
			return out, err
		}
	}
	s.sort()
	for _, f := range s.found {
		o.Expect(f.size)
	}
	w := work{ctx: ctx, Options: o, files: s.found, read: make([]file, len(s.found)), known: o.load()}
	w.each(func(f *file) bool { return !f.done }, w.measure)
	w.claim()
	w.each(func(f *file) bool { return f.shared }, w.count)
	w.save()
	out.Skipped, out.Failed, out.Unfollowed = s.skipped, s.failed, s.unread
	for i, f := range w.read {
		if !f.done {
			out.Unread++
			continue
		}
		if f.err != nil {
			s.fail(w.files[i].path, f.err)
			out.Failed = s.failed
		}
		if f.Damage.First > 0 {
			out.Damaged = append(out.Damaged, Damaged{w.files[i].path, f.Damage})
		}
		if f.Measured != nil {
			out.measured = append(out.measured, f.Measured)
		}
	}
	out.Report = report.Merge(out.measured, o.Zone)
	out.Prices = o.Models.Prices().Date
	out.candidates = w.candidates()
	return out, ctx.Err()
}

// places returns where the agents keep the user's session files.
func (s *search) places(e env.Env) []string {
	var all []string
	for _, a := range s.adapters {
		for _, base := range a.Bases(e) {
			if _, err := os.Stat(base); err == nil || base == a.Base(e) {
				all = append(all, base)
			}
		}
	}
	return all
}

// work reads files on all processors. What is found of each lies at its place, so that the order of the
// files alone decides what comes of it.
type work struct {
	Options
	ctx   context.Context
	files []source
	read  []file
	owner map[uint64]int // which file counts a request
	known figures
	anew  atomic.Bool // a file was read that was not known
}

// file is what was found of one session file.
type file struct {
	finding
	done   bool // it was read to its end, or as far as it can be
	shared bool // other files count other requests of it than those that it was read with
	err    error
}

// sighting is a request that a file reports.
type sighting struct {
	ID   uint64
	Rank rank
	At   int64 // when, in nanoseconds
}

// digest identifies a text.
func digest(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.LittleEndian.Uint64(sum[:])
}

// rank says how a file has a request.
type rank int

const (
	own       rank = iota
	copied         // the agent says that it copied it from another session
	reflected      // it repeats a subagent's
)

// each calls do for each file that is wanted.
func (w *work) each(wanted func(f *file) bool, do func(i int) error) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(w.files)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(w.files) && w.ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if f := &w.read[i]; wanted(f) {
					f.err = do(i)
					f.done = w.ctx.Err() == nil || !errors.Is(f.err, w.ctx.Err())
				}
			}
		})
	}
	workers.Wait()
}

// wholly returns what reads a file from its beginning, as far as it is written.
func wholly(file io.ReaderAt) io.Reader { return io.NewSectionReader(file, 0, math.MaxInt64) }

// claim decides which file counts each request: one that has it as its own before one that copied or repeats it, and of
// several the one that has it with an earlier time. If their records are the same, it is the one that went on first without
// the others: a session that was forked or resumed as another one had come to its end.
func (w *work) claim() {
	w.owner = map[uint64]int{}
	for i := range w.read {
		if f := &w.read[i]; !f.done {
			f.Requests = nil
		}
	}
	shared := map[uint64]bool{}
	alone := make([]int64, len(w.read)) // when it reported the first one that no other file has
	for _, f := range w.read {
		for _, q := range f.Requests {
			_, again := shared[q.ID]
			shared[q.ID] = again
		}
	}
	for i, f := range w.read {
		for _, q := range f.Requests {
			if !shared[q.ID] && (alone[i] == 0 || q.At < alone[i]) {
				alone[i] = q.At
			}
		}
	}
	best := map[uint64]sighting{}
	for i, f := range w.read {
		for _, q := range f.Requests {
			old, taken := best[q.ID]
			if !taken || cmp.Or(cmp.Compare(q.Rank, old.Rank), cmp.Compare(q.At, old.At),
				cmp.Compare(alone[i], alone[w.owner[q.ID]])) < 0 {
				best[q.ID], w.owner[q.ID] = q, i
			}
		}
	}
	for i := range w.read {
		f := &w.read[i]
		var copied []uint64
		for _, q := range f.Requests {
			if w.owner[q.ID] != i {
				copied = append(copied, q.ID)
			}
		}
		f.shared = f.done && f.err == nil && !slices.Equal(copied, f.Copied)
		f.done, f.Copied = f.done && !f.shared, copied
	}
}

// measure reads a file, as if no other one had its requests, and notes these.
func (w *work) measure(i int) error {
	f := &w.read[i]
	err := w.count(i)
	if f.Compacted && f.Measured == nil { // its names are wanted from the beginning on
		f.Requests = nil
		err = w.count(i)
	}
	slices.SortFunc(f.Requests, func(a, b sighting) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.At, b.At))
	})
	f.Requests = slices.CompactFunc(f.Requests, func(a, b sighting) bool { return a.ID == b.ID })
	return err
}

// count reads a file to its end, or to its first compaction if none was known.
func (w *work) count(i int) error {
	src, read := w.files[i], &w.read[i]
	f, err := src.open()
	if err != nil {
		return err
	}
	defer f.Close() // opened for reading
	all, err := sessionfile.Unpacked(f)
	if err != nil {
		return err
	}
	about, err := src.from.About(src.path, all)
	if err != nil {
		return err
	}
	if w.owner == nil && w.recall(i, about) {
		return nil
	}
	w.anew.Store(true)
	known := read.Compacted
	m := report.NewMeter(w.Models, report.Session{
		// A subagent's file belongs to the session that started it.
		ID: cmp.Or(about.Identity.Parent, about.Identity.ID), Subagent: about.Identity.Subagent,
		Agent: about.Session.Host, Title: about.Session.Title, Project: about.Session.Dir,
		Compacts: known,
	})
	own := about.Session.Continues == "" // else it is counted once the agent went on with it
	in := &watched{Reader: wholly(all), work: w}
	x := entries{seed: maphash.MakeSeed(), counts: map[uint64]int{}, names: known, mask: w.Mask}
	read.Damage, err = spoken(in, src, func(r *sessionfile.Record, how rank, midway bool) bool {
		if r.Compaction != nil && !known {
			read.Compacted = true
			return false
		}
		e := x.of(r)
		e.Midway = midway
		if q := e.Request; q != nil && r.Copy != "" {
			id := digest(r.Copy)
			if w.owner == nil {
				read.Requests = append(read.Requests, sighting{id, how, r.Time.UnixNano()})
			} else {
				q.Copied = w.owner[id] != i
			}
		}
		own = own || !e.Copied
		m.Add(e)
		return true
	})
	if read.Compacted != known {
		w.advance(-in.read)
		return nil
	}
	w.advance(src.size - in.read) // what was not read is done as well
	read.Measured = nil
	if own {
		read.Measured = m.End() // also of a file that breaks off
		for _, l := range read.Measured.Losses {
			l.Each(w.Mask)
		}
	}
	return err
}

// spoken calls take with each record of a file that adds to a conversation or reports a request, in order, until that returns
// false. midway is said of the first message, where that follows a record which the file does not have.
func spoken(in io.Reader, src source, take func(r *sessionfile.Record, how rank, midway bool) bool) (
	damage Damage, err error,
) {
	front := map[string]bool{"": true} // the chain that ends in front of the first message; nil behind it
	for r, err := range sessionfile.Records(in, sessionfile.Position{}, src.from.Decoder(src.path)) {
		if err != nil {
			return damage, sessionfile.FileError(src.path, err)
		}
		if r.State == sessionfile.Broken && (r.Ended || r.Long) { // else it is still being written
			damage.note(r.Line)
		}
		midway := false
		switch {
		case front == nil:
		case r.Message.Empty() || r.Thread != "": // also where it repeats nothing of a conversation
			if r.ID != "" {
				front[r.ID] = front[r.Parent] // else it begins in the middle, as what follows it does
			}
		default:
			midway, front = !front[r.Parent] && !r.Summary, nil
		}
		how := own
		switch {
		case r.Repeats != nil:
			r, how = r.Repeats(), reflected
		case r.Origin.Session != "":
			how = copied
		}
		if r == nil {
			continue
		}
		if (!r.Message.Empty() || r.Compaction != nil || r.Request() != nil) && !take(r, how, midway) {
			break
		}
	}
	return damage, nil
}

// note counts a line.
func (d *Damage) note(line sessionfile.Line) {
	switch {
	case line.Long:
		d.Long++
	case !line.Piece:
		d.Broken++
	case line.Number != d.partly:
		d.Partly, d.partly = d.Partly+1, line.Number
	}
	if d.First == 0 {
		d.First = line.Number
	}
}

// watched reports how far the reading has come, and ends it with the command.
type watched struct {
	io.Reader
	*work
	read int64
}

func (r *watched) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.Reader.Read(p)
	r.read += int64(n)
	r.advance(int64(n))
	return n, err
}

// advance reports what was read for the first time.
func (w *work) advance(bytes int64) {
	if w.owner == nil {
		w.Advance(bytes)
	}
}
