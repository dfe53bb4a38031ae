package ledger

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ctxledger.dev/compaction/feedback"
	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/words"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
)

// Bounds of what is offered as a memory.
const (
	candidateSessions = 5   // newest sessions that ended
	candidateChars    = 500 // of a quotation
	leastCandidate    = 3   // words: "no, wait" means nothing later
	leastUnspaced     = 6   // characters of a script that has no spaces between words
)

// Candidate is what the user said in a session that ended and that may be meant to last: a rule or a correction. It is
// no memory before a person accepts it.
type Candidate struct {
	ID      string `json:"id"` // made from its words
	Session string `json:"session"`
	Turn    int    `json:"turn"`
	Why     string `json:"why"`  // "standing rule" or "correction"
	Text    string `json:"text"` // verbatim, with secrets masked

	session sessions.Session
}

// candidateAPI are the roles that candidates need.
type candidateAPI interface {
	SessionReader
	Compactions
	Erasure
	MemoryStore
	Hooks
}

// Candidates returns what the newest sessions that ended offer as memories, in the order in which they ended, by rules alone: no
// model is asked and nothing is stored. Each is offered once, and not if a memory says the same or if it was settled.
func Candidates(ctx context.Context, api candidateAPI) ([]Candidate, error) {
	listed, err := api.Sessions(ctx, SessionsRequest{})
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	var ended []sessions.Session
	for _, s := range listed.Sessions {
		if s.Hooked == nil || !s.Main() {
			continue
		}
		for _, id := range s.Hooked.Settled {
			known[id] = true
		}
		if !s.Hooked.Ended.IsZero() && s.Seq > 0 && len(ended) < candidateSessions {
			ended = append(ended, s)
		}
	}
	if len(ended) == 0 {
		return []Candidate{}, nil
	}
	if err := knowMemories(ctx, api, known); err != nil {
		return nil, err
	}
	out := []Candidate{}
	slices.SortFunc(ended, func(a, b sessions.Session) int {
		return cmp.Or(a.Hooked.Ended.Compare(b.Hooked.Ended), strings.Compare(a.ID, b.ID))
	})
	for _, s := range ended {
		found, err := candidatesOf(ctx, api, s, known)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// knowMemories adds what memories say.
func knowMemories(ctx context.Context, api MemoryStore, known map[string]bool) error {
	for r := (MemoriesRequest{Body: true, Limit: 200}); ; {
		page, err := api.Memories(ctx, r)
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			known[said(e.Body)], known[said(e.Description)] = true, true
		}
		if page.Next == "" {
			return nil
		}
		r.After = page.Next
	}
}

// candidatesOf returns what one session offers besides what is known, by its id or its words, which it extends.
func candidatesOf(ctx context.Context, api candidateAPI, s sessions.Session, known map[string]bool) (
	[]Candidate, error) {
	document, err := SummaryOfAll(ctx, api, s, 0)
	if fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound) {
		return nil, nil // nothing to summarise, or forgotten since
	}
	if err != nil {
		return nil, err
	}
	var out []Candidate
	for _, c := range lasting(document) {
		if len(out)+len(s.Hooked.Settled) >= sessions.MaxSettled {
			break
		}
		masked, err := api.Mask(ctx, MaskRequest{Text: c.Text})
		if err != nil {
			return nil, err
		}
		c.Text = chars.Short(masked.Text, candidateChars)
		c.ID, c.Session, c.session = candidateID(c.Text), s.ID, s
		if !known[c.ID] && !known[said(c.Text)] {
			known[said(c.Text)] = true
			out = append(out, c)
		}
	}
	return out, nil
}

