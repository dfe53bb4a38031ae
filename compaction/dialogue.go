package compaction

import (
	"slices"
	"strings"

	"ctxledger.dev/compaction/feedback"
	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/statements"
	"ctxledger.dev/compaction/tasklist"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/filetext"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/transcript"
)

// utterance is something that the user said: in a message, as the answer to a question, by approving a plan or by
// turning one down.
type utterance struct {
	item  *Item
	index int // of the item
	text  string
	asked string // what a short answer answers: the end of what the agent said before
	via   string // how it was said, if not in a message: "answers", "approved plan"; viaLoaded: no user said it
	rules int    // tokens of the rules that it sets, once it was looked through
	ruled bool   // it was
	// handedOn is set if it was said in the session that this one continues.
	handedOn bool
}

// refusal is a call that the user did not let run.
type refusal struct {
	id   string // of the call
	turn int
	pos  int64
	what string // the call
	file string // that it would have changed; "" for other calls
	why  string // the user's words, "" for none
	rule bool   // a rule in the user's settings refused it
}

// origin is where a message that no user said comes from.
type origin struct {
	index int   // of the item
	seq   int64 // entry that has it
	speaker
}

// voice is who said something that is no utterance of the user.
type voice int

const (
	agent    voice = iota
	delegate       // another agent, in its report
	host           // a text that the host loaded, such as the body of a skill
)

// dialogue is what user and agent said, and what the user decided, in order.
type dialogue struct {
	user     []*utterance
	messages []statements.Message // of the agent
	said     []origin             // of the agent's messages
	refused  []refusal
	never    map[string]bool // calls that did not run: refused by the user, or given up by the host
	tasks    tasklist.List
	results  map[string]int // the items of the results, by call
	covered  int            // items before it are in a summary that the host made; 0: none
	// documents are the newest ones that the work read or wrote.
	documents  []workDocument
	asked      []string      // what is printed elsewhere: questions with their answers, the last words
	background []*background // other agents that work in the background, in the order of their calls
}

// shortAnswer is the length up to which a message of the user is printed with what it answers, in bytes.
const shortAnswer = 90

// listen reads what user and agent said, once for all documents of one input.
func (in *Input) listen() error {
	if in.talk != nil {
		return nil
	}
	l := &listener{in: in, dialogue: &dialogue{never: map[string]bool{}, results: map[string]int{},
		covered: in.covered()}, calls: map[string]madeCall{}, told: map[intents.Notice]bool{}}
	if err := l.all(); err != nil {
		return err
	}
	l.endTurn()
	in.talk = l.dialogue
	return nil
}

// listener reads a conversation.
type listener struct {
	in *Input
	*dialogue
	last  string // what the agent said last in this turn
	calls map[string]madeCall
	told  map[intents.Notice]bool // of calls in the background
}

// madeCall is a call whose result may matter.
type madeCall struct {
	name, op, target string
	item             *Item
}

// all takes the items, and between them what the user said while the agent worked, and what was reported to it.
func (l *listener) all() error {
	steering := l.in.Steering
	for i := range l.in.Items {
		for len(steering) > 0 && steering[0].After < l.in.Items[i].first() {
			if err := l.steer(i, steering[0]); err != nil {
				return err
			}
			steering = steering[1:]
		}
		if err := l.take(i); err != nil {
			return err
		}
	}
	for _, st := range steering {
		if err := l.steer(len(l.in.Items)-1, st); err != nil {
			return err
		}
	}
	return nil
}

const (
	// viaSteering says how the user said something while the agent worked.
	viaSteering = "while the agent worked"
	// viaLoaded marks rules that no user said: they are of a text that the host loaded.
	viaLoaded = "instructions loaded"
)

// steer takes what the user said, or what was reported, while the agent worked, in front of item i.
func (l *listener) steer(i int, st Steering) error {
	m, ok, err := l.in.load(st.Seq)
	if err != nil || !ok {
		return err
	}
	reports := false
	for _, p := range m.Parts {
		if n, is := intents.NoticeIn(p.Text); is {
			reports = true
			l.noticed(i, st, n)
		}
	}
	if reports {
		return nil // other words of a message are among the items
	}
	text := strings.TrimSpace(feedback.Words(chars.Strip(transcript.PlainText(m.Message))))
	if text == "" || silent[text] {
		return nil
	}
	it := &Item{Seqs: []int64{st.After}, Role: transcript.RoleUser, Turn: st.Turn, ID: st.ID}
	l.user = append(l.user, &utterance{item: it, index: max(0, i), text: text, via: viaSteering})
	return nil
}

