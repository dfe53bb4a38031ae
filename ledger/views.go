package ledger

import (
	"context"
	"fmt"
	"io"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
	"ctxledger.dev/window/overflow"
)

// Views returns what a model sees of a session, and decides which parts to shorten.
type Views interface {
	// View returns a page of what a model is to see of a session now.
	View(ctx context.Context, r ViewRequest) (ViewResponse, error)
	// Status says what fills the window of a session.
	Status(ctx context.Context, r StatusRequest) (Status, error)
	// StatusLine says in a few figures what a session holds, cost and saved, for a line that is asked for often.
	StatusLine(ctx context.Context, r StatusLineRequest) (StatusLine, error)
	// TurnStats says what fills the window of a session, and how it came to, turn by turn.
	TurnStats(ctx context.Context, r TurnStatsRequest) (TurnStats, error)
	// EditView decides which parts of a session's view are shown less of from now on, and records it.
	EditView(ctx context.Context, r EditViewRequest) (EditedView, error)
	// Overflow says what became of a request that a provider refused or cut, and what to do; it keeps the
	// limits that errors name.
	Overflow(ctx context.Context, r OverflowRequest) (OverflowResponse, error)
	// NoteTrim records that a request was sent as a smaller copy: the next evaluation compacts.
	NoteTrim(ctx context.Context, r NoteTrimRequest) (NoteTrimResponse, error)
}

// Reader says for whom a view is: one agent of a session may be shown less than another. The zero value is the agent
// that the session belongs to.
type Reader struct {
	// Agent is the agent whose next request it is, by its name under agents in ctxledger.yaml; case does not
	// count. "": the session's host. One that is not configured has the policy of everybody. Edits that are
	// made for a named agent hold in its views alone, those for "" in all.
	Agent string `json:"agent,omitempty"`
	// Policy replaces the configured policy for this call; nil keeps it. Its edits persist like any others: also name
	// an agent if they must not apply to all.
	Policy *window.Policy `json:"policy,omitempty"`
	// Overrides say something else than the policy in single points, for this call alone.
	Overrides *window.Overrides `json:"overrides,omitempty"`
}

// ViewRequest asks for a page of a session's view.
type ViewRequest struct {
	Session string `json:"session"`
	Reader
	Model string `json:"model,omitempty"` // counts are those of this model; "": the session's
	From  int    `json:"from,omitempty"`  // where the page starts: what the page before gave as Next
	// Position is that of the first page: a page of another position would not fit. 0: the newest.
	Position int64 `json:"position,omitempty"`
	// Handles asks for ViewMessage.Handles.
	Handles bool `json:"handles,omitempty"`
}

// ViewResponse is a page of a view. Next is the From of the following page, 0 at the end.
type ViewResponse struct {
	Session  string        `json:"session"`
	Position int64         `json:"position"` // sequence number of the newest entry that it reflects
	Summary  string        `json:"summary,omitempty"`
	Messages []ViewMessage `json:"messages"`
	Total    int           `json:"total"` // what From counts to: messages, those of one answer or its results as one
	Tokens   tokens.Count  `json:"tokens"`
	Next     int           `json:"next,omitempty"`
	// Left is what the view leaves out because no provider takes it.
	Left window.Left `json:"left,omitzero"`
	// Budget is what a request with the view may have, as the user set it, and Fixed what it has besides the view, in
	// tokens, as far as known, where that is bounded.
	Budget overflow.Budget `json:"budget,omitzero"`
	Fixed  int             `json:"fixed,omitempty"`
}

