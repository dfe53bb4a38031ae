package compaction

import (
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/compaction/feedback"
	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/internal/chars"
)

const (
	// userFrame is what an utterance takes besides its text, in tokens.
	userFrame = 10
	// leastText is the shortest form of an utterance, in tokens.
	leastText = 24
	// userShare is the part of the budget for the user's words, in percent, where the agent said more than fits, and
	// userShareShort that of a short document, which would have no room for what the agent found out.
	userShare, userShareShort = 40, 24
	// askedChars bounds what is printed of the agent's words that a bare answer answers, such as "yes", or "2"; briefly
	// those before an answer that says more by itself.
	askedChars, askedBriefly = 300, 180
	// askedShare is what all of that may take, in percent of the budget.
	askedShare = 10
	// bareAnswer is the length up to which an answer says nothing by itself, in bytes.
	bareAnswer = 30
	// mostRules is the part of the budget, in percent, that rules take before all else.
	mostRules = 50
)

// addTask adds the block of the task. The user's words fill it together with the conversation.
func addTask(s *source, d *layout.Document) {
	s.taskBlock = d.Block(&layout.Block{Head: layout.Task})
}

// addUserWords adds what the user said: the first request and the newest one as the task, the others in the
// conversation. They share their part of the budget so that the longest are shortened first.
func addUserWords(s *source, d *layout.Document, task, conversation *layout.Block) {
	talk := s.in.talk
	talk.asked = nil
	isPinned := func(u *utterance) bool { return u.via == "" && s.pinned[u.item.ID] }
	all := slices.DeleteFunc(slices.Clone(talk.user), isPinned)
	all = withoutRepeats(all)
	if len(all) == 0 {
		return
	}
	w := &userWords{
		s:            s,
		all:          all,
		task:         task,
		conversation: conversation,
		lines:        make(map[*utterance]*layout.Line),
	}
	w.order, w.recent, w.tags = byWorth(s, all)
	w.questions = questionsOf(all, s.budget)
	for _, u := range w.order {
		size := userFrame + layout.Count(layout.Clip(u.text, 16*s.budget)) + layout.Count(w.questions[u])
		w.sizes = append(w.sizes, size)
		w.total += size
	}
	s.words, w.binding = w, w.bindings()
	w.share(d, w.budget())
	conversation.More = func([]*layout.Line) string { return moreUserWords(all, task, conversation) }
}

// withoutRepeats leaves out what the user said again later in the same words.
func withoutRepeats(all []*utterance) []*utterance {
	newest := make(map[string]*utterance)
	for _, u := range all {
		newest[u.text] = u
	}
	return slices.DeleteFunc(all, func(u *utterance) bool {
		return len(u.text) > shortAnswer && newest[u.text] != u
	})
}

// greeting is the length up to which a single word that comes first is taken for a greeting, in bytes.
const greeting = 6

// firstRequest returns the first message that can be a request.
func firstRequest(all []*utterance) *utterance {
	for _, u := range all {
		if u.via != viaLoaded && (len(u.text) > greeting || strings.Contains(u.text, " ")) {
			return u
		}
	}
	return all[0]
}

// newestWords returns the newest request and, oldest first, what the user added while the agent worked on it.
func newestWords(all []*utterance) []*utterance {
	said := slices.DeleteFunc(slices.Clone(all), func(u *utterance) bool { return u.via == viaLoaded })
	if len(said) == 0 {
		return all[len(all)-1:]
	}
	i := len(said) - 1
	for i > 0 && said[i].via == viaSteering {
		i--
	}
	return said[i:]
}

// userWords is what the user said, with the lines that print it.
type userWords struct {
	s                  *source
	all, order         []*utterance
	recent             int // of order: the rest is in a summary of the host
	tags               map[*utterance][]string
	questions          map[*utterance]string // what short answers answer, as it is printed
	sizes              []int                 // in order, in tokens
	binding            []int                 // of these, what rules take at least
	total, granted     int                   // tokens
	task, conversation *layout.Block
	lines              map[*utterance]*layout.Line
}

// share divides tokens among the user's words, which may have had fewer before. Rules have what they need first.
func (w *userWords) share(d *layout.Document, total int) {
	w.granted = total
	rest := make([]int, len(w.sizes))
	for i, size := range w.sizes {
		rest[i] = size - w.binding[i]
		total -= w.binding[i]
	}
	shares := layout.Allot(rest[:w.recent], max(0, total))
	for _, share := range shares {
		total -= share
	}
	for i, share := range append(shares, layout.Allot(rest[w.recent:], max(0, total))...) {
		if share += w.binding[i]; share > 0 {
			w.print(d, i, share)
		}
	}
}

