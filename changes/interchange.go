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
func ReadDocument(raw []byte) (Document, jsondoc.Report, error) {
	var d Document
	root, rep, err := jsondoc.Read(raw, entriesName, func(o jsondoc.Object) error {
		var t Turn
		if err := t.read(o); err != nil {
			return err
		}
		d.Entries = append(d.Entries, t)
		return nil
	})
	if err != nil {
		return d, rep, err
	}
	for _, m := range root {
		switch {
		case strings.EqualFold(m.Name, "ActiveSessionId") && m.Into(&d.ActiveSessionID) == nil:
		case strings.EqualFold(m.Name, "Dropped") && m.Into(&d.Dropped) == nil:
		case strings.EqualFold(m.Name, "External"):
			d.External = jsondoc.List(m, func(e *ExternalChange, o jsondoc.Object) error { return e.read(o) }, &rep)
		default:
			d.unknown = append(d.unknown, m)
		}
	}
	return d, rep, nil
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
	var o jsondoc.Object
	if d.ActiveSessionID != "" {
		o.Add("ActiveSessionId", d.ActiveSessionID)
	}
	if len(d.External) > 0 {
		o.Add("External", jsondoc.Objects(d.External, ExternalChange.object))
	}
	if d.Dropped != 0 {
		o.Add("Dropped", d.Dropped)
	}
	return w.doc.Close(append(o, d.unknown...))
}

// Size returns how many bytes the entry takes in a document.
func (t Turn) Size() int { return t.object().Size() }

func (t *Turn) read(o jsondoc.Object) error {
	var rep jsondoc.Report
	for _, m := range o {
		var err error
		switch strings.ToLower(m.Name) {
		case "agent":
			err = m.Into(&t.Agent)
		case "turnindex":
			err = m.Into(&t.TurnIndex)
		case "timestamp":
			err = m.Time(&t.Timestamp)
		case "sessionid":
			err = m.Into(&t.SessionID)
		case "fileswritten":
			err = m.Into(&t.FilesWritten)
		case "filesdeleted":
			err = m.Into(&t.FilesDeleted)
		case "gitcommits":
			err = m.Into(&t.GitCommits)
		case "filesvia":
			err = m.Into(&t.FilesVia)
		case "commandsrun":
			t.CommandsRun = jsondoc.List(m, func(c *CommandRun, o jsondoc.Object) error { return c.read(o) }, &rep)
			err = rep.Err()
		default:
			t.unknown = append(t.unknown, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t Turn) object() jsondoc.Object {
	var o jsondoc.Object
	o.Add("Agent", t.Agent)
	o.Add("TurnIndex", t.TurnIndex)
	o.AddTime("Timestamp", t.Timestamp)
	if t.SessionID != "" {
		o.Add("SessionId", t.SessionID)
	}
	o.Add("FilesWritten", orEmpty(t.FilesWritten))
	o.Add("FilesDeleted", orEmpty(t.FilesDeleted))
	o.Add("CommandsRun", jsondoc.Objects(t.CommandsRun, CommandRun.object))
	o.Add("GitCommits", orEmpty(t.GitCommits))
	if len(t.FilesVia) > 0 {
		o.Add("FilesVia", t.FilesVia)
	}
	return append(o, t.unknown...)
}

// orEmpty returns a list that JSON writes as [].
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func (c *CommandRun) read(o jsondoc.Object) error {
	for _, m := range o {
		var err error
		switch strings.ToLower(m.Name) {
		case "command":
			err = m.Into(&c.Command)
		case "succeeded":
			err = m.Into(&c.Succeeded)
		case "output":
			err = m.Into(&c.Output)
		default:
			c.unknown = append(c.unknown, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c CommandRun) object() jsondoc.Object {
	var o jsondoc.Object
	o.Add("Command", c.Command)
	o.Add("succeeded", c.Succeeded) // the one lower-case name of the format
	o.Add("Output", c.Output)
	return append(o, c.unknown...)
}

func (e *ExternalChange) read(o jsondoc.Object) error {
	for _, m := range o {
		var err error
		switch strings.ToLower(m.Name) {
		case "path":
			err = m.Into(&e.Path)
		case "operation":
			err = m.Into(&e.Operation)
		case "timestamp":
			err = m.Time(&e.Timestamp)
		default:
			e.unknown = append(e.unknown, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e ExternalChange) object() jsondoc.Object {
	var o jsondoc.Object
	o.Add("Path", e.Path)
	o.Add("Operation", e.Operation)
	o.AddTime("Timestamp", e.Timestamp)
	return append(o, e.unknown...)
}
