package sessionfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
)

// Records as agents write them: with braces and quotes in their texts, nested, with white space, of each form.
var recordsOfAgents = []string{
	`{"parentUuid":"u1","sessionId":"s","type":"assistant","uuid":"u2","message":{"id":"m1","type":"message","role":"assistant",` +
		`"model":"m","content":[{"type":"text","text":"func f() { return \"{}\" } \u00e9 \\"},{"type":"tool_use","id":"t1",` +
		`"name":"Bash","input":{"command":"echo {\"a\":1}"}}],"usage":{"input_tokens":-1.5e3,"n":null,"t":true}}}`,
	`{"type": "user", "uuid": "u3", "sessionId": "s", "message": {"role": "user", "content": "a {"}, "x": [[], {}, ["{\"", "}"]]}`,
	`{"timestamp":"2026-11-25T10:00:03Z","type":"response_item","payload":{"type":"message","role":"user","content":[` +
		`{"type":"input_text","text":"{\"type\":\"user\",\"uuid\":\"u9\"}"}]}}`,
	`{"type":"message","role":"user","content":[{"type":"input_text","text":"{ \"x\" : [ { "}]}`,
	`{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"a\",\"metadata\":{\"exit_code\":0}}"}`,
}

// cut returns the records in a line, and what lies between, each with its kind in front.
func cut(t *testing.T, text string, ended bool) (records, torn []string) {
	t.Helper()
	at := 0
	for piece, whole := range Pieces([]byte(text), ended) {
		got := text[piece.From:piece.To]
		if piece.From != at || got == "" {
			t.Fatalf("%q: a piece begins at %d, the one before ends at %d", text, piece.From, at)
		}
		if at = piece.To; whole {
			if !json.Valid([]byte(got)) {
				t.Fatalf("%q: the record %q is not JSON", text, got)
			}
			records = append(records, strings.TrimSpace(got))
		} else {
			torn = append(torn, got)
		}
	}
	if at != len(text) {
		t.Fatalf("%q: pieces up to %d", text, at)
	}
	return records, torn
}

// TestARecordIsFoundWhereverTheOneBesideItIsTorn tears a record at each byte, and looks for the whole ones around what is
// left of it.
func TestARecordIsFoundWhereverTheOneBesideItIsTorn(t *testing.T) {
	for i, torn := range recordsOfAgents {
		for j, next := range recordsOfAgents {
			if old := 3; i < old && j >= old {
				continue // no file has records with and without an envelope
			}
			first := recordsOfAgents[(i+j)%len(recordsOfAgents)]
			for n := 1; n < len(torn); n++ {
				for line, want := range map[string][]string{
					torn[:n] + next:                             {next},
					torn[:n] + "\x00\x00" + next:                {next},
					torn[:n] + next + first:                     {next, first},
					first + torn[:n]:                            {first},
					first + torn[:n] + " \r":                    {first},
					first + torn[:n] + next:                     {first, next},
					first + torn[:n] + torn[:n] + next + "\x00": {first, next},
				} {
					got, rest := cut(t, line, true)
					if strings.Join(got, "\n") != strings.Join(want, "\n") || len(rest) == 0 {
						t.Fatalf("torn after %d bytes: %q has the records\n%q, want\n%q", n, line, got, want)
					}
				}
			}
		}
	}
}

// TestARecordIsFoundInsideOfAnother: two processes wrote at the same time, so that one record lies anywhere in another.
func TestARecordIsFoundInsideOfAnother(t *testing.T) {
	const old = 3 // no file has records with and without an envelope
	for i, torn := range recordsOfAgents {
		record, next := recordsOfAgents[0], recordsOfAgents[1]
		if i >= old {
			record, next = recordsOfAgents[4], recordsOfAgents[3]
		}
		for n := 1; n < len(torn); n++ {
			if torn[n-1:n+1] == "[]" {
				continue // the two make a valid record
			}
			line := torn[:n] + record + torn[n:] + "\x00" + next
			if got, _ := cut(t, line, true); strings.Join(got, "\n") != record+"\n"+next {
				t.Fatalf("%q has the records\n%q, want\n%q", line, got, []string{record, next})
			}
		}
	}
}

// TestARecordIsFoundAfterTheEndOfAnother: what is left is the end of a record, of which nobody knows where its texts begin.
// That one can begin with what looks like a record of its own.
func TestARecordIsFoundAfterTheEndOfAnother(t *testing.T) {
	for _, torn := range recordsOfAgents {
		for _, next := range recordsOfAgents {
			for n := 1; n < len(torn); n++ {
				for _, between := range []string{"", "\x00\x00\x00", " "} {
					line := torn[n:] + between + next
					got, rest := cut(t, line, true)
					if len(got) == 0 || got[len(got)-1] != next || len(rest) == 0 || len(got) > 1 && torn[n] != '{' {
						t.Fatalf("%q has the records\n%q, want\n%q", line, got, next)
					}
				}
			}
		}
	}
}

