package claudecode

import (
	"bytes"
	"io"
	"iter"
	"slices"
	"time"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/transcript"
)

// Lag is how long Claude Code may take to write into a session file what happened (2.1.328 takes 100 ms).
const Lag = time.Second

// idle is the pause after which Claude Code may clear old results from a context without writing it down (2.1.328 does
// after 65 minutes).
const idle = time.Hour

// Bounds of what is read of a session file, from its end, in bytes. A context of 200,000 tokens takes 1 to 4 MB of it.
const (
	maxBack  = 8 << 20
	backStep = 1 << 20
)

// Held says whether a context has the result of a call.
type Held int

// What can be known of it.
const (
	Unknown Held = iota // the file does not have the call yet, or not in this branch, or too far back
	Kept                // the call and its result are in the branch
	Gone                // a compaction or a clearing came after it
)

// Present is the moment that a branch of a conversation leads up to.
type Present struct {
	Call   string // a call whose result is about to be read
	Prompt string // the id of the prompt that is being worked on; "" if Claude Code does not tell it
	Time   time.Time
}

// Holds reports whether the branch of a session file that leads up to a moment has the result of an earlier call. The
// records of a file form a tree, to which a rewind adds a branch; a file is written a moment after what it tells, so the
// branch is found by the call, or by the records of the prompt. What is not certain is Unknown.
func Holds(file io.ReaderAt, size int64, earlier string, p Present) Held {
	b := branch{earlier: quoted(earlier), call: quoted(p.Call), prompt: p.Prompt, before: p.Time, on: map[string]bool{}}
	for text := range backwards(file, size) {
		if held, done := b.take(text); done {
			return held
		}
	}
	return Unknown
}

// quoted returns an id as a JSON string: records contain ids only as whole strings.
func quoted(id string) []byte { return []byte(`"` + id + `"`) }

// branch is a branch of a session file, read from its end.
type branch struct {
	earlier, call []byte
	prompt        string
	on            map[string]bool // the ids of records that are in it
	answered      bool            // the results of the calls that come next are in it
	before        time.Time       // the time of the record that was read last
}

// take reads the record before those that were read, and reports whether it decides.
func (b *branch) take(text []byte) (held Held, done bool) {
	l, ok := parse(text)
	if !ok {
		return b.takePieces(text)
	}
	names := bytes.Contains(text, b.earlier)
	if l.empties() || names && (l.replaces(l.name()) || bytes.Contains(text, []byte(transcript.Cleared))) {
		return Gone, true
	}
	on := l.id != "" && (b.on[l.id] || b.prompt != "" && l.prompt == b.prompt ||
		l.kind == "assistant" && bytes.Contains(text, b.call))
	switch {
	case on && b.paused(l.time):
		return Gone, true
	case names && l.kind == "assistant" && on && b.answered:
		return Kept, true
	case names && l.kind == "assistant":
		return Unknown, true
	}
	if on {
		b.on[l.parent] = true
		if l.kind == "user" {
			b.answered = bytes.Contains(text, []byte(`"tool_use_id"`))
		}
	}
	return Unknown, false
}

// takePieces reads the records of a damaged line, the last one first.
func (b *branch) takePieces(text []byte) (held Held, done bool) {
	var records [][]byte
	for at, whole := range sessionfile.Pieces(text, false) {
		if whole && len(at.In(text)) < len(text) {
			records = append(records, at.In(text))
		}
	}
	for _, record := range slices.Backward(records) {
		if held, done := b.take(record); done {
			return held, done
		}
	}
	return Unknown, false
}

// paused reports whether nothing happened for long after a record of the branch.
func (b *branch) paused(at time.Time) bool {
	if at.IsZero() {
		return false
	}
	pause := b.before.Sub(at)
	b.before = at
	return pause >= idle
}

// empties reports whether what was in the context before a record may be gone.
func (l *line) empties() bool {
	return l.compactSummary || l.replacesSpan || l.kind == "system" && (l.subtype == "compact_boundary" || l.micro())
}

// micro reports whether a record says that old results were cleared from the context.
func (l *line) micro() bool { return l.subtype == "microcompact_boundary" }

// replaces reports whether a record of this name tells of results that were replaced in the context.
func (l *line) replaces(name string) bool {
	return l.kind == "content-replacement" || name == "attachment tool_results_cut"
}

// backwards returns the lines at the end of a file, the last one first.
func backwards(file io.ReaderAt, size int64) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var rest []byte // the end of a line that begins further in front
		for end := size; end > 0 && size-end < maxBack; {
			from := max(0, end-backStep)
			block := make([]byte, end-from, int(end-from)+len(rest))
			if _, err := file.ReadAt(block, from); err != nil {
				return // it was cut off meanwhile
			}
			end, rest = from, append(block, rest...)
			for i := bytes.LastIndexByte(rest, '\n'); i >= 0; i = bytes.LastIndexByte(rest, '\n') {
				if !yield(rest[i+1:]) {
					return
				}
				rest = rest[:i]
			}
			if from == 0 {
				yield(rest)
			}
		}
	}
}
