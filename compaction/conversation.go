package compaction

import (
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/statements"
)

// rankedBytes is how many bytes of statements are ranked for each token of the budget: more than can be printed.
const rankedBytes = 8

// addConversation adds what user and agent said.
func addConversation(s *source, d *layout.Document) {
	b := d.Block(&layout.Block{Head: layout.Said})
	last := s.lastLines()
	addUserWords(s, d, s.taskBlock, b)
	for _, l := range last { // after the first request
		d.Add(s.nowBlock, l)
	}
	if s.story == nil {
		addStatements(s, d, b) // a model has told it otherwise
	}
}

// addStatements adds the agent's sentences, the most worthy first, each in its place below the user's words.
func addStatements(s *source, d *layout.Document, b *layout.Block) {
	talk := s.in.talk
	var user []string
	for _, u := range talk.user {
		user = append(user, u.text)
	}
	last := talk.lastWords()
	for _, m := range last {
		talk.asked = append(talk.asked, strings.Join(strings.Fields(talk.messages[m].Text), " "))
	}
	headings := make(map[int]*layout.Line) // by run of messages
	runs := talk.runs()
	leads := make(map[[2]int]*layout.Line)
	for _, st := range statements.Rank(talk.messages, append(user, s.work.focus...), rankedBytes*s.budget) {
		from := talk.said[st.Message]
		if slices.Contains(last, st.Message) || talk.isAsked(st.Text) {
			continue // printed elsewhere
		}
		run := runs[st.Message]
		if headings[run] == nil {
			headings[run] = d.Add(b, &layout.Line{Text: from.String(), Class: layout.ClassSaid, Heading: true,
				Pos: place(from.seq, 0)})
		}
		l := &layout.Line{
			Text:   barred("  " + strings.ReplaceAll(st.Text, "\n", "\n  ")),
			Class:  layout.ClassSaid,
			Parent: headings[run],
			Pos:    place(from.seq, st.Place+1),
		}
		headings[run].Pos = min(headings[run].Pos, place(from.seq, 0))
		key := [2]int{st.Message, st.Place}
		if st.Lead >= 0 && leads[[2]int{st.Message, st.Lead}] != nil {
			l.Parent = leads[[2]int{st.Message, st.Lead}]
		}
		l.Heading = st.Heading
		leads[key] = d.Add(b, l)
	}
}

// speaker is who said something in a turn.
type speaker struct {
	turn int
	by   voice
	name string // of another agent: its task in a few words; "": it is not known
}

// runs numbers the messages that follow each other by the same speaker, by message.
func (t *dialogue) runs() []int {
	out := make([]int, len(t.messages))
	for m := 1; m < len(out); m++ {
		out[m] = out[m-1]
		if t.said[m].speaker != t.said[m-1].speaker {
			out[m]++
		}
	}
	return out
}

// spoken are the headings of what each voice said in a turn.
var spoken = map[voice]string{
	agent: "Agent, turn %d:", delegate: "Reports to the agent, turn %d:", host: "Instructions loaded, turn %d:",
}

func (s speaker) String() string {
	if s.name != "" {
		return fmt.Sprintf("Report of %q to the agent, turn %d:", s.name, max(1, s.turn))
	}
	return fmt.Sprintf(spoken[s.by], max(1, s.turn))
}

// enoughWords is how many bytes a message has at least that says enough to go on from.
const enoughWords = 200

// lastWords returns the messages of the agent that are printed in full, newest first: the last one, which says what it
// does next, and the one before it that is no announcement, if that says enough or the last one says nothing else.
func (t *dialogue) lastWords() (out []int) {
	for i := len(t.messages) - 1; i >= 0; i-- {
		text := t.messages[i].Text
		announces := statements.Announces(text)
		switch {
		case t.said[i].by != agent:
		case len(out) == 0:
			if out = []int{i}; len(text) >= enoughWords && !announces {
				return out
			}
		case announces:
		case len(text) >= enoughWords || statements.Announces(t.messages[out[0]].Text):
			return append(out, i)
		default:
			return out
		}
	}
	return out
}
