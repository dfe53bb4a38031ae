package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ctxledger.dev/internal/jsonspan"
)

// valueMessages are messages of each format with every kind of value in them.
var valueMessages = map[Format][]string{
	Anthropic: {
		`{"role":"user","content":"a — b 😀 \/ \"q\" \\ \n"}`,
		`{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"url","url":"u"}}]}`,
		`{"role":"assistant","content":[{"type":"thinking","thinking":"é","signature":"s"},` +
			`{"type":"tool_use","id":"t","name":"n","input":{"b":[1.50,-0.0,12345678901234567890,{}],"a":null,"é":"—","c":[]}}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"r — s"}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":[{"type":"text",` +
			`"text":"r"},{"type":"image"}]}]}`,
	},
	OpenAIChat: {
		`{"role":"system","content":"be — brief"}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"n",` +
			`"arguments":"{\"a\": 1.0}"}}]}`,
		`{"role":"tool","tool_call_id":"c","content":"é"}`,
		`{"role":"user","name":"ann","content":[{"type":"text","text":"x"},{"type":"image_url",` +
			`"image_url":{"url":"u","detail":"low"}}]}`,
	},
	OpenAIResponses: {
		`{"role":"user","content":"a — b"}`,
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x","annotations":[]}]}`,
		`{"type":"function_call","call_id":"c","name":"n","arguments":"{\"a\":[1,2]}"}`,
		`{"type":"function_call_output","call_id":"c","output":"é — è"}`,
		`{"type":"shell_call","call_id":"c","action":{"commands":["ls"],"timeout_ms":1e3}}`,
	},
	Gemini: {
		`{"role":"user","parts":[{"text":"a — b"},{"inlineData":{"mimeType":"image/png","data":"x"}}]}`,
		`{"role":"model","parts":[{"functionCall":{"name":"n","args":{"n":12.0,"list":[],"none":null}},` +
			`"thoughtSignature":"s"}]}`,
		`{"role":"user","parts":[{"functionResponse":{"name":"n","response":{"output":"é","code":0}}}]}`,
	},
}

// spellings write a JSON text anew without changing what it says.
var spellings = map[string]func(src []byte) []byte{
	"escapes":          func(src []byte) []byte { return respell(src, false, true, "") },
	"white space":      func(src []byte) []byte { return respell(src, false, false, "\n\t ") },
	"order of members": func(src []byte) []byte { return respell(src, true, false, "") },
	"json.dumps":       func(src []byte) []byte { return respell(src, true, true, " ") },
	"numbers":          renumber,
}

// respell writes a JSON text with members in turned order, with every character that is not ASCII escaped, and with
// space between tokens. Members of one name keep their order.
func respell(src []byte, turn, escape bool, space string) []byte {
	src = bytes.Trim(src, " \t\r\n")
	switch src[0] {
	case '{', '[':
		var pieces [][]byte
		names := map[string]bool{}
		w := walk(src, Span{To: len(src)})
		for name := range w.Inside {
			value := respell(w.Value().In(src), turn, escape, space)
			if !name.Empty() {
				names[textAt(src, name)] = true
				value = joined(string(respell(name.In(src), turn, escape, space)), space, ":", space, string(value))
			}
			pieces = append(pieces, value)
		}
		if turn && len(names) == len(pieces) {
			slices.Reverse(pieces)
		}
		inside := string(bytes.Join(pieces, []byte(","+space)))
		return joined(string(src[:1]), space, inside, space, string(src[len(src)-1:]))
	case '"':
		if escape {
			return escaped(src)
		}
	}
	return src
}

// escaped writes a string literal as Python does, and the slash as PHP.
func escaped(literal []byte) []byte {
	raw, _ := json.Marshal(textAt(literal, Span{To: len(literal)}))
	var b bytes.Buffer
	for _, c := range bytes.Runes(raw) {
		switch {
		case c > 0xFFFF:
			fmt.Fprintf(&b, `\u%04X\u%04x`, 0xD800+(c-0x10000)>>10, 0xDC00+(c-0x10000)&0x3FF)
		case c > 0x7E:
			fmt.Fprintf(&b, `\u%04x`, c)
		case c == '/':
			b.WriteString(`\/`)
		default:
			b.WriteRune(c)
		}
	}
	return b.Bytes()
}

// renumber writes each number with an exponent.
func renumber(src []byte) []byte {
	var splices []splice
	w := walk(src, Span{To: len(src)})
	var in func()
	in = func() {
		switch c := w.Peek(); {
		case c == '{' || c == '[':
			for range w.Inside {
				in()
			}
		case c == '-' || '0' <= c && c <= '9':
			at := w.Value()
			if n := string(at.In(src)); strings.Trim(n, "-0") == "" {
				splices = append(splices, splice{at, []byte("0.0e+7")})
			} else if !strings.ContainsAny(n, "eE.") {
				splices = append(splices, splice{at, joined(n, "00.0E-02")})
			} else if !strings.ContainsAny(n, "eE") {
				splices = append(splices, splice{at, joined(n, "0e+0")})
			}
		default:
			w.Value()
		}
	}
	in()
	return apply(src, splices)
}

