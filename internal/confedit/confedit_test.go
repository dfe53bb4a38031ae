package confedit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"ctxledger.dev/internal/fault"
)

// entries are what the tests add, in this order.
var entries = []Entry{
	{Path: []string{"mcpServers", "ctxledger"}, Value: json.RawMessage(`{"command":"/bin/ctxmcp","args":[]}`)},
	{Path: []string{"hooks", "PreToolUse"}, List: true,
		Value: json.RawMessage(`{"matcher":".*","hooks":[{"timeout":5}]}`)},
	{Path: []string{"hooks", "SessionEnd"}, List: true, Value: json.RawMessage(`{"hooks":[]}`)},
}

func never(json.RawMessage) State { return Absent }

// ours judges what has the value of one of the entries.
func ours(path []string, value json.RawMessage, _ int) Verdict {
	for _, e := range entries {
		own := e.Path
		if e.List {
			own = append(slices.Clip(own), Element)
		}
		switch {
		case slices.Equal(path, own):
			if compared(value, e.Value) == Same {
				return Take
			}
		case len(path) < len(own) && slices.Equal(path, own[:len(path)]):
			return Enter
		}
	}
	return Keep
}

// addAll adds the entries.
func addAll(text []byte) (out []byte, err error) {
	for _, e := range entries {
		if text, err = Add(text, e, never); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// removeAll removes them from a text that was another one before.
func removeAll(t *testing.T, text, before []byte) []byte {
	t.Helper()
	out, err := Strip(text, ours, FormerText(before))
	if err != nil {
		t.Fatalf("%v, in %q", err, text)
	}
	if _, rest := split(before); len(bytes.TrimSpace(rest)) == 0 && Nothing(out) {
		return before
	}
	return out
}

// FuzzRemovingWhatWasAddedIsTheText: after adding entries and removing them a text has the bytes that it had, and
// between them a parser finds them and everything that was there.
func FuzzRemovingWhatWasAddedIsTheText(f *testing.F) {
	for _, s := range []string{"", " \n", "{}", "{ }", "{\n}", "{ /* c */ }", "{ // c\n}", `{"a":1}`,
		"{\n\t\"a\": 1, // x\n}\n", "\ufeff{}", "{\r\n  \"mcpServers\": {\r\n  }\r\n}",
		`{"mcpServers":{"other":{}},"hooks":{"PreToolUse":[]}}`,
		"{\"hooks\": {\"PreToolUse\": [\n  1, 2 /*x*/ , // y\n ]}}", `{"mcpServers":[]}`,
		"{\"hooks\":{\"PreToolUse\":[1 ,]}}",
		"{\"a\":\"\\\"//\",/**/}", "{//\r}", "{\"a\":1//\u2028}", `{"hooks":{},"hooks":{}}`, "[", "{\"a\":1}/*"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		was := bytes.Clone(text)
		out, err := addAll(text)
		if !bytes.Equal(was, text) {
			t.Fatalf("%q became %q", was, text)
		}
		if err != nil {
			if c := fault.CodeOf(err); c != fault.Invalid && c != fault.TooLarge {
				t.Fatal(err)
			}
			return
		}
		if bare, err := Strip(text, ours, FormerUnknown); err != nil || !bytes.Equal(bare, text) {
			return // it had such entries before
		}
		for _, e := range entries {
			if state, _, err := Find(out, e, never); err != nil || state != Same {
				t.Fatalf("%v is %v, %v, in %q", e.Path, state, err, out)
			}
		}
		if _, err := hujson.Parse(bytes.TrimPrefix(out, []byte(bom))); err != nil {
			t.Fatal(err)
		}
		if back := removeAll(t, out, was); !bytes.Equal(back, was) {
			t.Fatalf("%q\nbecame %q\nand then %q", was, out, back)
		}
	})
}

// FuzzTablesComeAndGo is the same for TOML.
func FuzzTablesComeAndGo(f *testing.F) {
	for _, s := range []string{"", "a = 1", "a = 1\n", "\ufeffa = 1\r\n[b]\r\n",
		"[mcp_servers.other]\nx = '''\n[a]\n'''\n",
		"mcp_servers = {}\n", "[mcp_servers]\n", "[[mcp_servers]]\n", "mcp_servers.ctxledger.x = 1\n", "# only\n", "[",
		"[mcp_servers.ctxledger.tools]\nx = 1\n"} {
		f.Add([]byte(s))
	}
	table := Table{Path: []string{"mcp_servers", "ctxledger"}, Body: "command = \"x\"\nargs = []\n"}
	f.Fuzz(func(t *testing.T, text []byte) {
		out, added, err := AddTable(text, table)
		if err != nil {
			if c := fault.CodeOf(err); c != fault.Invalid && c != fault.TooLarge && c != fault.Conflict {
				t.Fatal(err)
			}
			return
		}
		if back, found, err := RemoveTable(out, table, added, false); err != nil || !found || !bytes.Equal(back, text) {
			t.Fatalf("%q\nbecame %q\nand then %q: %v, %v", text, out, back, found, err)
		}
		back, found, err := RemoveTable(out, table, "", false)
		if state, _, stateErr := FindTable(back, table); err != nil || !found || stateErr != nil || state != Absent {
			t.Fatalf("%q: %v, %v, %v, %v", back, found, err, state, stateErr)
		}
	})
}

func TestATableLeavesWithWhatTheAgentAddedToIt(t *testing.T) {
	const before = "a = 1\n\n[mcp_servers.other]\ncommand = \"y\"\n"
	const after = "\n# about b\n[b]\nc = 1\n"
	table := Table{Path: []string{"mcp_servers", "ctxledger"}, Body: "command = \"x\"\n"}
	text := before + "[mcp_servers.ctxledger]\ncommand = \"x\"\n[mcp_servers.ctxledger.tools.memory]\napproval_mode = \"approve\"\n" +
		after
	if state, _, err := FindTable([]byte(text), table); err != nil || state != Same {
		t.Errorf("%v, %v", state, err)
	}
	if out, found, err := RemoveTable([]byte(text), table, "no such text", false); err != nil || !found ||
		string(out) != before+after {
		t.Errorf("%q, %v, %v", out, found, err)
	}
}

func TestWhatOthersChangedStays(t *testing.T) {
	const before = "{\n  \"a\": 1 // one\n}\n"
	out, err := addAll([]byte(before))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(out), `"mcpServers": {`, `"mcpServers": { "other": {}, `, 1)
	text = strings.Replace(text, `"SessionEnd": [`, `"SessionEnd": [ /* mine */`, 1)
	got := string(removeAll(t, []byte(text), []byte(before)))
	for _, want := range []string{`"a": 1, // one`, `"other": {}`, `/* mine */`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Contains(got, "ctxledger") || strings.Contains(got, "PreToolUse") {
		t.Error(got)
	}
	if _, err := parse([]byte(got)); err != nil {
		t.Error(err)
	}
}

func TestAnOtherValueIsReplacedAndComesBack(t *testing.T) {
	const text = "{\"mcpServers\": {\n\t\"ctxledger\": {\n\t\t\"command\" : \"mine\", // c\n\t}}}"
	out, err := Add([]byte(text), entries[0], never)
	if err != nil {
		t.Fatal(err)
	}
	if state, _, err := Find(out, entries[0], never); err != nil || state != Same {
		t.Errorf("%v, %v: %s", state, err, out)
	}
	if back := removeAll(t, out, []byte(text)); string(back) != text {
		t.Errorf("%q", back)
	}
}

// Entries follow the indentation, the line ends and the commas of their file.
func TestAddedEntriesLookLikeTheirFile(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"tabs": {"{\n\t\"a\": 1\n}\n", "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"ctxledger\": {\n\t\t\t\"command\": \"/bin/ctxmcp\",\n" +
			"\t\t\t\"args\": []\n\t\t}\n\t}\n}\n"},
		"one line": {`{"a":1}`, `{"a":1,"mcpServers":{"ctxledger":{"command":"/bin/ctxmcp","args":[]}}}`},
		"empty": {"{}", "{\n  \"mcpServers\": {\n    \"ctxledger\": {\n      \"command\": \"/bin/ctxmcp\",\n      \"args\": []\n    }\n" +
			"  }\n}"},
		"crlf, four, trailing comma": {"{\r\n    \"mcpServers\": {\r\n        \"o\": {}, // o\r\n    },\r\n}\r\n",
			"{\r\n    \"mcpServers\": {\r\n        \"o\": {}, // o\r\n        \"ctxledger\": {\r\n            \"command\": \"/bin/ctxmcp\",\r\n" +
				"            \"args\": []\r\n        },\r\n    },\r\n}\r\n"},
	} {
		out, err := Add([]byte(c.text), entries[0], never)
		if err != nil || string(out) != c.want {
			t.Errorf("%s: %v\n%q, want\n%q", name, err, out, c.want)
		}
	}
}

