package live

import (
	"cmp"
	"context"
	"io"
	"slices"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// Pause is the shortest time between two reports. An event waits for at most two of them, one here and one in the
// notifier, and is shown within 200 ms.
const Pause = 80 * time.Millisecond

// ease is the ratio of waiting to reading: following a busy agent must not keep a core busy.
const ease = 5

// Patience is how long the first report waits for the owner to read the session files that it found, and to measure how
// their models count. It looks each readAgain.
const (
	Patience  = 2 * time.Second
	readAgain = 20 * time.Millisecond
)

// readingPause is the longest time between two looks while session files are read: no event tells when they have been.
const readingPause = time.Second

// The bounds of the retry interval, which doubles after each failure.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// otherwise is the hint for errors without one.
const otherwise = "ctxledger keeps trying, less and less often; `ctxledger status` shows more"

// Ledger is what following a session uses of a ledger.
type Ledger interface {
	ledger.Events
	ledger.SessionReader
	ledger.Views
	ledger.Files
	ledger.Erasure
	ledger.Calibration
	io.Closer
}

// Options is what Follow needs.
type Options struct {
	Open   func(context.Context) (Ledger, error) // called again after an error
	Env    env.Env
	Tree   string // of the workspace, whose sessions go first
	Apart  bool   // follow no session: find only the model that is counted for
	Pinned string // the session that the user chose; "": none
	Model  string // that is counted for; "": that of the session
	// Near returns the sessions that work in terminals of this window, asked at each look; nil: not known.
	Near func() []Near
	// Again has it look again when what Near returns may have changed; nil: nothing does.
	Again *Again
	Tell  func(State)
}

// Near is a session that works in a terminal of this window.
type Near struct {
	Host, ID string // the host's id
	Active   bool   // the terminal is the one that was used last
}

// Follow reports the live session, or else the one that was live last, until ctx is cancelled; with Apart, no session.
func Follow(ctx context.Context, o Options) {
	retry := firstRetry
	for ctx.Err() == nil {
		began := o.Env.Now()
		err := follow(ctx, o)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			continue // looks again
		}
		if o.Env.Now().Sub(began) > lastRetry {
			retry = firstRetry
		}
		o.Tell(State{Problem: err.Error(), Hint: cmp.Or(fault.HintOf(err), otherwise)})
		env.Sleep(ctx, retry)
		retry = min(2*retry, lastRetry)
	}
}

// follow is Follow until the first error.
func follow(ctx context.Context, o Options) error {
	api, err := o.Open(ctx)
	if err != nil {
		return err
	}
	defer api.Close() // nothing was written
	if o.Again == nil {
		o.Again = new(Again)
	}
	info, err := settled(ctx, api)
	if err != nil {
		return err
	}
	now, err := api.WaitEvents(ctx, ledger.WaitEventsRequest{After: -1})
	if err != nil {
		return err
	}
	w := watcher{api: api, o: o, info: info, after: now.Next, titles: map[string]string{}}
	if err := w.look(ctx); err != nil {
		return err
	}
	if o.Apart && info.InProcess { // nobody else can change it now, or open it
		o.Tell(w.state())
		_ = api.Close() // nothing was written
		waiting, end := o.Again.begin(ctx)
		<-waiting.Done()
		end()
		return nil
	}
	for {
		o.Tell(w.state())
		env.Sleep(ctx, max(Pause, ease*w.took))
		if err := w.wait(ctx); err != nil {
			return err
		}
	}
}

// settled returns what the owner of a ledger says of it, as soon as figures no longer change by themselves, at the latest
// after Patience.
func settled(ctx context.Context, api Ledger) (ledger.Info, error) {
	waiting, stop := context.WithTimeout(ctx, Patience)
	defer stop()
	for {
		info, err := api.Info(ctx, ledger.InfoRequest{})
		if err != nil || waiting.Err() != nil || !info.Reading() && !info.Unmeasured(ctx, api) {
			return info, err
		}
		env.Sleep(waiting, readAgain)
	}
}

// watcher follows one ledger.
type watcher struct {
	api    Ledger
	o      Options
	info   ledger.Info // where its records are relative to
	after  int64       // the newest event that was processed
	reader *reader
	model  string          // that is counted for, unless the options name one
	others []Other         // sessions that are live besides it
	near   map[hosted]bool // the sessions in terminals of this window; whether the terminal is the active one
	took   time.Duration   // by the last look
	used   ledger.Status
	title  string            // of the session, masked
	titles map[string]string // as they were masked
	learnt Learnt
	taught bool                        // learnt may be outdated
	hosts  map[string]ledger.HostModel // of the newest sessions of agents
	// newestOf are these sessions.
	newestOf []sessions.Session
}

// wait waits for the next events and updates the state.
func (w *watcher) wait(ctx context.Context) error {
	patience := limits.LongPoll
	if w.info.Reading() {
		patience = readingPause
	}
	waiting, end := w.o.Again.begin(ctx)
	resp, err := w.api.WaitEvents(waiting,
		ledger.WaitEventsRequest{After: w.after, Limit: 1000, WaitMS: patience.Milliseconds()})
	again := end()
	switch {
	case err != nil && again && ctx.Err() == nil:
		w.hosts = nil // their settings may be others
		return w.look(ctx)
	case err != nil:
		return err
	}
	w.after = resp.Next
	w.taught = w.taught || resp.Missed ||
		slices.ContainsFunc(resp.Events, func(e ledger.Event) bool { return e.Kind == ledger.EventLearnt })
	switch {
	case resp.Missed:
		w.reader = nil
	case w.reader != nil && slices.ContainsFunc(resp.Events, changesFiles):
		w.reader.unsure = true
	}
	return w.look(ctx)
}

