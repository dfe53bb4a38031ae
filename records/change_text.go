package records

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// maxArgument is the maximum length of a shown argument, in characters.
const maxArgument = 100_000

// changeText describes a change: the file, who changed it, when, and the arguments of the call. The ledger does not store
// files: what there is of a diff is in Diff.
func (r Reader) changeText(ctx context.Context, id string) (string, error) {
	c, err := r.changeOf(ctx, id)
	if err != nil {
		return "", err
	}
	shownPath, err := r.mask(ctx, c.Path) // before it is escaped
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# " + literal(flat(shownPath)) + "\n\n" +
		item(fields(" ", string(c.Op), "by", who(c), inTurn(c))) +
		item(r.stamp(c.Time)+sinceWhen(r.stamp(c.Before))) +
		item("known from "+from(c)) +
		item(hashes(c)))
	if c.Session != "" && c.Intent != "" {
		if err := r.writeCall(ctx, &b, c); err != nil {
			return "", err
		}
	}
	b.WriteString("\n" + why(c.Path) + " shows everything that is known about the file.\n")
	return r.finish(ctx, b.String(), "`ctxledger artifact read "+c.Session+"`")
}

// why returns the command that shows the history of a file. It leaves out a path that a shell could split or execute when
// somebody copies the command.
func why(path string) string {
	if strings.HasPrefix(path, "-") || strings.ContainsFunc(path, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-", r)
	}) {
		return "`ctxledger why`, with its path,"
	}
	return "`ctxledger why " + path + "`"
}

// changeOf returns the change with an id. Errors: not_found.
func (r Reader) changeOf(ctx context.Context, id string) (changes.Change, error) {
	if n, err := strconv.ParseInt(id, 10, 63); err == nil && n > 0 {
		resp, err := r.placed(ctx, ledger.ChangesRequest{ID: n})
		if err == nil {
			return resp.Changes[0], nil
		}
		if !fault.Is(err, fault.NotFound) {
			return changes.Change{}, err
		}
	}
	return changes.Change{}, fault.New(fault.NotFound, "records.change", "no change %.1000s in this workspace", id)
}

func inTurn(c changes.Change) string {
	if c.Turn == 0 {
		return ""
	}
	return "in turn " + chars.Commas(c.Turn)
}

func sinceWhen(before string) string {
	if before == "" {
		return ""
	}
	return "; unchanged as of " + before
}

// from describes the source of a change.
func from(c changes.Change) string {
	switch c.Source {
	case changes.Observed:
		return "looking at the file"
	case changes.Transcript:
		return "the record of the agent's session"
	}
	return "inferred from a command's text"
}

// hashes describes the content before and after, as far as it is known.
func hashes(c changes.Change) string {
	switch {
	case c.Large:
		return "too large to hash"
	case c.HashFrom == "" && c.HashTo == "":
		return ""
	}
	return "SHA-256 " + digest(c.HashFrom) + " → " + digest(c.HashTo)
}

func digest(hash string) string {
	if hash == "" {
		return "unknown"
	}
	return "`" + hash + "`"
}

// writeCall writes the call that a change is attributed to.
func (r Reader) writeCall(ctx context.Context, b *strings.Builder, c changes.Change) error {
	in, err := r.intentOf(ctx, c)
	if err != nil || in == nil {
		return err
	}
	b.WriteString("\n## The call " + literal(flat(in.Name)) + "\n")
	args, err := r.arguments(ctx, *in)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		b.WriteString("\n*Its arguments are no longer known.*\n")
	}
	b.WriteString("\n")
	for _, a := range args {
		if a.short() {
			b.WriteString(item(fields(" ", code(flat(a.name)), code(flat(a.value)))))
		}
	}
	for _, a := range args {
		if a.short() {
			continue
		}
		value, err := r.brief(ctx, a.value, maxArgument)
		if err != nil {
			return err
		}
		b.WriteString("\n" + code(flat(a.name)) + "\n\n" + Fence(value, ""))
		if len(value) < len(a.value) {
			b.WriteString("*The beginning of " + chars.Size(int64(len(a.value))) +
				": `ctxledger artifact read " + c.Session + "` prints all of it.*\n")
		}
	}
	return nil
}

// intentOf returns the intent that a change is attributed to; nil if the ledger does not have it any more. It belongs to
// an entry at or before the one that reports the change, usually shortly before. The search goes backwards in growing
// parts of the log.
func (r Reader) intentOf(ctx context.Context, c changes.Change) (*intents.Intent, error) {
	const wider = 4
	for to, n := c.Seq, int64(span); to > 0; to, n = to-n, wider*n {
		if in, err := r.intentIn(ctx, c, max(to-n+1, 1), to); in != nil || err != nil {
			return in, err
		}
	}
	return nil, nil
}

// intentIn is intentOf in one part of the log.
func (r Reader) intentIn(ctx context.Context, c changes.Change, from, to int64) (*intents.Intent, error) {
	for from > 0 && from <= to {
		page, err := r.API.Intents(ctx, ledger.IntentsRequest{Session: c.Session, From: from})
		if err != nil {
			return nil, err
		}
		for i := range page.Intents {
			if page.Intents[i].ID == c.Intent {
				return &page.Intents[i], nil
			}
		}
		from = page.Next
	}
	return nil, nil
}

// argument is an argument of a call.
type argument struct{ name, value string }

// short reports whether it fits on one line.
func (a argument) short() bool { return len(a.value) <= maxTarget && !strings.Contains(a.value, "\n") }

// arguments returns the arguments of a call in their order; none if it was forgotten or cannot be decoded.
func (r Reader) arguments(ctx context.Context, in intents.Intent) ([]argument, error) {
	raw, err := r.rawArguments(ctx, in)
	return argumentsOf(raw), err
}

// rawArguments returns the arguments of a call as it passed them; nil if it was forgotten or cannot be decoded.
func (r Reader) rawArguments(ctx context.Context, in intents.Intent) (json.RawMessage, error) {
	l := log{r.API, in.Session}
	entries, err := l.entries(ctx, in.Seq, in.Seq)
	if err != nil || len(entries) == 0 || entries[0].Forgotten != nil {
		return nil, err
	}
	e := entries[0]
	m, err := l.message(ctx, e)
	if err != nil {
		return nil, err
	}
	transcript.Identify(&m, e.CallIDs())
	for _, p := range m.Parts {
		if p.Kind == transcript.KindCall && p.ID == in.CallID {
			return p.Args, nil
		}
	}
	return nil, nil
}

// argumentsOf returns the members of an object in their order: strings decoded, other values as JSON.
func argumentsOf(object json.RawMessage) []argument {
	var args []argument
	for name, value := range jsonspan.New(object, jsonspan.MaxDepth).Members {
		args = append(args, argument{jsonspan.Unquote(name.In(object)), readable(value.In(object))})
	}
	return args
}

// readable returns a value as text.
func readable(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var b bytes.Buffer
	if json.Indent(&b, value, "", "  ") != nil {
		return string(value)
	}
	return b.String()
}
