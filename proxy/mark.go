package proxy

import (
	"bytes"
	"slices"

	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/transcript"
)

// maxMarks is how many marks of the cache a provider takes in a request.
const maxMarks = 4

var markKey = []byte(`"cache_control":`)

// unchanged returns the newest message of the user in front of all that is sent as another one than in the request before, and
// notes what this one is sent as; -1: none. The request that ended with it has had it cached.
func (v *view) unchanged(first, kept int) (at int) {
	changed := len(v.order)
	for i, p := range v.order {
		replaced := first <= i && i < kept
		if i < changed && (!p.known || !replaced && !bytes.Equal(p.out, p.was) || replaced && kept != v.kept) {
			changed = i
		}
		p.was, p.known = p.out, true
	}
	if kept != v.kept {
		changed = min(changed, max(first, 1))
	}
	v.kept = kept
	for at = changed - 1; at >= 0; at-- {
		if replaced := first <= at && at < kept; !replaced && v.order[at].role == transcript.RoleUser {
			return at
		}
	}
	return -1
}

// head returns the last message before the first answer, which no step changes; -1: there is none.
func (v *view) head() int {
	return slices.IndexFunc(v.order, func(p *piece) bool { return p.role == transcript.RoleAssistant }) - 1
}

// withMark returns a message with a mark of the cache at its end, the one that the agent has at the end of its request: behind a
// step the provider finds what is unchanged only near a mark. nil if there is none, or no place for another one.
func withMark(raw []byte, d draft) []byte {
	end := inside(d.spans[len(d.spans)-1].In(d.body), "content")
	var mark, last []byte
	if len(end) > 0 && end[0] == '[' {
		for block := range jsonspan.New(end, jsonspan.MaxDepth).Elements {
			mark = inside(block.In(end), "cache_control")
		}
	}
	if mark == nil || bytes.Contains(raw, markKey) {
		return nil
	}
	w := jsonspan.New(raw, jsonspan.MaxDepth)
	for name, content := range w.Members {
		if jsonspan.Unquote(name.In(raw)) != "content" || raw[content.From] != '[' {
			continue
		}
		for block := range jsonspan.At(raw, content, jsonspan.MaxDepth).Elements {
			last = raw[:block.To-1]
		}
	}
	if len(last) == 0 || last[len(last)-1] == '{' {
		return nil
	}
	out := append(bytes.Clone(last), ","...)
	out = append(append(out, markKey...), mark...)
	return append(out, raw[len(last):]...)
}

// marks counts the marks of the cache in a request. What is quoted in a text is none.
func marks(body []byte) (n int) {
	for {
		at := bytes.Index(body, markKey)
		if at < 0 {
			return n
		}
		if at > 0 && body[at-1] != '\\' {
			n++
		}
		body = body[at+len(markKey):]
	}
}
