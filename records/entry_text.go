package records

import (
	"context"
	"strings"

	"ctxledger.dev/internal/chars"
)

// The maximum lengths of shown texts, in characters.
const (
	maxAsked    = 4_000
	maxAnswered = 20_000
	maxTarget   = 200
)

// messageText returns a message as Markdown. Of a long text it has the beginning, unless whole is set.
func (r Reader) messageText(ctx context.Context, m Message, whole bool) (string, error) {
	if m.Note != "" {
		return "*" + m.Note + ".*\n", nil
	}
	var b strings.Builder
	if m.Chars > 0 {
		said, err := r.saidText(ctx, m, whole)
		if err != nil {
			return "", err
		}
		b.WriteString("**" + m.Speaker + "**\n\n" + said)
	}
	if b.Len() > 0 && (len(m.Calls) > 0 || m.Reasoning != nil) {
		b.WriteString("\n")
	}
	if m.Reasoning != nil {
		b.WriteString(item("reasoning: " + m.Reasoning.Tokens() + ", `" + m.Handle + "`"))
	}
	for _, c := range m.Calls {
		line, err := r.callText(ctx, c)
		if err != nil {
			return "", err
		}
		b.WriteString(line)
	}
	return b.String(), nil
}

// saidText returns what a message says, or its beginning.
func (r Reader) saidText(ctx context.Context, m Message, whole bool) (string, error) {
	reads := "`ctxledger artifact read " + m.Handle + "` prints "
	if m.Text == "" {
		return "*" + chars.Plural(m.Chars, "character") + ", not shown: " + reads + "it.*\n", nil
	}
	most := maxAsked
	switch {
	case whole:
		most = len(m.Text)
	case m.Speaker == speakerAssistant:
		most = maxAnswered
	}
	short, err := r.brief(ctx, m.Text, most)
	if err != nil {
		return "", err
	}
	said := Fence(short, "markdown")
	if len(short) < len(m.Text) {
		said += "*The beginning of " + chars.Plural(m.Chars, "character") + ": " + reads + "all of it.*\n"
	}
	return said, nil
}

// callText describes a call and its result in one line.
func (r Reader) callText(ctx context.Context, c Call) (string, error) {
	target, err := r.brief(ctx, c.Target, maxTarget)
	if err != nil {
		return "", err
	}
	line := fields(" ", code(c.Name), code(target))
	switch {
	case c.Result == nil:
		line += ": no result"
	case c.Failed:
		line += ": failed, " + c.Result.Tokens()
	default:
		line += ": " + c.Result.Tokens()
	}
	switch {
	case c.Kept:
		line += ", kept as `" + c.Handle + "`"
	case c.Handle != "":
		line += ", `" + c.Handle + "`"
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