// print prints one of the user's words in its share.
func (w *userWords) print(d *layout.Document, i, share int) {
	u := w.order[i]
	asked := w.questions[u]
	in := func(limit int) string {
		return layout.Print(layout.Entry{Label: u.label(w.s.cut, w.tags[u]...),
			Text: layout.FitWhole(u.text, limit, handleOf(u.item.ID), feedback.Rules)}) + asked
	}
	text := in(max(leastText, share-userFrame-layout.Count(asked)))
	if l := w.lines[u]; l != nil {
		l.Text, l.Cost = text, 0
		return
	}
	if asked != "" {
		w.s.in.talk.asked = append(w.s.in.talk.asked, asked)
	}
	b, l := w.conversation, &layout.Line{
		Text:   text,
		Class:  layout.ClassUser,
		Anchor: "turn:" + strconv.Itoa(u.item.Turn),
		Pos:    u.place(),
	}
	switch {
	case u == firstRequest(w.all) || slices.Contains(newestWords(w.all), u):
		b, l.Class, l.Must = w.task, layout.ClassTask, u == firstRequest(w.all)
		if u != firstRequest(w.all) && w.s.answer != nil {
			l.Class, l.Parent = layout.ClassUser, w.s.answer
		}
		if brief := in(leastText); brief != text { // the task is there, whatever rules take
			l.Brief = brief
		}
	case w.binding[i] > 0:
		l.Class = layout.ClassBinding
	case i >= w.recent:
		l.Class = layout.ClassCovered
	}
	w.lines[u] = d.Add(b, l)
}

// ruleTokens returns how many tokens the rules have that the words set. They are looked through once.
func (u *utterance) ruleTokens() int {
	if !u.ruled {
		u.ruled = true
		for _, r := range feedback.Rules(u.text) {
			u.rules += layout.Count(u.text[r.From:r.To]) + 1
		}
	}
	return u.rules
}

// bindings returns what each of the user's words takes at least for its rules to be whole, in order: what does not fit
// any more is named by a mark with a handle.
func (w *userWords) bindings() (out []int) {
	left := w.s.budget * mostRules / 100
	for i, u := range w.order {
		n := u.ruleTokens()
		if n > 0 {
			n = min(w.sizes[i], n+userFrame+layout.Mark+layout.Mark/2+layout.Count(w.questions[u]))
			if n > left {
				n = min(n, max(0, left), userFrame+layout.Mark)
			}
			left -= n
		}
		out = append(out, n)
	}
	return out
}

const (
	// leastSpare is the part of the budget, in percent, that may stay unused while the user's words are cut.
	leastSpare = 4
	// mostWords is the part of the budget, in percent, that they take at most.
	mostWords = 85
)

// grow gives the user's words what a document with this text leaves of the budget, if they need it, and returns what
// the document is then.
func (w *userWords) grow(d *layout.Document, text string, size int) (string, int) {
	budget := w.s.budget
	for range 2 {
		spare, before, shown := budget-size, w.granted, w.shown()
		more := min(before+spare*9/10, budget*mostWords/100)
		if before >= w.total || spare <= budget*leastSpare/100 || more <= before {
			break
		}
		w.share(d, more)
		longer, n, ok := d.Fill(budget)
		if !ok || w.shown() < shown { // a longer text took the place of another one
			w.share(d, before)
			text, size, _ = d.Fill(budget)
			break
		}
		text, size = longer, n
	}
	return text, size
}

// shown is how many of the user's words are chosen.
func (w *userWords) shown() int {
	n := 0
	for _, l := range w.lines {
		if l.In {
			n++
		}
	}
	return n
}

// place orders what the user said. One message can quote several of an earlier session, by their turns.
func (u *utterance) place() int64 {
	if u.handedOn {
		return place(u.item.first(), u.item.Turn)
	}
	return place(u.item.first(), 0)
}

// place orders what one entry of the log says.
func place(seq int64, within int) int64 { return seq<<12 + int64(min(within, 1<<12-1)) }