// ViewMessage is one message of a view, in its provider's format.
type ViewMessage struct {
	Seq    int64             `json:"seq"` // of the first entry it comes from; 0 for a summary
	ID     string            `json:"id"`
	Role   transcript.Role   `json:"role"`
	Format transcript.Format `json:"format"`
	Turn   int               `json:"turn"`
	Tokens int               `json:"tokens"`           // o200k_base
	JSON   []byte            `json:"json,omitempty"`   // exactly the original bytes, unless Edited
	Blob   string            `json:"blob,omitempty"`   // where the message is, when too long for a page
	Edited bool              `json:"edited,omitempty"` // it contains a stub or is a merge
	// Shortened is how many of its parts show less than was recorded.
	Shortened int `json:"shortened,omitempty"`
	// Handles read back the results of the message, and of those that belong to the same answer, by the ids that it knows
	// them under.
	Handles map[string]string `json:"handles,omitempty"`
}

// StatusRequest asks what fills a session's window.
type StatusRequest struct {
	Session string `json:"session"`
	Reader
	Model string `json:"model,omitempty"`
	// Brief asks for Use alone, without Categories, Sources, Saved and Savings: the rest
	// requires reading the whole session.
	Brief bool `json:"brief,omitempty"`
	// Cost asks, with Brief, also for Cost and Subagents: that reads all sessions.
	Cost bool `json:"cost,omitempty"`
	// Counted asks for Status.Counted, which a brief answer lacks.
	Counted bool `json:"counted,omitempty"`
	// Tools is what requests of the session's host carry of our own tools, for Savings; nil: not known. Package carried tells it.
	Tools *OwnTools `json:"own_tools,omitempty"`
}

// OwnTools is what each request carries of our own tools, and since when a configuration says so; zero: not known.
type OwnTools struct {
	Tokens int       `json:"tokens"` // o200k_base
	Since  time.Time `json:"since,omitzero"`
}

// Use says what fills a session's window now. Counts of parts are estimates unless Exact.
type Use struct {
	Session  sessions.Session `json:"session"`
	Model    string           `json:"model"`
	Counting string           `json:"counting"` // where counts come from: see tokens.Counter.Quality
	Window   int              `json:"window"`   // tokens; 0: unknown
	Used     tokens.Count     `json:"used"`     // of the view
	// Measured is the input and output of the newest answer, as the provider reported; 0: none.
	Measured int64 `json:"measured"`
	// Held is what the agent's own window holds: the newest answer on the active path, measured, and what came
	// since; without a measurement Used and Fixed.
	Held tokens.Count `json:"held"`
	// Cut says what took something out of the agent's own window since the provider measured it last, one of the constants
	// below; "": nothing did.
	Cut string `json:"cut,omitempty"`
	// Threshold is what a request with the view may have, in the measure of Used and with Fixed: above it a compaction of ours
	// is due. The limit itself is Status.NextStep.Threshold: it is compared with an estimate that may be larger. Words have
	// DueAbove alone.
	Threshold int `json:"threshold"`
	// CompactsAt is where the conversation is compacted automatically. Where the view is sent, that is Threshold; else it is what
	// is set for the agent's host, else what its window held when it did so the last time, else its default; 0: not known,
	// switched off, or it does not fit a window that the user set.
	CompactsAt int `json:"compacts_at,omitempty"`
	// CompactsFrom says in words what CompactsAt rests on, or that it is switched off or not known; "": there is no host.
	CompactsFrom string `json:"compacts_from,omitempty"`
	// WindowFrom says what Window rests on, and Windows the sizes that it may have; see WindowSize.
	WindowFrom string       `json:"window_from,omitempty"`
	Windows    []WindowSize `json:"windows,omitempty"`
	Categories []Category   `json:"categories"` // by what fills the view, largest first, together Used
	// Own is what fills the agent's own window, together Held but for roundings: the
	// conversation since its host's last compaction without our stubs and edits, what every request carries besides
	// (CategoryFixed or CategoryEarlier), what the host attached when it compacted (CategoryAttached), and what nothing accounts for
	// (CategoryRest).
	Own []Category `json:"own"`
	// Sources is the view by origin: files, then tools, each largest first, at most 20 of each.
	Sources []Source `json:"sources"`
	// OwnSources is the agent's own window by origin, as Own is, in the order of Sources and at most as many.
	OwnSources []Source `json:"own_sources"`
	// Scale is how Own and OwnSources are counted: what a part of the conversation takes in the agent's own window, whatever is
	// shown of it, is counted by it.
	Scale tokens.Scale `json:"scale"`
	// Fixed is what every request carries besides the conversation; nil where nothing was measured. Midway says that the record
	// of the session begins in the middle of it: what came before cannot be told apart from that, and is in it.
	Fixed   *tokens.Count `json:"fixed,omitempty"`
	Midway  bool          `json:"midway,omitempty"`
	Summary string        `json:"summary"` // the compaction that the view starts with
	// Became says what that compaction replaced and became when it was made, in words: see Summary.Became.
	Became string       `json:"became,omitempty"`
	Saved  tokens.Count `json:"saved"` // what stubs, edits and the summary keep out of the view now
	// Cost is what the session cost so far with its subagents, at the list prices of its models and of theirs.
	sessions.Cost
	// Subagents is the part of Cost that subagents took; nil: there is none.
	Subagents *Subagents `json:"subagents,omitempty"`
	// Unfinished is what Cost lacks of answers in the log of the session; nil: nothing, or Cost was not asked for.
	Unfinished *Unfinished `json:"unfinished,omitempty"`
	// NextDollars is what the next request pays for what the window holds now, and NextBy how, one of the constants; nil:
	// not known.
	NextDollars *float64 `json:"next_usd,omitempty"`
	NextBy      string   `json:"next_by,omitempty"`
	// Requests is how many answers of the main conversation the provider measured, as an audit counts them.
	// CarriedDollars is what a million tokens at the front of CarriedBy of these requests cost so far at the list prices of
	// their models, an estimate: they were read from the provider's cache where anything was, else written to it; nil: not
	// known, as it is of the other requests.
	Requests       int      `json:"requests,omitempty"`
	CarriedBy      int      `json:"carried_by,omitempty"`
	CarriedDollars *float64 `json:"carried_usd_per_million,omitempty"`
}

