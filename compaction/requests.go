package compaction

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/internal/fault"
)

const (
	requestsHead = "[USER MESSAGES — verbatim]"
	// requestChars bounds the user messages that are printed besides the first one.
	requestChars = 8_000
	// standingLooked is how many of the newest short requests are looked through for standing rules.
	standingLooked = 400
)

// request is one message of the user in the compacted range.
type request struct {
	item *Item
	tags []string // "first request", "standing rule", "in progress"
	text string
}

// addRequests adds what the user asked for, word for word, oldest first: the first task, the newest
// message, standing rules, then the newer messages before the older.
func (s *source) addRequests(d *document, pinned map[string]bool) error {
	var all []*request
	for i := range s.in.Items[:s.cut] {
		if it := &s.in.Items[i]; it.Prompt && !pinned[it.ID] {
			all = append(all, &request{item: it})
		}
	}
	if len(all) == 0 {
		return nil
	}
	from, to := s.turns()
	verb := "of this conversation were compacted"
	switch {
	case s.o.Whole:
		verb = "of an earlier conversation"
	case from == to:
		verb = "of this conversation was compacted"
	}
	head := fmt.Sprintf("%s\n%s %s. What the user wrote there, oldest first; a newer message overrides an older one.",
		requestsHead, capital(turnRange(from, to)), verb)
	b := d.block(&block{head: head, moreAt: all[0].item.first()})
	chosen, err := s.chooseRequests(all)
	if err != nil {
		return err
	}
	for _, r := range chosen {
		it := r.item
		l := &line{class: classRequest, anchor: "turn:" + strconv.Itoa(it.Turn), pos: it.first()}
		l.text = quote(entry{label: r.label(), text: s.fit(r.text, s.roomFor(r, all), it.ID)})
		d.add(b, l)
	}
	b.more = func(left []*line) string { return s.moreRequests(all, b) }
	return nil
}

// roomFor is the size in tokens above which a request is shown by its head and tail.
func (s *source) roomFor(r *request, all []*request) int {
	switch r {
	case all[0]:
		return s.budget * 25 / 100
	case all[len(all)-1]:
		return s.budget * 18 / 100
	default:
		return s.budget * 8 / 100
	}
}

// chooseRequests loads the requests worth printing, the most worthy first.
func (s *source) chooseRequests(all []*request) ([]*request, error) {
	first, newest := all[0], all[len(all)-1]
	first.tags = append(first.tags, "first request")
	if s.splitTurn() == newest.item.Turn {
		newest.tags = append(newest.tags, "in progress")
	}
	order := []*request{first, newest}
	standing, err := s.standing(all)
	if err != nil {
		return nil, err
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
			if r.text, err = s.textOf(r.item); err != nil {
				return nil, err
			}
		}
		if r != first {
			chars += min(len(r.text), requestChars/4)
		}
		chosen = append(chosen, r)
	}
	return chosen, nil
}

// standing finds the rules that the user set for all later work, among the short messages.
func (s *source) standing(all []*request) ([]*request, error) {
	const short = 300 // tokens
	var out []*request
	for _, r := range slices.Backward(all[max(0, len(all)-standingLooked):]) {
		if r.item.Tokens > short {
			continue
		}
		text, err := s.textOf(r.item)
		if err != nil {
			return nil, err
		}
		r.text = text
		if tag := standingTag(text); tag != "" {
			r.tags = append(r.tags, tag)
			out = append(out, r)
		}
	}
	return out, nil
}

// anchored returns the requests that the earlier summary quoted.
func (s *source) anchored(all []*request) []*request {
	quoted := make(map[int]bool)
	for _, turn := range quotedTurns(s.in.PreviousText) {
		quoted[turn] = true
	}
	var out []*request
	for _, r := range slices.Backward(all) {
		if quoted[r.item.Turn] {
			out = append(out, r)
		}
	}
	return out
}

func (r *request) label() string {
	return strings.Join(append([]string{turnRange(r.item.Turn, r.item.Turn)}, r.tags...), ", ")
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
	return fmt.Sprintf("… %s more of %s: %s", thousands(n), turnRange(from, to), s.retrieve())
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

// fit returns text with at most room tokens: its head and tail around a mark that says how much is
// missing and where it is.
func (s *source) fit(text string, room int, id string) string {
	room = max(room, 24)
	const widest = 16 // bytes of one token, about, at most
	if len(text) <= room || len(text) <= room*widest && count(text) <= room {
		return text
	}
	head, tail := room*3*2/3, room*3/3
	for range 8 {
		if head+tail >= len(text) {
			head, tail = len(text)/2, len(text)/4
		}
		h, t := wholeBefore(text, runeStart(text, head)), wholeAfter(text, len(text)-tail)
		gone := len([]rune(text[h:t]))
		mark := " […" + thousands(gone) + ` characters left out: read_artifact(id="` + handleOf(id) + `")…] `
		short := text[:h] + mark + text[t:]
		if count(short) <= room+24 {
			return short
		}
		head, tail = head*3/4, tail*3/4
	}
	return clip(text, room)
}

// runeStart moves a cut back to the start of a character.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && s[i]&0xc0 == 0x80 {
		i--
	}
	return i
}

// handleOf is the handle that a message is read back with: the first twelve digits of its id.
func handleOf(id string) string { return id[:min(len(id), 12)] }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
