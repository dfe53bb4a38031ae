package compaction

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

const (
	requestsHead = "[USER MESSAGES — verbatim]"
	// requestChars bounds the user messages that are printed besides the first one.
	requestChars = 8_000
	// requestsFirst is how many messages share the requests' part of the budget before all others.
	requestsFirst = 12
	// requestFrame is what a request takes besides its text, in tokens.
	requestFrame = 10
	// requestShort is the size in tokens up to which a message is looked through for what it is.
	requestShort = 300
	// standingLooked is how many of the newest short requests are looked through for standing rules.
	standingLooked = 400
)

// request is one message of the user.
type request struct {
	item *Item
	tags []string // "first request", "standing rule", "in progress"
	text string
	kept bool // it is also in the part kept verbatim
}

// hostSaid recognises messages that hosts write in the user's name.
var hostSaid = lazy(`^\s*(<command-|<local-command|<bash-|<task-notification|\[Request interrupted by user|` +
	`Caveat: The messages below)`)

// addRequests adds the user's requests word for word, oldest first: the first task, the newest messages, standing
// rules, then the older ones. Those that stay in the view are included: a host may hand on the document alone.
func (s *source) addRequests(d *document, n *names, pinned map[string]bool) error {
	all, err := s.requests(pinned)
	if err != nil || len(all) == 0 {
		return err
	}
	from, to := s.turns()
	verb := "of this conversation were compacted"
	switch {
	case s.o.Whole:
		verb = "of an earlier conversation"
	case from == to:
		verb = "of this conversation was compacted"
	}
	head := fmt.Sprintf("%s\n%s %s. Oldest first; a newer message overrides an older one.",
		requestsHead, capital(turnRange(from, to)), verb)
	b := d.block(&block{head: head, moreAt: all[0].item.first()})
	chosen, err := s.chooseRequests(all)
	if err != nil {
		return err
	}
	shares := s.shares(chosen)
	for i, r := range chosen {
		it := r.item
		l := &line{class: classRequest, anchor: "turn:" + strconv.Itoa(it.Turn), pos: it.first()}
		text := s.fit(r.text, shares[i], it.ID)
		l.text = quote(entry{label: r.label(), text: text})
		d.add(b, l)
		if i < requestsFirst {
			n.markPrinted(text)
		}
	}
	b.more = func(left []*line) string { return s.moreRequests(all, b) }
	return nil
}

// requests returns the messages of the user, without what is pinned and without short ones that hosts
// write in the user's name.
func (s *source) requests(pinned map[string]bool) ([]*request, error) {
	var all []*request
	for i := range s.in.Items {
		if it := &s.in.Items[i]; it.Prompt && !pinned[it.ID] {
			all = append(all, &request{item: it, kept: i >= s.cut})
		}
	}
	for _, r := range all[max(0, len(all)-standingLooked):] {
		if r.item.Tokens > requestShort {
			continue
		}
		text, err := s.textOf(r.item)
		if err != nil {
			return nil, err
		}
		r.text = text
	}
	return slices.DeleteFunc(all, func(r *request) bool { return hostSaid().MatchString(r.text) }), nil
}

// shares returns how many tokens each request may take; the middle of a longer one is left out. The first ones
// share their part of the budget so that the longest are shortened first, the others get little.
func (s *source) shares(chosen []*request) []int {
	shares := make([]int, len(chosen))
	left := s.budget * shareOf[classRequest] / 100
	first := min(len(chosen), requestsFirst)
	order := make([]int, first)
	for i := range order {
		order[i] = i
		shares[i] = requestFrame + count(clip(chosen[i].text, requestChars*2))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[a], shares[b]) })
	for k, i := range order {
		shares[i] = max(24, min(shares[i], left/(first-k)))
		left -= shares[i]
		shares[i] -= requestFrame
	}
	for i := first; i < len(chosen); i++ {
		shares[i] = s.budget * 8 / 100
	}
	return shares
}

// chooseRequests loads the requests worth printing, the most worthy first.
func (s *source) chooseRequests(all []*request) ([]*request, error) {
	first, newest := all[0], all[len(all)-1]
	first.tags = append(first.tags, "first request")
	if s.splitTurn() == newest.item.Turn {
		newest.tags = append(newest.tags, "in progress")
	}
	order := []*request{newest, first}
	standing := s.standing(all)
	recent := all[max(0, len(all)-requestsFirst+2):]
	for _, r := range slices.Backward(recent) {
		order = append(order, r)
	}
	order = append(order, standing...)
	order = append(order, s.anchored(all)...)
	for _, r := range slices.Backward(all) {
		order = append(order, r)
	}
	var chosen []*request
	chars := 0
	seen := make(map[*request]bool)
	for _, r := range order {
		if seen[r] {
			continue
		}
		if chars >= requestChars {
			break
		}
		seen[r] = true
		if r.text == "" {
			text, err := s.textOf(r.item)
			if err != nil {
				return nil, err
			}
			r.text = text
		}
		if r != first {
			chars += min(len(r.text), requestChars/4)
		}
		chosen = append(chosen, r)
	}
	return chosen, nil
}

