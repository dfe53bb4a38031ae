package claudecode

import (
	"bytes"
	"io"
	"math"
	"os"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
)

// maxRecording bounds a session file that is read whole, in bytes.
const maxRecording = 1 << 30

// Recording is a session file read whole, for whoever looks at one session from its beginning to its end
// without a ledger.
type Recording struct {
	About   sessions.Session // Host, HostID, Title, Dir
	Entries []sessions.NewEntry
	// Summaries are the indexes of the entries that hold the summaries of Claude Code's own compactions.
	Summaries []int
}

// Read reads a session file whole. Damaged lines, and those that are too long, are left out.
//
// Errors: not_found and denied for the file; invalid for one that is no session file of Claude Code;
// too_large for more than 1 GiB.
func Read(src Source) (Recording, error) {
	path, err := src.real()
	if err != nil {
		return Recording{}, err
	}
	file, _, err := open(path)
	if err != nil {
		return Recording{}, err
	}
	defer file.Close() // opened for reading
	return readOpen(file, path)
}

// readOpen is Read for a file that is open.
func readOpen(file *os.File, path string) (Recording, error) {
	info, err := file.Stat()
	if err != nil {
		return Recording{}, fileError(path, err)
	}
	if size := info.Size(); size > maxRecording {
		return Recording{}, fault.New(fault.TooLarge, "claudecode.read", "%s has %d bytes, more than %d", path, size, maxRecording)
	}
	if err := recognise(path, file); err != nil {
		return Recording{}, err
	}
	d, err := describe(path, file)
	if err != nil {
		return Recording{}, fileError(path, err)
	}
	rec := Recording{About: d.session}
	dec := Decoder{Subagent: d.subagent, last: d.start}
	r := NewReader(io.NewSectionReader(file, 0, math.MaxInt64), 0, 0)
	for {
		line, err := r.Next()
		if err == io.EOF {
			return rec, nil
		}
		if err != nil {
			return rec, fileError(path, err)
		}
		e, ok := dec.Entry(line.Text)
		if !ok {
			continue
		}
		if isSummary(line.Text) {
			rec.Summaries = append(rec.Summaries, len(rec.Entries))
		}
		rec.Entries = append(rec.Entries, e)
	}
}

// isSummary reports whether a record holds the summary of a compaction.
func isSummary(line []byte) bool {
	if !bytes.Contains(line, []byte(`"isCompactSummary"`)) { // nearly all lines
		return false
	}
	r, ok := parse(line)
	return ok && r.compactSummary
}