func TestPiecesOfLines(t *testing.T) {
	a, b := recordsOfAgents[0], recordsOfAgents[1]
	deep := func(n int) string { return strings.Repeat(`{"a":[`, n/2) }
	for _, c := range []struct {
		name, line string
		records    []string
		torn       int
	}{
		{"several without anything between", a + b + a, []string{a, b, a}, 0},
		{"the same one twice", a + a, []string{a, a}, 0},
		{"white space between", " " + a + " \t" + b + "\r", []string{a, b}, 0},
		{"NUL before", strings.Repeat("\x00", 300) + a, []string{a}, 1},
		{"NUL between", a + "\x00" + b, []string{a, b}, 1},
		{"NUL behind", a + strings.Repeat("\x00", 300), []string{a}, 1},
		{"NUL inside of a text", a[:100] + "\x00\x00" + a[102:] + b, []string{b}, 1},
		{"of a type that is not known", `{"type":"new"}{"type":"newer"}`,
			[]string{`{"type":"new"}`, `{"type":"newer"}`}, 0},
		{"of such a type before garbage", `{"type":"new"}garbage` + a, []string{`{"type":"new"}`, a}, 1},
		{"objects that are none", `{}{"a":1}` + a, []string{a}, 1},
		{"what a record has inside", `{"type":"text","text":"x"}],"u":1}` + a, []string{a}, 1},
		{"one that nothing separates from garbage", a + `,"x":1}`, []string{a}, 1},
		{"garbage before", `xyz ` + a, []string{a}, 1},
		{"an array of records", "[" + a + "]", nil, 1},
		{"deeper than JSON is read", deep(30_000) + a, []string{a}, 1},
		{"no record", "garbage", nil, 1},
		{"numbers", "1 2 3", nil, 1},
		{"a part of a record that was torn on both sides", `t":[{"type":"text","text":"x"}],"u`, nil, 1},
	} {
		got, torn := cut(t, c.line, true)
		if strings.Join(got, "\n") != strings.Join(c.records, "\n") || len(torn) != c.torn {
			t.Errorf("%s: %q and %d torn pieces, want %q and %d", c.name, got, len(torn), c.records, c.torn)
		}
	}
}

// TestARecordThatIsStillWrittenIsNeverCut: whatever of a record is there, it is one piece, which is not ended.
func TestARecordThatIsStillWrittenIsNeverCut(t *testing.T) {
	keys := `{"type":"user","uuid":"u","a":{"\u0061":{"{":tr` // names that are escaped, and cut
	inside := `{"type":"progress","data":{"type":"agent_progress","message":` + recordsOfAgents[0] + `},"uuid":"u"}`
	for _, record := range append(recordsOfAgents, keys, inside) {
		for _, before := range []string{"", recordsOfAgents[0], "\x00" + recordsOfAgents[1], recordsOfAgents[0][:200]} {
			for n := 2; n < len(record); n++ {
				var last Line
				line := Line{Text: []byte(before + record[:n])}
				line.Size = int64(len(line.Text))
				for at := range Pieces(line.Text, false) {
					last = line.piece(at)
				}
				if last.Ended || string(last.Text) != record[:n] && string(last.Text) != before+record[:n] {
					t.Fatalf("%q ends with the piece %q, ended %v", line.Text, last.Text, last.Ended)
				}
			}
		}
	}
}

// TestPiecesOfAFileLeaveNoGap reads a file of damaged lines, with a byte order mark and without an end.
func TestPiecesOfAFileLeaveNoGap(t *testing.T) {
	a, b := recordsOfAgents[0], recordsOfAgents[1]
	text := "\xef\xbb\xbf" + a + b + "\n" + b[:50] + a + "\x00" + b + "\r\n\nxyz\n" + a + "\n" + a + b + a[:70]
	var got []string
	at := Position{}
	decode := func(r *Record) bool { return json.Valid(r.Text) }
	for r, err := range Records(iotest.HalfReader(strings.NewReader(text)), Position{}, decode) {
		if err != nil || r.Offset != at.Offset || r.Number != at.Line+1 {
			t.Fatalf("%v: a record of line %d at %d, want %+v", err, r.Number, r.Offset, at)
		}
		at = r.After()
		if whole := text[r.Offset:r.Next]; !strings.Contains(whole, string(r.Text)) || r.Size > int64(len(whole)) {
			t.Errorf("text %q, size %d, of %q", r.Text, r.Size, whole)
		}
		got = append(got, fmt.Sprintf("%d:%d%v%v%v", r.Number, r.State, r.Ended, r.Piece, r.More))
		for next, err := range Records(strings.NewReader(text[r.Next:]), at, decode) {
			if err != nil || next.Number != at.Line+1 {
				t.Errorf("%v: going on at %+v is line %d", err, at, next.Number)
			}
			break
		}
	}
	want := "1:0truetruetrue 1:0truetruefalse 2:2truetruetrue 2:0truetruetrue 2:2truetruetrue 2:0truetruefalse " +
		"3:1truefalsefalse 4:2truefalsefalse 5:0truefalsefalse 6:0truetruetrue 6:0truetruetrue 6:2falsetruefalse"
	if strings.Join(got, " ") != want || at.Offset != int64(len(text)) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

// TestHostileLinesAreCutInLinearTime would not end if it depended on the square of the lengths.
func TestHostileLinesAreCutInLinearTime(t *testing.T) {
	const size = 1 << 18
	for _, part := range []string{
		`{`, `[`, `{"a":`, `{"a":[`, `{"`, `{" `, `{ "`, `{}`, `{"a":{}`, `"{`, `{"a":"\`, `{"a":1}x`, `\u00`, "{\x00",
		`{"type":"x","uuid":"u","a":`, `{"type":"x","uuid":"u"},`, `{` + strings.Repeat(" ", 5000) + `"`,
	} {
		line := bytes.Repeat([]byte(part), size/len(part))
		n := 0
		for range Pieces(line, true) {
			n++
		}
		if n == 0 {
			t.Errorf("%q: no pieces", part)
		}
	}
}