func TestHostileTextsAreRefused(t *testing.T) {
	for _, text := range []string{strings.Repeat("[", 1<<20), `{"a":` + strings.Repeat(`{"a":`, 1<<20),
		`{"mcpServers": null}`,
		strings.Repeat(" ", MaxSize+1) + "{", `{"mcpServers":{},"mcpServers":{}}`} {
		_, err := Add([]byte(text), entries[0], never)
		if !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
			t.Errorf("%.40s: %v", text, err)
		}
	}
	for _, text := range []string{"a = " + strings.Repeat("[", maxTOML-10), "a = " + strings.Repeat("{a=", maxTOML/4)} {
		_, _, err := AddTable([]byte(text), Table{Path: []string{"a"}, Body: "x = 1\n"})
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%.40s: %v", text, err)
		}
	}
}

// TestWhatIsMoreThanPlainJSONIsFound: an agent that takes plain JSON alone reads nothing of such a file.
func TestWhatIsMoreThanPlainJSONIsFound(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"{}":                                  "",
		"\ufeff{\"a\": \"// b,}\"}\r\n":       "",
		"{\n  // mine\n}":                     "a comment on line 2",
		"{\"a\": 1 /* one */}":                "a comment on line 1",
		"{}\n// after\n":                      "a comment on line 2",
		"\ufeff{\r\n\"a\": [1,\r\n],\r\n}":    "a comma after the last item on line 2",
		"{\"a\": 1,\n\n}":                     "a comma after the last item on line 1",
		"{\"a\": 1, // one\n}":                "a comment on line 1",
		"{\"a\":":                             "",
		"{'a': 1}":                            "",
		strings.Repeat("[", 1<<16) + "1, ]//": "",
	} {
		if got := Beyond([]byte(text)); got != want {
			t.Errorf("%.40q has %q, want %q", text, got, want)
		}
	}
}
