package ledger

import "time"

// RetainRequest shows the retention policy, or changes it first.
type RetainRequest struct {
	Set   *RetentionPolicy `json:"set,omitempty"`   // replaces the policy
	Off   bool             `json:"off,omitempty"`   // removes it: nothing expires
	Apply bool             `json:"apply,omitempty"` // lets what is due expire now; else it is only listed
}

// RetentionPolicy says when whole sessions expire. Zero fields say nothing.
type RetentionPolicy struct {
	OlderThan int64     `json:"older_than_seconds,omitempty"` // since a session's newest entry
	MaxSize   int64     `json:"max_bytes,omitempty"`          // of records and blobs on disk: the oldest sessions go until it holds
	Set       time.Time `json:"set"`
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
