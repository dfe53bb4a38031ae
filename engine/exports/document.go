package exports

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"time"

	"ctxledger.dev/intents"
)

// The names of the members are those that other programs use. Timestamps are RFC 3339 in UTC.

// Changes is changes.json: one entry per turn of an agent in which something was changed or run.
type Changes struct {
	Entries         []Turn
	ActiveSessionID string           `json:"ActiveSessionId,omitempty"`
	External        []ExternalChange `json:",omitempty"`
	Dropped         int              `json:",omitempty"` // oldest entries left out, for size; a member of ours
}

// Turn is what one agent did in one turn.
type Turn struct {
	Agent        string
	TurnIndex    int // 0-based
	Timestamp    string
	SessionID    string   `json:"SessionId,omitempty"`
	FilesWritten []string // this list and those below are never nil: JSON would have null
	FilesDeleted []string
	CommandsRun  []CommandRun
	GitCommits   []string
	// FilesVia says of files what changed them, where it was not a file tool: "shell". A member of ours.
	FilesVia map[string]string `json:",omitempty"`
}

// CommandRun is one command line that an agent ran.
type CommandRun struct {
	Command   string
	Succeeded bool   `json:"succeeded"` // the one lower-case name of the format
	Output    string // standard output and error together, cut at 4,096 characters
}

// ExternalChange is a change that no session made: by an editor, a person or another program. Only we write these.
type ExternalChange struct {
	Path      string
	Operation string
	Timestamp string
}

// Intents is intents.json: what tool calls meant to do, and what became of it.
type Intents struct {
	Entries         []Intent
	ActiveSessionID string `json:"ActiveSessionId,omitempty"`
	Dropped         int    `json:",omitempty"` // entries left out at the beginning, for size; a member of ours
}

// Intent is one entry of intents.json.
type Intent struct {
	IntentID     string `json:"IntentId"` // 16 hex digits
	Timestamp    string
	Agent        string
	TurnIndex    int    // 0-based
	SessionID    string `json:"SessionId,omitempty"`
	Operation    Operation
	Status       intents.Status
	ErrorMessage string `json:",omitempty"` // cut at 300 characters
	CompletedAt  string `json:",omitempty"`
	Reconciled   bool   `json:",omitempty"` // the outcome was concluded from the file; with PreHash, ours
	PreHash      string `json:",omitempty"`
}

// Operation is what was called.
type Operation struct {
	FunctionName string
	TargetPath   string            `json:",omitempty"`
	ArgsSummary  map[string]string // never nil
	Command      string            `json:",omitempty"` // of a shell run, cut at 1,000 characters; a member of ours
}

// entryOf returns an intent as intents.json has it. agent is the main conversation's, for intents that name none.
func entryOf(in intents.Intent, agent string) Intent {
	e := Intent{
		IntentID: in.ID, Timestamp: stamp(in.Begun), Agent: cmp.Or(in.Agent, agent), TurnIndex: max(in.Turn-1, 0),
		SessionID: in.Session,
		Operation: Operation{FunctionName: in.Op, TargetPath: cmp.Or(in.Target, in.From), ArgsSummary: in.Args},
		Status:    in.Status, ErrorMessage: in.Error, PreHash: in.PreHash, Reconciled: in.Reconciled,
	}
	if in.Finished != nil {
		e.CompletedAt = stamp(*in.Finished)
	}
	if in.Op == intents.OpShell {
		e.Operation.Command = in.Command
	}
	if in.Args == nil {
		e.Operation.ArgsSummary = map[string]string{}
	}
	return e
}

// stamp writes a time in milliseconds, as the documented examples have it, or finer when it is finer.
func stamp(at time.Time) string {
	if at.Nanosecond()%int(time.Millisecond) != 0 {
		return at.UTC().Format(time.RFC3339Nano)
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// Write writes the document. Errors: those of w, unchanged.
func (d Changes) Write(w io.Writer) error {
	out := writer{w: w}
	for _, t := range d.Entries {
		out.entry(t)
	}
	d.Entries = []Turn{}
	return out.close(d)
}

// Write writes the document. Errors: those of w, unchanged.
func (d Intents) Write(w io.Writer) error {
	out := writer{w: w}
	for _, e := range d.Entries {
		out.entry(e)
	}
	d.Entries = []Intent{}
	return out.close(d)
}

// writer writes a document entry by entry, each with one call of Write.
type writer struct {
	w     io.Writer
	count int
	err   error // of w, the first one
}

// What surrounds the entries.
const (
	head   = "{\n  \"Entries\": ["
	indent = "\n    "
)

// entry writes the next entry.
func (d *writer) entry(v any) {
	before := "," + indent
	if d.count == 0 {
		before = head + indent
	}
	d.count++
	d.write(append([]byte(before), render(v, indent[1:])...))
}

// close writes the other members of a document, which is given without its entries. Errors: those of w, unchanged.
func (d *writer) close(document any) error {
	rest := render(document, "")
	if d.count > 0 {
		rest = append([]byte("\n  "), bytes.TrimPrefix(rest, []byte(head))...)
	}
	d.write(append(rest, '\n'))
	return d.err
}

func (d *writer) write(b []byte) {
	if d.err == nil {
		_, d.err = d.w.Write(b)
	}
}

// size returns how many bytes an entry takes in a document.
func size[T any](v T) int { return len(render(v, indent[1:])) + len(","+indent) }

// render lays out an object as the documented examples are: a member a line, but lists and objects of plain values in
// it on one line.
func render(v any, indent string) []byte {
	var raw, b bytes.Buffer
	e := json.NewEncoder(&raw)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)                                // strings, numbers, and lists of them
	_ = json.Indent(&b, raw.Bytes(), indent, "  ") // the encoder's own output
	lines := bytes.Split(bytes.TrimSpace(b.Bytes()), []byte("\n"))
	out := bytes.Clone(lines[0])
	for i := 1; i < len(lines); i++ {
		out = append(append(out, '\n'), lines[i]...)
		n := plainLines(lines[i:])
		object := n > 0 && lines[i][len(lines[i])-1] == '{'
		for k, line := range lines[i+1 : i+1+n] {
			if object || k > 0 && k < n-1 {
				out = append(out, ' ')
			}
			out = append(out, bytes.TrimSpace(line)...)
		}
		i += n
	}
	return out
}

// plainLines returns how many lines the list or object takes that begins at the end of the first one, without that,
// if all its values are plain; else 0. A string in JSON has no line end, and ends with a quotation mark.
func plainLines(lines [][]byte) int {
	if !bytes.HasSuffix(lines[0], []byte("{")) && !bytes.HasSuffix(lines[0], []byte("[")) {
		return 0
	}
	for n, line := range lines[1:] {
		line = bytes.TrimSuffix(bytes.TrimSpace(line), []byte(","))
		switch {
		case line[0] == '}' || line[0] == ']':
			return n + 1
		case bytes.IndexByte([]byte("{}[]"), line[len(line)-1]) >= 0:
			return 0
		}
	}
	return 0
}