// standing finds the rules that the user set for all later work, among the short messages.
func (s *source) standing(all []*request) []*request {
	var out []*request
	for _, r := range slices.Backward(all[max(0, len(all)-standingLooked):]) {
		if r.item.Tokens > requestShort {
			continue
		}
		if tag := standingTag(r.text); tag != "" {
			r.tags = append(r.tags, tag)
			out = append(out, r)
		}
	}
	return out
}

// anchored returns the requests that the earlier summary quoted.
func (s *source) anchored(all []*request) []*request {
	quoted := quotedTurns(s.in.PreviousText)
	var out []*request
	for _, r := range slices.Backward(all) {
		if slices.Contains(quoted, r.item.Turn) {
			out = append(out, r)
		}
	}
	return out
}

func (r *request) label() string {
	tags := append([]string{turnRange(r.item.Turn, r.item.Turn)}, r.tags...)
	if r.kept {
		tags = append(tags, "also below")
	}
	return strings.Join(tags, ", ")
}

func (s *source) moreRequests(all []*request, b *block) string {
	shown := make(map[int64]bool)
	for _, l := range b.lines {
		if l.in {
			shown[l.pos] = true
		}
	}
	n, from, to := 0, 0, 0
	for _, r := range all {
		if shown[r.item.first()] {
			continue
		}
		if n == 0 {
			from = r.item.Turn
		}
		n, to = n+1, r.item.Turn
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("… %s more of %s", chars.Commas(n), turnRange(from, to))
}

// textOf loads the text of a message. A forgotten one says so; it is not an error.
func (s *source) textOf(it *Item) (string, error) {
	var parts []string
	for _, seq := range it.Seqs {
		if s.in.Text == nil {
			return "", fault.New(fault.Invalid, "compaction.plan", "no way to load the text of entry %d", seq)
		}
		text, err := s.in.Text(seq)
		if fault.Is(err, fault.NotFound) {
			text, err = "(this text was forgotten)", nil
		}
		if err != nil {
			return "", err
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n"), nil
}

// fit returns text with at most limit tokens: its head and tail around a mark that gives the size of the missing
// part and its handle.
func (s *source) fit(text string, limit int, id string) string {
	limit = max(limit, 24)
	const widest = 16 // bytes of one token, about, at most
	if len(text) <= limit || len(text) <= limit*widest && count(text) <= limit {
		return text
	}
	all := utf8.RuneCountInString(text)
	head, tail := limit*3, limit*3/2 // a token has four and a half characters, at most
	for range 16 {
		if head+tail >= all {
			head, tail = all/2, all/4
		}
		h, t := wordBefore(text, len(chars.Head(text, head))), wordAfter(text, len(text)-len(chars.Tail(text, tail)))
		short := text[:h] + leftOut(utf8.RuneCountInString(text[h:t]), id) + text[t:]
		if count(short) <= limit {
			return short
		}
		head, tail = head*7/8, tail*7/8
	}
	return clip(text, limit)
}

// fetchChars is how many characters are left out of a text at least where it says how to read it back
// alone: the whole history can be read anyway.
const fetchChars = 1_000

// leftOut marks n characters that are left out of a text.
func leftOut(n int, id string) string {
	mark := " […" + chars.Commas(n) + " characters left out"
	if n >= fetchChars {
		mark += `: read_artifact(id="` + handleOf(id) + `")`
	}
	return mark + "…] "
}

// wordBefore moves a cut back to the end of a word, where there is one close by, wordAfter forward to the
// start of one.
func wordBefore(s string, i int) int {
	if at := strings.LastIndexAny(s[max(0, i-longWord):i], " \n"); at >= 0 {
		return max(0, i-longWord) + at
	}
	return i
}

func wordAfter(s string, i int) int {
	if at := strings.IndexAny(s[i:min(len(s), i+longWord)], " \n"); at >= 0 {
		return i + at + 1
	}
	return i
}

// longWord is how far a word may reach that a cut does not part.
const longWord = 24

// handleOf is the handle that a message is read back with: the first twelve digits of its id.
func handleOf(id string) string { return id[:min(len(id), 12)] }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
