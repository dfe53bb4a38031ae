package intents

import (
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/jsondoc"
)

// Document is intents.json, the interchange form of a list of intents. The names of its members are
// those that other programs use.
type Document struct {
	Entries         []Record
	ActiveSessionID string
	Dropped         int // entries that were left out at the beginning, for size. A member of ours.
	unknown         jsondoc.Object
}

// Record is one intent of the interchange form.
type Record struct {
	IntentID  string // 16 hex digits
	Timestamp time.Time
	Agent     string
	TurnIndex int // 0-based
	SessionID string
	Operation Operation
	// Status is one of the known ones, or what a newer version wrote: Known tells.
	Status       Status
	ErrorMessage string // cut at 300 characters
	CompletedAt  *time.Time
	Reconciled   bool // the outcome was concluded from the file. A member of ours, as the next one is.
	PreHash      string
	unknown      jsondoc.Object
}

// Operation is what was called.
type Operation struct {
	FunctionName string
	TargetPath   string
	ArgsSummary  []Arg  // in the order of the file; ours are sorted by name
	Command      string // of a shell run, cut at 1,000 characters. A member of ours.
	unknown      jsondoc.Object
}

// Arg is one argument in short.
type Arg struct{ Name, Value string }

// Known returns the status, Pending for one that this version does not know.
func (r Record) Known() Status {
	switch r.Status {
	case Applied, Failed, Retryable:
		return r.Status
	}
	return Pending
}

// entriesName is the list of both interchange documents.
const entriesName = "Entries"

// Interchange returns an intent in the interchange form. agent is the name of the main conversation's
// agent, for intents that name none.
func (in Intent) Interchange(agent string) Record {
	r := Record{
		IntentID: in.ID, Timestamp: in.Begun, Agent: in.Agent, TurnIndex: max(in.Turn-1, 0), SessionID: in.Session,
		Operation: Operation{FunctionName: in.Op, TargetPath: in.Target},
		Status:    in.Status, ErrorMessage: in.Error, CompletedAt: in.Finished,
		PreHash: in.PreHash, Reconciled: in.Reconciled,
	}
	if r.Agent == "" {
		r.Agent = agent
	}
	if in.Op == OpShell {
		r.Operation.Command = in.Command
	}
	if r.Operation.TargetPath == "" {
		r.Operation.TargetPath = in.From
	}
	for _, name := range slices.Sorted(maps.Keys(in.Args)) {
		r.Operation.ArgsSummary = append(r.Operation.ArgsSummary, Arg{name, in.Args[name]})
	}
	return r
}

// ReadDocument reads intents.json, also one with names in another case, cut off, or of a newer version;
// what it does not know is kept. Errors: invalid for what is no such document.
func ReadDocument(raw []byte) (Document, jsondoc.Report, error) {
	var d Document
	root, rep, err := jsondoc.Read(raw, entriesName, func(o jsondoc.Object) error {
		var r Record
		if err := r.read(o); err != nil {
			return err
		}
		d.Entries = append(d.Entries, r)
		return nil
	})
	if err != nil {
		return d, rep, err
	}
	for _, m := range root {
		switch {
		case strings.EqualFold(m.Name, "ActiveSessionId") && m.Into(&d.ActiveSessionID) == nil:
		case strings.EqualFold(m.Name, "Dropped") && m.Into(&d.Dropped) == nil:
		default:
			d.unknown = append(d.unknown, m)
		}
	}
	return d, rep, nil
}

// Write writes the document in the documented layout. Errors: those of w, unchanged.
func (d Document) Write(w io.Writer) error {
	out := NewWriter(w)
	for _, r := range d.Entries {
		out.Record(r)
	}
	return out.Close(d)
}

// Writer writes intents.json record by record.
type Writer struct{ doc *jsondoc.Writer }

// NewWriter begins a document.
func NewWriter(w io.Writer) Writer { return Writer{jsondoc.NewWriter(w, entriesName)} }