// Scaled says what a mark of an estimate means where the counts are exact, and those of the agent's own window a share of what was
// measured; "": there are no two scales.
func (u Use) Scaled() string {
	if u.Counting != "exact" || u.Scale.Exact || u.Scale.N == 0 {
		return ""
	}
	return "parts of the window that were counted exactly and then scaled to what the provider measured; other counts are not scaled"
}

// How the next request pays for the window, see Use.NextBy: the provider reads it from its cache, probably has it there no
// more, or only its beginning, by how long it keeps what was written, or does not cache what this session sends.
const (
	NextRead     = "cache_read"
	NextAnew     = "cache_write"
	NextPart     = "cache_part"
	NextUncached = "uncached"
)

// What takes something out of an agent's window, in words: see Use.Cut.
const (
	CutCompacted = "the agent compacted"
	CutCleared   = "the agent cleared old results"
	CutBack      = "the conversation went back"
)

// NextWords says what the next request pays for what the window holds; "": nothing, or nobody knows.
func (u Use) NextWords() string {
	if u.NextDollars == nil || *u.NextDollars <= 0 {
		return ""
	}
	dollars := chars.Money(*u.NextDollars, false)
	switch u.NextBy {
	case NextAnew:
		return "the next request pays " + dollars + " for the whole window, since its cached part has probably expired"
	case NextPart:
		return "the next request pays " + dollars + " for the window; only its beginning is probably still in the provider's cache"
	case NextUncached:
		return "each further request pays " + dollars + " for the window, uncached"
	}
	return "each further request reads the window for " + dollars + " from the provider's cache, while it is kept there"
}

