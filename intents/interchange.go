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
	ArgsSummary  Args   // in the order of the file; ours are sorted by name
	Command      string // of a shell run, cut at 1,000 characters. A member of ours.
	unknown      jsondoc.Object
}

// Args are the arguments of a call in short.
type Args []Arg

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
func ReadDocument(raw []byte) (d Document, rep jsondoc.Report, err error) {
	var root jsondoc.Object
	d.Entries, root, rep, err = jsondoc.Read[Record](raw, entriesName)
	for _, m := range root {
		switch {
		case strings.EqualFold(m.Name, "ActiveSessionId") && m.Into(&d.ActiveSessionID) == nil:
		case strings.EqualFold(m.Name, "Dropped") && m.Into(&d.Dropped) == nil:
		default:
			d.unknown = append(d.unknown, m)
		}
	}
	return d, rep, err
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
	return w.doc.Close(jsondoc.Encode([]jsondoc.Field{
		{Name: "ActiveSessionId", Value: &d.ActiveSessionID, Optional: true},
		{Name: "Dropped", Value: &d.Dropped, Optional: true},
	}, d.unknown))
}

// Size returns how many bytes the record takes in a document.
func (r Record) Size() int { return r.object().Size() }

func (r Record) object() jsondoc.Object { return jsondoc.Encode(r.fields(), r.unknown) }

func (r *Record) fields() []jsondoc.Field {
	return []jsondoc.Field{
		{Name: "IntentId", Value: &r.IntentID},
		{Name: "Timestamp", Value: &r.Timestamp},
		{Name: "Agent", Value: &r.Agent},
		{Name: "TurnIndex", Value: &r.TurnIndex},
		{Name: "SessionId", Value: &r.SessionID, Optional: true},
		{Name: "Operation", Value: &r.Operation},
		{Name: "Status", Value: &r.Status},
		{Name: "ErrorMessage", Value: &r.ErrorMessage, Optional: true},
		{Name: "CompletedAt", Value: &r.CompletedAt, Optional: true},
		{Name: "Reconciled", Value: &r.Reconciled, Optional: true},
		{Name: "PreHash", Value: &r.PreHash, Optional: true},
	}
}

func (p *Operation) fields() []jsondoc.Field {
	return []jsondoc.Field{
		{Name: "FunctionName", Value: &p.FunctionName},
		{Name: "TargetPath", Value: &p.TargetPath, Optional: true},
		{Name: "ArgsSummary", Value: &p.ArgsSummary},
		{Name: "Command", Value: &p.Command, Optional: true},
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Record) UnmarshalJSON(raw []byte) (err error) {
	r.unknown, err = jsondoc.Decode(raw, r.fields())
	return err
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Operation) UnmarshalJSON(raw []byte) (err error) {
	p.unknown, err = jsondoc.Decode(raw, p.fields())
	return err
}

// MarshalJSON implements json.Marshaler.
func (p Operation) MarshalJSON() ([]byte, error) {
	return jsondoc.Encode(p.fields(), p.unknown).MarshalJSON()
}

// UnmarshalJSON implements json.Unmarshaler. Values are strings; anything else is kept as its JSON.
func (a *Args) UnmarshalJSON(raw []byte) error {
	o, err := jsondoc.Parse(raw)
	for _, m := range o {
		arg := Arg{Name: m.Name}
		if m.Into(&arg.Value) != nil {
			arg.Value = string(m.Value)
		}
		*a = append(*a, arg)
	}
	return err
}

// MarshalJSON implements json.Marshaler.
func (a Args) MarshalJSON() ([]byte, error) {
	var o jsondoc.Object
	for _, arg := range a {
		o.Add(arg.Name, arg.Value)
	}
	return o.MarshalJSON()
}
