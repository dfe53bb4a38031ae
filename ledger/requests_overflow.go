package ledger

import (
	"time"

	"ctxledger.dev/overflow"
	"ctxledger.dev/tokens"
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
	Fixed int          `json:"fixed"` // tokens that every request carries beside it, as far as known
	// Actual corrects that: what the provider counts for it all, by what it said; 0: it did not say.
	Actual int `json:"actual,omitempty"`
	Stage  int `json:"stage,omitempty"` // of the trimmed copy that was sent last in this turn
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