// Carriers says by how many of its requests CarriedDollars was paid: "30 of 31 requests; the cost of the others is not known".
func (u Use) Carriers() string {
	all := chars.Plural(u.Requests, "request")
	if u.CarriedBy == u.Requests {
		return all
	}
	return chars.Commas(u.CarriedBy) + " of " + all + "; the cost of the others is not known"
}

// Subagents is what the subagents of a session took, and theirs: those that were measured.
type Subagents struct {
	N       int            `json:"subagents"`
	Usage   sessions.Usage `json:"usage"`
	Dollars *float64       `json:"cost_usd,omitempty"` // of what has a price; nil: nothing has one
}

// String says it behind what the session cost.
func (s Subagents) String() string {
	tokens := chars.Plural(int64(s.Usage.Prompt())+s.Usage.Output, "token")
	if s.Dollars == nil {
		return fmt.Sprintf("besides %s, whose price is not known: %s", chars.Plural(s.N, "subagent"), tokens)
	}
	return fmt.Sprintf("of that %s: %s, %s", chars.Plural(s.N, "subagent"), chars.Money(*s.Dollars, true), tokens)
}

// Unfinished is about answers whose usage was written down when they began, as report.Unfinished is.
type Unfinished struct {
	Requests int     `json:"requests"`
	Tokens   float64 `json:"tokens"`
	Dollars  float64 `json:"dollars"`
}

// Status says what fills a session's window, and what would be cut next.
type Status struct {
	Use
	// NextStep is the step of edits that would be taken now, and whether a compaction is due: what window.Decide and
	// TriggerPolicy.Due decide, in numbers and in words.
	NextStep EditedView `json:"next"`
	// NextCuts are what `ctxledger compact` would remove first now, largest first, at most 10; none if it would do nothing.
	NextCuts []NextCut      `json:"next_cuts"`
	Total    sessions.Usage `json:"total_usage"` // of the whole session, without Subagents that are sessions
	// Agents are what each agent took: the main conversation first, then by name.
	Agents []AgentInput `json:"agents"`
	// Warned are the warnings since the last compaction, oldest first.
	Warned     []BudgetWarning `json:"warned,omitempty"`
	Limits     *Window         `json:"limits,omitempty"` // what errors of the provider taught; nil: nothing
	SinceTurns int             `json:"turns_in_view"`
	// Waits says that old results would be cleared at some size of a request, in the measure of Threshold, and why they are not
	// yet; "": they would not.
	Waits string `json:"waits,omitempty"`
	// Savings is what hooks and our tools have done to the requests so far.
	Savings Savings `json:"savings"`
	// Proxy sums up what a proxy measured of the requests; nil: none did.
	Proxy *ProxyUse `json:"proxy,omitempty"`
	// Spent is what was used of each limit that is configured.
	Spent []Spent `json:"spent,omitempty"`
	Calls Calls   `json:"calls"`
	// Sends says that what is sent is the view: by a host that keeps its conversation here, or by a proxy. Else the host sends,
	// clears and compacts as it likes.
	Sends bool `json:"sends_view"`
	// Off: no compaction of ours is due by itself.
	Off bool `json:"compaction_off,omitempty"`
	// ClearsAt is the size of a request above which old results are cleared, in the measure of Threshold; 0: never.
	ClearsAt int `json:"clears_at,omitempty"`
	// NextClears are the results that would be cleared then, oldest first, at most 10.
	NextClears []NextCut `json:"next_clears"`
	// Messages are those that take most of the agent's own window, largest first, at most 20.
	Messages []WindowMessage `json:"messages"`
	// Offloaded is what the session has of results that are kept outside of every view.
	Offloaded Offloaded `json:"offloaded"`
	// Counted says how the provider counted the entries, where requests tell, if that was asked for.
	Counted []tokens.Measured `json:"counted,omitempty"`
}