func TestEverySpellingOfAMessageHasOneValue(t *testing.T) {
	for _, f := range Formats() {
		if len(valueMessages[f]) == 0 {
			t.Errorf("no messages of %s", f)
		}
		for _, m := range valueMessages[f] {
			if _, err := Decode(f, []byte(m)); err != nil {
				t.Fatalf("%s is no message of %s: %v", m, f, err)
			}
			oneValue(t, f, []byte(m))
		}
	}
}

// TestEquivalences: the list in docs/maintainers/format.md. Formats are those whose messages can have both spellings.
func TestEquivalences(t *testing.T) {
	for _, c := range []struct {
		name    string
		formats []Format
		a, b    string
		other   bool // they are two values
	}{
		{"a string and one part of text", []Format{Anthropic, OpenAIChat}, `{"role":"user","content":"x"}`,
			`{"role":"user","content":[{"type":"text","text":"x"}]}`, false},
		{"a string and one part of text, of a user's item", []Format{OpenAIResponses}, `{"role":"user","content":"x"}`,
			`{"role":"user","content":[{"text":"x","type":"input_text"}]}`, false},
		{"a string and one part of text, of an answer", []Format{OpenAIResponses}, `{"role":"assistant","content":"x"}`,
			`{"content":[{"annotations":[],"type":"output_text","text":"x","logprobs":null}],"role":"assistant"}`,
			false},
		{"a string and one part of text, of a result", []Format{Anthropic},
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1",` +
				`"content":[{"type":"text","text":"x"}]}]}`, false},
		{"a string and one part of text, of an output", []Format{OpenAIResponses},
			`{"type":"function_call_output","call_id":"1","output":"x"}`,
			`{"type":"function_call_output","call_id":"1","output":[{"type":"input_text","text":"x"}]}`, false},
		{"a string and a part of another type", []Format{OpenAIResponses}, `{"role":"user","content":"x"}`,
			`{"role":"user","content":[{"type":"output_text","text":"x"}]}`, true},
		{"a string and two parts", []Format{Anthropic, OpenAIChat}, `{"role":"user","content":"xy"}`,
			`{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}`, true},
		{"a string and a part with more", []Format{Anthropic}, `{"role":"user","content":"x"}`,
			`{"role":"user","content":[{"type":"text","text":"x","citations":[{}]}]}`, true},
		{"a string and a part whose text is none", []Format{Anthropic}, `{"role":"user","content":"x"}`,
			`{"role":"user","content":[{"type":"text","text":["x"]}]}`, true},
		{"null and absent", Formats(), `{"role":"user","content":"x","parts":[{"text":"x"}],"name":null}`,
			`{"role":"user","content":"x","parts":[{"text":"x"}]}`, false},
		{"null and absent, in a part", Formats(), `{"content":[{"type":"x","a":null}],"parts":[{"a":null}]}`,
			`{"content":[{"type":"x"}],"parts":[{}]}`, false},
		{"null and absent, in a call", []Format{OpenAIChat},
			`{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"n","strict":null}}]}`,
			`{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"n"}}]}`, false},
		{"null and absent, in arguments", []Format{Anthropic},
			`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"n","input":{"a":null}}]}`,
			`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"n","input":{}}]}`, true},
		{"null and absent, in a response", []Format{Gemini},
			`{"parts":[{"functionResponse":{"name":"n","response":{"a":null}}}]}`,
			`{"parts":[{"functionResponse":{"name":"n","response":{}}}]}`, true},
		{"null and the text null", Formats(), `{"role":"user","content":null}`, `{"role":"user","content":"null"}`,
			true},
		{"cache_control added", Formats(), `{"content":[{"type":"a"},{"type":"b"}],"parts":[{"a":1}]}`,
			`{"content":[{"type":"a"},{"type":"b","cache_control":{"type":"ephemeral"}}],` +
				`"parts":[{"cache_control":1,"a":1}]}`, false},
		{"cache_control added to a string", []Format{Anthropic, OpenAIChat}, `{"role":"user","content":"x"}`,
			`{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}`, false},
		{"cache_control moved", []Format{Anthropic, OpenAIChat},
			`{"role":"user","content":[{"type":"a","cache_control":{"type":"ephemeral"}},{"type":"b"}]}`,
			`{"role":"user","content":[{"type":"a"},{"type":"b","cache_control":{"type":"ephemeral","ttl":"1h"}}]}`,
			false},
		{"cache_control in a result", []Format{Anthropic},
			`{"content":[{"type":"tool_result","tool_use_id":"1",` +
				`"content":[{"type":"text","text":"x","cache_control":{}}]}]}`,
			`{"content":[{"type":"tool_result","tool_use_id":"1","content":"x","cache_control":{}}]}`, false},
		{"cache_control in arguments", []Format{Anthropic},
			`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"n","input":{"cache_control":1}}]}`,
			`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"n","input":{}}]}`, true},
		{"an empty array and none", Formats(), `{"role":"user","content":"x","parts":[{"text":"x"}],"tool_calls":[]}`,
			`{"role":"user","content":"x","parts":[{"text":"x"}]}`, false},
		{"an empty array and none, in arguments", []Format{Gemini},
			`{"parts":[{"functionCall":{"name":"n","args":{"a":[]}}}]}`,
			`{"parts":[{"functionCall":{"name":"n","args":{}}}]}`, true},
		{"null and absent, of two members", Formats(), `{"role":"user","content":"x","content":null}`,
			`{"role":"user","content":"x"}`, true},
		{"an empty array and none, of two members", Formats(), `{"role":"user","tool_calls":[],"tool_calls":[{"a":1}]}`,
			`{"role":"user","tool_calls":[{"a":1}]}`, true},
		{"an empty object and none", Formats(), `{"role":"user","a":{}}`, `{"role":"user"}`, true},
		{"an array of null and none", Formats(), `{"role":"user","a":[null]}`, `{"role":"user"}`, true},
	} {
		for _, f := range c.formats {
			if same := SameValue(f, []byte(c.a), []byte(c.b)); same == c.other {
				t.Errorf("%s, %s: the same: %v", f, c.name, same)
			}
		}
	}
}

