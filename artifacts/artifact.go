package artifacts

import (
	"slices"
	"time"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
)

// Artifact is content kept outside the context.
type Artifact struct {
	ID    string `json:"id"`             // handle: 12 hex digits of the hash, more on a clash
	Hash  string `json:"hash"`           // SHA-256 of the content, names its blob
	Tool  string `json:"tool,omitempty"` // the tool whose result it is
	Hint  string `json:"hint,omitempty"` // its telling argument: "path=src/a.go"
	Title string `json:"title,omitempty"`
	// Name is the name it was last saved under, Version its version under that name: see SaveAs. "": not named.
	Name    string `json:"name,omitempty"`
	Version int    `json:"version,omitempty"`
	Bytes   int64  `json:"bytes"`
	Chars   int64  `json:"chars"`
	Lines   int64  `json:"lines"`
	Tokens  int    `json:"tokens"` // o200k_base
	// Features are what other tokenizers are estimated from; zero in records of earlier versions.
	Features tokens.Features `json:"features,omitzero"`
	Created  time.Time       `json:"created"`
	Refs     []Ref           `json:"refs,omitempty"` // where it came from, newest last, at most 16
	// Put is set if somebody asked for it to be kept, whichever sessions have the same content. See ByHand.
	Put bool `json:"put,omitempty"`
	// Forgotten is when the content was removed; the record stays as the tombstone.
	Forgotten *time.Time `json:"forgotten,omitempty"`
	Expired   bool       `json:"expired,omitempty"` // forgotten by the retention policy, not on request
	// Revived is when forgotten content was put again; nil when that never happened.
	Revived *time.Time `json:"revived,omitempty"`
}

// Session returns the session that it came from last; "": none is known.
func (a Artifact) Session() string {
	for _, ref := range slices.Backward(a.Refs) {
		if ref.Session != "" {
			return ref.Session
		}
	}
	return ""
}

// Count returns what the content costs as a counter counts it.
func (a Artifact) Count(c tokens.Counter) tokens.Count {
	if a.Features == (tokens.Features{}) {
		return c.Of(a.Tokens)
	}
	return c.OfFeatures(a.Features)
}

// Ref is one place where an artifact's content stood.
type Ref struct {
	Session string `json:"session,omitempty"`
	Seq     int64  `json:"seq,omitempty"`
	CallID  string `json:"call_id,omitempty"`
}

// Selection says which part of an artifact to read: at most one of Lines, Bytes, Head, Tail, Grep,
// JSONPath and Search is set; none means from the start. Context goes with Grep only. Limit bounds
// the text that comes back, in characters: 0 is limits.ArtifactText, the most is
// limits.ArtifactTextMax.
type Selection struct {
	Lines    string `json:"lines,omitempty"` // "10-40", "10-", "7": 1-based, inclusive
	Bytes    string `json:"bytes,omitempty"` // "0-4095", "100-": 0-based, inclusive
	Head     int    `json:"head,omitempty"`  // first lines
	Tail     int    `json:"tail,omitempty"`  // last lines
	Grep     string `json:"grep,omitempty"`  // RE2 pattern, matching lines
	Context  int    `json:"context,omitempty"`
	Path     string `json:"path,omitempty"`      // with Grep: of several messages, those whose Heading has it
	Fill     bool   `json:"fill,omitempty"`      // with Grep: more lines around matches where the page has room
	JSONPath string `json:"json_path,omitempty"` // "$.items[0].name"
	Search   string `json:"search,omitempty"`    // words; the best passages come back
	Limit    int    `json:"limit,omitempty"`
	// After continues a Grep behind this line, a JSONPath behind this many values and a Search
	// behind this many passages. A page's Next sets it; it goes with nothing else.
	After int64 `json:"after,omitempty"`
}

// Page is the part of an artifact that a Selection asked for.
type Page struct {
	ID         string `json:"id"` // the caller fills it in: Read does not know whose content it is
	Text       string `json:"text"`
	Range      string `json:"range"` // what the text is, in words: "lines 10-40", "3 of 12 matches"
	TotalLines int64  `json:"total_lines"`
	TotalBytes int64  `json:"total_bytes"`
	// Next is the Selection that continues where this page was cut; nil when nothing is left.
	Next *Selection `json:"next,omitempty"`
}

// Detach returns the page without its text, and the text: between processes it is sent outside the JSON.
func (p *Page) Detach() (bare any, data [][]byte) {
	b := *p
	b.Text = ""
	return b, [][]byte{[]byte(p.Text)}
}

// Attach puts the text back. Errors: invalid unless there is exactly one.
func (p *Page) Attach(data [][]byte) error {
	if len(data) != 1 {
		return fault.New(fault.Invalid, "artifacts.attach", "got %d texts for one page", len(data))
	}
	p.Text = string(data[0])
	return nil
}

// Passage is one stretch of lines that a search found.
type Passage struct {
	ID    string  `json:"id"`
	Name  string  `json:"name,omitempty"` // of the artifact, with its version
	Lines string  `json:"lines"`          // "120-139", for Selection.Lines
	Text  string  `json:"text"`
	Score float64 `json:"score"`
}

// ByHand reports whether somebody asked for the content to be kept: then it stays when the sessions go that have it, too.
// Records of earlier versions do not say so, but results of calls have references and no title.
func (a Artifact) ByHand() bool { return a.Put || a.Title != "" || len(a.Refs) == 0 }

// Available returns nil while the content can be read. For a forgotten artifact it returns the
// error of every reading of it: not_found, saying when it was forgotten and what it was.
func (a Artifact) Available() error {
	if a.Forgotten == nil {
		return nil
	}
	how := "was forgotten"
	if a.Expired {
		how = "expired by the retention policy"
	}
	return fault.New(fault.NotFound, "artifacts.read", "artifact %s %s on %s (%s)",
		a.ID, how, a.Forgotten.UTC().Format(time.DateOnly), a.Describe())
}

// Describe says in a few words what the artifact is: its name, its tool and hint, else its title.
func (a Artifact) Describe() string {
	switch {
	case a.Name != "":
		return Named{Name: a.Name, Version: a.Version}.String()
	case a.Tool != "" && a.Hint != "":
		return a.Tool + " " + a.Hint
	case a.Tool != "":
		return a.Tool
	case a.Title != "":
		return a.Title
	case a.Hint != "":
		return a.Hint
	}
	return chars.Commas(a.Chars) + " characters without a title"
}