// lasting returns the words of the user in a document that are meant to last.
func lasting(document string) (out []Candidate) {
	for _, block := range layout.BlocksOf(document) {
		head, _, _ := strings.Cut(block, "\n")
		if head != layout.Task && head != layout.Said {
			continue
		}
		for _, e := range layout.Unquote(block) {
			c := Candidate{Why: feedback.Standing(e.Text), Text: binding(e.Text)}
			if c.Why == "correction" && strings.Contains(e.Label, "first request") {
				continue // of nothing
			}
			if c.Why == "" || tooShort(c.Text) || strings.HasPrefix(c.Text, "{") {
				continue
			}
			_, _ = fmt.Sscanf(e.Label, "turn %d", &c.Turn) // 0: a label without a turn
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b Candidate) int { return cmp.Compare(a.Turn, b.Turn) })
	return out
}

// tooShort reports whether a text is too short to mean something later.
func tooShort(text string) bool {
	unspaced := 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			unspaced++
		}
	}
	return len(strings.Fields(text)) < leastCandidate && unspaced < leastUnspaced
}

// binding returns a message, or of a long one the paragraph that binds.
func binding(text string) string {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) <= candidateChars {
		return text
	}
	for line := range strings.SplitSeq(text, "\n") {
		if feedback.Standing(line) != "" {
			return strings.TrimSpace(line)
		}
	}
	return text
}

// candidateID names a text. It is stored with what was settled, and so stays as it was made first.
func candidateID(text string) string {
	sum := sha256.Sum256([]byte(strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(text), " ")), ".!")))
	return hex.EncodeToString(sum[:6])
}

// said is the same for texts of the same words.
func said(text string) string {
	return strings.TrimRight(words.Key(strings.Join(strings.Fields(text), " ")), ".!")
}

// AcceptCandidate saves a candidate as a memory of the user, by this name or one made from its words, and settles it.
// Errors: not_found; conflict when a memory has the name.
func AcceptCandidate(ctx context.Context, api candidateAPI, id, name string, scope memory.Scope) (memory.Entry, error) {
	const op = "ledger.AcceptCandidate"
	c, err := candidate(ctx, api, op, id)
	if err != nil {
		return memory.Entry{}, err
	}
	if name == "" {
		name = c.name()
	}
	_, err = api.Memory(ctx, MemoryRequest{Name: name, Scope: scope})
	if err == nil {
		err = fault.New(fault.Conflict, op, "a memory is already named %q", name).WithHint("choose another with --name")
	}
	if !fault.Is(err, fault.NotFound) {
		return memory.Entry{}, err
	}
	e, err := api.SaveMemory(ctx, SaveMemoryRequest{Entry: memory.Entry{Name: name, Scope: scope, Type: "feedback",
		Description: fmt.Sprintf("%s of the user, session %s, turn %d", c.Why, c.Session, c.Turn),
		Body:        c.Text, Source: "user"}})
	if err != nil {
		return memory.Entry{}, err
	}
	return e, settle(ctx, api, c)
}

// DismissCandidate settles a candidate: it is not offered again. Errors: not_found.
func DismissCandidate(ctx context.Context, api candidateAPI, id string) (Candidate, error) {
	c, err := candidate(ctx, api, "ledger.DismissCandidate", id)
	if err != nil {
		return c, err
	}
	return c, settle(ctx, api, c)
}

func candidate(ctx context.Context, api candidateAPI, op, id string) (Candidate, error) {
	all, err := Candidates(ctx, api)
	if err != nil {
		return Candidate{}, err
	}
	for _, c := range all {
		if c.ID == id {
			return c, nil
		}
	}
	return Candidate{}, fault.New(fault.NotFound, op, "no memory candidate %q", id).
		WithHint("`ctxledger memory candidates` lists them")
}

func settle(ctx context.Context, api Hooks, c Candidate) error {
	_, err := api.NoteStage(ctx, NoteStageRequest{Stage: StageSettled, Digests: []string{c.ID},
		LiveSession: LiveSession{Host: c.session.Host, HostID: c.session.HostID, Dir: c.session.Dir}})
	return err
}

// name makes a name from the first words of a candidate.
func (c Candidate) name() string {
	first := strings.Fields(chars.Line(c.Text))
	name := strings.ToLower(strings.Join(first[:min(len(first), 6)], "-"))
	return strings.TrimRight(chars.Short(name, 60), ".,;:!-。！")
}
