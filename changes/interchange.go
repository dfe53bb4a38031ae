package changes

import (
	"io"
	"strings"
	"time"

	"ctxledger.dev/internal/jsondoc"
)

// Document is changes.json, the interchange form of a log of changes: one entry per turn of an agent in
// which something was changed or run. The names of its members are those that other programs use.
type Document struct {
	Entries         []Turn
	ActiveSessionID string
	External        []ExternalChange
	Dropped         int // entries that were left out at the beginning, for size. A member of ours.
	unknown         jsondoc.Object
}

// Turn is what one agent did in one turn.
type Turn struct {
	Agent        string
	TurnIndex    int // 0-based
	Timestamp    time.Time
	SessionID    string // missing in old files
	FilesWritten []string
	FilesDeleted []string
	CommandsRun  []CommandRun
	GitCommits   []string
	// FilesVia says of files what changed them, where it was no file tool: "shell". A member of ours.
	FilesVia map[string]string
	unknown  jsondoc.Object
}

// CommandRun is one command line that an agent ran.
type CommandRun struct {
	Command   string
	Succeeded bool
	Output    string // standard output and error together, cut at 4,096 characters
	unknown   jsondoc.Object
}

// ExternalChange is a change that no session made: by an editor, a person or another program. Only we
// write these.
type ExternalChange struct {
	Path      string
	Operation string
	Timestamp time.Time
	unknown   jsondoc.Object
}

// entriesName is the list of both interchange documents.
const entriesName = "Entries"

// ReadDocument reads changes.json, also one with names in another case, cut off, or of a newer version;
// what it does not know is kept. Errors: invalid for what is no such document.
func ReadDocument(raw []byte) (d Document, rep jsondoc.Report, err error) {
	var root jsondoc.Object
	d.Entries, root, rep, err = jsondoc.Read[Turn](raw, entriesName)
	for _, m := range root {
		switch {
		case strings.EqualFold(m.Name, "ActiveSessionId") && m.Into(&d.ActiveSessionID) == nil:
		case strings.EqualFold(m.Name, "Dropped") && m.Into(&d.Dropped) == nil:
		case strings.EqualFold(m.Name, "External"):
			d.External = jsondoc.List[ExternalChange](m, &rep)
		default:
			d.unknown = append(d.unknown, m)
		}
	}
	return d, rep, err
}

// Write writes the document in the documented layout. Errors: those of w, unchanged.
func (d Document) Write(w io.Writer) error {
	out := NewWriter(w)
	for _, t := range d.Entries {
		out.Turn(t)
	}
	return out.Close(d)
}

// Writer writes changes.json turn by turn.
type Writer struct{ doc *jsondoc.Writer }

// NewWriter begins a document.
func NewWriter(w io.Writer) Writer { return Writer{jsondoc.NewWriter(w, entriesName)} }

// Turn writes the next entry.
func (w Writer) Turn(t Turn) { w.doc.Entry(t.object()) }

// Close writes what stands beside the entries of d, which are not looked at. Errors: those of the
// underlying writer, unchanged.
func (w Writer) Close(d Document) error {
	return w.doc.Close(jsondoc.Encode([]jsondoc.Field{
		{Name: "ActiveSessionId", Value: &d.ActiveSessionID, Optional: true},
		{Name: "External", Value: &d.External, Optional: true},
		{Name: "Dropped", Value: &d.Dropped, Optional: true},
	}, d.unknown))
}

// Size returns how many bytes the entry takes in a document.
func (t Turn) Size() int { return t.object().Size() }

func (t Turn) object() jsondoc.Object { return jsondoc.Encode(t.fields(), t.unknown) }

func (t *Turn) fields() []jsondoc.Field {
	return []jsondoc.Field{
		{Name: "Agent", Value: &t.Agent},
		{Name: "TurnIndex", Value: &t.TurnIndex},
		{Name: "Timestamp", Value: &t.Timestamp},
		{Name: "SessionId", Value: &t.SessionID, Optional: true},
		{Name: "FilesWritten", Value: &t.FilesWritten},
		{Name: "FilesDeleted", Value: &t.FilesDeleted},
		{Name: "CommandsRun", Value: &t.CommandsRun},
		{Name: "GitCommits", Value: &t.GitCommits},
		{Name: "FilesVia", Value: &t.FilesVia, Optional: true},
	}
}

func (c *CommandRun) fields() []jsondoc.Field {
	return []jsondoc.Field{
		{Name: "Command", Value: &c.Command},
		{Name: "succeeded", Value: &c.Succeeded}, // the one lower-case name of the format
		{Name: "Output", Value: &c.Output},
	}
}

func (e *ExternalChange) fields() []jsondoc.Field {
	return []jsondoc.Field{
		{Name: "Path", Value: &e.Path},
		{Name: "Operation", Value: &e.Operation},
		{Name: "Timestamp", Value: &e.Timestamp},
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Turn) UnmarshalJSON(raw []byte) (err error) {
	t.unknown, err = jsondoc.Decode(raw, t.fields())
	return err
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *CommandRun) UnmarshalJSON(raw []byte) (err error) {
	c.unknown, err = jsondoc.Decode(raw, c.fields())
	return err
}

// MarshalJSON implements json.Marshaler.
func (c CommandRun) MarshalJSON() ([]byte, error) {
	return jsondoc.Encode(c.fields(), c.unknown).MarshalJSON()
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *ExternalChange) UnmarshalJSON(raw []byte) (err error) {
	e.unknown, err = jsondoc.Decode(raw, e.fields())
	return err
}

// MarshalJSON implements json.Marshaler.
func (e ExternalChange) MarshalJSON() ([]byte, error) {
	return jsondoc.Encode(e.fields(), e.unknown).MarshalJSON()
}
