package sessionfile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/report"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// said is a record of Anthropic's format: a kind and its parent, see TestWhatIsOneAnswer.
func said(r *sessionfile.Record, kind string) {
	block := map[string]string{
		"words": `{"type":"text","text":"x"}`, "call": `{"type":"tool_use","id":"c","name":"Bash","input":{}}`,
		"result": `{"type":"tool_result","tool_use_id":"c","content":"out"}`, "user": `{"type":"text","text":"do"}`,
		"aside": `{"type":"text","text":"host"}`,
	}[kind]
	r.Role = map[string]transcript.Role{"words": "assistant", "call": "assistant", "result": "tool"}[kind]
	if r.Role == "" {
		r.Role = transcript.RoleUser
	}
	r.Aside = kind == "aside"
	role := strings.Replace(string(r.Role), "tool", "user", 1)
	r.Text = fmt.Appendf(nil, `{"role":%q,"content":[%s]}`, role, block)
	r.Message, r.Format = transcript.Span{To: len(r.Text)}, transcript.Anthropic
}

// TestWhatIsOneAnswer joins records, all answers of which have the id "x". A step is a kind, the id of its record and of
// the one before it, and for answers what they read and wrote, and whether that is final: "call b<a 10+1!". After "=" is the
// number of the answer.
func TestWhatIsOneAnswer(t *testing.T) {
	for name, steps := range map[string]string{
		"one after the other":            "user a<; words b<a 10+1 =1; call c<b 10+2! =1",
		"a result between":               "user a<; call b<a 10+1 =1; result c<b; call d<c 10+1! =1",
		"a result and words of the host": "user a<; call b<a 10+1! =1; result c<b; aside d<c; call e<d 10+1! =1",
		"results side by side":           "user a<; call b<a 10+1! =1; call c<b 10+1! =1; result d<b; call e<c 10+1! =1; result f<c",
		"another input":                  "user a<; call b<a 10+1! =1; result c<b; call d<c 20+1! =2",
		"another output":                 "user a<; call b<a 10+1! =1; result c<b; call d<c 10+2! =2",
		"words behind a result":          "user a<; call b<a 10+1! =1; result c<b; words d<c 10+1! =2",
		"nothing measured":               "user a<; call b<a 0+0 =1; result c<b; words d<c 0+0 =2; user e<d; words f<e 0+0 =3",
		"the user spoke":                 "user a<; words b<a 10+1! =1; user c<b; words d<c 10+1! =2",
		"the user spoke, unheard":        "user a<; words b<a 10+1! =1; user c<b; words d<b 10+1! =2",
		"another parent":                 "user a<; words b<a 10+1! =1; words c<a 10+1! =2",
		"without ids":                    "user <; words < 10+1! =1; words < 10+1! =1; user <; words < 10+1! =2",
		"the second part first":          "user a<; call c<b 10+1! =1; words b<a 10+1! =1",
		"the final part first":           "user a<; call c<b 10+9! =1; words b<a 10+1 =1",
		"the third part first":           "user a<; call d<c 10+1! =1; words b<a 10+1! =1; call c<b 10+1! =1",
		"a result behind what follows":   "user a<; call b<a 10+1! =1; call d<c 10+1! =1; result c<b",
		"other requests":                 "user a<; call b<a 10+1! r1 =1; result c<b; call d<c 10+1! r2 =2",
	} {
		t.Run(name, func(t *testing.T) {
			list := strings.Split(steps, "; ")
			at, numbers := 0, map[string]int{}
			var sum, want sessions.Usage
			decode := sessionfile.Joined(func(r *sessionfile.Record) bool {
				f := strings.Fields(list[at])
				r.ID, r.Parent, _ = strings.Cut(f[1], "<")
				r.Unique = r.ID != ""
				if said(r, f[0]); r.Role == transcript.RoleAssistant {
					fmt.Sscanf(f[2], "%d+%d", &r.Usage.Input, &r.Usage.Output)
					r.Reply, r.Model, r.Final = "x", "m", strings.HasSuffix(f[2], "!")
					if len(f) == 5 {
						r.RequestID = f[3]
					}
				}
				return true
			})
			last := 0
			for ; at < len(list); at++ {
				r := &sessionfile.Record{Line: sessionfile.Line{Offset: int64(at)}}
				decode(r)
				again := &sessionfile.Record{Line: sessionfile.Line{Offset: int64(at)}} // as after a pause
				if decode(again); again.Reply != r.Reply || again.Added != r.Added {
					t.Errorf("%s: %q, the second time %q", list[at], r.Reply, again.Reply)
				}
				if _, number, ok := strings.Cut(list[at], "="); ok {
					if numbers[r.Reply] == 0 {
						numbers[r.Reply] = len(numbers) + 1
					}
					n := numbers[r.Reply]
					if fmt.Sprint(n) != number {
						t.Errorf("%s is of answer %d", list[at], n)
					}
					sum = sum.Add(r.Added)
					if n != last {
						want = want.Add(r.Usage)
					} else {
						want.Output += r.Added.Output
					}
					last = n
				}
			}
			if sum != want {
				t.Errorf("counted %+v, want %+v", sum, want)
			}
		})
	}
}

