package window

import (
	"math/rand/v2"
	"testing"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// filling is a conversation with a message of each role, two calls, and their results, one of which is a stub.
func filling() []sessions.Entry {
	return []sessions.Entry{
		{Seq: 1, Kind: sessions.KindMessage, Role: transcript.RoleSystem, Tokens: 10},
		{Seq: 2, Kind: sessions.KindMessage, Role: transcript.RoleUser, Prompt: true, Turn: 1, Chars: 30, Tokens: 14},
		{Seq: 3, Kind: sessions.KindMessage, Role: transcript.RoleAssistant, Turn: 1, Chars: 60, Tokens: frameTokens +
			20 + 6 + 8, Calls: []sessions.Call{{ID: "a", Tokens: 6}, {ID: "b", Tokens: 8}}},
		{Seq: 4, Kind: sessions.KindMessage, Role: transcript.RoleTool, Turn: 1, Tokens: frameTokens + 100,
			Results: []sessions.Result{{CallID: "a", Tokens: 100}}},
		{Seq: 5, Kind: sessions.KindMessage, Role: transcript.RoleTool, Turn: 1, Tokens: frameTokens + 500,
			Results: []sessions.Result{{CallID: "b", Tokens: 500, Artifact: "beef", StubTokens: 30}}},
		{Seq: 6, Kind: sessions.KindMessage, Role: transcript.RoleAssistant, Turn: 1, Chars: 150, Tokens: 50},
	}
}

func TestAViewIsFilledByWhatItShows(t *testing.T) {
	const frames = 2 * frameTokens // of the results
	for _, c := range []struct {
		name    string
		edit    func(*Input)
		want    Fill
		stubbed int
	}{
		{"as it came", nil, Fill{System: 10, User: 14, Assistant: frameTokens + 20 + 50, Calls: 14, Results: 100 +
			frames, Stubs: 30}, 470},
		{"less of parts", func(in *Input) {
			in.Edits = []Edit{{Seq: 3, Call: "a", Part: PartArguments, Tokens: 2},
				{Seq: 4, Call: "a", Part: PartResult, Tokens: 9}, {Seq: 6, Part: PartWords, Tokens: 7}}
		}, Fill{System: 10, User: 14, Assistant: frameTokens + 20 + frameTokens + 7, Calls: 10, Results: frames,
			Shortened: 9, Stubs: 30}, 470},
		{"less of a stub", func(in *Input) {
			in.Edits = []Edit{{Seq: 5, Call: "b", Part: PartResult, Tokens: 5}}
		}, Fill{System: 10, User: 14, Assistant: frameTokens + 70, Calls: 14, Results: 100 + frames, Shortened: 5}, 0},
		{"a note, and a manifest behind the answer", func(in *Input) {
			in.Edits = []Edit{{Seq: 3, To: 5, Part: PartRange, Text: "note", Tokens: 12},
				{Seq: 6, Part: PartManifest, Text: "manifest", Tokens: 21}}
		}, Fill{System: 10, User: 14, Assistant: 50, Collapsed: 12, Manifests: 21}, 0},
		{"texts alone", func(in *Input) {
			in.Filter.TextOnly = true
		}, Fill{System: 10, User: 14, Assistant: frameTokens + 20 + 50}, 0},
		{"a result that was forgotten", func(in *Input) {
			at := in.Entries[2].Time
			in.Entries[3].Forgotten = &at
		}, Fill{System: 10, User: 14, Assistant: frameTokens + 70, Calls: 14, Results: frameTokens, Stubs: 30}, 470},
		{"behind a summary", func(in *Input) {
			in.Cutoff = &Cutoff{Summary: "s", FirstKept: 6, Recorded: 7}
		}, Fill{System: 10, Assistant: 50}, 0},
	} {
		in := Input{Entries: filling()}
		for i := range in.Entries {
			in.Entries[i].Format = transcript.Anthropic
		}
		if c.edit != nil {
			c.edit(&in)
		}
		v := Plan(in)
		if v.Fill != c.want || v.Stubbed != c.stubbed || v.Tokens != c.want.Total() {
			t.Errorf("%s: %v and %d of %d tokens, want %v and %d", c.name, v.Fill, v.Stubbed, v.Tokens, c.want,
				c.stubbed)
		}
	}
}

// TestAFillIsTheWholeView holds the fill of random views against what their slots say.
func TestAFillIsTheWholeView(t *testing.T) {
	filled := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 31))
		in := inputOf(longLog(t, r, transcript.Anthropic, true))
		in.Filter.TextOnly = seed%7 == 0
		v, sum := Plan(in), 0
		for _, s := range v.Slots {
			sum += s.Tokens
		}
		if v.Tokens != sum || v.Fill.Total() != sum {
			t.Errorf("seed %d: %v, slots of %d, a view of %d", seed, v.Fill, sum, v.Tokens)
		}
		for _, kind := range v.Fill.Kinds() {
			if v.Fill[kind] < 0 || kind.String() == "" {
				t.Errorf("seed %d: %d of %q", seed, v.Fill[kind], kind)
			}
		}
		filled += len(v.Fill.Kinds())
	}
	if filled < 400 {
		t.Errorf("%d kinds in all: the test shows nothing", filled)
	}
}
