package compaction

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
)

const (
	taskHead         = "[TASK — in the user's words]"
	rulesHead        = "[REFUSED BY THE USER — not to be repeated]"
	conversationHead = "[CONVERSATION — the user verbatim; indented: sentences of the agent, claims]"
	// requestsHead is where earlier versions quoted the user.
	requestsHead = "[USER MESSAGES — verbatim]"
	// userFrame is what an utterance takes besides its text, in tokens.
	userFrame = 10
	// userShare is the part of the budget for the user's words, in percent, where the agent said more than fits.
	userShare = 33
	// askedChars bounds what is printed of the agent's words that a short answer answers.
	askedChars = 500
)

// addUserWords adds what the user said: the first request and the newest one as the task, the others in the
// conversation. They share their part of the budget so that the longest are shortened first.
func (s *source) addUserWords(d *document, task, conversation *block, pinned map[string]bool) {
	talk := s.talk
	talk.asked = nil
	all := slices.DeleteFunc(slices.Clone(talk.user), func(u *utterance) bool { return u.via == "" && pinned[u.item.ID] })
	if len(all) == 0 {
		return
	}
	order, tags := s.byWorth(all)
	sizes := make([]int, len(order))
	for i, u := range order {
		sizes[i] = userFrame + count(clip(u.text, 16*s.budget))
		if u.asked != "" {
			sizes[i] += min(askedChars, s.budget/5) / 5
		}
	}
	shares := allot(sizes, s.userBudget())
	first, newest := all[0], all[len(all)-1]
	for i, u := range order {
		if shares[i] == 0 {
			continue
		}
		asked := ""
		if u.asked != "" {
			asked = s.question(u.asked)
			talk.asked = append(talk.asked, asked)
		}
		l := &line{class: classUser, anchor: "turn:" + strconv.Itoa(u.item.Turn), pos: place(u.item.first(), 0)}
		l.text = quote(entry{label: s.label(u, tags[u]...), text: s.fit(u.text, max(leastShare, shares[i]-userFrame-count(asked)),
			u.item.ID)}) + asked
		b := conversation
		if u == first || u == newest {
			b, l.class = task, classTask
		}
		d.add(b, l)
	}
	conversation.more = func([]*line) string { return moreUserWords(all, task, conversation) }
}

// place orders what one entry of the log says.
func place(seq int64, within int) int64 { return seq<<12 + int64(min(within, 1<<12-1)) }

// byWorth orders the user's words: the newest, the first, what sets rules, what the earlier summary quoted, then the
// newer before the older.
func (s *source) byWorth(all []*utterance) (order []*utterance, tags map[*utterance][]string) {
	first, newest := all[0], all[len(all)-1]
	tags = map[*utterance][]string{first: {"first request"}}
	if newest != first {
		tags[newest] = []string{"newest"}
	}
	if s.splitTurn() == newest.item.Turn {
		tags[newest] = append(tags[newest], "in progress")
	}
	quoted := quotedTurns(s.in.PreviousText)
	var rules, known, others []*utterance
	for _, u := range slices.Backward(all) {
		tag := ""
		if u != first && len(u.text) <= ruleLength {
			tag = standingTag(u.text)
		}
		switch {
		case u == first || u == newest:
		case tag != "":
			tags[u] = []string{tag}
			rules = append(rules, u)
		case slices.Contains(quoted, u.item.Turn):
			known = append(known, u)
		default:
			others = append(others, u)
		}
	}
	out := []*utterance{newest}
	if newest != first {
		out = append(out, first)
	}
	return slices.Concat(out, rules, known, others), tags
}

// ruleLength is the length up to which a message is looked through for a standing rule, in bytes.
const ruleLength = 1_200

// userBudget is how many tokens the user's words may take: their share, and more if the agent said little.
func (s *source) userBudget() int {
	said := 0
	for _, m := range s.talk.messages {
		said += len(m.Text) / 4
	}
	return min(s.budget*8/10, max(s.budget*userShare/100, s.budget*6/10-said))
}

// label is what stands in parentheses before the user's words.
func (s *source) label(u *utterance, tags ...string) string {
	parts := append([]string{turnRange(u.item.Turn, u.item.Turn)}, tags...)
	if u.via != "" {
		parts = append(parts, u.via)
	}
	if u.index >= s.cut {
		parts = append(parts, "also below")
	}
	return strings.Join(parts, ", ")
}

// question prints what a short answer answers: the end of what the agent said before it.
func (s *source) question(asked string) string {
	text := strings.Join(strings.Fields(chars.Strip(asked)), " ")
	most := min(askedChars, s.budget/5)
	if utf8.RuneCountInString(text) > most {
		text = chars.Tail(text, most)
		text = "…" + text[wordAfter(text, 0):]
	}
	return "\n  — answering the agent: \"" + text + "\""
}

// moreUserWords says how many of the user's words were left out, and of which turns.
func moreUserWords(all []*utterance, blocks ...*block) string {
	shown := make(map[int64]bool)
	for _, b := range blocks {
		for _, l := range b.lines {
			if l.in && (l.class == classUser || l.class == classTask) {
				shown[l.pos] = true
			}
		}
	}
	n, from, to := 0, 0, 0
	for _, u := range all {
		if shown[place(u.item.first(), 0)] {
			continue
		}
		if n == 0 {
			from = u.item.Turn
		}
		n, to = n+1, u.item.Turn
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("… %s more message(s) of the user, of %s", chars.Commas(n), turnRange(from, to))
}

// addRefusals adds what the user did not let the agent do.
func (s *source) addRefusals(d *document) {
	b := d.block(&block{head: rulesHead})
	for _, r := range slices.Backward(s.talk.refused) {
		text := "  - " + oneLine(r.what, 200) + " (" + turnRange(r.turn, r.turn) + ")"
		switch {
		case r.rule:
			text += " — by a rule in the user's settings"
		case r.why != "":
			text += " — \"" + oneLine(r.why, 600) + "\""
		}
		d.add(b, &line{text: text, class: classRule, pos: r.pos})
	}
}
