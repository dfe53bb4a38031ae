package compaction

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"sync"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/filetext"
	"ctxledger.dev/internal/paths"
	"ctxledger.dev/transcript"
)

// wordsBytes bounds the messages that are kept in memory of one session.
const wordsBytes = 8 << 20

// Words keeps the messages of one session that plans have read, with their secrets masked: a plan needs most of them for
// what was said and for what was done, and the next plan needs them again. The zero value is ready for use, also by several
// plans at once. It is to be given up when entries of the session are rewritten.
type Words struct {
	mu       sync.Mutex
	messages map[int64]message // by entry; guarded by mu
	bytes    int               // guarded by mu
}

// message is a message with its words masked. Arguments are long and rarely needed: they are masked when they are.
type message struct {
	transcript.Message                                   // without arguments
	args               map[string]func() json.RawMessage // by call
}

func (w *Words) get(seq int64) (message, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m, ok := w.messages[seq]
	return m, ok
}

// Size returns how many bytes the kept messages have.
func (w *Words) Size() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bytes
}

// put keeps a message while there is room.
func (w *Words) put(seq int64, m message, size int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.bytes+size > wordsBytes {
		return
	}
	if w.messages == nil {
		w.messages = make(map[int64]message)
	}
	w.bytes += size
	w.messages[seq] = m
}

// load returns the message of one entry; ok is false if its text was forgotten.
func (in *Input) load(seq int64) (m message, ok bool, err error) {
	in.words = cmp.Or(in.words, &Words{})
	words := in.Words
	if words == nil || seq > in.WordsTo {
		words = in.words
	}
	if m, ok = words.get(seq); ok {
		return m, true, nil
	}
	if in.Message == nil {
		return m, false, fault.New(fault.Invalid, "compaction.plan", "no way to load the text of entry %d", seq)
	}
	read, err := in.Message(seq)
	if fault.Is(err, fault.NotFound) {
		return m, false, nil
	}
	if err != nil {
		return m, false, err
	}
	m, size := in.maskMessage(read)
	words.put(seq, m, size)
	return m, true, nil
}

// textOf loads the text of an item. A forgotten one says so; it is not an error.
func (in *Input) textOf(it *Item) (string, error) {
	return in.join(it, "\n", "(this text was forgotten)", unreported)
}

// unreported returns the text of a message without the parts in which its host reports of calls in the background, if it has
// others: all of such a part is the host's.
func unreported(m transcript.Message) string {
	report := func(p transcript.Part) bool {
		_, is := intents.NoticeIn(p.Text)
		return is
	}
	others := transcript.Message{Parts: slices.DeleteFunc(slices.Clone(m.Parts), report)}
	return cmp.Or(transcript.PlainText(others), transcript.PlainText(m))
}

// reasoningOf loads the reasoning of an item, "" if it has none.
func (in *Input) reasoningOf(it *Item) (string, error) {
	return in.join(it, " ", "", transcript.Reasoning)
}

// join joins what of returns for the entries of an item.
func (in *Input) join(it *Item, with, forgotten string, of func(transcript.Message) string) (string, error) {
	var parts []string
	for _, seq := range it.Seqs {
		m, ok, err := in.load(seq)
		if err != nil {
			return "", err
		}
		text := forgotten
		if ok {
			text = of(m.Message)
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, with), nil
}

// resultOf loads one result of an item; "" if it was forgotten.
func (in *Input) resultOf(it *Item, callID string) (string, error) {
	for _, seq := range it.Seqs {
		m, _, err := in.load(seq)
		if err != nil {
			return "", err
		}
		for _, p := range m.Parts {
			if p.Kind == transcript.KindResult && p.ID == callID {
				return p.Text, nil
			}
		}
	}
	return "", nil
}

// argsOf loads the arguments of a call of an item; nil if they were forgotten.
func (in *Input) argsOf(it *Item, callID string) (json.RawMessage, error) {
	for _, seq := range it.Seqs {
		m, _, err := in.load(seq)
		if err != nil {
			return nil, err
		}
		if args, has := m.args[callID]; has {
			return args(), nil
		}
	}
	return nil, nil
}

// editsOf loads the edits that an operation made; none if they were forgotten.
func (in *Input) editsOf(op *Operation) ([]intents.Edit, error) {
	m, _, err := in.load(op.Seq)
	if err != nil {
		return nil, err
	}
	for _, p := range m.Parts {
		if args := m.args[p.ID]; p.ID == op.CallID && p.Name != "" && args != nil {
			return intents.Edits(p.Name, args()), nil
		}
	}
	return nil, nil
}

// outputOf loads what an operation printed; "" if that is not known. Of one that went on in the background it is what was
// read last of the file that has its output.
func (in *Input) outputOf(op *Operation) (string, error) {
	text, err := in.resultOfCall(op.CallID)
	t, gone := intents.LaunchedCommand(text)
	if err != nil || !gone || t.Output == "" {
		return text, err
	}
	for i := len(in.Items) - 1; i >= 0; i-- {
		for _, c := range in.Items[i].Calls {
			if c.ID != op.CallID && strings.Contains(c.Target, path.Base(t.Output)) {
				text, err = in.resultOfCall(c.ID)
				return filetext.Plain(text, c.Op == intents.OpRead), err
			}
		}
	}
	return "", nil
}

// resultOfCall loads the result of a call; "" if there is none.
func (in *Input) resultOfCall(callID string) (string, error) {
	at, known := in.talk.results[callID]
	if !known {
		return "", nil
	}
	return in.resultOf(&in.Items[at], callID)
}

// path prints a path relative to the session's directory where it is inside.
func (in *Input) path(p string) string {
	if rest, ok := paths.Below(in.Session.Dir, p); ok && rest != "." {
		p = rest
	} else if paths.Windows(p) {
		p = paths.Abs("", p)
	}
	return strings.TrimPrefix(layout.OneLine(p, 300), "./")
}
