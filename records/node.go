package records

import (
	"cmp"
	"path"
	"strings"
)

// Kind is the kind of a node or of an address.
type Kind string

// The kinds of lists and of their elements.
const (
	KindSessions  Kind = "sessions"
	KindSession   Kind = "session"
	KindSummary   Kind = "summary"
	KindArtifacts Kind = "artifacts"
	KindArtifact  Kind = "artifact"
	KindMemories  Kind = "memories"
	KindMemory    Kind = "memory"
	KindChanges   Kind = "changes"
	KindFile      Kind = "file" // with several changes
	KindChange    Kind = "change"
	KindMore      Kind = "more" // the next page of a list
)

// The kinds of addresses only: the texts before and after a change, as far as its call declares them.
const (
	KindBefore Kind = "before"
	KindAfter  Kind = "after"
)

// Node is a node of the tree. All texts are safe to show.
type Node struct {
	ID          string `json:"id"` // unique in the tree; the argument of Nodes
	Label       string `json:"label"`
	Description string `json:"description"`
	Tooltip     string `json:"tooltip"` // plain text with several lines
	Kind        Kind   `json:"kind"`
	// File is the path of the file that the node is about, of which Label is the name and Description begins with the
	// folder; "": none. It may be of no file that exists.
	File       string `json:"file"`
	URI        string `json:"uri"`    // the document that it opens; "": none
	Handle     string `json:"handle"` // the argument of compacting, restoring or forgetting; "": none
	Children   bool   `json:"children"`
	Live       bool   `json:"live"`       // a session that an agent works in
	Restorable bool   `json:"restorable"` // a summary in effect

	title     string  // of URI, masked and cut like the label; "": the label
	opens     Address // the address of URI without its title; zero: none
	extension string  // of an artifact's title
}

// address returns the URI of the node's document with a title that is safe to show.
func (n Node) address() string {
	a := n.opens
	title := cmp.Or(n.title, n.Label)
	switch a.Kind {
	case "":
		return ""
	case KindSession, KindSummary:
		a.Title = tab(title, extension)
	case KindArtifact:
		a.Title = tab(strings.TrimSuffix(path.Base(title), n.extension), n.extension)
	case KindChange:
		a.Title = tab(path.Base(title), extension)
	}
	return a.String()
}

// Bounds on the texts of a node, in characters.
const (
	maxLabel   = 200
	maxShort   = 60 // of a session's label, which leaves space for the description
	maxTooltip = 4000
)