// Calls says what the provider measured of the requests of the main conversation since the compaction in effect, the host's or
// ours. The zero value: nothing yet.
type Calls struct {
	N     int             `json:"calls"`
	Began int             `json:"first_input"`    // of the first one
	Last  *sessions.Usage `json:"last,omitempty"` // the newest one
	// Cached is how many tokens at the front of the newest one the provider probably still has in its cache.
	Cached int64 `json:"cached"`
	// Compacted: there was a compaction, and nothing was measured since.
	Compacted bool `json:"compacted,omitempty"`
}

// WindowMessage is a message in the agent's own window: an answer with its calls, or all their results, is one.
type WindowMessage struct {
	Seq    int64           `json:"seq"` // of its first entry
	Handle string          `json:"handle"`
	Turn   int             `json:"turn"`
	Role   transcript.Role `json:"role"`
	Tokens tokens.Count    `json:"tokens"`
}

// Offloaded is how many results of a session are artifacts, of the newest 1,000, and how many bytes these have.
type Offloaded struct {
	Results int   `json:"results"`
	Bytes   int64 `json:"bytes"`
}

// DueAbove says Threshold: marked where it was converted.
func (s Status) DueAbove() string {
	if s.Threshold != s.NextStep.Threshold {
		return chars.Mark + chars.Commas(s.Threshold)
	}
	return chars.Commas(s.Threshold)
}

// The names of categories that are no content of a view.
const (
	CategoryFixed    = "system prompt, tools and memory files"
	CategoryEarlier  = "earlier conversation, not recorded" // with CategoryFixed in it, see Use.Midway
	CategoryPrompt   = "system prompt and tools"            // of CategoryFixed, where its memory files are known
	CategoryAttached = "attached at the agent's compaction" // by the host, such as files that it reads again
	CategoryRest     = "unaccounted for"
)

// Category is one kind of content in a view.
type Category struct {
	Name   string       `json:"name"`
	Tokens tokens.Count `json:"tokens"`
}

// The kinds of sources.
const (
	SourceFile = "file"
	SourceTool = "tool"
)

// Source is a file or a tool whose content is in a view.
type Source struct {
	Kind   string       `json:"kind"`
	Name   string       `json:"name"`
	Tokens tokens.Count `json:"tokens"`
	Calls  int          `json:"calls"` // that are in the view
	// Artifacts is how many of its results are artifacts, by whose handles they can be forgotten.
	Artifacts int `json:"artifacts,omitempty"`
	// Sent is what the view has of a source of the agent's own window, in the same measure as Tokens.
	Sent tokens.Count `json:"sent,omitzero"`
}

// NextCut is something that the next compaction would take out of the view.
type NextCut struct {
	Label  string       `json:"label"`
	Seq    int64        `json:"seq"`
	Tokens tokens.Count `json:"tokens"`
}

// EditViewRequest asks for a step of edits, if one is due.
type EditViewRequest struct {
	Mutation
	Session string `json:"session"`
	Reader
	Model string `json:"model,omitempty"` // whose window and prices count; "": the session's
	// Reason, if set, is why there has to be a step: it is taken whether it pays or not.
	Reason string `json:"reason,omitempty"`
	DryRun bool   `json:"dry_run,omitempty"` // decide and change nothing
	// NoEdits only asks whether a compaction is due: for callers that do not send what the view shows.
	NoEdits bool `json:"no_edits,omitempty"`
	// Sent is when the newest request of the session was sent, if the caller knows: the provider's cache lasts from then on, or
	// from the newest answer in the log.
	Sent time.Time `json:"sent,omitzero"`
	// Held is the size of that request in tokens as the provider counts, if the caller knows: the log does not have all that
	// takes its share of a window, such as reasoning that the provider keeps to itself. 0: it is estimated.
	Held int `json:"held,omitempty"`
	Signals
}

// Signals are reasons for a compaction that only a caller can know.
type Signals struct {
	Overflow bool `json:"overflow,omitempty"` // the provider refused the request because of its size
	Trimmed  bool `json:"trimmed,omitempty"`  // the last request went through only because it was trimmed
	Asked    bool `json:"asked,omitempty"`    // the agent asks whether one is due
	Manual   bool `json:"manual,omitempty"`   // a person did
}

