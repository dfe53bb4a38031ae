package window

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"ctxledger.dev/internal/testonly/cases"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Ids of calls are repeated, and some entries are out of place.
func longLog(t *testing.T, r *rand.Rand, f transcript.Format, rewinds bool) []sessions.Entry {
	var all []sessions.Entry
	odd := r.IntN(4) > 0
	for part := range 1 + r.IntN(20) {
		entries := calmLog(t, r, part).entries
		if odd && r.IntN(2) == 0 {
			entries = randomLog(t, r, rewinds).entries
		}
		from := int64(len(all))
		for _, e := range entries {
			e.Seq += from
			if e.Kind == sessions.KindMessage {
				e.Format = f
			}
			for _, id := range []*string{&e.HostID, &e.HostParent, &e.Group} {
				if *id != "" {
					*id = fmt.Sprint(part, *id)
				}
			}
			all = append(all, e)
			if i := len(all) - 1; i > 0 && odd && r.IntN(30) == 0 {
				all[i-1], all[i] = all[i], all[i-1]
				all[i-1].Seq, all[i].Seq = int64(i), int64(i+1)
			}
		}
		switch seq := int64(len(all)) + 1; r.IntN(11) {
		case 10:
			note := sessions.Entry{Seq: seq, Kind: sessions.KindNote, Cut: &sessions.HostCut{}}
			for _, e := range all[max(0, len(all)-4):] {
				note.Cut.Kept = append(note.Cut.Kept, e.HostID)
			}
			all = append(all, note, sessions.Entry{Seq: seq + 1, Kind: sessions.KindMessage, Format: f,
				Role: transcript.RoleUser, Hidden: true, Earlier: true, Tokens: 9})
		case 0:
			all = append(all, sessions.Entry{Seq: seq, Kind: sessions.KindEdits})
		case 1:
			all = append(all, sessions.Entry{Seq: seq, Kind: sessions.KindCompaction})
		}
	}
	return all
}

// calmLog is a log as a host writes it that is in order, but for results that come late.
func calmLog(t *testing.T, r *rand.Rand, part int) *testLog {
	l, late := &testLog{}, ""
	for i := range 20 {
		if r.IntN(6) == 0 {
			l.add(t, sessions.Entry{Prompt: true}, wire("user", []string{"prompt"}))
		}
		id := fmt.Sprint(100*part + i)
		l.add(t, sessions.Entry{}, wire("assistant", []string{"text", "c" + id}[r.IntN(2):]))
		if r.IntN(8) == 0 {
			l.add(t, sessions.Entry{Loaded: true}, wire("user", []string{"skill"}))
		}
		switch {
		case late == "" && r.IntN(30) == 0:
			late = "r" + id
			l.add(t, sessions.Entry{}, wire("assistant", []string{"wait"}))
		case late != "" && r.IntN(8) == 0:
			l.add(t, sessions.Entry{}, wire("user", []string{"r" + id, late}))
			late = ""
		default:
			l.add(t, sessions.Entry{}, wire("user", []string{"r" + id}))
		}
	}
	if late != "" {
		l.add(t, sessions.Entry{}, wire("user", []string{late}))
	}
	return l
}

// inputOf is the input of a view of a part of a log: an entry of edits hides a part of the messages in front
// of it, one of a compaction all but a few of them.
func inputOf(log []sessions.Entry) Input {
	in := Input{Entries: slices.Clip(log)}
	for i, e := range log {
		switch e.Kind {
		case sessions.KindCompaction:
			in.Cutoff = &Cutoff{Summary: fmt.Sprint("s", e.Seq), FirstKept: e.Seq - 5, Recorded: e.Seq}
		case sessions.KindEdits:
			for _, of := range log[max(0, i-9):i] {
				for _, c := range of.Calls {
					in.Edits = append(in.Edits, Edit{Seq: of.Seq, Call: c.ID, Part: PartArguments, Text: "{}",
						Tokens: 2})
				}
			}
			in.Edits = append(in.Edits, Edit{Seq: e.Seq - 3, To: e.Seq - 1, Part: PartRange, Text: "note", Tokens: 1})
		}
	}
	return in
}

// However a log grows, the view that follows from the one before is the one that follows from the whole log,
// and no view changes afterwards.
func TestViewsOfAGrowingLogAreThoseOfTheWhole(t *testing.T) {
	for f, share := range map[transcript.Format]int{
		transcript.Anthropic: 4, transcript.OpenAIChat: 4, transcript.Gemini: 4, transcript.OpenAIResponses: 4,
	} {
		t.Run(string(f), func(t *testing.T) {
			grown, planned := 0, 0
			for seed := range uint64(cases.Some(30)) {
				r := rand.New(rand.NewPCG(seed, 23))
				log := longLog(t, r, f, seed%2 == 0)
				var p Planner
				var earlier, wanted View // of some time ago
				for n := 0; n <= len(log); n += 1 + r.IntN(2)*r.IntN(8) {
					if planned++; p.mark.set {
						grown++
					}
					in := inputOf(log[:n])
					got, want := p.Plan(in), Plan(in)
					if !reflect.DeepEqual(got, want) {
						t.Fatalf("seed %d, %d of %d entries:\ngot  %+v\nwant %+v", seed, n, len(log), got, want)
					}
					if !reflect.DeepEqual(earlier, wanted) {
						t.Fatalf("seed %d: the view before %d entries is another one now", seed, n)
					}
					if r.IntN(3) == 0 {
						earlier, wanted = got, want
					}
				}
			}
			if grown < planned/share {
				t.Errorf("only %d of %d views followed from another one", grown, planned)
			}
		})
	}
}

// A slot that shows something else is another one, whatever of it differs.
func TestSameSlotsShowTheSame(t *testing.T) {
	for field := range reflect.TypeFor[Slot]().Fields() {
		var a, b Slot
		v := reflect.ValueOf(&b).Elem().FieldByIndex(field.Index)
		switch v.Kind() {
		case reflect.String:
			v.SetString("x")
		case reflect.Int:
			v.SetInt(1)
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Array:
			v.Index(0).SetInt(1)
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		case reflect.Map:
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem())
		default:
			t.Fatalf("%s is of kind %s", field.Name, v.Kind())
		}
		if a.same(&b) || b.same(&a) {
			t.Errorf("slots that differ in %s are taken for the same", field.Name)
		}
	}
}

// A step costs what it adds: the mark follows the end of a log of calls and results.
func TestTheMarkFollowsTheEnd(t *testing.T) {
	l := script(t, "ask 5\n"+fmt.Sprintf("%[1]s%[1]s%[1]s%[1]s", "read a.go 10\nread b.go 10 & read c.go 20\nsay "+
		"5\nask 5\n"))
	var p Planner
	for n := range l.entries {
		v := p.Plan(Input{Entries: l.entries[:n+1]})
		if behind := len(v.Slots) - p.mark.slot; n > 2 && behind > 3 {
			t.Errorf("after %d entries %d slots stand behind the mark", n+1, behind)
		}
	}
}
