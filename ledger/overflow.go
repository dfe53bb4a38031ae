package ledger

import (
	"context"
	"fmt"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window/overflow"
)

// OverflowRequest hands in what came back for a request of a session: an error, or an answer.
type OverflowRequest struct {
	Mutation
	Session string `json:"session"`
	Reader         // whose request it was
	// Model was called, by Provider at Endpoint: a limit that is learned holds for these three. "": the
	// session's model, and where it was called at its last overflow.
	Model    string `json:"model,omitempty"`
	Provider string `json:"provider,omitempty"`
	Endpoint string `json:"endpoint,omitempty"`

	Status int             `json:"status,omitempty"` // of HTTP; 0: not known
	Body   []byte          `json:"body,omitempty"`   // as received, at most 256 KiB
	Finish string          `json:"finish,omitempty"` // why the model stopped
	Usage  *overflow.Usage `json:"usage,omitempty"`  // as the provider reported

	MaxOutput int       `json:"max_output,omitempty"` // tokens that were asked for; 0: not known
	NumCtx    int       `json:"num_ctx,omitempty"`    // the context that a server was asked to load
	Streamed  bool      `json:"streamed,omitempty"`   // some of the answer has reached the user
	At        time.Time `json:"at,omitzero"`          // of the failure; zero: now
}

// OverflowResponse says what became of a request, and what to do.
type OverflowResponse struct {
	Session string           `json:"session"`
	Verdict overflow.Verdict `json:"verdict"`
	Advice  overflow.Advice  `json:"advice"`
	Lesson  overflow.Lesson  `json:"lesson,omitempty"`
	Window  Window           `json:"window"` // from then on
	// Limit is what the retry has to fit, in tokens; 0: not known. It believes a limit of which Window is not
	// sure yet.
	Limit int          `json:"limit,omitempty"`
	View  tokens.Count `json:"view"`  // what the view has now
	Fixed int          `json:"fixed"` // tokens that every request carries besides it, as far as known
	// Actual corrects that: what the provider counts for it all, by what it said; 0: it did not say.
	Actual int `json:"actual,omitempty"`
	// Stage and TrimmedTo are of the trimmed copy that was sent last in this turn, TrimmedTo in characters.
	Stage     int `json:"stage,omitempty"`
	TrimmedTo int `json:"trimmed_to,omitempty"`
}

// NoteTrimRequest records that a smaller copy of a request was made.
type NoteTrimRequest struct {
	Mutation
	Session string `json:"session"`
	RequestTrimmed
}

// NoteTrimResponse says where that is in the log.
type NoteTrimResponse struct {
	Entry int64 `json:"entry"`
}

// Recovery is what was done about a request that was too large, and what to send next.
type Recovery struct {
	OverflowResponse
	// Auto is the step or compaction that was made of the view; nil: none.
	Auto *AutoResult `json:"auto,omitempty"`
	// Trimmed says that Messages are a smaller copy of the view, of which nothing is recorded; nil: send the view
	// itself.
	Trimmed  *RequestTrimmed `json:"trimmed,omitempty"`
	Messages [][]byte        `json:"-"`
	// Next says in words what to do.
	Next string `json:"next"`
}

// Recover reports what a provider returned for a request of a session, and does what follows: a compaction without a
// model, since a model would get the history that was just refused, and if that does not suffice, a trimmed copy of
// the view. A copy is never recorded as an edit; the next evaluation compacts.
//
// Errors: those of Overflow, Auto and Messages. If nothing helps, that is no error: then Advice.Action is
// overflow.GiveUp.
func Recover(ctx context.Context, api Shrinker, r OverflowRequest, o compaction.Options) (Recovery, error) {
	key := r.Key
	r.Key = stepKey(key, "overflow")
	resp, err := api.Overflow(ctx, r)
	if err != nil {
		return Recovery{}, err
	}
	rec := Recovery{OverflowResponse: resp}
	switch resp.Advice.Action {
	case overflow.Compact, overflow.Shrink:
		err = rec.shrink(ctx, api, r, o, key)
	case overflow.TrimRequest:
		err = rec.trim(ctx, api, r, key)
	}
	rec.Next = rec.words()
	return rec, err
}

// shrink makes the view smaller: by edits, then by a compaction, then by a trimmed copy, as far as needed. For a body
// with too many bytes it skips the compaction, which is the last resort there.
func (rec *Recovery) shrink(ctx context.Context, api Shrinker, r OverflowRequest, o compaction.Options,
	key string) error {
	asked := EditViewRequest{Mutation: Mutation{stepKey(key, "first")}, Session: rec.Session, Reader: r.Reader,
		Model: r.Model, Reason: "overflow"}
	made, err := api.EditView(ctx, asked)
	if err != nil {
		return err
	}
	done := AutoResult{Action: AutoNothing, Why: made.Why, Edited: made}
	if len(made.Edits) > 0 {
		done.Action = AutoEdited
	}
	compacts := rec.Advice.Action == overflow.Compact
	fits := compacts && rec.resized(done)
	if compacts && !fits {
		asked.Key, asked.Overflow = key, true
		if done, err = Auto(ctx, api, AutoRequest{EditViewRequest: asked, Options: o}, nil); err != nil {
			return err
		}
		if len(done.Edited.Edits) == 0 { // they were made by the step before
			done.Edited.Edits, done.Edited.TokensBefore = made.Edits, made.TokensBefore
		}
		fits = rec.resized(done)
	}
	if rec.Auto = &done; fits {
		return nil
	}
	return rec.trim(ctx, api, r, key)
}

