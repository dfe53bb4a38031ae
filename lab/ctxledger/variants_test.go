package ctxledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/cli"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/workspace"
)

// variant is a way in which the records of a session may lie on a disk.
type variant struct {
	name string
	// lay returns the files, by name, for the records of a recorded session; each record ends in a newline.
	lay func(dice *rand.Rand, records [][]byte) map[string][]byte
	// only names the one agent that writes such files; empty: all do.
	only string
}

var variants = []variant{
	{name: "as it was", lay: func(_ *rand.Rand, r [][]byte) map[string][]byte { return one(r...) }},
	{name: "every record twice", lay: func(_ *rand.Rand, r [][]byte) map[string][]byte {
		var out [][]byte
		for _, record := range r {
			out = append(out, record, record)
		}
		return one(out...)
	}},
	{name: "the whole history twice", lay: func(_ *rand.Rand, r [][]byte) map[string][]byte {
		return one(append(slices.Clone(r), r...)...)
	}, only: "claude"},
	{name: "a part of the history again", lay: func(dice *rand.Rand, r [][]byte) map[string][]byte {
		from := dice.IntN(len(r))
		return one(append(slices.Clone(r), r[from:from+dice.IntN(len(r)-from)]...)...)
	}, only: "claude"},
	{name: "a copy beside it", lay: func(_ *rand.Rand, r [][]byte) map[string][]byte {
		return map[string][]byte{firstFile: bytes.Join(r, nil), secondFile: bytes.Join(r, nil)}
	}},
	{name: "an older copy beside it", lay: func(dice *rand.Rand, r [][]byte) map[string][]byte {
		return map[string][]byte{firstFile: bytes.Join(r, nil), secondFile: bytes.Join(r[:len(r)/2+dice.IntN(len(r)/2)], nil)}
	}},
	{name: "neighbours exchanged", lay: func(dice *rand.Rand, r [][]byte) map[string][]byte {
		out := slices.Clone(r)
		for range len(r) / 10 {
			i := 1 + dice.IntN(len(r)-2)
			out[i], out[i+1] = out[i+1], out[i]
		}
		return one(out...)
	}, only: "claude"},
	{name: "cut anywhere", lay: func(dice *rand.Rand, r [][]byte) map[string][]byte {
		whole := bytes.Join(r, nil)
		return one(whole[:len(whole)/2+dice.IntN(len(whole)/2)])
	}},
	{name: "records on one line", lay: func(dice *rand.Rand, r [][]byte) map[string][]byte {
		return one(spliced(dice, r, func(b []byte) []byte { return bytes.TrimSuffix(b, []byte("\n")) })...)
	}},
	{name: "records behind NULs", lay: func(dice *rand.Rand, r [][]byte) map[string][]byte {
		return one(spliced(dice, r, func(b []byte) []byte { return append(bytes.Clone(b), make([]byte, 300)...) })...)
	}},
	{name: "records behind torn ones", lay: func(dice *rand.Rand, r [][]byte) map[string][]byte {
		return one(spliced(dice, r, func(b []byte) []byte {
			return append(bytes.Clone(b), b[:1+dice.IntN(min(len(b)-2, 40))]...)
		})...)
	}},
	{name: "encoded anew", lay: func(_ *rand.Rand, r [][]byte) map[string][]byte { return one(each(r, encodedAnew)...) }},
	{name: "lines of Windows", lay: func(_ *rand.Rand, r [][]byte) map[string][]byte {
		return one(each(r, func(b []byte) []byte { return append(bytes.TrimSuffix(b, []byte("\n")), "\r\n"...) })...)
	}},
	{name: "a mark of the byte order and empty lines", lay: func(_ *rand.Rand, r [][]byte) map[string][]byte {
		spaced := each(r, func(b []byte) []byte { return append(b, "\n \n"...) })
		return one(append([][]byte{[]byte("\xef\xbb\xbf")}, spaced...)...)
	}},
	{name: "forked", lay: func(dice *rand.Rand, r [][]byte) map[string][]byte {
		fork := r[:len(r)/2+dice.IntN(len(r)/2)]
		return map[string][]byte{firstFile: bytes.Join(r, nil), secondFile: bytes.Join(each(fork, renamed), nil)}
	}, only: "claude"},
	{name: "forked, with other ids", lay: func(dice *rand.Rand, r [][]byte) map[string][]byte {
		first := r[:len(r)/2+dice.IntN(len(r)/2)]
		second := first[:len(first)/2+dice.IntN(len(first)/2)]
		forks := map[string][]byte{firstFile: bytes.Join(r, nil), secondFile: bytes.Join(each(first, forked), nil)}
		forks["z"+firstFile] = bytes.Join(each(each(second, forked), forked), nil) // a fork of the fork
		return forks
	}, only: "claude"},
	{name: "two sessions in one file", lay: func(dice *rand.Rand, r [][]byte) map[string][]byte {
		return one(mixed(r, each(each(r, renamed), theirs), func(int) bool { return dice.IntN(2) == 0 })...)
	}, only: "claude"},
	{name: "answers in parts", lay: func(_ *rand.Rand, r [][]byte) map[string][]byte { return one(inParts(r)...) },
		only: "claude"},
	{name: "two writers by turns", lay: func(_ *rand.Rand, r [][]byte) map[string][]byte {
		parts := inParts(r)
		return one(mixed(parts, each(parts, theirs), func(n int) bool { return n%2 == 0 })...)
	}, only: "claude"},
	{name: "two writers as it came", lay: func(dice *rand.Rand, r [][]byte) map[string][]byte {
		parts := inParts(r)
		return one(mixed(parts, each(parts, theirs), func(int) bool { return dice.IntN(2) == 0 })...)
	}, only: "claude"},
}

