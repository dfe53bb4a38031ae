package views

import (
	"cmp"
	"slices"
	"time"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window/overflow"
)

// BucketWindows holds limits learned from errors of providers: digest of endpoint and model → overflow.Learned.
const BucketWindows kv.Bucket = "windows"

// windowOf returns the window of a model, or of the session's when none is named: the configured one, or the one
// learned from an error, if that is smaller.
func (l *Views) windowOf(tx kv.Tx, f *core.Folded, model string) (ledger.Window, error) {
	if model == "" {
		model = f.Session.Model
	}
	at, numCtx, err := l.served(tx, f, model)
	if err != nil {
		return ledger.Window{Model: model}, err
	}
	return l.windowAt(tx, f, model, at, numCtx)
}

// windowAt is WindowOf for a model at an endpoint.
func (l *Views) windowAt(tx kv.Tx, f *core.Folded, model string, at overflow.Place, numCtx int) (ledger.Window, error) {
	w := ledger.Window{Model: model}
	if n := f.Policy.Compact.Window; n > 0 {
		w.Tokens, w.Profile, w.From = n, n, ledger.WindowSet
		return w, nil
	}
	var host core.HostWindow
	if model == f.Session.Model {
		var err error
		if host, err = core.HostWindowOf(tx, f.Session); err != nil {
			return w, err
		}
	}
	set := l.core.Settings(f.Session)
	given := 0
	if set.Window != nil && model == f.Session.Model {
		given = set.Window(f.Session)
	}
	profile(f.Models, host, given, &w)
	q, err := l.core.NewestRequest(tx, f.Session.ID)
	if err != nil {
		return w, err
	}
	if n := loadedFor(q, at); n > 0 && w.From != ledger.WindowSet {
		w.Profile, w.From, w.CompactsAt = n, ledger.WindowLoaded, 0
	}
	for _, past := range core.DecisionsSince[ledger.ContextOverflow](f, ledger.EventOverflow, 0) {
		if past.Data.Place == at && past.Data.OutputCap > 0 {
			w.OutputCap = past.Data.OutputCap
		}
	}
	known, err := learnedWindow(tx, at, f.Session.ID)
	if err != nil {
		return w, err
	}
	w.Tokens = known.Window(at, w.Profile, numCtx, l.core.Now())
	if w.Tokens != w.Profile {
		w.Learned, w.From = &known, ledger.WindowRefused
	}
	w.Likely = likely(w, host)
	if w.CompactsAt > 0 {
		w.CompactsFrom = ledger.WindowSize{From: ledger.WindowCompacted}.Words()
	}
	if ask := set.CompactsAt; ask != nil && model == f.Session.Model {
		at, why := ask(f.Session, w.Tokens)
		switch {
		case why != "":
			w.CompactsAt, w.CompactsFrom = at, why
		case at > 0 && w.CompactsAt == 0 && f.Session.Largest <= at: // a larger request would have been compacted
			w.CompactsAt, w.CompactsFrom = at, ledger.WindowSize{From: ledger.WindowDefault}.Words()
		}
	}
	if w.Tokens > 0 && w.CompactsAt > w.Tokens { // never reached
		w.CompactsAt, w.CompactsFrom = 0, ""
	}
	if w.CompactsAt == 0 && w.CompactsFrom == "" && f.Session.Host != "" {
		w.CompactsFrom = "not known"
	}
	return w, nil
}

// profile fills in the size of a window as far as it is known without errors: the user's setting, else what the session showed,
// else the window that its host gives the model (given; 0: not known), else the program's own table. Another session of the host
// can only lower that: a host may give one session a larger window than the next.
func profile(models *tokens.Registry, host core.HostWindow, given int, w *ledger.Window) {
	known, _ := models.Window(w.Model)
	w.Profile = known
	switch {
	case models.OwnWindow(w.Model):
		w.From = ledger.WindowSet
	case host.Tokens > 0 && !host.Elsewhere:
		w.Profile, w.From = host.Tokens, shownBy(host)
	case given > known:
		w.Profile, w.From = given, ledger.WindowSettings
	case given > 0 && given < known:
		w.Profile, w.From = given, ledger.WindowDefault
	case host.Tokens > 0 && (known == 0 || host.Tokens < known):
		w.Profile, w.From = host.Tokens, shownBy(host)
	case known > 0:
		w.From = ledger.KnownWindow(models, w.Model)
	}
	w.CompactsAt = host.CompactsAt
	if (w.From == ledger.WindowSet || host.Elsewhere) && // it may be of another window
		(host.CompactsAt > w.Profile || host.CompactsAt < w.Profile/2) {
		w.CompactsAt = 0
	}
}

