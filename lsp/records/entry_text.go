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

// How much is shown of one thing that was said, in characters.
const (
	maxAsked    = 4_000
	maxAnswered = 20_000
	maxTarget   = 200
)

// handleDigits is how many digits of the id of a message name it.
const handleDigits = 12

// tell returns what is told of an entry; "" for what no person needs to see.
func (t *telling) tell(ctx context.Context, e sessions.Entry) (string, error) {
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
		return "*Compacted: from here on summary `" + rec.ID + "` stands for turns " + chars.Commas(rec.TurnFrom) + "–" + chars.Commas(rec.TurnTo) + ".*\n", nil
	case e.Kind == sessions.KindRestore:
		return "*A compaction was taken back.*\n", nil
	case e.Kind == sessions.KindRewind:
		return "*The agent went back to an earlier message; what follows goes on from there.*\n", nil
	case e.Kind == sessions.KindEdits:
		return "*From here on the view shows less of earlier parts.*\n", nil
	}
	return "", nil
}

// message tells what was said and called.
func (t *telling) message(ctx context.Context, e sessions.Entry) (string, error) {
	if e.Forgotten != nil {
		return "*" + speaker(e) + ": forgotten on " + t.stamp(*e.Forgotten) + ".*\n", nil
	}
	var b strings.Builder
	if e.Chars > 0 {
		said, err := t.said(ctx, e)
		if err != nil {
			return "", err
		}
		if said != "" {
			b.WriteString("**" + speaker(e) + "**\n\n" + said)
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

// speaker names who says something.
func speaker(e sessions.Entry) string {
	switch {
	case e.Earlier:
		return "Summary of the agent's host"
	case e.Role == transcript.RoleUser:
		return "User"
	case e.Role == transcript.RoleAssistant:
		return "Assistant"
	}
	return "System"
}

// said returns the texts of a message, or their beginning.
func (t *telling) said(ctx context.Context, e sessions.Entry) (string, error) {
	text, err := t.plainText(ctx, e)
	if err != nil {
		return "", err
	}
	most := maxAsked
	if e.Role == transcript.RoleAssistant {
		most = maxAnswered
	}
	if text == "" {
		return "*" + chars.Plural(e.Chars, "character") + ", not shown: `ctxledger cat " + handleOf(e) + "` prints it.*\n", nil
	}
	short, err := t.brief(ctx, text, most)
	if err != nil {
		return "", err
	}
	said := fence(short, "markdown")
	if short != text && len(short) < len(text) {
		said += "*The beginning of " + chars.Plural(e.Chars, "character") + ": `ctxledger cat " + handleOf(e) + "` prints all of it.*\n"
	}
	return said, nil
}

func handleOf(e sessions.Entry) string { return e.ID[:min(len(e.ID), handleDigits)] }

// plainText returns the texts of a message; "" for one that is too long to be read for a document, or has
// none.
func (t *telling) plainText(ctx context.Context, e sessions.Entry) (string, error) {
	m, err := t.log.message(ctx, e)
	return strings.TrimSpace(transcript.PlainText(m)), err
}

// call tells of one call, in a line: what it was about, and what came back.
func (t *telling) call(ctx context.Context, c sessions.Call) (string, error) {
	target, err := t.brief(ctx, flat(c.Target), maxTarget)
	if err != nil {
		return "", err
	}
	line := fields(" ", code(flat(c.Name)), code(target))
	res, ended := t.results[c.ID]
	delete(t.results, c.ID)
	switch {
	case !ended:
		line += ": no result"
	case res.Failed:
		line += ": failed, " + chars.Plural(res.Tokens, "token")
	default:
		line += ": " + chars.Plural(res.Tokens, "token")
	}
	if res.Artifact != "" {
		line += ", kept as `" + res.Artifact + "`"
	}
	return item(line), nil
}

// brief returns at most so many characters of the beginning of a text. In one that is longer secrets are
// masked before it is cut: of a part of one nobody could tell that it is one.
func (r Reader) brief(ctx context.Context, text string, most int) (string, error) {
	if len(chars.Head(text, most)) == len(text) {
		return text, nil
	}
	text, err := r.mask(ctx, sendable(string([]rune(chars.Head(text, most+margin)))))
	return chars.Short(text, most), err
}
