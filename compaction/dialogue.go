package compaction

import (
	"slices"
	"strings"

	"ctxledger.dev/compaction/statements"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/transcript"
)

// utterance is something that the user said: in a message, as the answer to a question, by approving a plan or by
// refusing a call.
type utterance struct {
	item  *Item
	index int // of the item
	text  string
	asked string // what a short answer answers: the end of what the agent said before
	calls bool   // said in the result of a call, not in a message
}

// refusal is a call that the user did not let run.
type refusal struct {
	turn int
	pos  int64
	what string // the call
	why  string // the user's words; "": none
}

// dialogue is what user and agent said, in order.
type dialogue struct {
	user     []*utterance
	refused  []refusal
	messages []statements.Message
	items    []int    // of the agent's messages
	asked    []string // the questions that are printed with their answers
}

// short is the length up to which a message of the user is printed with what it answers, in bytes.
const shortAnswer = 90

// listen reads what user and agent said, once for all documents of one input.
func (s *source) listen() (*dialogue, error) {
	if s.in.talk == nil {
		talk, err := s.readDialogue()
		if err != nil {
			return nil, err
		}
		s.in.talk = talk
	}
	return s.in.talk, nil
}

func (s *source) readDialogue() (*dialogue, error) {
	d := &dialogue{}
	last := ""
	for i := range s.in.Items {
		it := &s.in.Items[i]
		switch {
		case it.Earlier || it.Compacted:
		case it.Prompt:
			text, err := s.textOf(it)
			if err != nil {
				return nil, err
			}
			if text = ownWords(text); text == "" {
				continue
			}
			u := &utterance{item: it, index: i, text: text}
			if len(text) < shortAnswer && asks(last) {
				u.asked = last
			}
			d.user = append(d.user, u)
			d.close()
			last = ""
		case it.Role == transcript.RoleAssistant && !isResult(it):
			if it.Chars == 0 && len(it.Calls) > 0 {
				continue
			}
			text, err := s.textOf(it)
			if err != nil {
				return nil, err
			}
			if text = strings.TrimSpace(chars.Strip(text)); text == "" {
				continue
			}
			last = text
			d.messages = append(d.messages, statements.Message{Text: text, Turn: it.Turn,
				At: float64(i+1) / float64(len(s.in.Items)), Acts: len(it.Calls) > 0})
			d.items = append(d.items, i)
		}
	}
	d.close()
	return d, nil
}

// asks reports whether a message of the agent ends by asking something.
func asks(text string) bool {
	return strings.ContainsAny(chars.Tail(text, askedChars), "?？؟")
}

// isAsked reports whether a statement is printed as part of a question that the user answered.
func (d *dialogue) isAsked(statement string) bool {
	statement = strings.Join(strings.Fields(statement), " ")
	return slices.ContainsFunc(d.asked, func(a string) bool { return strings.Contains(a, statement) })
}

// close marks the last message of the agent as the end of its turn.
func (d *dialogue) close() {
	if n := len(d.messages); n > 0 {
		d.messages[n-1].Closing = true
	}
}

// ownWords returns what a message says in the user's own words.
func ownWords(text string) string {
	text = strings.TrimSpace(chars.Strip(text))
	if hostSaid().MatchString(text) {
		return ""
	}
	return text
}

// hostSaid recognises messages that hosts write in the user's name.
var hostSaid = lazy(`^\s*(<command-|<local-command|<bash-|<task-notification|\[Request interrupted by user|` +
	`Caveat: The messages below)`)
