package records

import (
	"context"
	"encoding/json"
	"strings"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// The maximum lengths of shown texts, in characters.
const (
	maxAsked    = 4_000
	maxAnswered = 20_000
	maxTarget   = 200
)

// entry returns the text of an entry; "" for entries that are not shown.
func (t *sessionWriter) entry(ctx context.Context, e sessions.Entry) (string, error) {
	for _, res := range e.Results {
		t.results[res.CallID] = res
	}
	switch {
	case e.Hidden:
		return "", nil
	case e.Kind == sessions.KindMessage:
		return t.message(ctx, e)
	case e.Kind == sessions.KindCompaction:
		var rec compaction.Record
		if err := json.Unmarshal(e.Data, &rec); err != nil {
			return "", fault.Wrap(fault.Corrupt, "records.session", err)
		}
		return "*Compacted: from here on summary `" + rec.ID + "` replaces turns " + chars.Commas(rec.TurnFrom) +
			"–" + chars.Commas(rec.TurnTo) + ".*\n", nil
	case e.Kind == sessions.KindRestore:
		return "*A compaction was undone.*\n", nil
	case e.Kind == sessions.KindRewind:
		return "*The agent went back to an earlier message; the messages below continue from it.*\n", nil
	case e.Kind == sessions.KindEdits:
		return "*From here on the view shows less of the earlier conversation.*\n", nil
	}
	return "", nil
}

// message returns the text and the calls of a message.
func (t *sessionWriter) message(ctx context.Context, e sessions.Entry) (string, error) {
	if e.Forgotten != nil {
		return "*" + t.speaker(e) + ": forgotten on " + t.stamp(*e.Forgotten) + ".*\n", nil
	}
	var b strings.Builder
	if e.Chars > 0 {
		said, err := t.said(ctx, e)
		if err != nil {
			return "", err
		}
		if said != "" {
			b.WriteString("**" + t.speaker(e) + "**\n\n" + said)
		}
	}
	if len(e.Calls) > 0 && b.Len() > 0 {
		b.WriteString("\n")
	}
	for _, c := range e.Calls {
		line, err := t.call(ctx, c)
		if err != nil {
			return "", err
		}
		b.WriteString(line)
	}
	return b.String(), nil
}

// speaker returns the author of a message.
func (t *sessionWriter) speaker(e sessions.Entry) string {
	switch {
	case e.Loaded:
		return "Added by the agent" // as ledger.Category has it
	case e.Earlier:
		return "Summary by the agent's host"
	case e.Role == transcript.RoleUser:
		return "User"
	case e.Role == transcript.RoleAssistant:
		return "Assistant"
	}
	return "System"
}

// said returns the text of a message or its beginning.
func (t *sessionWriter) said(ctx context.Context, e sessions.Entry) (string, error) {
	text, err := t.plainText(ctx, e)
	if err != nil {
		return "", err
	}
	most := maxAsked
	if e.Role == transcript.RoleAssistant {
		most = maxAnswered
	}
	if text == "" {
		return "*" + chars.Plural(e.Chars,
			"character") + ", not shown: `ctxledger artifact read " + e.Handle() + "` prints it.*\n", nil
	}
	if e.Role == transcript.RoleUser && !e.Earlier && !e.Loaded {
		line, _, _ := strings.Cut(text, "\n")
		t.asked[e.Turn] = flat(line) // entries come newest first: the first one of the turn stays
	}
	short, err := t.brief(ctx, text, most)
	if err != nil {
		return "", err
	}
	said := Fence(short, "markdown")
	if short != text && len(short) < len(text) {
		said += "*The beginning of " + chars.Plural(e.Chars,
			"character") + ": `ctxledger artifact read " + e.Handle() + "` prints all of it.*\n"
	}
	return said, nil
}

// plainText returns the text of a message; "" if it is too long for a document or there is none.
func (t *sessionWriter) plainText(ctx context.Context, e sessions.Entry) (string, error) {
	m, err := t.log.message(ctx, e)
	return strings.TrimSpace(transcript.PlainText(m)), err
}

// call describes a call and its result in one line.
func (t *sessionWriter) call(ctx context.Context, c sessions.Call) (string, error) {
	target, err := t.brief(ctx, flat(c.Target), maxTarget)
	if err != nil {
		return "", err
	}
	line := fields(" ", code(flat(c.Name)), code(target))
	res, ended := t.results[c.ID]
	delete(t.results, c.ID)
	cost := t.scale.Of(res.Tokens).Tokens()
	switch {
	case !ended:
		line += ": no result"
	case res.Failed:
		line += ": failed, " + cost
	default:
		line += ": " + cost
	}
	if res.Artifact != "" {
		line += ", kept as `" + res.Artifact + "`"
	}
	return item(line), nil
}

// brief returns at most so many characters of the beginning of a text. Secrets in a longer text are masked before it is
// cut, because a part of a secret is not recognised.
func (r Reader) brief(ctx context.Context, text string, most int) (string, error) {
	if len(chars.Head(text, most)) == len(text) {
		return text, nil
	}
	text, err := r.mask(ctx, sendable(string([]rune(chars.Head(text, most+margin)))))
	return chars.Short(text, most), err
}