// Record writes the next entry.
func (w Writer) Record(r Record) { w.doc.Entry(r.object()) }

// Close writes what stands beside the entries of d, which are not looked at. Errors: those of the
// underlying writer, unchanged.
func (w Writer) Close(d Document) error {
	var o jsondoc.Object
	if d.ActiveSessionID != "" {
		o.Add("ActiveSessionId", d.ActiveSessionID)
	}
	if d.Dropped != 0 {
		o.Add("Dropped", d.Dropped)
	}
	return w.doc.Close(append(o, d.unknown...))
}

// Size returns how many bytes the record takes in a document.
func (r Record) Size() int { return r.object().Size() }

func (r *Record) read(o jsondoc.Object) error {
	for _, m := range o {
		var err error
		switch strings.ToLower(m.Name) {
		case "intentid":
			err = m.Into(&r.IntentID)
		case "timestamp":
			err = m.Time(&r.Timestamp)
		case "agent":
			err = m.Into(&r.Agent)
		case "turnindex":
			err = m.Into(&r.TurnIndex)
		case "sessionid":
			err = m.Into(&r.SessionID)
		case "operation":
			err = r.Operation.read(m)
		case "status":
			err = m.Into(&r.Status)
		case "errormessage":
			err = m.Into(&r.ErrorMessage)
		case "completedat":
			r.CompletedAt = new(time.Time)
			err = m.Time(r.CompletedAt)
		case "reconciled":
			err = m.Into(&r.Reconciled)
		case "prehash":
			err = m.Into(&r.PreHash)
		default:
			r.unknown = append(r.unknown, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r Record) object() jsondoc.Object {
	var o jsondoc.Object
	o.Add("IntentId", r.IntentID)
	o.AddTime("Timestamp", r.Timestamp)
	o.Add("Agent", r.Agent)
	o.Add("TurnIndex", r.TurnIndex)
	if r.SessionID != "" {
		o.Add("SessionId", r.SessionID)
	}
	o.Add("Operation", r.Operation.object())
	o.Add("Status", r.Status)
	if r.ErrorMessage != "" {
		o.Add("ErrorMessage", r.ErrorMessage)
	}
	if r.CompletedAt != nil {
		o.AddTime("CompletedAt", *r.CompletedAt)
	}
	if r.Reconciled {
		o.Add("Reconciled", true)
	}
	if r.PreHash != "" {
		o.Add("PreHash", r.PreHash)
	}
	return append(o, r.unknown...)
}

func (p *Operation) read(m jsondoc.Member) error {
	o, err := jsondoc.Parse(m.Value)
	for _, m := range o {
		switch strings.ToLower(m.Name) {
		case "functionname":
			err = m.Into(&p.FunctionName)
		case "targetpath":
			err = m.Into(&p.TargetPath)
		case "argssummary":
			err = p.readArgs(m)
		case "command":
			err = m.Into(&p.Command)
		default:
			p.unknown = append(p.unknown, m)
		}
		if err != nil {
			return err
		}
	}
	return err
}

// readArgs reads the arguments, whose values are strings; anything else is kept as its JSON.
func (p *Operation) readArgs(m jsondoc.Member) error {
	o, err := jsondoc.Parse(m.Value)
	for _, m := range o {
		a := Arg{Name: m.Name}
		if m.Into(&a.Value) != nil {
			a.Value = string(m.Value)
		}
		p.ArgsSummary = append(p.ArgsSummary, a)
	}
	return err
}

func (p Operation) object() jsondoc.Object {
	var o, args jsondoc.Object
	for _, a := range p.ArgsSummary {
		args.Add(a.Name, a.Value)
	}
	o.Add("FunctionName", p.FunctionName)
	if p.TargetPath != "" {
		o.Add("TargetPath", p.TargetPath)
	}
	o.Add("ArgsSummary", args)
	if p.Command != "" {
		o.Add("Command", p.Command)
	}
	return append(o, p.unknown...)
}
