package sessionfile

import (
	"bytes"
	"io"
	"iter"
	"slices"
	"strings"

	"ctxledger.dev/internal/env"
)

// Adapter reads the session files of one agent. All fields but Archive, Unread, Subagents, Nested and Noise are required,
// unless they are only recognised: then it has but their Kind.
type Adapter struct {
	Kind
	Where string // sentence for people: where the agent keeps its session files
	Layout
	Reading
}

// Layout says where the session files of an agent lie.
type Layout struct {
	// Base returns the directory below which all session files of the user lie. It need not exist.
	Base func(e env.Env) string
	// Archive returns the directory of sessions that were set aside, which lies elsewhere and need not exist. nil: there is
	// none.
	Archive func(e env.Env) string
	// Dirs returns those directories below both that exist and may hold sessions of one of the trees (absolute
	// paths of workspaces), the most likely first, and tells of those that safefs.Walk cannot enter. Whether a session
	// belongs to a tree is decided by Record.Dir.
	Dirs func(e env.Env, trees []string, unread func(path string, why error)) []string
	// IsSession reports whether a file of this name is a session file.
	IsSession func(name string) bool
	// Unread says why a file that is named like a session of the agent is none that can be read; "": it is none. nil: there
	// are no such files.
	Unread func(name string) string
	// Subagents names the directory with the files of a session's subagents. It lies in the directory that is
	// named like the session's file without its extension. "": the agent has none.
	Subagents string
	// Nested says that directories with session files appear inside of those that Dirs returns.
	Nested bool
}

// Bases returns the directories below which all session files of the user lie.
func (l Layout) Bases(e env.Env) []string {
	all := []string{l.Base(e)}
	if l.Archive != nil {
		all = append(all, l.Archive(e))
	}
	return all
}

// Reading says how the session files of an agent are read.
type Reading struct {
	// Identify names the session of a file. session is the first one that a record names, or "".
	Identify func(path, session string) Identity
	// Decoder returns the function that decodes the lines of a file, one after another. It may remember what
	// earlier lines said, which it sees again after an interruption. It is wrapped by Joined.
	Decoder func(path string) Decode
	// Reports are names and types of which a line has one, in quotes, if it holds the usage of a request or a compaction.
	Reports []string
	// Noise is how the texts begin that the agent itself writes for the user: they are no titles.
	Noise []string
}

// Reported reports quickly whether a line may hold the usage of a request or a compaction: quotes inside a text would be
// escaped.
func (r Reading) Reported(line []byte) bool {
	return slices.ContainsFunc(r.Reports, func(name string) bool { return bytes.Contains(line, []byte(`"`+name+`"`)) })
}

// Skim returns a Decode for a file that looks only at lines which may hold the usage of a request or a compaction.
func (r Reading) Skim(path string) Decode {
	decode := r.Decoder(path)
	return func(rec *Record) bool { return !r.Reported(rec.Text) || decode(rec) }
}

// Begins reports whether a text begins with one of some beginnings, apart from white space.
func Begins(text string, with []string) bool {
	text = strings.TrimSpace(text)
	return slices.ContainsFunc(with, func(start string) bool { return strings.HasPrefix(text, start) })
}

// Identity names the session of a file.
type Identity struct {
	ID       string // unique among the sessions of the agent
	Parent   string // ID of the session that started this one; "": none, or not known yet
	Subagent bool   // the whole file is a subagent's conversation
}

// Decode fills in what a line says. r holds the line and is otherwise zero. It reports false, and leaves r
// alone, if the line is not a record of the agent. What it does not know becomes a Note.
type Decode func(r *Record) bool

// Records yields a record for each line that file holds from a position on, and of a line that is none as a whole, one for
// each of its Pieces. A record is valid until the next one. The only errors are those of reading; they end the iteration.
func Records(file io.Reader, from Position, decode Decode) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		lines, rec := NewReader(file, from), new(Record)
		for {
			line, err := lines.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			*rec = Record{Line: line}
			switch {
			case line.Long:
				rec.State = Broken
			case len(bytes.TrimSpace(line.Text)) == 0:
				rec.State = Blank
			case !decode(rec):
				for at, whole := range Pieces(line.Text, line.Ended) {
					*rec = Record{Line: line.piece(at)}
					if !whole || !decode(rec) {
						rec.State = Broken
					}
					if !yield(rec, nil) {
						return
					}
				}
				continue
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
}