// changesFiles reports whether an event can change what is known of files that were read.
func changesFiles(e ledger.Event) bool {
	switch e.Kind {
	case ledger.EventChange, ledger.EventSeen, ledger.EventForgotten, ledger.EventLost:
		return true
	}
	return false
}

// look chooses the session and reads its new entries.
func (w *watcher) look(ctx context.Context) error {
	began := w.o.Env.Now()
	defer func() { w.took = w.o.Env.Now().Sub(began) }()
	if w.info.Reading() {
		info, err := w.api.Info(ctx, ledger.InfoRequest{})
		if err != nil {
			return err
		}
		w.info = info
	}
	page, err := w.api.Sessions(ctx, ledger.SessionsRequest{})
	if err != nil {
		return err
	}
	var s *sessions.Session
	if !w.o.Apart {
		if s, w.others, err = w.choose(ctx, page.Sessions); err != nil {
			return err
		}
	}
	if err := w.besides(ctx, s, page.Sessions); err != nil {
		return err
	}
	counted := s
	if s == nil {
		if counted, err = w.newest(ctx); err != nil {
			return err
		}
	}
	w.model = counted.Model
	if err := w.learn(ctx); err != nil {
		return err
	}
	switch {
	case s == nil:
		w.reader = nil
		return nil
	case w.reader == nil || w.reader.session.ID != s.ID:
		w.reader = newReader(*s)
	default:
		w.reader.session = *s
	}
	if err := w.reader.read(ctx, w.api); err != nil {
		return err
	}
	w.used, err = w.api.Status(ctx, ledger.StatusRequest{Session: w.reader.session.ID, Brief: true, Cost: true})
	if err != nil {
		return err
	}
	w.title, err = w.masked(ctx, w.reader.session.Titled())
	return err
}

// besides reads for which models is counted what agents load of which no session is followed, where these may be others by
// now: that of the followed one is its own.
func (w *watcher) besides(ctx context.Context, followed *sessions.Session, all []sessions.Session) (err error) {
	newest := ledger.NewestOf(slices.DeleteFunc(slices.Clone(all), func(s sessions.Session) bool {
		return followed != nil && s.Host == followed.Host && followed.Model != "" && w.o.Model == ""
	}))
	same := func(a, b sessions.Session) bool { return a.ID == b.ID && a.Updated.Equal(b.Updated) }
	if w.taught || w.hosts == nil || !slices.EqualFunc(newest, w.newestOf, same) {
		w.newestOf = newest
		w.hosts, err = ledger.HostModels(ctx, w.api, newest)
	}
	return err
}

// newest returns the newest recorded session, of any age: where none is followed, every face counts for its model. It is
// zero if there is none.
func (w *watcher) newest(ctx context.Context) (*sessions.Session, error) {
	s, err := w.api.Session(ctx, ledger.SessionRequest{Latest: true})
	if fault.Is(err, fault.NotFound) {
		return &sessions.Session{}, nil
	}
	return &s, err
}

// learn reads what the ledger has learnt of the model that is counted for, where that may be something else by now.
func (w *watcher) learn(ctx context.Context) error {
	model := cmp.Or(w.o.Model, w.model)
	if model == w.learnt.Model && !w.taught {
		return nil
	}
	state, err := ledger.Learnt(ctx, w.api, model)
	if err == nil {
		w.learnt, w.taught = Learnt{model, string(state)}, false
	}
	return err
}

// masked returns the title of a session without secrets: these are words of the user.
func (w *watcher) masked(ctx context.Context, raw string) (string, error) {
	if known, ok := w.titles[raw]; ok {
		return known, nil
	}
	m, err := w.api.Mask(ctx, ledger.MaskRequest{Text: raw})
	if err == nil {
		w.titles[raw] = m.Text
	}
	return m.Text, err
}

// state returns the current state.
func (w *watcher) state() State {
	if w.reader == nil {
		return State{Model: w.model, Event: w.after, Others: w.others, Learnt: w.learnt, Hosts: w.hosts,
			Reading: w.info.Reading()}
	}
	s := w.reader.session
	u := w.used
	st := State{Session: s.ID, Host: s.Host, Title: w.title, Model: s.Model, Updated: s.Updated, Others: w.others,
		Near: w.isNear(s), Event: w.after, Learnt: w.learnt, Hosts: w.hosts,
		Files: w.reader.snapshot(u.Scale, u.Measured > 0 && !u.Scale.Exact, w.info),
		Held:  u.Held, Window: u.Window, WindowFrom: ledger.WindowSize{From: u.WindowFrom}.Words(),
		CompactsAt: u.CompactsAt, CompactsFrom: u.CompactsFrom,
		Use: u.Use, Reading: w.info.Reading()}
	if n := len(u.Warned); n > 0 {
		st.Warning = u.Warned[n-1].String()
	}
	return st
}