func TestValuesOfTexts(t *testing.T) {
	seen := map[string]string{}
	for name, texts := range map[string][]string{ // those of one list are the same, those of two are not
		"dash":                       {`"—"`, `"\u2014"`},
		"hyphen":                     {`"-"`, `"\u002d"`, `"\u002D"`},
		"pair":                       {`"😀"`, `"\ud83d\ude00"`, `"\uD83D\uDE00"`},
		"composed":                   {`"é"`, `"\u00e9"`},
		"decomposed":                 {"\"e\u0301\"", `"e\u0301"`},
		"replacement":                {"\"\uFFFD\"", `"\ufffd"`},
		"high half":                  {`"\ud83d"`, `"\uD83D"`},
		"low half":                   {`"\ude00"`},
		"another half":               {`"\ud83e"`},
		"byte":                       {"\"\xff\""},
		"another byte":               {"\"\xfe\""},
		"surrogate in bytes":         {"\"\xed\xa0\xbd\""},
		"escaped half before a half": {`"\ud83d\ud83d"`},
		"text of an escape":          {`"\\u2014"`},
		"line feed":                  {`"\n"`, `"\u000a"`},
		"empty":                      {`""`},
		"slash":                      {`"/"`, `"\/"`},
		"one":                        {"1", "1.0", "1e0", "10e-1", "0.1E+1", "1000e-00003"},
		"zero":                       {"0", "-0", "0.0", "0e9", "-0.0e-99999999999999999999"},
		"minus one":                  {"-1", "-1.00"},
		"id":                         {"9007199254740993", "9007199254740993.0"},
		"next id":                    {"9007199254740992"},
		"fraction":                   {"0.1", "1e-1", "0.100"},
		"what a float makes of it":   {"0.1000000000000000055511151231257827"},
		"huge":                       {"1e999999999", "10e999999998"},
		"huger":                      {"1e1000000000"},
		"beyond counting":            {"1e9999999999999999999"},
		"further beyond":             {"1e99999999999999999990"},
		"text of a number":           {`"1"`},
		"true":                       {"true"},
		"false":                      {"false"},
		"null":                       {"null"},
		"array":                      {"[]", "[ ]"},
		"object":                     {"{}", "{ }"},
		"nested":                     {"[[]]"},
		"members":                    {`{"a":1,"b":2}`, `{"b":2,"a":1.0}`, `{"\u0061":1, "b":2}`},
		"twice":                      {`{"a":1,"a":2}`},
		"twice in another order":     {`{"a":2,"a":1}`},
		"the last of two":            {`{"a":2}`},
		"list":                       {`[1,2]`},
		"turned list":                {`[2,1]`},
	} {
		for _, text := range texts {
			if !SameValue(Anthropic, holding(texts[0]), holding(text)) {
				t.Errorf("%s: %q and %q differ", name, texts[0], text)
			}
		}
		v, err := Value(Anthropic, holding(texts[0]))
		if other := seen[string(v)]; err != nil || other != "" {
			t.Errorf("%s has the value of %s (%v)", name, other, err)
		}
		seen[string(v)] = name
	}
}