// EditedView is a decision about a session's view. It is recorded if it has edits.
type EditedView struct {
	Session string `json:"session"`
	Step    int64  `json:"step,omitempty"` // the entry of the log that records it
	window.Decision
	TokensBefore tokens.Count `json:"tokens_before"`
	TokensAfter  tokens.Count `json:"tokens_after"`
	// Due says whether a compaction is due after this step, and why, or why not.
	Due window.Trigger `json:"due"`
	// Mode is how a compaction that is due is made, as configured, and Keep how many turns it keeps; 0: as many
	// as compaction does by default.
	Mode compaction.Mode `json:"mode,omitempty"`
	Keep int             `json:"keep_turns,omitempty"`
	// Warn says that the input of an agent comes near the limit at which the session is compacted.
	Warn bool `json:"warn,omitempty"`
	// Failed is what passes could not look at: those messages stay as they are. At most 10.
	Failed []LayerError `json:"failed,omitempty"`
	// NearCap says that the view has nearly as many messages as are shown at most.
	NearCap bool `json:"near_cap,omitempty"`
}

// AgentInput is what one agent of a session took, in tokens of input, cached or not.
type AgentInput struct {
	Agent string `json:"agent,omitempty"` // "": the main conversation
	Input int    `json:"input"`           // since the last compaction that was accepted, but what was read from a cache
	All   int    `json:"all"`             // the same with what was read from a cache
	Turn  int    `json:"turn"`            // in the last turn
	Apart bool   `json:"apart,omitempty"` // its messages are in no view: it has counters of its own
	// Estimate: no provider measured anything of the session.
	Estimate bool `json:"estimate,omitempty"`
}

// Counted returns the input that counts by a policy.
func (a AgentInput) Counted(t window.TriggerPolicy) int {
	if t.CountCached {
		return a.All
	}
	return a.Input
}

// Window is the window of a model with where the figure comes from. It is the one figure for thresholds,
// budgets and the status.
type Window struct {
	Model  string `json:"model,omitempty"`
	Tokens int    `json:"tokens"` // 0: unknown
	// Profile is what the configuration says, what the host showed (see Host), or what the program knows; 0: nothing.
	Profile int `json:"profile,omitempty"`
	// From is what Tokens rests on: see WindowSize. "": nothing is known.
	From string `json:"from,omitempty"`
	// Likely are the sizes that the window may have, of the surest kind first, each once.
	Likely []WindowSize `json:"likely,omitempty"`
	// CompactsAt and CompactsFrom are as in Use.
	CompactsAt   int    `json:"compacts_at,omitempty"`
	CompactsFrom string `json:"compacts_from,omitempty"`
	// Learned is what an error taught about this model where the session calls it; nil: nothing.
	Learned *overflow.Learned `json:"learned,omitempty"`
	// OutputCap is what the session asks for at most, since an error said so; 0: nothing did.
	OutputCap int `json:"output_cap,omitempty"`
}

// CompactsView is what CompactsAt rests on where the view is sent.
const CompactsView = "ctxledger compacts, as it sends the view"

// What the size of a window can rest on.
const (
	WindowSet       = "configured"
	WindowCompacted = "compacted" // the host compacted by itself when the window held so much, the last time
	WindowDefault   = "default"   // where the host compacts by itself if nothing else is set
	WindowLoaded    = "loaded"    // its server says so
	WindowTold      = "told"      // the session of the host says so
	WindowSettings  = "settings"  // the host's settings say so
	WindowShown     = "sessions"  // the largest request of the host's sessions, and where it compacts
	WindowRefused   = "error"     // a provider error named it
	WindowKnown     = "known"     // what the program knows of the model
	WindowAssumed   = "assumed"   // the same, of others of its family alone
)

