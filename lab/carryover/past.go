package carryover

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/intents"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/transcript"
)

// past collects what happened before a compaction.
type past struct {
	dir      string // with a slash at its end
	said     strings.Builder
	requests []string
	files    map[string]*file
	changed  []*file // those of files, in order
	commands []*command
	byText   map[string]*command
	pending  map[string]transcript.Part // calls by id, until their results come
	counts   map[string]*occurrence
	at       int // messages taken
}

// occurrence is how often, and how recently, an identifier was said.
type occurrence struct {
	id    string
	count int
	last  int
}

func newPast(dir string) *past {
	return &past{
		dir: strings.TrimRight(dir, "/") + "/", files: map[string]*file{}, byText: map[string]*command{},
		pending: map[string]transcript.Part{}, counts: map[string]*occurrence{},
	}
}

func (b *past) take(m *Message) {
	b.at++
	if m.Request {
		if said := ofPerson(transcript.PlainText(m.Message)); said != "" {
			b.requests = append(b.requests, said)
		}
	}
	for _, part := range m.Parts {
		switch part.Kind {
		case transcript.KindText:
			b.say(part.Text)
		case transcript.KindCall:
			b.pending[part.ID] = part
			b.say(strings.Join(stringsIn(part.Args), "\n"))
		case transcript.KindResult:
			b.say(part.Text)
			if call, known := b.pending[part.ID]; known {
				delete(b.pending, part.ID)
				b.finish(call, part)
			}
		}
	}
}

func (b *past) say(s string) {
	b.said.WriteString(s)
	b.said.WriteByte('\n')
	for _, id := range identifiers(s) {
		o := b.counts[id]
		if o == nil {
			o = &occurrence{id: id}
			b.counts[id] = o
		}
		o.count++
		o.last = b.at
	}
}

// finish takes a call with its result into account.
func (b *past) finish(call, result transcript.Part) {
	m := intents.Classify(call.Name, call.Args)
	switch {
	case m.Op == intents.OpShell:
		b.ran(m.Command, result)
	case result.IsError || m.Target == "":
	case m.Op == intents.OpWrite || m.Op == intents.OpPatch:
		path := twoSegments(strings.TrimPrefix(m.Target, b.dir))
		f := b.files[path]
		if f == nil {
			f = &file{path: path, names: set{}}
			b.files[path] = f
			b.changed = append(b.changed, f)
		}
		_, body := arguments(call)
		for _, id := range identifiers(body) {
			if !strings.Contains(m.Target, id) && !strings.Contains(id, "/") {
				f.names.add(id)
			}
		}
	}
}

// rank orders the identifiers: often and recently said first.
func (b *past) rank() []string {
	worth := func(o *occurrence) float64 { return float64(o.count) * (1 + 3*float64(o.last)/float64(b.at)) }
	all := slices.SortedFunc(maps.Values(b.counts), func(x, y *occurrence) int {
		return cmp.Or(cmp.Compare(worth(y), worth(x)), strings.Compare(x.id, y.id))
	})
	out := make([]string, len(all))
	for i, o := range all {
		out[i] = o.id
	}
	return out
}

var (
	// reminders are what hosts put into a message of the user.
	reminders = pattern.Lazy(`(?s)<(system-reminder|ide_\w+)>.*?</(system-reminder|ide_\w+)>`)
	// hostText is how messages begin that hosts write in the user's name.
	hostText = pattern.Lazy(`^(<command-|<local-command|<bash-|<task-notification|<user-prompt-submit-hook|` +
		`\[Request interrupted|Caveat: The messages below)`)
)

// ofPerson returns what a person wrote of a message in the user's name; "" for nothing.
func ofPerson(s string) string {
	s = strings.TrimSpace(reminders().ReplaceAllString(s, ""))
	if hostText().MatchString(s) {
		return ""
	}
	return s
}
