package overflow

import "time"

// Place is where a limit holds: of one model behind one address.
type Place struct {
	Provider string `json:"provider"`
	Endpoint string `json:"endpoint"`
	Model    string `json:"model"`
}

// Learned is the limit that errors named for one place. The zero value knows nothing.
type Learned struct {
	Place
	Limit    int       `json:"limit"` // tokens of a prompt, at most
	Pattern  string    `json:"pattern_id"`
	Actual   int       `json:"actual,omitempty"`   // what the provider counted then
	Estimate int       `json:"estimate,omitempty"` // what we counted
	NumCtx   int       `json:"num_ctx,omitempty"`  // the context that the server had loaded
	Seen     time.Time `json:"seen_at"`            // when it was named last
	// Sure is set once a second error named the limit, and at once where a server has one context only.
	// What is not sure and far below the window may be another deployment behind a router.
	Sure bool `json:"sure"`
}

// Lesson is what an error taught.
type Lesson string

// The lessons.
const (
	Nothing   Lesson = ""          // it named no limit, or one that is known otherwise
	Lowered   Lesson = "lowered"   // the limit is new and below the window
	Raised    Lesson = "raised"    // the limit is above the one learned, and not above what is configured
	Confirmed Lesson = "confirmed" // the limit was named before
	Higher    Lesson = "higher"    // it is above what is configured: that is the user's to raise
)

// Bounds of what is believed of a limit.
const (
	learnedLife  = 30 * 24 * time.Hour
	doubtedBelow = 4     // below this part of the configured window: a quarter
	leastLimit   = 1_024 // no model has a smaller window: what names one speaks of something else
)

// Learn adds what a verdict names. configured is the window that the user or a profile gives, 0 if
// none is known; request is the one that failed.
func (l Learned) Learn(v Verdict, at Place, configured int, request Request, now time.Time) (Learned, Lesson) {
	if v.Limit < leastLimit || v.Class != PromptOverflow && v.Class != OutputBudget {
		return l, Nothing
	}
	if !l.holds(at, request.NumCtx, now) {
		l = Learned{}
	}
	switch {
	case configured > 0 && v.Limit == configured:
		return l, Nothing
	case configured > 0 && v.Limit > configured:
		return l, Higher
	case v.Limit == l.Limit:
		l.Seen, l.Sure = now, true
		return l, Confirmed
	case v.Limit > l.Limit && l.Limit > 0 && v.Class == PromptOverflow && v.Actual > 0 && v.Actual < v.Limit-1:
		return l, Nothing // what fits is not refused
	}
	next := Learned{
		Place: at, Limit: v.Limit, Pattern: v.Pattern, Actual: v.Actual, Estimate: request.Estimate,
		NumCtx: request.NumCtx, Seen: now, Sure: v.OwnLimit,
	}
	if v.Limit < l.Limit || l.Limit == 0 {
		return next, Lowered
	}
	next.Sure = next.Sure || l.Sure // a model was given more room: of its provider, that is the newest word
	return next, Raised
}

// Window returns the window to use: the configured one, or what was learned if that is lower. A model,
// address or loaded context other than those of the error, and time, make it void.
func (l Learned) Window(at Place, configured, numCtx int, now time.Time) int {
	if l.doubted(configured) {
		return configured
	}
	return l.RetryWindow(at, configured, numCtx, now)
}

// RetryWindow returns the window to use for the retry of the request that failed: it believes a limit
// of which Window is not sure yet.
func (l Learned) RetryWindow(at Place, configured, numCtx int, now time.Time) int {
	switch {
	case !l.holds(at, numCtx, now):
		return configured
	case configured == 0:
		return l.Limit
	}
	return min(configured, l.Limit)
}

// holds reports whether what was learned is about a place, and not too old.
func (l Learned) holds(at Place, numCtx int, now time.Time) bool {
	return l.Limit > 0 && l.Place == at && l.NumCtx == numCtx && now.Sub(l.Seen) < learnedLife
}

// doubted reports whether a limit is good for the retry only.
func (l Learned) doubted(configured int) bool {
	return !l.Sure && l.Limit < configured/doubtedBelow
}

// Ratio is how many tokens a provider counts for one of ours, as a moving average over a few errors:
// keep one for each model and class of content. The zero value corrects nothing.
type Ratio struct {
	Mean float64 `json:"mean"`
	N    int     `json:"n"` // measurements in it, at most ratioSpan
}

// Bounds of a ratio.
const (
	minRatio, maxRatio = 0.5, 3.0
	ratioSpan          = 8
)

// Learn adds a measurement.
func (r Ratio) Learn(actual, estimate int) Ratio {
	if actual <= 0 || estimate <= 0 {
		return r
	}
	x := min(max(float64(actual)/float64(estimate), minRatio), maxRatio)
	r.N = min(r.N+1, ratioSpan)
	r.Mean += (x - r.Mean) / float64(r.N)
	return r
}

// Correct returns what the provider will probably count.
func (r Ratio) Correct(estimate int) int {
	if r.N == 0 {
		return estimate
	}
	return int(float64(estimate) * r.Mean)
}
