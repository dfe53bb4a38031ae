package compaction

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/compaction/layout"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/transcript"
)

// Bounds of what a model is given, in characters unless a unit is given.
const (
	logChars     = 12_000 // of the change log
	traceChars   = 12_000 // of the tool trace
	outputChars  = 400    // of what one command printed
	messageChars = 8_000  // of one message, to begin with, unless Options.PromptChars says otherwise
	resultChars  = 2_000  // of one result
	leastChars   = 200    // of one message, however often the prompt shrinks
	taskChars    = 4_000  // of the first request
	// briefBytes bounds a brief as JSON: it travels in one frame.
	briefBytes = limits.Page
)

// Brief is the input of a model that summarises: the part of a session that leaves the view, with secrets masked.
// It holds no text of ours but headings; Ask makes prompts from it.
type Brief struct {
	// FirstKept and Range identify what the brief covers. The Answer repeats them.
	FirstKept int64  `json:"first_kept"`
	Range     string `json:"range"`
	From      int    `json:"from"` // turns
	To        int    `json:"to"`
	Preset    string `json:"preset,omitempty"` // which sections are wanted
	// Template, if set by the caller, replaces our prompt. {{$task}}, {{$turn_count}}, {{$change_log}} and
	// {{$history}} are substituted in one pass; the inserted texts are not searched again. The first part of a
	// split turn is requested with our own prompt.
	Template  string `json:"-"`
	MaxTokens int    `json:"room"`           // tokens that the summary may take in the document
	Task      string `json:"task,omitempty"` // the first request
	Focus     string `json:"focus,omitempty"`
	Notes     string `json:"notes,omitempty"`
	// Previous is the summary at the start of the current view: it covers what came before the brief.
	Previous string `json:"previous,omitempty"`
	// Document is what the modes without a model would hand on: the user's words, facts, sentences of the agent.
	Document string `json:"document,omitempty"`
	// Parts are the history, then the first part of a turn that the boundary splits.
	Parts []BriefPart `json:"parts"`
	// Omitted counts the oldest messages, left out for lack of space.
	Omitted int `json:"omitted,omitempty"`
}

// BriefPart is a stretch of the range that is summarised by itself.
type BriefPart struct {
	Turn     bool           `json:"turn,omitempty"` // the first part of a split turn
	Log      []string       `json:"log,omitempty"`  // the change log, oldest first
	Trace    []string       `json:"trace,omitempty"`
	Messages []BriefMessage `json:"messages"`
}

// BriefMessage is one message of the range.
type BriefMessage struct {
	Label string `json:"label"`           // "Human — Turn 3"
	Text  string `json:"text,omitempty"`  // cut to Options.PromptChars
	Chars int    `json:"chars,omitempty"` // of the text before it was cut
	Calls string `json:"calls,omitempty"` // "✓ write_file(a.go), ✗ shell_run(go test)"
}

// brief makes the brief of the items from v.start to the boundary, with the document that is used without a model.
func (s *source) brief(v *view, document string) (*Brief, error) {
	from, to := s.turns()
	if v.start > 0 {
		from = max(1, s.in.Items[v.start].Turn)
	}
	b := &Brief{
		FirstKept: s.in.Items[s.cut].first(), From: from, To: to, Preset: s.o.Preset, MaxTokens: s.narrativeBudget(),
		Focus: chars.Strip(s.o.Focus), Notes: chars.Strip(s.o.Notes), Previous: chars.Strip(s.in.PreviousText),
		Document: withoutOperations(document),
	}
	w := briefWriter{in: s.in, past: s.past, failed: s.in.failedCalls(), tracked: make(map[string]*Operation),
		most: s.o.promptChars()}
	for i := range s.past {
		w.tracked[s.past[i].CallID] = &s.past[i]
	}
	var err error
	if b.Task, err = w.task(s.cut); err != nil {
		return nil, err
	}
	earlier, text, err := s.earlier(v.start)
	if err != nil {
		return nil, err
	}
	b.Previous = cmp.Or(b.Previous, chars.Strip(text))
	split := v.start
	turn := s.splitTurn()
	for split < s.cut && (turn == 0 || s.in.Items[split].Turn != turn) {
		split++
	}
	for _, r := range [][2]int{{v.start, split}, {split, s.cut}} {
		if r[0] == r[1] {
			continue
		}
		part, err := w.part(r[0], r[1], earlier)
		if err != nil {
			return nil, err
		}
		part.Turn = r[0] == split
		b.Parts = append(b.Parts, part)
	}
	b.Range = b.digest()
	return b, b.bound(s.o.promptChars())
}

// briefWriter writes what a model reads of a range: its messages, and what the ledger recorded of its calls.
type briefWriter struct {
	in      *Input
	past    []Operation           // those of the compacted range
	tracked map[string]*Operation // the same, by call
	failed  map[string]bool       // calls that are known to have failed
	most    int                   // characters of a message
}

// withoutOperations returns a document without its last block: the change log tells that in more detail.
func withoutOperations(document string) string {
	if i := strings.LastIndex(document, layout.Rule); i >= 0 {
		return document[:i]
	}
	return document
}