const (
	firstFile  = "rollout-05758ff7-b05d-45d5-a684-2d87d43ae644.jsonl"
	secondFile = "rollout-15758ff7-b05d-45d5-a684-2d87d43ae645.jsonl"
)

// one is one file of the pieces.
func one(pieces ...[]byte) map[string][]byte {
	return map[string][]byte{firstFile: bytes.Join(pieces, nil)}
}

// each applies a change to every record.
func each(records [][]byte, change func([]byte) []byte) [][]byte {
	out := make([][]byte, len(records))
	for i, r := range records {
		out[i] = change(bytes.Clone(r))
	}
	return out
}

// spliced changes what stands before a record in one of five places.
func spliced(dice *rand.Rand, records [][]byte, change func([]byte) []byte) [][]byte {
	return each(records, func(r []byte) []byte {
		if dice.IntN(5) > 0 {
			return r
		}
		return change(r)
	})
}

// encodedAnew writes a record as another program would: keys sorted, every character that is not ASCII escaped.
func encodedAnew(record []byte) []byte {
	var v any
	d := json.NewDecoder(bytes.NewReader(record))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return record
	}
	text, err := json.Marshal(v)
	if err != nil {
		return record
	}
	var out []byte
	for _, r := range string(text) {
		switch {
		case r < 0x80:
			out = append(out, byte(r))
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return append(out, '\n')
}

// renamed is a record as a fork of the session has it: all but the name of the session stays.
func renamed(record []byte) []byte {
	return replaced(record, "sessionId", "15758ff7-b05d-45d5-a684-2d87d43ae645")
}

// mixed are the records of two writers, each in its order; first says whether the nth is the first one's.
func mixed(ours, others [][]byte, first func(n int) bool) (out [][]byte) {
	for len(ours)+len(others) > 0 {
		if len(others) == 0 || len(ours) > 0 && first(len(out)) {
			out, ours = append(out, ours[0]), ours[1:]
		} else {
			out, others = append(out, others[0]), others[1:]
		}
	}
	return out
}

// inParts are records with one more before the first of each answer, as versions write it that report what an answer put
// out at its end.
func inParts(records [][]byte) (out [][]byte) {
	seen := map[any]bool{}
	for _, record := range records {
		var r map[string]any
		if json.Unmarshal(record, &r) != nil || r["type"] != "assistant" {
			out = append(out, record)
			continue
		}
		message := r["message"].(map[string]any)
		if seen[message["id"]] {
			out = append(out, record)
			continue
		}
		seen[message["id"]] = true
		usage := message["usage"].(map[string]any)
		id, content, stop, output := r["uuid"], message["content"], message["stop_reason"], usage["output_tokens"]
		r["uuid"], message["stop_reason"], usage["output_tokens"] = fmt.Sprint("begun-", id), nil, 1
		message["content"] = []any{map[string]any{"type": "text", "text": "So."}}
		out = append(out, encoded(r))
		r["uuid"], r["parentUuid"] = id, r["uuid"]
		message["content"], message["stop_reason"], usage["output_tokens"] = content, stop, output
		out = append(out, encoded(r))
	}
	return out
}

// encoded is a record of a value that JSON was decoded into.
func encoded(v any) []byte {
	text, _ := json.Marshal(v) // it was JSON
	return append(text, '\n')
}

var named = regexp.MustCompile(`"forkedFrom":\{[^}]*\},`)

// forked is a record as a fork has it that gives its copies other ids, and names what they are copies of.
func forked(record []byte) []byte {
	var was struct {
		UUID      string `json:"uuid"`
		SessionID string `json:"sessionId"`
	}
	if json.Unmarshal(record, &was) != nil || was.SessionID == "" {
		return record
	}
	record = replaced(named.ReplaceAll(record, nil), "sessionId", string(rune(was.SessionID[0]+1))+was.SessionID[1:])
	if was.UUID == "" {
		return record
	}
	record = replaced(replaced(record, "uuid", "f"), "parentUuid", "f")
	return append(fmt.Appendf(nil, `{"forkedFrom":{"sessionId":%q,"messageUuid":%q},`, was.SessionID, was.UUID), record[1:]...)
}

// theirs is a record of another writer, who asked something else.
func theirs(record []byte) []byte {
	record = replaced(record, "uuid", "b")
	record = replaced(record, "parentUuid", "b")
	return replaced(replaced(record, "id", "b"), "requestId", "b")
}

// replaced gives a text field another value: that, or for a single letter the old one with the letter in front.
func replaced(record []byte, key, value string) []byte {
	mark := fmt.Appendf(nil, `%q:"`, key)
	var out []byte
	for {
		before, after, found := bytes.Cut(record, mark)
		out = append(out, before...)
		if !found {
			return out
		}
		old, rest, _ := bytes.Cut(after, []byte(`"`))
		out = append(append(out, mark...), value...)
		if len(value) == 1 {
			out = append(out, old...)
		}
		record = append([]byte(`"`), rest...)
	}
}

// billed is what a provider counted.
type billed struct {
	Input     int64 `json:"input"`
	CacheRead int64 `json:"cache_read"`
	// CacheWrite is of five minutes and of an hour.
	CacheWrite     int64 `json:"cache_write"`
	CacheWriteLong int64 `json:"cache_write_long"`
	Output         int64 `json:"output"`
}

func (b billed) plus(o billed) billed {
	return billed{b.Input + o.Input, b.CacheRead + o.CacheRead, b.CacheWrite + o.CacheWrite,
		b.CacheWriteLong + o.CacheWriteLong, b.Output + o.Output}
}

// measured is the part of a record that says what was billed, as Claude Code and Codex write it.
type measured struct {
	Type    string
	Message struct {
		ID    string
		Usage struct {
			Input  int64 `json:"input_tokens"`
			Read   int64 `json:"cache_read_input_tokens"`
			Write  int64 `json:"cache_creation_input_tokens"`
			Output int64 `json:"output_tokens"`
		}
	}
	Payload struct {
		Info struct {
			Total total `json:"total_token_usage"`
		}
		Thread total `json:"thread_token_usage"`
	}
}

// total is what Codex says of a whole session.
type total struct {
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached_input_tokens"`
	Output int64 `json:"output_tokens"`
}

// truth counts what was billed from the bytes alone: every complete JSON object in them that is a record is read once.
func truth(files map[string][]byte) billed {
	answers, sum := map[string]billed{}, billed{}
	for _, content := range files {
		for len(content) > 0 {
			var r measured
			d := json.NewDecoder(bytes.NewReader(content))
			if content[0] != '{' || d.Decode(&r) != nil {
				content = content[1:]
				continue
			}
			content = content[d.InputOffset():]
			if u := r.Message.Usage; r.Type == "assistant" {
				answers[r.Message.ID] = billed{Input: u.Input, CacheRead: u.Read, CacheWrite: u.Write, Output: u.Output}
			}
			for _, u := range []total{r.Payload.Info.Total, r.Payload.Thread} {
				if u.Input > sum.Input+sum.CacheRead {
					sum = billed{Input: u.Input - u.Cached, CacheRead: u.Cached, Output: u.Output}
				}
			}
		}
	}
	for _, b := range answers {
		sum = sum.plus(b)
	}
	return sum
}

// seeds are recorded sessions, how many of their records are used (0: all), and how often each variant is made of them.
var seeds = []struct {
	agent, path string
	records     int
	rolls       uint64
}{
	{"claude", "../../testdata/sessions/shop.jsonl", 150, 1},
	{"claude", "../../testdata/sessions/compacted.jsonl", 0, 2},
	{"codex", "../../agents/codex/testdata/real.jsonl", 0, 1},
}

// TestOneSessionHasOneTotal: however the records of a session lie on the disk, audit, sessions, status and the ledger say
// what was billed, once.
func TestOneSessionHasOneTotal(t *testing.T) {
	for s, seed := range seeds {
		raw, err := os.ReadFile(seed.path)
		if err != nil {
			t.Fatal(err)
		}
		records := bytes.SplitAfter(bytes.TrimSuffix(raw, []byte("\n")), []byte("\n"))
		records[len(records)-1] = append(bytes.Clone(records[len(records)-1]), '\n')
		if seed.records > 0 {
			records = records[:seed.records]
		}
		for v, variant := range variants {
			if variant.only != "" && variant.only != seed.agent {
				continue
			}
			var laid map[string][]byte
			for n := range seed.rolls {
				dice := rand.New(rand.NewPCG(uint64(s*100+v), n))
				files := variant.lay(dice, records)
				if maps.EqualFunc(files, laid, bytes.Equal) {
					break // a variant without dice is the same each time
				}
				laid = files
				name := fmt.Sprintf("%s/%s/%d", strings.TrimSuffix(filepath.Base(seed.path), ".jsonl"), variant.name, n)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					figures(t, files)
				})
			}
		}
	}
}