// resized records the size of a reduced view if there is a limit, and reports whether it is within that limit.
func (rec *Recovery) resized(done AutoResult) bool {
	after := done.Edited.TokensAfter
	switch {
	case done.Action == AutoCompacted:
		after = done.Compaction.Summary.TokensAfter
	case len(done.Edited.Edits) == 0:
		return false // the view is the one that was refused
	}
	if rec.Limit == 0 {
		return done.Action == AutoCompacted
	}
	rec.View, rec.Actual = after, rec.corrected(after)
	return overflow.Budget{ContextTokens: rec.Limit}.Check(overflow.Size{Tokens: rec.Actual}) == nil
}

// corrected predicts what the provider counts for a view of so many tokens with everything else in the request: by the
// ratio of its count to ours, otherwise by our upper bound.
func (rec *Recovery) corrected(view tokens.Count) int {
	if ratio := (overflow.Ratio{}).Learn(rec.Actual, rec.View.N+rec.Fixed); ratio.N > 0 {
		return ratio.Correct(view.N + rec.Fixed)
	}
	return view.Upper + rec.Fixed
}

// trim makes the next smaller copy and records that.
func (rec *Recovery) trim(ctx context.Context, api Shrinker, r OverflowRequest, key string) error {
	v, err := Messages(ctx, api, ViewRequest{Session: rec.Session, Reader: r.Reader, Model: r.Model,
		Handles: true})
	if err != nil {
		return err
	}
	c, limit := v.copied(), rec.Limit
	if most := v.Budget.ContextTokens; most > 0 && (limit == 0 || most < limit) {
		limit = most
	}
	to := v.target(c.Format, limit, rec.corrected(v.Tokens))
	to.Fixed = rec.Fixed
	out, err := overflow.Next(c, overflow.Trimmed{Stage: rec.Stage, CharsAfter: rec.TrimmedTo}, to)
	told := RequestTrimmed{Stage: out.Stage, Before: out.CharsBefore, After: out.CharsAfter,
		Reason: string(rec.Verdict.Class), Outcome: "made"}
	switch {
	case fault.Is(err, fault.TooLarge):
		rec.Advice = overflow.Advice{Action: overflow.GiveUp, Say: overflow.GaveUp + " (" + err.Error() + ")"}
		told.Stage, told.Outcome = overflow.Stages, "failed"
	case err != nil:
		return err
	default:
		rec.Messages, rec.Trimmed = out.Messages, &told
	}
	_, err = api.NoteTrim(ctx, NoteTrimRequest{Mutation: Mutation{stepKey(key, "trim")}, Session: rec.Session,
		RequestTrimmed: told})
	return err
}

// countMessage counts a message as the log does.
func countMessage(format transcript.Format, raw []byte) int {
	m, err := transcript.Decode(format, raw)
	if err != nil {
		return tokens.O200kBase.Count(raw)
	}
	n := tokens.Framing
	for _, p := range m.Parts {
		n += tokens.O200kBase.CountString(p.Text) + p.Media*tokens.Image
		switch p.Kind {
		case transcript.KindImage:
			n += tokens.Image
		case transcript.KindCall:
			n += tokens.O200kBase.CountString(p.Name) + tokens.O200kBase.Count(p.Args)
		}
	}
	return n
}

// words says what to do next.
func (rec *Recovery) words() string {
	if rec.Trimmed != nil {
		return "send the trimmed copy, once: " + rec.Trimmed.Words()
	}
	switch rec.Advice.Action {
	case overflow.Ignore:
		return "nothing: the failure concerns another model, or is older than the last compaction"
	case overflow.Resend:
		if rec.Verdict.Class == overflow.BrokenPairs {
			return "send the view, once: every call in it has its result"
		}
		return "send the view again, once: it fits by the provider's count"
	case overflow.Compact, overflow.Shrink, overflow.TrimRequest:
		what := "nothing could be removed"
		if rec.Auto != nil && rec.Auto.Sizes() != "" {
			what = rec.Auto.Sizes()
		}
		return "send the view again, once: " + what
	case overflow.LowerOutput:
		return fmt.Sprintf("ask for at most %s tokens of output, now and for the rest of the session with this model",
			chars.Commas(rec.Advice.OutputCap))
	case overflow.CompactNext:
		return "keep the answer, and have the session evaluated before the next call: it will be compacted"
	}
	if rec.Advice.Say != "" {
		return rec.Advice.Say
	}
	return "nothing: show the error unchanged"
}