func (l *listener) take(i int) error {
	it := &l.in.Items[i]
	switch {
	case it.Compacted:
		return nil
	case it.Earlier:
		return l.handedOn(i)
	case it.Prompt:
		return l.request(i)
	case isResult(it):
		return l.decisions(i)
	case it.Loaded:
		return l.loaded(i)
	case it.Role == transcript.RoleAssistant:
		return l.answer(i)
	}
	return nil
}

// request takes a message of the user.
func (l *listener) request(i int) error {
	it := &l.in.Items[i]
	text, err := l.in.textOf(it)
	if err != nil {
		return err
	}
	if text = strings.TrimSpace(feedback.Words(chars.Strip(text))); text == "" || silent[text] {
		return nil
	}
	u := &utterance{item: it, index: i, text: text}
	if len(text) < shortAnswer && asks(l.last) {
		u.asked = l.last
	}
	l.user = append(l.user, u)
	l.endTurn()
	return nil
}

// silent are commands of hosts that ask nothing of the agent.
var silent = map[string]bool{"/model": true, "/clear": true, "/compact": true, "/exit": true, "/quit": true,
	"/login": true, "/logout": true, "/status": true, "/cost": true, "/usage": true, "/context": true,
	"/config": true, "/resume": true, "/help": true, "/mcp": true, "/permissions": true, "/ide": true,
	"/doctor": true, "/theme": true, "/vim": true, "/memory": true, "/agents": true, "/hooks": true,
	"/export": true, "/rewind": true, "/plugin": true, "/fast": true, "/effort": true}

// asks reports whether a message of the agent ends by asking something.
func asks(text string) bool {
	return strings.ContainsAny(chars.Tail(text, askedChars), "?？؟")
}

// endTurn marks the last message of the agent as the end of its turn.
func (l *listener) endTurn() {
	if n := len(l.messages); n > 0 && l.said[n-1].by == agent {
		l.messages[n-1].Closing = true
	}
	l.last = ""
}

// answer takes a message of the agent with its calls.
func (l *listener) answer(i int) error {
	it := &l.in.Items[i]
	for _, c := range it.Calls {
		l.calls[c.ID] = madeCall{c.Name, c.Op, c.Target, it}
	}
	if it.Chars == 0 && len(it.Calls) > 0 {
		return nil
	}
	text, err := l.in.textOf(it)
	if err != nil {
		return err
	}
	l.say(i, text, agent)
	return nil
}

// loaded takes a text that the host loaded for the agent. Its rules bind as those of the user do. What the user said while
// the agent worked is taken elsewhere.
func (l *listener) loaded(i int) error {
	it := &l.in.Items[i]
	if slices.ContainsFunc(l.in.Steering, func(st Steering) bool { return st.Seq == it.first() }) {
		return nil
	}
	text, err := l.in.textOf(it)
	if _, reports := intents.NoticeIn(text); err != nil || reports {
		return err
	}
	text = feedback.Words(chars.Strip(text))
	var rules []string
	var rest strings.Builder
	at := 0
	for _, r := range feedback.Rules(text) {
		rules = append(rules, text[r.From:r.To])
		rest.WriteString(text[at:r.From])
		at = r.To
	}
	l.say(i, rest.String()+text[at:], host)
	if len(rules) > 0 {
		l.user = append(l.user, &utterance{item: it, index: i, text: strings.Join(rules, "\n"), via: viaLoaded})
	}
	return nil
}

// say adds words that no user said.
func (l *listener) say(i int, text string, by voice) {
	it := &l.in.Items[i]
	l.sayAs(origin{i, it.first(), speaker{it.Turn, by, ""}}, text)
}

// sayAs is say for words that somebody in particular said.
func (l *listener) sayAs(from origin, text string) {
	text = strings.TrimSpace(chars.Strip(text))
	if text == "" || feedback.FromHost(text) {
		return
	}
	if from.by == agent {
		l.last = text
	}
	l.messages = append(l.messages, statements.Message{Text: text,
		Acts: from.by == agent && len(l.in.Items[from.index].Calls) > 0,
		At:   float64(max(0, from.index+1-l.covered)) / float64(len(l.in.Items)-l.covered)})
	l.said = append(l.said, from)
}

// refusalChars is the length up to which a failed result may be a refusal, in characters.
const refusalChars = 20_000

