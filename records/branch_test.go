package records

import (
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

func TestNodeIDsAreRead(t *testing.T) {
	for id, want := range map[string]branch{
		"sessions":               {kind: KindSessions, list: "sessions"},
		"sessions/@100":          {kind: KindSessions, list: "sessions", page: page{skip: 100}},
		"memories/@7":            {kind: KindMemories, list: "memories", page: page{skip: 7}},
		"changes/@100-4711-2300": {kind: KindChanges, list: "changes", page: page{100, 4711, 2300}},
		"sessions/ab03":          {kind: KindSession, session: "ab03", list: "sessions/ab03"},
		"sessions/@100/ab03/@5":  {kind: KindSession, session: "ab03", list: "sessions/@100/ab03", page: page{skip: 5}},
		"sessions/@100/ab03/artifacts/@100": {
			kind: KindArtifacts, session: "ab03", list: "sessions/@100/ab03/artifacts", page: page{skip: 100},
		},
		"sessions/ab03/changes": {kind: KindChanges, session: "ab03", list: "sessions/ab03/changes"},
		"changes/=0a1b":         {kind: KindFile, list: "changes", file: "0a1b"},
		"sessions/ab03/changes/@100-4711-2300/=0a1b": {kind: KindFile, session: "ab03", list: "sessions/ab03/changes",
			page: page{100, 4711, 2300}, file: "0a1b"},
	} {
		want.here = id
		if got, err := parseBranch(id); err != nil || got != want {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
}

func TestWhatIsNoNodeWithChildrenIsRefused(t *testing.T) {
	for _, id := range []string{
		"/", "session", "more", "artifacts/9ca5eced9ac7", "memories/project/x", "changes/75", "sessions/xyz",
		"sessions/ab03/memories", "sessions/ab03/sessions",
		"sessions/ab03/artifacts/9ca5eced9ac7", "sessions/@", "sessions/@0", "sessions/@-1", "sessions/@1e3",
		"sessions/@+1", "sessions/@1/", "sessions/",
		"changes/=", "changes/=x", "changes/=ab/=cd", "changes/=ab/@5", "changes/ab", "artifacts/=ab",
		"sessions/=ab", "sessions/@1-2", "sessions/@1-2-", "sessions/@1-2-3-4", "sessions/@99999999999999999999",
		"sessions/@1/@2", "sessions/ab03/@1/artifacts",
		"sessions/" + strings.Repeat("a", 1<<20), strings.Repeat("sessions/", 1000), "sessions/\x00", "SESSIONS",
	} {
		if b, err := parseBranch(id); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.60q is %+v, %v", id, b, err)
		}
	}
}

// FuzzNodeIDs: what was read leads to ids that are read, of the same list.
func FuzzNodeIDs(f *testing.F) {
	for _, id := range []string{"sessions", "sessions/@100/ab03/artifacts/@100", "changes/@100-4711-2300",
		"changes/=0a"} {
		f.Add(id, 3)
	}
	f.Fuzz(func(t *testing.T, id string, skip int) {
		b, err := parseBranch(id)
		if err != nil || b.kind == KindFile { // which has no further pages
			return
		}
		next := page{skip: max(skip, 1), before: b.page.before, total: b.page.total}
		got, err := parseBranch(b.more(next, 1).ID)
		if len(id) < maxBranch-100 &&
			(err != nil || got.page != next || got.list != b.list || got.kind != b.kind || got.session != b.session) {
			t.Fatalf("%q is %+v, and its next page %+v, %v", id, b, got, err)
		}
	})
}
