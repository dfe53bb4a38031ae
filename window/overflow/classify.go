package overflow

// Class is what became of a request.
type Class string

// The classes.
const (
	None            Class = "none"              // anything else: surface it unchanged
	PromptOverflow  Class = "prompt_overflow"   // the prompt alone does not fit the window
	OutputBudget    Class = "output_budget"     // the prompt fits; with the output that was asked for it does not
	PayloadTooLarge Class = "payload_too_large" // the body has too many bytes
	SilentOverflow  Class = "silent_overflow"   // the call succeeded, but the prompt was cut, or is above the window
	// BrokenPairs is a request in which a call has no result, or a result no call: shortened by somebody who parted them.
	BrokenPairs Class = "broken_pairs"
)

// Confidence is how sure a class is.
type Confidence string

// The degrees of confidence.
const (
	Exact  Confidence = "exact"  // a provider's code, or a message with its numbers
	Strong Confidence = "strong" // a sentence that one provider uses
	Weak   Confidence = "weak"   // words that anybody might use
)

// Response is what came back for a request: what of it is known.
type Response struct {
	Status int    // of HTTP; 0: not known
	Body   []byte // as received, JSON or not; only its first 256 KiB are read
	Err    error  // what a client library made of it; of joined errors the last one counts
	Finish string // why the model stopped, as the provider calls it
	Usage  *Usage // nil: not reported
}

// Usage is what a provider says it read and wrote, in tokens.
type Usage struct {
	Input      int // read at full price
	CacheRead  int // read from the cache, unless Input has it
	CacheWrite int // written to it, unless Input has it
	Output     int
}

// Request is what is known of the request itself, in tokens. 0 means not known.
type Request struct {
	Window    int // of the model
	Estimate  int // our own count of the prompt
	MaxOutput int // the output that was asked for
	NumCtx    int // the context that an Ollama or llama.cpp server was asked to load
	// Suspected is set when the call before this one, of the same session and model, came back as
	// Suspect: the second time is believed.
	Suspected bool
}

// Verdict says what became of a request, and where that is seen.
type Verdict struct {
	Class      Class      `json:"class"`
	Pattern    string     `json:"pattern_id,omitempty"` // the row of the table; for None the veto
	Provider   string     `json:"provider,omitempty"`   // whose words they are
	Confidence Confidence `json:"confidence,omitempty"`
	Path       string     `json:"path,omitempty"`   // where they stood in the answer: "error.message"
	Status     int        `json:"status,omitempty"` // of HTTP, or what the body says it is

	Actual          int `json:"actual,omitempty"`           // tokens of the prompt
	Limit           int `json:"limit,omitempty"`            // tokens that would have been accepted
	OverBy          int `json:"over_by,omitempty"`          // tokens too many
	RequestedOutput int `json:"requested_output,omitempty"` // tokens of output that were asked for
	// OutputCap is the output that still fits; 0 in class output_budget: too little to go on
	// without a smaller prompt.
	OutputCap int `json:"output_cap,omitempty"`
	// Suspect marks a None that would be a silent overflow if the next call said the same.
	Suspect bool `json:"suspect,omitempty"`
	// OwnLimit: the words are those of a server with one context, so that the limit can be no other's.
	OwnLimit bool `json:"own_limit,omitempty"`
}

// Classify says what became of a request.
func Classify(r Response, q Request) Verdict {
	s := collect(r)
	if v, vetoed := s.veto(); vetoed {
		return v
	}
	status := s.status
	switch {
	case status >= 500, status >= 300 && status < 400:
		return Verdict{Class: None, Status: status} // a body may quote anything
	}
	if v, ok := s.match(q); ok {
		return v
	}
	if s.failed {
		return Verdict{Class: None, Status: status}
	}
	return silent(r, q)
}

// match tries the table from its beginning.
func (s *signals) match(q Request) (Verdict, bool) {
	for i, re := range compiled().rows {
		row := &rows[i]
		if row.weak && !weakStatus(s.status) {
			continue
		}
		for _, t := range s.texts {
			groups := re.FindStringSubmatch(t.lower)
			if groups == nil || row.bodyless && !s.bodyless(q) {
				continue
			}
			v := Verdict{Class: row.class, Pattern: row.id, Provider: row.provider, Path: t.path, Status: s.status,
				Confidence: Strong, OwnLimit: row.own}
			v.measure(numbers(re, groups), s)
			switch {
			case row.weak:
				v.Confidence = Weak
			case t.kind != message || v.Actual+v.Limit+v.OverBy > 0:
				v.Confidence = Exact
			}
			return v, true
		}
	}
	return Verdict{}, false
}

// weakStatus reports whether words that anybody might use count under a status.
func weakStatus(status int) bool {
	return status == 0 || status == 400 || status == 413 || status == 422
}

// bodyless reports whether an error without a body can be an overflow: by itself it proves nothing.
func (s *signals) bodyless(q Request) bool {
	return (s.status == 0 || s.status == 400 || s.status == 413) && q.Window > 0 && 2*q.Estimate >= q.Window
}

// measure fills in the numbers: those of the matched text itself, else what any text says.
func (v *Verdict) measure(n map[string]int, s *signals) {
	if v.Class == OutputBudget {
		v.budget(n)
		return
	}
	for _, re := range compiled().extract {
		for _, t := range s.texts {
			if v.Actual > 0 && v.Limit > 0 && v.OverBy > 0 {
				return
			}
			if groups := re.FindStringSubmatch(t.lower); groups != nil {
				v.take(numbers(re, groups))
			}
		}
	}
	if v.Pattern == lessThan && v.Limit > 0 {
		v.Limit-- // "less than N"
	}
	if v.OverBy == 0 && v.Limit > 0 {
		v.OverBy = max(0, v.Actual-v.Limit)
	}
}

// take keeps the first of each number.
func (v *Verdict) take(n map[string]int) {
	for name, field := range map[string]*int{"act": &v.Actual, "lim": &v.Limit, "over": &v.OverBy} {
		if *field == 0 {
			*field = n[name]
		}
	}
}

// Bounds of what an output can be lowered to, in tokens.
const (
	minOutput = 1024 // below this an answer is not worth the call
	minMargin = 256  // left free, at least; else a hundredth of the window
)

// budget decides between a prompt that fits and one that does not.
func (v *Verdict) budget(n map[string]int) {
	if v.Pattern == thinkingBudget {
		return // it says nothing of the prompt
	}
	v.Actual, v.Limit, v.RequestedOutput = n["in"]+n["in2"], n["lim"], n["out"]
	least := n["least"] // 1: the prompt has at least so many tokens
	if v.Actual >= v.Limit-least {
		v.Class, v.OverBy = PromptOverflow, v.Actual-v.Limit
		v.OverBy = max(0, v.OverBy)
		return
	}
	if left := v.Limit - v.Actual - max(minMargin, v.Limit/100); left >= minOutput {
		v.OutputCap = left
	}
}