// decisions takes the results that carry a decision of the user or change a task list.
func (l *listener) decisions(i int) error {
	it := &l.in.Items[i]
	for _, r := range it.Results {
		l.dialogue.results[r.CallID] = i
		made, known := l.calls[r.CallID]
		if !known {
			continue
		}
		delete(l.calls, r.CallID)
		decides := r.Failed && r.Chars <= refusalChars || feedback.Asks(made.name)
		delegated := !r.Failed && delegates[intents.PlainName(made.name)]
		stops := intents.Stops(made.name)
		if !decides && !delegated && !stops && !tasklist.Keeps(made.name) && made.document() == "" {
			continue
		}
		result, err := l.in.resultOf(it, r.CallID)
		if err != nil {
			return err
		}
		args, err := l.in.argsOf(made.item, r.CallID)
		if err != nil {
			return err
		}
		if n, ok := intents.StoppedBy(result); ok && stops {
			l.end(n)
		}
		if delegated {
			l.delegated(i, r.CallID, made, args, result)
		}
		failed := r.Failed
		if f, ok := feedback.Result(made.name, args, result, r.Failed); ok && decides {
			if plan := feedback.PlanOf(made.name, args); f.Kind == feedback.Refused && plan != "" {
				l.say(i, plan, agent)
			}
			l.decision(i, r.CallID, made, f)
			failed = failed || f.Kind == feedback.Refused
		} else if r.Failed && givenUp().MatchString(result) {
			l.never[r.CallID] = true
		}
		if doc := made.document(); doc != "" && !failed {
			l.keepDocument(doc, result)
			for _, e := range intents.Edits(made.name, args) {
				if e.Whole {
					l.keepDocument(doc, e.New)
				}
			}
		}
		l.tasks.Add(tasklist.Call{Turn: it.Turn, Name: made.name, Args: args, Result: result, Failed: failed})
	}
	return nil
}

// givenUp matches what hosts write for calls that they did not run, because another call of the same answer failed or
// the user interrupted.
var givenUp = pattern.Lazy(`^(<tool_use_error>)?\s*(Sibling tool call errored|Cancelled: parallel tool call|` +
	`\[Request interrupted by user)`)

// document returns the Markdown document that a call reads or writes, "" for none. Of commands, only those that print one do.
func (c madeCall) document() string {
	target := c.target
	if c.op == intents.OpShell {
		target, _, _ = shell.Printed(target)
	}
	if !filetext.Markdown(target) {
		return ""
	}
	return target
}

// decision takes what the user decided about a call.
func (l *listener) decision(i int, id string, made madeCall, f feedback.Feedback) {
	it := &l.in.Items[i]
	say := func(via, text string) {
		if text = strings.TrimSpace(chars.Strip(text)); text != "" {
			l.user = append(l.user, &utterance{item: it, index: i, text: text, via: via})
		}
	}
	switch {
	case f.Kind == feedback.Refused && feedback.Asks(made.name) && f.Words != "":
		say("instead of approving", f.Words)
		l.never[id] = true
	case f.Kind == feedback.Refused && feedback.Asks(made.name) && !feedback.Plans(made.name):
		l.never[id] = true // a question that was left unanswered forbids nothing
	case f.Kind == feedback.Refused:
		l.never[id] = true
		r := refusal{id: id, turn: it.Turn, pos: it.first(), why: f.Words, rule: f.ByRule,
			what: made.name + " " + l.in.path(made.target)}
		if made.op == intents.OpWrite || made.op == intents.OpPatch {
			r.file = made.target
		}
		l.refused = append(l.refused, r)
	case f.Plan != "":
		via := "approved plan"
		if f.Edited {
			via = "approved plan, edited by the user"
		}
		say(via, f.Plan)
		say("with the approval", f.Words)
	default:
		var lines []string
		for _, p := range f.Pairs {
			pair := layout.OneLine(p.Question, questionChars) + " → " + strings.TrimSpace(p.Answer)
			lines = append(lines, strings.TrimSpace(pair))
		}
		say("answers", strings.Join(lines, "\n"))
		say("to "+layout.OneLine(made.name, 40), f.Words)
	}
}

// questionChars bounds what is printed of a question of the agent.
const questionChars = 300

// refuses reports whether the user, or a rule of his, did not let a call run.
func (d *dialogue) refuses(call string) bool {
	return slices.ContainsFunc(d.refused, func(r refusal) bool { return r.id == call })
}

// isAsked reports whether a statement is printed elsewhere, as a part of asked.
func (d *dialogue) isAsked(statement string) bool {
	statement = strings.Join(strings.Fields(statement), " ")
	return slices.ContainsFunc(d.asked, func(a string) bool { return strings.Contains(a, statement) })
}
