package ledger

import "time"

// SearchRequest finds what was said, by its words.
type SearchRequest struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty"` // 0: 10; at most 50
}

// SearchResponse lists what fits best, best first: what has all words before what lacks one.
type SearchResponse struct {
	Found []Found `json:"found"`
	Total int     `json:"total"` // texts that have any of the words
	// Unread says that recorded texts are not searched yet: the owner is still reading them.
	Unread bool `json:"unread,omitempty"`
}

// The kinds of texts that a search finds.
const (
	FoundMessage  = "message"
	FoundArtifact = "artifact"
	FoundMemory   = "memory"
)

// Found is a text that a search finds.
type Found struct {
	Kind string `json:"kind"` // one of the constants above
	// ID is the handle of a message or an artifact, which ReadArtifact reads, or the name of a memory.
	ID      string    `json:"id"`
	Session string    `json:"session,omitempty"`
	Seq     int64     `json:"seq,omitempty"` // of a message, or of the one whose result became the artifact
	Turn    int       `json:"turn,omitempty"`
	Role    string    `json:"role,omitempty"` // who says a message
	Title   string    `json:"title,omitempty"`
	Lines   string    `json:"lines,omitempty"` // of an artifact: where the words are, for Selection.Lines
	Time    time.Time `json:"time"`
	Text    string    `json:"text"`                // the line with most of the words, without secrets
	Score   float64   `json:"score"`               // up to 1 for each word of the query
	Whole   bool      `json:"all_words,omitempty"` // it has all words of the query
	// Same is how many further texts of the kind have this line and are not listed.
	Same int `json:"same,omitempty"`
}
