package overflow

import "strings"

// Shares of a window that the tests for a silent overflow use, in percent.
const (
	fullAt      = 99 // the window is taken up
	tinyOutput  = 5  // of the output that was asked for
	tinyTokens  = 512
	keptBelow   = 70 // of our own count: the prompt was cut
	largePrompt = 50 // of the context: below this nothing is cut
	halfWithin  = 5  // how near to half of the context the reported prompt is
)

// silent tests an answer that came without an error.
func silent(r Response, q Request) Verdict {
	v := Verdict{Class: SilentOverflow, Confidence: Exact, Status: r.Status, Path: "usage"}
	u := r.Usage
	if u == nil {
		return Verdict{Class: None, Status: r.Status}
	}
	total := u.Input + u.CacheRead + u.CacheWrite
	v.Actual, v.Limit = total, q.Window
	long := isLength(r.Finish)
	switch {
	case q.Window > 0 && !long && total > q.Window:
		v.Pattern, v.Provider, v.OverBy = "SO1", "zai", total-q.Window
		return v
	case q.Window > 0 && long && u.Output == 0 && reaches(total, fullAt, q.Window):
		v.Pattern, v.Provider = "SO2", "xiaomi"
		return v
	case q.Window > 0 && long && 100*u.Output < tinyOutput*q.MaxOutput && u.Output < tinyTokens &&
		reaches(total+u.Output, fullAt, q.Window):
		v.Pattern, v.Confidence = "SO3", Strong
		return v
	}
	return cut(v, total, q)
}

// cut tests for a server that drops the front of a prompt and counts only what it kept.
func cut(v Verdict, reported int, q Request) Verdict {
	none := Verdict{Class: None, Status: v.Status}
	if q.NumCtx <= 0 || !reaches(q.Estimate, largePrompt, q.NumCtx) || reaches(reported, keptBelow, q.Estimate) {
		return none
	}
	v.Pattern, v.Provider, v.Confidence = "SO4", "ollama", Strong
	v.Actual, v.Limit = reported, q.NumCtx
	half := q.NumCtx / 2
	if near := max(reported-half, half-reported); 100*near <= halfWithin*half || q.Suspected {
		return v
	}
	// A cached prefix may lower the count as well: once is only a suspicion.
	none.Pattern, none.Provider, none.Confidence, none.Path, none.Suspect = v.Pattern, v.Provider, Weak, v.Path, true
	return none
}

// reaches reports whether n is at least so many percent of whole.
func reaches(n, percent, whole int) bool { return 100*n >= percent*whole }

// isLength reports whether a model stopped because it may not write more.
func isLength(finish string) bool {
	switch strings.ToLower(finish) {
	case "length", "max_tokens", "max_output_tokens":
		return true
	}
	return false
}