// What the parts of an answer are charged adds up to the bill of the last one, which has all that any of them knows.
func TestWhatThePartsOfAnAnswerAreCharged(t *testing.T) {
	type usage = sessions.Usage
	charge := func(model, named string, u usage) sessions.Charge {
		return sessions.Charge{Model: model, Terms: tokens.Terms{Named: named}, Usage: u}
	}
	short, long := usage{Input: 1, CacheWrite: 9}, usage{Input: 1, CacheWrite: 9, CacheLong: 9}
	for name, parts := range map[string][]sessions.Bill{
		"a cache for an hour, told last":  {{charge("m", "", short)}, {charge("m", "", long)}},
		"a cache for an hour, told first": {{charge("m", "", long)}, {charge("m", "", short)}},
		"terms, told first, and an advisor": {
			{charge("m", "fast", long), charge("n", "us", short)}, {charge("m", "", long)}},
	} {
		t.Run(name, func(t *testing.T) {
			at, sum := 0, sessions.Bill{}
			decode := sessionfile.Joined(func(r *sessionfile.Record) bool {
				said(r, "words")
				r.Reply, r.Model, r.Bill, r.Usage = "x", "m", parts[at], parts[at][0].Usage
				return true
			})
			r := &sessionfile.Record{}
			for ; at < len(parts); at++ {
				r = &sessionfile.Record{Line: sessionfile.Line{Offset: int64(at)}}
				decode(r)
				for _, charged := range r.Charged {
					sum.Add(charged)
				}
			}
			sum = slices.DeleteFunc(sum, func(c sessions.Charge) bool { return c.Usage == usage{} })
			slices.SortFunc(sum, func(a, b sessions.Charge) int { return strings.Compare(a.Model, b.Model) })
			if d := cmp.Diff(r.Bill, sum); d != "" || r.Reply != "x" || r.Usage != long {
				t.Errorf("%s, of %q %+v", d, r.Reply, r.Usage)
			}
			if first := parts[0]; len(r.Bill) != len(first) || r.Bill[0].Terms != first[0].Terms {
				t.Errorf("%+v", r.Bill)
			}
		})
	}
}

// TestWhatStandsInTheFileBefore: history that was written again is left out, what a compaction moved counts nothing.
func TestWhatStandsInTheFileBefore(t *testing.T) {
	for name, c := range map[string]struct {
		steps string // id<parent; "!" is a compaction
		want  string // for each: "." new, "=" left out, "~" moved
	}{
		"once":                           {"a< b<a c<b", "..."},
		"written again":                  {"a< b<a c<b a< b<a c<b d<c", "...===."},
		"behind its end":                 {"a< b<a a<b b<a", "..=="},
		"behind a compaction":            {"a< b<a !c< d<c b<d e<b", "....~."},
		"a compaction was written again": {"a< b<a !c< d<c b<d a< b<a !c< d<c b<d e<b", "....~==" + "===."},
		"without ids":                    {"< < <", "..."},
	} {
		t.Run(name, func(t *testing.T) {
			list := strings.Fields(c.steps)
			at, got := 0, ""
			decode := sessionfile.Joined(func(r *sessionfile.Record) bool {
				id, parent, _ := strings.Cut(list[at], "<")
				if strings.HasPrefix(id, "!") {
					r.Compaction = &report.Compaction{}
				}
				r.ID, r.Parent, r.Unique, r.Usage.Input = strings.TrimPrefix(id, "!"), parent, true, 1
				return true
			})
			for ; at < len(list); at++ {
				r := &sessionfile.Record{Line: sessionfile.Line{Offset: int64(at)}}
				decode(r)
				switch {
				case r.State == sessionfile.Repeated:
					got += "="
				case r.Again && r.Usage == (sessions.Usage{}):
					got += "~"
				default:
					got += "."
				}
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
