package audit

import (
	"context"
	"hash/maphash"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxledger.dev/agents"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/report"
	"ctxledger.dev/tokens"
)

// Options say what is read, and how its progress is told.
type Options struct {
	Env    env.Env
	Paths  []string            // files and directories; none: where the agents keep their sessions
	Models *tokens.Registry    // prices, and how models count
	Zone   *time.Location      // that days are those of
	Mask   func(string) string // masks the secrets in a text
	// Expect and Advance are told how many bytes there are to read, and have been read. They may be called by
	// several goroutines at once.
	Expect, Advance func(bytes int64)
	// Replay is told how much of the time for replays is over, or of the work. nil: nothing is replayed.
	Replay func(share float64)
}

// Audit is what session files tell, and what about them could not be read.
type Audit struct {
	report.Report
	Looked  []string  `json:"looked"`            // where it was looked for session files
	Skipped int       `json:"skipped,omitempty"` // files in directories that no agent known here wrote
	Failed  []Failure `json:"failed,omitempty"`
	Damaged []Damaged `json:"damaged,omitempty"`
}

// Failure is a path that could not be read.
type Failure struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Damaged is a file with lines that could not be read, which are left out.
type Damaged struct {
	Path string `json:"path"`
	agents.Damage
}

// Run reads all session files that the paths name. What cannot be read is part of the answer. Errors: too_large
// for more than 100,000 files; that of ctx.
func Run(ctx context.Context, o Options) (Audit, error) {
	s := search{rooms: rooms(), seen: map[string]bool{}}
	defer s.close()
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
	slices.SortFunc(s.found, func(a, b source) int { return strings.Compare(a.path, b.path) })
	for _, f := range s.found {
		o.Expect(f.size)
	}
	w := work{ctx: ctx, Options: o, files: s.found, seed: maphash.MakeSeed(), read: make([]file, len(s.found))}
	w.each(w.survey)
	w.claim()
	w.each(w.measure)
	if err := ctx.Err(); err != nil {
		return out, err
	}
	out.Skipped, out.Failed = s.skipped, s.failed
	var all []report.Measured
	for i, f := range w.read {
		if f.err != nil {
			s.fail(w.files[i].path, f.err)
			out.Failed = s.failed
		}
		if f.damage.First > 0 {
			out.Damaged = append(out.Damaged, Damaged{w.files[i].path, f.damage})
		}
		if f.measured != (report.Measured{}) {
			all = append(all, f.measured)
		}
	}
	out.Report = report.Merge(all)
	w.play(&out.Report)
	return out, ctx.Err()
}

// places returns where the agents keep the user's session files.
func (s *search) places(e env.Env) []string {
	var all []string
	for _, r := range s.rooms {
		all = append(all, r.Places(e)...)
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
	seed  maphash.Seed
	owner map[uint64]int // which file counts a request
}

// file is what was found of one session file.
type file struct {
	requests, reflected []uint64
	compacted           bool
	damage              agents.Damage
	measured            report.Measured
	err                 error
}

// each calls do for each file that could be read so far.
func (w *work) each(do func(i int) error) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(w.files)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(w.files) && w.ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if f := &w.read[i]; f.err == nil {
					f.err = do(i)
				}
			}
		})
	}
	workers.Wait()
}

// survey notes which requests a file reports.
func (w *work) survey(i int) error {
	f, err := w.files[i].open()
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	s, err := w.files[i].room.Survey(f, w.files[i].path)
	if err != nil {
		return err
	}
	w.read[i].requests, w.read[i].reflected, w.read[i].compacted = w.hashes(s.Requests), w.hashes(s.Reflected), s.Compacted
	return nil
}

// hashes returns the hashes of ids, each once.
func (w *work) hashes(ids []string) []uint64 {
	var h []uint64
	for _, id := range ids {
		h = append(h, maphash.String(w.seed, id))
	}
	slices.Sort(h)
	return slices.Compact(h)
}

// claim decides which file counts each request: the first that reports it as its own, else the first that
// repeats it.
func (w *work) claim() {
	w.owner = map[uint64]int{}
	for _, list := range []func(f *file) []uint64{
		func(f *file) []uint64 { return f.requests }, func(f *file) []uint64 { return f.reflected },
	} {
		for i := range w.read {
			for _, id := range list(&w.read[i]) {
				if _, taken := w.owner[id]; !taken {
					w.owner[id] = i
				}
			}
		}
	}
	for i := range w.read {
		w.read[i].requests, w.read[i].reflected = nil, nil
	}
}

// measure reads a file.
func (w *work) measure(i int) error {
	src := w.files[i]
	f, err := src.open()
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	session, err := src.room.Describe(src.path, f)
	if err != nil {
		return err
	}
	session.Compacts = w.read[i].compacted
	m := report.NewMeter(w.Models, w.Zone, session)
	in := &watched{Reader: f, work: w}
	defer func() { w.Advance(src.size - in.read) }() // what was not read is done as well
	w.read[i].damage, err = src.room.Read(in, src.path, func(r agents.Record) {
		if q := r.Request; q != nil && q.ID != "" {
			owner, known := w.owner[maphash.String(w.seed, q.ID)]
			q.Copied = known && owner != i
		}
		m.Add(entry(r, m.WantsNames(), w.Mask))
	})
	w.read[i].measured = m.End() // also of a file that breaks off
	return err
}

// watched tells how far the reading has come, and ends it with the command.
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
	r.Advance(int64(n))
	return n, err
}