// byWorth orders the user's words: the newest, the first, what sets rules, what the earlier summary quoted, then the
// newer before the older. All but the first recent ones are in a summary that the host made.
func byWorth(s *source, all []*utterance) (order []*utterance, recent int, tags map[*utterance][]string) {
	first, latest := firstRequest(all), newestWords(all)
	newest := latest[0]
	tags = map[*utterance][]string{first: {"first request"}}
	if newest != first {
		tags[newest] = []string{"newest"}
	}
	if s.splitTurn() == newest.item.Turn && !s.in.finished() {
		tags[newest] = append(tags[newest], "in progress")
	}
	quoted := layout.AnchorTurns(s.in.PreviousText)
	var rules, known, others, covered []*utterance
	for _, u := range slices.Backward(all) {
		tag := ""
		if u != first && len(u.text) <= ruleLength {
			tag = feedback.Standing(u.text)
		}
		switch {
		case u == first || slices.Contains(latest, u):
		case tag != "":
			tags[u] = []string{tag}
			rules = append(rules, u)
		case slices.Contains(quoted, u.item.Turn):
			known = append(known, u)
		case u.index < s.in.talk.covered:
			covered = append(covered, u)
		default:
			others = append(others, u)
		}
	}
	out := slices.DeleteFunc(slices.Clone(latest), func(u *utterance) bool { return u == first })
	at := min(1, len(out))
	if s.in.finished() {
		at = 0 // what the newest one asked for is done
	}
	out = slices.Insert(out, at, first)
	order = slices.Concat(out, rules, known, others)
	return append(order, covered...), len(order), tags
}

// ruleLength is the length up to which a message is looked through for a standing rule, in bytes.
const ruleLength = 1_200

// budget is how many tokens the user's words may take at first: their share, and more if the agent said little.
func (w *userWords) budget() int {
	budget, said := w.s.budget, 0
	for _, m := range w.s.in.talk.messages {
		said += len(m.Text) / 4
	}
	share := userShare
	if layout.Short(budget) {
		share = userShareShort
	}
	granted := min(budget*8/10, max(budget*share/100, budget*6/10-said))
	for _, n := range w.binding {
		granted += n * (100 - share) / 100 // rules take little from what the other words have
	}
	return min(granted, budget*mostWords/100)
}

// label is what stands in parentheses before the user's words.
func (u *utterance) label(cut int, tags ...string) string {
	parts := append([]string{layout.Turn(u.item.Turn)}, tags...)
	if u.via != "" {
		parts = append(parts, u.via)
	}
	if u.index >= cut && u.via != viaSteering {
		parts = append(parts, "also below")
	}
	return strings.Join(parts, ", ")
}

// questionsOf returns what short answers answer, as it is printed: bare answers come first, and the newest ones.
func questionsOf(all []*utterance, budget int) map[*utterance]string {
	out := make(map[*utterance]string)
	left := budget * askedShare / 100
	for _, bare := range []bool{true, false} {
		most := askedChars
		if !bare {
			most = askedBriefly
		}
		if !bare && layout.Short(budget) {
			break
		}
		for _, u := range slices.Backward(all) {
			if u.asked == "" || (len(u.text) <= bareAnswer) != bare {
				continue
			}
			text := "\n  — answering the agent: \"" + tailOf(u.asked, min(most, budget/8)) + "\""
			if n := layout.Count(text); n <= left {
				out[u] = text
				left -= n
			}
		}
	}
	return out
}

// namedRules is how many messages with rules that were left out are named, at most.
const namedRules = 3

// moreUserWords says how many of the user's words were left out, of which turns, and where rules are among them.
func moreUserWords(all []*utterance, blocks ...*layout.Block) string {
	shown := make(map[int64]bool)
	for _, b := range blocks {
		for _, l := range b.Lines {
			if l.In {
				shown[l.Pos] = true
			}
		}
	}
	n, from, to := 0, 0, 0
	var rules []string
	for _, u := range all {
		if shown[u.place()] {
			continue
		}
		if n == 0 {
			from = u.item.Turn
		}
		n, to = n+1, u.item.Turn
		if len(rules) < namedRules && u.ruleTokens() > 0 {
			rules = append(rules, `read_artifact(id="`+handleOf(u.item.ID)+`")`)
		}
	}
	if n == 0 {
		return ""
	}
	more := "… " + chars.Plural(n, "more message") + " of the user, of " + layout.TurnRange(from, to)
	if len(rules) > 0 {
		more += "; rules: " + strings.Join(rules, ", ")
	}
	return more
}