// KnownWindow says what the window of a model in a registry rests on.
func KnownWindow(models *tokens.Registry, model string) string {
	switch {
	case models.OwnWindow(model):
		return WindowSet
	case models.Assumes(model):
		return WindowAssumed
	}
	return WindowKnown
}

// WindowSize is a size that the window of a model may have.
type WindowSize struct {
	Tokens int    `json:"tokens"`
	From   string `json:"from"` // one of the constants above
}

// Words says what the size rests on.
func (s WindowSize) Words() string {
	switch s.From {
	case WindowSet:
		return "you set it"
	case WindowCompacted:
		return "the agent compacted here automatically"
	case WindowDefault:
		return "the agent's default"
	case WindowLoaded:
		return "its server says that this is how much it has loaded"
	case WindowTold:
		return "the agent says so in its session"
	case WindowSettings:
		return "the agent's settings say so"
	case WindowShown:
		return "follows from the agent's sessions"
	case WindowRefused:
		return "a provider error named it"
	case WindowKnown:
		return "known for this model"
	case WindowAssumed:
		return "assumed from other models of its family"
	}
	return ""
}

// FixedName returns the category that Fixed is.
func (u Use) FixedName() string {
	if u.Midway {
		return CategoryEarlier
	}
	return CategoryFixed
}

// Besides says what a window holds besides Held, of which nothing was measured; "": nothing.
func (u Use) Besides() string {
	if u.Fixed != nil || u.Measured > 0 {
		return ""
	}
	return "its system prompt and tools come on top of that, and have not been measured yet"
}

// full is from how much of its room on, in percent, a window is said to be almost full.
const full = 90

// Room says how much a window takes until its host compacts it, or where nobody knows of that, that it is almost full; "": it
// is not.
func (u Use) Room() string {
	limit, until := u.Window, ""
	if u.CompactsAt > 0 {
		limit, until = u.CompactsAt, "auto-compact at "+chars.Commas(u.CompactsAt)
	}
	free := tokens.Count{N: limit - u.Held.N, Exact: u.Held.Exact}.String() + " free"
	almost := u.Held.N*100 >= full*limit
	switch {
	case limit == 0 || until == "" && !almost:
		return ""
	case u.Held.N >= limit && until == "":
		return "full"
	case u.Held.N >= limit:
		return until + " is due with the next request"
	}
	if until != "" {
		free += " until " + until
	}
	if almost {
		free = "almost full: " + free
	}
	return free
}

// Messages reads a whole view over an API, page by page; a view that moved on is read again.
func Messages(ctx context.Context, api ViewReader, r ViewRequest) (ViewResponse, error) {
	for range limits.Plans {
		v, err := messages(ctx, api, r)
		if !fault.Is(err, fault.Stale) {
			return v, err
		}
	}
	return ViewResponse{}, fault.New(fault.Stale, "engine.view",
		"session %s grew %d times while its view was being read",
		r.Session, limits.Plans)
}

func messages(ctx context.Context, api ViewReader, r ViewRequest) (ViewResponse, error) {
	v, err := api.View(ctx, r)
	for page := v; err == nil && page.Next > 0; {
		r.From, r.Position = page.Next, page.Position
		if page, err = api.View(ctx, r); err == nil {
			v.Messages = append(v.Messages, page.Messages...)
		}
	}
	v.Next = 0
	for i := range v.Messages {
		m := &v.Messages[i]
		if err == nil && m.Blob != "" {
			m.JSON, err = readAll(ctx, api, m.Blob)
		}
	}
	return v, err
}

func readAll(ctx context.Context, api Blobs, hash string) ([]byte, error) {
	rc, err := api.ReadBlob(ctx, ReadBlobRequest{Hash: hash})
	if err != nil {
		return nil, err
	}
	defer rc.Close() // opened for reading
	return io.ReadAll(rc)
}
