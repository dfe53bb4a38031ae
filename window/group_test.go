package window

import (
	"slices"
	"testing"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// TestManyLoadedRecordsAreGroupedInLinearTime would not end if it depended on the square of their number.
func TestManyLoadedRecordsAreGroupedInLinearTime(t *testing.T) {
	const n = 200_000
	ask := &sessions.Entry{Kind: sessions.KindMessage, Role: transcript.RoleUser}
	loaded := &sessions.Entry{Kind: sessions.KindMessage, Role: transcript.RoleUser, Loaded: true}
	answer := &sessions.Entry{Kind: sessions.KindMessage, Role: transcript.RoleTool,
		Results: []sessions.Result{{CallID: "c"}}}
	entries := append([]*sessions.Entry{ask}, slices.Repeat([]*sessions.Entry{loaded}, n)...)
	drafts := group(append(entries, answer, answer, loaded, ask, answer))
	var got []*sessions.Entry
	for _, d := range slices.Concat(drafts[:2], drafts[2+n-1:]) {
		got = append(got, d.first())
	}
	if want := []*sessions.Entry{ask, answer, loaded, loaded, ask, answer}; !slices.Equal(got, want) {
		t.Errorf("%d drafts: %v", len(drafts), got)
	}
}
