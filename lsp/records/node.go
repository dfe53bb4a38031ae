package records

import (
	"path"
	"strings"
)

// Kind is what a node of the tree is, or what an address names.
type Kind string

// The kinds. Lists have other kinds than what is in them.
const (
	KindSessions  Kind = "sessions"
	KindSession   Kind = "session"
	KindSummary   Kind = "summary"
	KindArtifacts Kind = "artifacts"
	KindArtifact  Kind = "artifact"
	KindMemories  Kind = "memories"
	KindMemory    Kind = "memory"
	KindChanges   Kind = "changes"
	KindChange    Kind = "change"
	KindMore      Kind = "more" // the next page of a list
)

// Node is one line of the tree. All texts are safe to show.
type Node struct {
	ID          string `json:"id"` // unique in the tree; what Nodes takes
	Label       string `json:"label"`
	Description string `json:"description"`
	Tooltip     string `json:"tooltip"` // plain text, of several lines
	Kind        Kind   `json:"kind"`
	URI         string `json:"uri"`    // the document that it opens; "": none
	Handle      string `json:"handle"` // what compacting, restoring or forgetting takes; "": nothing
	Children    bool   `json:"children"`
	Live        bool   `json:"live"`       // a session that an agent works in
	Restorable  bool   `json:"restorable"` // a summary that was not taken back

	opens     Address // what URI is made of, without a title; the zero address: nothing
	extension string  // of the title of an artifact
}

// address returns the document that the node opens, under a title that may be shown.
func (n Node) address() string {
	a := n.opens
	switch a.Kind {
	case "":
		return ""
	case KindSession:
		a.Title = tab(n.Label, extension)
	case KindArtifact:
		a.Title = tab(strings.TrimSuffix(path.Base(n.Label), n.extension), n.extension)
	case KindChange:
		a.Title = tab(path.Base(n.Label), extension)
	}
	return a.String()
}

// Bounds on the texts of a node, in characters.
const (
	maxLabel   = 200
	maxShort   = 60 // of a session's label: a longer one leaves its description no room
	maxTooltip = 4000
)
