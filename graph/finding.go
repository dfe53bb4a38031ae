package graph

import (
	"cmp"
	"slices"
)

// Severity says how serious a finding is.
type Severity string

// The severities, most serious first.
const (
	Error       Severity = "error"
	Warning     Severity = "warning"
	Information Severity = "information"
	Hint        Severity = "hint"
	Off         Severity = "off" // of Settings: a finding is left out
)

// Finding is something to know about a document. Codes are stable; docs/graph.md explains each.
type Finding struct {
	Code     string    `json:"code"`
	Severity Severity  `json:"severity"`
	At       Span      `json:"at"`
	Message  string    `json:"message"`
	Related  []Related `json:"related,omitempty"`
	Fix      *Fix      `json:"fix,omitempty"`
}

// Unread returns what is to be said of a document that cannot be read.
func (s Settings) Unread(err error) []Finding {
	severity := cmp.Or(s.Severities["CG001"], Error)
	if severity == Off {
		return nil
	}
	return []Finding{{Code: "CG001", Severity: severity, Message: err.Error()}}
}

// Related is another place that a finding speaks of.
type Related struct {
	At      Span   `json:"at"`
	Message string `json:"message"`
}

// Fix is a change that removes a finding.
type Fix struct {
	Title string `json:"title"`
	At    Span   `json:"at"`
	Text  string `json:"text"` // that takes the place of At
	// Choice says that it changes what is sent, which only the author can want: no editor applies it by itself.
	Choice bool `json:"choice,omitempty"`
}

// moved returns the finding elsewhere.
func (f Finding) moved(by int) Finding {
	f.At = f.At.moved(by)
	f.Related = slices.Clone(f.Related)
	for i := range f.Related {
		f.Related[i].At = f.Related[i].At.moved(by)
	}
	if f.Fix != nil {
		f.Fix = &Fix{f.Fix.Title, f.Fix.At.moved(by), f.Fix.Text, f.Fix.Choice}
	}
	return f
}
