package agents

import (
	"io"
	"math"
	"os"
	"path/filepath"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
)

// maxRecording bounds a session file that is read whole, in bytes.
const maxRecording = 1 << 30

// Recording is a session file read whole, for looking at one session from its beginning to its end without a
// ledger.
type Recording struct {
	Name    string           // of the file
	About   sessions.Session // Host, HostID, Title, Dir
	Entries []sessions.NewEntry
	// Summaries are the indexes of the entries that hold the summaries of the agent's own compactions.
	Summaries []int
}

// Read reads a session file whole. What is damaged, and lines that are too long, are left out.
//
// Errors: those of reading; invalid for a file that is not a session file from a known agent; too_large for more
// than 1 GiB.
func Read(file *os.File, path string) (Recording, error) {
	all, err := sessionfile.Unpacked(file)
	if err != nil {
		return Recording{}, sessionfile.FileError(path, err)
	}
	size, err := all.Size()
	if err != nil {
		return Recording{}, sessionfile.FileError(path, err)
	}
	if size > maxRecording {
		return Recording{}, fault.New(fault.TooLarge, "agents.read", "%s has %d bytes, more than %d", path, size,
			maxRecording)
	}
	adapter, err := detect(path, all)
	if err != nil {
		return Recording{}, err
	}
	about, err := adapter.About(path, all)
	if err != nil {
		return Recording{}, sessionfile.FileError(path, err)
	}
	out := Recording{Name: filepath.Base(path), About: about.Session}
	made := entries{last: about.Start}
	read := io.NewSectionReader(all, 0, math.MaxInt64)
	for r, err := range sessionfile.Records(read, sessionfile.Position{}, adapter.Decoder(path)) {
		if err != nil {
			return out, sessionfile.FileError(path, err)
		}
		if r.State != sessionfile.Whole {
			continue
		}
		if r.Summary && r.Continues == "" {
			out.Summaries = append(out.Summaries, len(out.Entries))
		}
		out.Entries = append(out.Entries, made.entry(r))
	}
	return out, nil
}