// shownBy says what a window rests on that a host showed.
func shownBy(host core.HostWindow) string {
	if host.Told {
		return ledger.WindowTold
	}
	return ledger.WindowShown
}

// likely returns the sizes that a window may have.
func likely(w ledger.Window, host core.HostWindow) (sizes []ledger.WindowSize) {
	builtin, _ := tokens.Builtin().Window(w.Model)
	known := ledger.KnownWindow(tokens.Builtin(), w.Model)
	all := []ledger.WindowSize{
		{Tokens: w.Tokens, From: w.From}, {Tokens: host.Tokens, From: shownBy(host)},
		{Tokens: builtin, From: known}, {Tokens: host.CompactsAt, From: ledger.WindowCompacted},
	}
	for _, s := range all {
		said := func(o ledger.WindowSize) bool { return o.Tokens == s.Tokens }
		if s.Tokens > 0 && !slices.ContainsFunc(sizes, said) {
			sizes = append(sizes, s)
		}
	}
	return sizes
}

// served returns where the session calls a model, by its newest overflow, else by its newest request that a proxy measured: an
// error is about one model behind one address.
func (l *Views) served(tx kv.Tx, f *core.Folded, model string) (at overflow.Place, numCtx int, err error) {
	q, err := l.core.NewestRequest(tx, f.Session.ID)
	if err != nil {
		return at, 0, err
	}
	at = overflow.Place{Provider: q.Provider, Endpoint: q.Endpoint, Model: tokens.NewEstimator(model).Model()}
	for _, past := range core.DecisionsSince[ledger.ContextOverflow](f, ledger.EventOverflow, 0) {
		if past.Data.Place.Model == at.Model {
			at, numCtx = past.Data.Place, past.Data.NumCtx
		}
	}
	return at, cmp.Or(loadedFor(q, at), numCtx), nil
}

// loadedFor returns the context that a server has loaded, by the newest request that a proxy measured, if that was for the model.
func loadedFor(q ledger.ModelRequest, at overflow.Place) int {
	if tokens.NewEstimator(q.Model).Model() != at.Model {
		return 0
	}
	return q.Loaded
}

// learnedWindow returns what was learned of a model at an endpoint, or the zero value.
func learnedWindow(tx kv.Tx, at overflow.Place, session string) (known overflow.Learned, err error) {
	_, err = kv.GetJSON(tx, BucketWindows, windowKey(at, session), &known)
	return known, err
}

// windowKey is where a limit is kept. One of which nothing is known but the session is that session's.
func windowKey(at overflow.Place, session string) []byte {
	if at == (overflow.Place{}) {
		return []byte(sessions.Digest([]byte("session\x00" + session)))
	}
	return []byte(sessions.Digest([]byte(at.Provider + "\x00" + at.Endpoint + "\x00" + at.Model)))
}

// learnWindow records what an error says about the window of a model, and returns what is known then.
func learnWindow(
	tx kv.Tx, v overflow.Verdict, at overflow.Place, session string, profile int, q overflow.Request, now time.Time,
) (overflow.Learned, overflow.Lesson, error) {
	known, err := learnedWindow(tx, at, session)
	if err != nil {
		return known, overflow.Nothing, err
	}
	known, lesson := known.Learn(v, at, profile, q, now)
	if lesson != overflow.Nothing && lesson != overflow.Higher {
		err = kv.PutJSON(tx, BucketWindows, windowKey(at, session), known)
	}
	return known, lesson, err
}