// figures compares what the commands say of the files with the truth.
func figures(t *testing.T, files map[string][]byte) {
	t.Helper()
	place, want := programtest.NewPlace(t), truth(files)
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	type spent struct {
		Usage    billed
		Requests int
	}
	var audited struct{ Total, Subagents spent }
	ask(t, place, &audited, "audit", "--json", dir)
	if got := audited.Total.Usage; got != want {
		t.Errorf("audit says %+v, billed were %+v", got, want)
	}
	imported := []string{"--in-process", "import"}
	for range 2 { // once more changes nothing
		for _, name := range slices.Sorted(maps.Keys(files)) {
			imported = append(imported, filepath.Join(dir, name))
		}
	}
	ask(t, place, nil, imported...)
	var listed struct {
		Sessions []struct {
			ID    string
			Usage billed
		}
	}
	ask(t, place, &listed, "--in-process", "sessions", "--json")
	var sum billed
	requests := audited.Subagents.Requests
	for _, s := range listed.Sessions {
		sum = sum.plus(s.Usage)
		var one struct {
			Session struct {
				Session  struct{ Usage billed }
				Requests int
				Savings  struct{ Requests int }
			}
		}
		ask(t, place, &one, "--in-process", "status", "--json", s.ID)
		if one.Session.Session.Usage != s.Usage {
			t.Errorf("status of %s says %+v, sessions %+v", s.ID, one.Session.Session.Usage, s.Usage)
		}
		if requests += one.Session.Requests; one.Session.Savings.Requests != one.Session.Requests {
			t.Errorf("status of %s says %+v", s.ID, one.Session)
		}
	}
	if requests != audited.Total.Requests {
		t.Errorf("status says %d requests, audit %d", requests, audited.Total.Requests)
	}
	if sum != want {
		t.Errorf("the ledger's %d sessions add up to %+v, billed were %+v", len(listed.Sessions), sum, want)
	}
}

// ask runs a command and reads its answer, as JSON if that is wanted. It runs in this process: what is compared are figures, and
// no test starts hundreds of programs for them.
func ask(t *testing.T, p programtest.Place, into any, args ...string) {
	t.Helper()
	e := env.System()
	e.Dir, e.Home = p.Root, p.Home
	e.Lookup = func(name string) string { return map[string]string{workspace.StateVariable: p.State}[name] }
	var out, said bytes.Buffer
	exit := cli.Main(t.Context(), cli.Config{Args: args, Env: e, In: strings.NewReader(""), Out: &out, Err: &said})
	if exit != 0 {
		t.Fatalf("ctxledger %s: %d\n%s%s", strings.Join(args, " "), exit, &out, &said)
	}
	if into != nil {
		if err := json.Unmarshal(out.Bytes(), into); err != nil {
			t.Fatal(err)
		}
	}
}