// holding is a message with a value in what a model wrote, in which nothing is left out.
func holding(value string) []byte {
	return []byte(`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"n","input":{"v":` + value +
		`}}]}`)
}

func TestNoValue(t *testing.T) {
	for _, bad := range []string{
		``, `{`, `{"a":}`, `{"a":tru}`, `{"a":"x}`, `{"content":[{"a":1,}]}`, `{} {}`, `{"role":`,
	} {
		if v, err := Value(OpenAIResponses, []byte(bad)); err == nil {
			t.Errorf("%q has the value %q", bad, v)
		}
	}
	if _, err := Value("morse", []byte(`{}`)); err == nil {
		t.Error("an unknown format has values")
	}
}

// leaves returns the places of the scalars of a JSON text, without those of cache_control.
func leaves(src []byte) (found []Span) {
	w := jsonspan.New(src, maxDepth)
	var in func()
	in = func() {
		if c := w.Peek(); c != '{' && c != '[' {
			found = append(found, w.Value())
			return
		}
		for name := range w.Inside {
			if name.Empty() || textAt(src, name) != "cache_control" {
				in()
			}
		}
	}
	in()
	return found
}

// differ reports whether two scalars are certainly read as different ones.
func differ(a, b []byte) bool {
	x, isNumber := new(big.Rat).SetString(string(a))
	y, isToo := new(big.Rat).SetString(string(b))
	if isNumber && isToo {
		return x.Cmp(y) != 0
	}
	var v, w any
	return json.Unmarshal(a, &v) == nil && json.Unmarshal(b, &w) == nil && v != w
}

// FuzzValue: a message has the same value in every spelling, and another one if one scalar in it is another.
func FuzzValue(f *testing.F) {
	seedFormats(f, func(s string) { f.Add([]byte(s), 1, `"x"`) })
	for _, messages := range valueMessages {
		for i, m := range messages {
			f.Add([]byte(m), i, fmt.Sprint(i, "e-1"))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, leaf int, with string) {
		scalar := jsonspan.New([]byte(with), maxDepth)
		if c := scalar.Peek(); c == '{' || c == '[' || scalar.Value().Empty() || scalar.End() != nil {
			return
		}
		for _, format := range Formats() {
			if _, err := Decode(format, raw); err != nil || !utf8.Valid(raw) {
				continue
			}
			oneValue(t, format, raw)
			found := leaves(raw)
			if len(found) == 0 || leaf < 0 {
				continue
			}
			at := found[leaf%len(found)]
			other := apply(raw, []splice{{at, []byte(with)}})
			if exponentIsSmall(at.In(raw)) && exponentIsSmall([]byte(with)) && differ(at.In(raw), []byte(with)) &&
				SameValue(format, raw, other) {
				t.Errorf("%s: one value: %s and %s", format, raw, other)
			}
		}
	})
}

// exponentIsSmall says that big.Rat can have a number in full.
func exponentIsSmall(number []byte) bool {
	i := bytes.LastIndexAny(number, "eE")
	return len(number) < 100 && (i < 0 || len(number)-i < len("e-1234"))
}

// oneValue fails unless all spellings of a message have one value.
func oneValue(t *testing.T, f Format, raw []byte) {
	t.Helper()
	for name, spell := range spellings {
		if hasHalves(raw) && strings.Contains("escapes json.dumps", name) {
			continue // the test's own writer of escapes knows none
		}
		if again := spell(raw); !SameValue(f, raw, again) {
			t.Errorf("%s, %s: another value: %s of %s", f, name, again, raw)
		}
	}
}

// hasHalves reports whether a text may have halves of surrogate pairs.
func hasHalves(raw []byte) bool { return bytes.Contains(bytes.ToLower(raw), []byte(`\ud`)) }

// TestOneScalarMakesAnotherValue is the property of FuzzValue for each scalar of the messages above.
func TestOneScalarMakesAnotherValue(t *testing.T) {
	for _, f := range Formats() {
		for _, m := range valueMessages[f] {
			for _, at := range leaves([]byte(m)) {
				for _, with := range []string{`"x"`, `""`, `7`, `-7e-1`, `true`, `false`, `null`, `"null"`, `"—x"`} {
					other := apply([]byte(m), []splice{{at, []byte(with)}})
					if differ(at.In([]byte(m)), []byte(with)) && SameValue(f, []byte(m), other) {
						t.Errorf("%s: one value: %s and %s", f, m, other)
					}
				}
			}
		}
	}
}
