package ledger

import (
	"cmp"
	"context"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window/overflow"
)

// NextRequest is what a session's host sends next.
type NextRequest struct {
	Format   transcript.Format // of Messages
	Messages [][]byte
	// Trimmed says that Messages are a smaller copy of the view, of which nothing is recorded; nil: they are the view.
	Trimmed *RequestTrimmed
}

// Request returns the messages of a session's next request: the view, or a smaller copy if the view is larger than
// what the user allows. That a copy was made is recorded: the next evaluation compacts.
//
// Errors: those of Messages and NoteTrim; too_large if no copy is small enough.
func Request(ctx context.Context, api ViewReader, r ViewRequest, key string) (NextRequest, error) {
	v, err := Messages(ctx, api, r)
	if err != nil {
		return NextRequest{}, err
	}
	if !v.Exceeds() {
		c := v.copied()
		return NextRequest{Format: c.Format, Messages: c.Messages}, nil
	}
	r.Handles = true
	if v, err = Messages(ctx, api, r); err != nil {
		return NextRequest{}, err
	}
	c := v.copied()
	out, err := overflow.TrimTo(c, v.target(c.Format, v.Budget.ContextTokens, v.Tokens.N+v.Fixed))
	if fault.Is(err, fault.TooLarge) {
		left := v.Fixed
		for _, m := range out.Messages {
			left += countMessage(c.Format, m)
		}
		return NextRequest{}, cmp.Or(v.Budget.Check(overflow.SizeOf(out.Messages, left)), err)
	}
	if err != nil {
		return NextRequest{}, err
	}
	made := RequestTrimmed{Stage: out.Stage, Before: out.CharsBefore, After: out.CharsAfter, Reason: "budget",
		Outcome: "made"}
	_, err = api.NoteTrim(ctx, NoteTrimRequest{Mutation: Mutation{stepKey(key, "trim")}, Session: v.Session,
		RequestTrimmed: made})
	return NextRequest{c.Format, out.Messages, &made}, err
}

// Words says how much of the view the copy lacks, and what comes of it.
func (d RequestTrimmed) Words() string {
	return d.words() + "; it is not recorded, and the next evaluation compacts"
}

// Exceeds reports whether a request with the whole view is larger than what the user allows.
func (v *ViewResponse) Exceeds() bool {
	return v.Budget.Check(overflow.SizeOf(v.copied().Messages, v.Tokens.N+v.Fixed)) != nil
}

// copied returns the messages of a whole view as a copy. One that is trimmed needs the handles of the view.
func (v *ViewResponse) copied() overflow.Copy {
	c := overflow.Copy{Format: transcript.Anthropic, Whole: v.Session}
	for _, m := range v.Messages {
		c.Format, c.Messages, c.Handles = m.Format, append(c.Messages, m.JSON), append(c.Handles, m.Handles)
	}
	return c
}

// target returns what a copy of the view has to fit: a limit in tokens, 0 for none, and the body that the user allows.
// actual is the size of the request with the whole view, as the provider counts it.
func (v *ViewResponse) target(format transcript.Format, limit, actual int) overflow.Target {
	return overflow.Target{Limit: limit, Bytes: v.Budget.PayloadBytes, Fixed: v.Fixed, Actual: actual,
		Count: func(raw []byte) int { return countMessage(format, raw) }}
}