// digest identifies a range by the words that a model would read of it. Facts that only the ledger has may become
// more exact meanwhile.
func (b *Brief) digest() string {
	h := sha256.New()
	write := func(text string) {
		sum := sha256.Sum256([]byte(text))
		h.Write(sum[:])
	}
	write(b.Previous)
	for _, p := range b.Parts {
		for _, m := range p.Messages {
			write(m.Label)
			write(m.Text)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// bound makes the brief fit one frame: it cuts every message shorter, then leaves out the oldest.
func (b *Brief) bound(most int) error {
	limit := b.cutTo(most)
	for {
		raw, err := json.Marshal(b)
		if err != nil {
			return fault.Wrap(fault.Internal, "compaction.brief", err)
		}
		if len(raw) <= briefBytes {
			return nil
		}
		if limit > leastChars {
			limit = shrink(limit)
			b.cut(limit)
			continue
		}
		for i := range b.Parts {
			p := &b.Parts[i]
			gone := (len(p.Messages) + 7) / 8
			p.Messages = p.Messages[gone:]
			b.Omitted += gone
		}
	}
}

// cutTo cuts the messages, which have at most so many characters, to a length that about fits, by their size in JSON. It returns
// that length.
func (b *Brief) cutTo(most int) int {
	limit := most
	for b.sizeAt(limit, most) > briefBytes && limit > leastChars {
		limit = shrink(limit)
	}
	if limit < most {
		b.cut(limit)
	}
	return limit
}

// sizeAt estimates the bytes of the brief as JSON with messages of at most limit characters.
func (b *Brief) sizeAt(limit, most int) int {
	const around = 60 // of one message's braces and names
	size := 0
	for _, p := range b.Parts {
		for _, m := range p.Messages {
			n := len(m.Text)
			if m.Chars > limit {
				n = n * limit / min(m.Chars, most)
			}
			size += n + len(m.Label) + len(m.Calls) + around
		}
	}
	return size
}

// cut cuts every message to a number of characters.
func (b *Brief) cut(limit int) {
	for _, p := range b.Parts {
		for i := range p.Messages {
			p.Messages[i].Text = ends(p.Messages[i].Text, limit, p.Messages[i].Chars)
		}
	}
}

// task is the first request of the session, if it is among the first items.
func (w briefWriter) task(items int) (string, error) {
	for i := range w.in.Items[:items] {
		if it := &w.in.Items[i]; it.Prompt {
			text, err := w.in.textOf(it)
			text = chars.Strip(text)
			return ends(text, taskChars, utf8.RuneCountInString(text)), err
		}
	}
	return "", nil
}

// part makes the part of the items in [from, to), without the previous summary.
func (w briefWriter) part(from, to int, previous *Item) (BriefPart, error) {
	p := BriefPart{Log: w.changeLog(from, to), Trace: w.trace(from, to)}
	for i := from; i < to; i++ {
		it := &w.in.Items[i]
		if it == previous && w.in.PreviousText == "" {
			continue
		}
		text, err := w.forModel(it)
		if err != nil {
			return p, err
		}
		m := BriefMessage{
			Label: "[" + speakerOf(it) + " — " + "T" + layout.Turn(max(1, it.Turn))[1:] +
				"]",
			Calls: w.callList(it),
		}
		m.Chars = utf8.RuneCountInString(text)
		m.Text = ends(text, w.most, m.Chars)
		if m.Text != "" || m.Calls != "" {
			p.Messages = append(p.Messages, m)
		}
	}
	return p, nil
}

func speakerOf(it *Item) string {
	if it.Earlier {
		return "Prior Summary"
	}
	if it.Loaded {
		return "Loaded by the host"
	}
	if it.Role == transcript.RoleUser && !isResult(it) {
		return "Human"
	}
	return "Agent"
}

// forModel returns what a model reads of one message: its text, and its results in short. Results that the ledger
// has recorded are only named.
func (w briefWriter) forModel(it *Item) (string, error) {
	text, err := w.in.textOf(it)
	if err != nil {
		return "", err
	}
	parts := []string{chars.Strip(text)}
	for _, r := range it.Results {
		if op := w.tracked[r.CallID]; op != nil {
			parts = append(parts, op.captured())
			continue
		}
		text, err := w.in.resultOf(it, r.CallID)
		if err != nil {
			return "", err
		}
		parts = append(parts, "[Tool result]:\n"+firstChars(chars.Strip(text), resultChars))
	}
	return strings.Trim(strings.Join(parts, "\n"), "\n"), nil
}

// captured replaces the result of an operation that the change log lists.
func (op *Operation) captured() string {
	if op.shell() {
		return "[shell_run output captured in ExecutionState]"
	}
	return "[file operations logged in ExecutionState]"
}

// firstChars returns the first limit characters of a text, and says how much is missing.
func firstChars(text string, limit int) string {
	n := utf8.RuneCountInString(text)
	if n <= limit {
		return text
	}
	head := chars.Head(text, limit)
	return head + "\n[... " + chars.Commas(n-utf8.RuneCountInString(head)) + " more characters truncated]"
}
