package ledger

import (
	"cmp"
	"context"
	"slices"
	"time"

	"ctxledger.dev/memory"
)

// Erasure removes content on request or by age, and masks secrets.
type Erasure interface {
	// Forget removes what a handle names, or every place that holds a text, from the disk, and leaves
	// tombstones. Of a memory nothing is left, its earlier versions included.
	Forget(ctx context.Context, r ForgetRequest) (Forgotten, error)
	// Retain shows, sets or removes the retention policy, and applies it when asked to.
	Retain(ctx context.Context, r RetainRequest) (Retention, error)
	// Mask masks the secrets in a text before it leaves for other readers than its agent.
	Mask(ctx context.Context, r MaskRequest) (MaskResponse, error)
}

// ForgetRequest names what is to be forgotten: exactly one of Handle, Text and Memory is set.
type ForgetRequest struct {
	Mutation
	// Handle names an artifact, a message, a summary or a whole session.
	Handle string `json:"handle,omitempty"`
	// Text is a text of scrub.Least to scrub.Most bytes. What holds it word for word is forgotten;
	// where something else was derived from it, the text alone is taken out.
	Text string `json:"text,omitempty"`
	// Memory is the name of a memory, also of one that is deleted already. Scope is whose it is; "": the ledger's own.
	Memory string       `json:"memory,omitempty"`
	Scope  memory.Scope `json:"scope,omitempty"`
	// DryRun only says what would be forgotten, by the code that forgets it, and changes nothing.
	DryRun bool `json:"dry_run,omitempty"`
}

// Forgotten says what was forgotten, and where a text still occurs.
type Forgotten struct {
	At     time.Time       `json:"at"`
	DryRun bool            `json:"dry_run,omitempty"`
	Counts []ForgottenKind `json:"counts"` // the most first
	// Bytes is the size of the originals and contents among it, as they were received.
	Bytes int64 `json:"bytes"`
	// Items are the things that would go, in a dry run, at most MaxForgottenItems: those first of which the others are
	// parts, then the largest. What has gone is not described.
	Items    []ForgottenItem `json:"items,omitempty"`
	Sessions []string        `json:"sessions"` // whose messages or summaries were among it, at most 1,000
	// files of the state directory that were searched for the text afterwards
	Searched int         `json:"searched"`
	Left     []LeftPlace `json:"left"`    // those of them that still contain it, at most 100
	Outside  []LeftPlace `json:"outside"` // places elsewhere, which are not changed, at most 100
}

// MaxForgottenItems is how many things a dry run describes, at most.
const MaxForgottenItems = 100

// ForgottenItem describes one thing that would be forgotten.
type ForgottenItem struct {
	Kind   string `json:"kind"`   // as in ForgottenKind, or "session"
	Handle string `json:"handle"` // of a memory its name
	Title  string `json:"title"`  // one line of masked words, without the text that is to be forgotten
	Bytes  int64  `json:"bytes"`  // 0: not known
}

// itemKinds are the kinds of items in the order in which they are listed; all others follow.
var itemKinds = []string{"session", "artifact", "summary", "memory", "message"}

// LeadingItems returns at most MaxForgottenItems of some items, each once, in their order.
func LeadingItems(items []ForgottenItem) []ForgottenItem {
	rank := func(kind string) int {
		if i := slices.Index(itemKinds, kind); i >= 0 {
			return i
		}
		return len(itemKinds)
	}
	items = slices.Clone(items)
	slices.SortFunc(items, func(a, b ForgottenItem) int {
		return cmp.Or(cmp.Compare(rank(a.Kind), rank(b.Kind)), cmp.Compare(b.Bytes, a.Bytes),
			cmp.Compare(a.Handle, b.Handle), cmp.Compare(a.Title, b.Title))
	})
	items = slices.Compact(items)
	return items[:min(len(items), MaxForgottenItems)]
}

// ForgottenKind is how many things of one kind were forgotten, or lost a text.
type ForgottenKind struct {
	Kind string `json:"kind"` // "message", "artifact", "summary", "memory", …
	N    int    `json:"n"`
}

// LeftPlace is a place that still holds a text, with the reason.
type LeftPlace struct {
	Place string `json:"place"`
	Why   string `json:"why"`
}

// MaskRequest hands in a text, and a secret that the caller found, of at most limits.MaskText bytes each.
type MaskRequest struct {
	Text   string `json:"text"`
	Secret []byte `json:"secret,omitempty"`
}

// MaskResponse is the text with masks in the place of secrets.
type MaskResponse struct {
	Text   string `json:"text"`
	Masked int    `json:"masked"`           // how many masks were put in
	Suffix string `json:"suffix,omitempty"` // of the mask of Secret
}

// RetainRequest shows the retention policy, or changes it first.
type RetainRequest struct {
	Set   *RetentionPolicy `json:"set,omitempty"`   // replaces the policy
	Off   bool             `json:"off,omitempty"`   // removes it: nothing expires
	Apply bool             `json:"apply,omitempty"` // lets what is due expire now; else it is only listed
	// Try lists what would be due by another policy, and changes nothing. It goes with no other field.
	Try *RetentionPolicy `json:"try,omitempty"`
}

// RetentionPolicy says when whole sessions expire. Zero fields say nothing.
type RetentionPolicy struct {
	OlderThan int64 `json:"older_than_seconds,omitempty"` // since a session's newest entry
	// MaxSize bounds records and blobs on disk: the oldest sessions expire until it holds.
	MaxSize int64     `json:"max_bytes,omitempty"`
	Set     time.Time `json:"set"`
}

// Retention is the policy, and what it means now.
type Retention struct {
	Policy *RetentionPolicy `json:"policy,omitempty"` // nil: nothing expires
	Size   int64            `json:"size"`             // bytes of records and blobs
	// Due are the sessions that expire now, oldest first, at most 1,000; with Apply those that expired.
	Due      []SessionUsage `json:"due"`
	DueTotal int            `json:"due_total"`
	Applied  bool           `json:"applied"`
	Expired  *Forgotten     `json:"expired,omitempty"` // what went
}

// And returns the sum of what two ledgers forgot.
func (f Forgotten) And(g Forgotten) Forgotten {
	counts := map[string]int{}
	for _, c := range slices.Concat(f.Counts, g.Counts) {
		counts[c.Kind] += c.N
	}
	f.Counts = Counted(counts)
	f.Bytes += g.Bytes
	f.Items = LeadingItems(slices.Concat(f.Items, g.Items))
	f.Sessions = append(f.Sessions, g.Sessions...)
	f.Searched += g.Searched
	f.Left = append(f.Left, g.Left...)
	for _, p := range g.Outside { // both name the same places of everybody
		if !slices.Contains(f.Outside, p) {
			f.Outside = append(f.Outside, p)
		}
	}
	return f
}

// Counted lists counts, the most first.
func Counted(counts map[string]int) []ForgottenKind {
	list := []ForgottenKind{}
	for kind, n := range counts {
		list = append(list, ForgottenKind{Kind: kind, N: n})
	}
	slices.SortFunc(list, func(a, b ForgottenKind) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Kind, b.Kind))
	})
	return list
}

// Total is how many things were forgotten.
func (f Forgotten) Total() (n int) {
	for _, c := range f.Counts {
		n += c.N
	}
	return n
}
