package overflow

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// circle is an error that is its own cause.
type circle struct{}

func (c circle) Error() string { return "around" }
func (c circle) Unwrap() error { return c }

func TestErrors(t *testing.T) {
	full, limited := errors.New("prompt is too long"), errors.New("rate limit reached")
	for _, c := range []struct {
		name string
		err  error
		want Class
	}{
		{"none", nil, None},
		{"plain", full, PromptOverflow},
		{"wrapped", fmt.Errorf("call: %w", full), PromptOverflow},
		{"wrapped, the outer one vetoes", fmt.Errorf("rate limit: %w", full), None},
		{"the last attempt", errors.Join(limited, full), PromptOverflow},
		{"an earlier attempt", fmt.Errorf("gave up: %w", errors.Join(full, limited)), None},
		{"a circle", circle{}, None},
		{"our own", Budget{ContextTokens: 10}.Check(Size{Tokens: 11}), PromptOverflow},
	} {
		if got := Classify(Response{Err: c.err}, Request{}); got.Class != c.want {
			t.Errorf("%s: %s", c.name, got.brief())
		}
	}
}

func TestBudget(t *testing.T) {
	b := Budget{ContextTokens: 1000, PayloadBytes: 10_000}
	for _, c := range []struct {
		size Size
		want string
	}{
		{Size{Tokens: 1000, Bytes: 1000}, ""},
		{Size{Tokens: 1001}, "Context budget exceeded: 1,001 tokens exceed the 1,000 that max_context_tokens allows"},
		{Size{Tokens: 10, Bytes: 7952}, ""},
		{Size{Tokens: 10, Bytes: 7953},
			"Estimated request payload of 10,001 bytes exceeds the 10,000 that max_payload_bytes allows"},
	} {
		err := b.Check(c.size)
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%+v: %v", c.size, err)
		}
	}
	if err := (Budget{}).Check(Size{Tokens: 1 << 40}); err != nil {
		t.Errorf("nothing is set: %v", err)
	}
}

func TestReadingIsBounded(t *testing.T) {
	many := `{"errors":[` + strings.Repeat(`{"message":"x"},`, 10_000) + `{"message":"prompt is too long"}]}`
	long := strings.Repeat("words ", 1<<20) + "prompt is too long"
	front := "prompt is too long " + long
	for _, c := range []struct {
		name, body string
		want       Class
	}{
		{"behind too many strings", many, None}, {"behind too many words", long, None},
		{"in front of many words", front, PromptOverflow},
		{"nested without end", strings.Repeat(`{"error":`, 10_000), None},
		{"brackets without end", strings.Repeat("[", 1<<20), None},
	} {
		s := collect(Response{Status: 400, Body: []byte(c.body)})
		size := 0
		for _, x := range s.texts {
			size += len(x.lower)
		}
		if len(s.texts) > maxTexts || size > maxChars {
			t.Errorf("%s: %d strings of %d bytes", c.name, len(s.texts), size)
		}
		if got := Classify(Response{Status: 400, Body: []byte(c.body)}, Request{}); got.Class != c.want {
			t.Errorf("%s: %s", c.name, got.brief())
		}
	}
}

func FuzzClassify(f *testing.F) {
	for _, c := range vectors {
		f.Add(c.status, c.body, "stop")
	}
	f.Fuzz(func(t *testing.T, status int, body, finish string) {
		r := Response{Status: status, Body: []byte(body), Finish: finish, Usage: &Usage{Input: 10}}
		v := Classify(r, Request{Window: 1000, Estimate: 900, MaxOutput: 100, NumCtx: 1000})
		again := Classify(r, Request{Window: 1000, Estimate: 900, MaxOutput: 100, NumCtx: 1000})
		if v != again {
			t.Fatalf("%+v, and then %+v", v, again)
		}
		if v.Class != None && (status == 429 || status >= 500 || v.Pattern == "") {
			t.Fatalf("status %d is %+v", status, v)
		}
		if v.Class == OutputBudget && v.Actual >= v.Limit && v.Pattern != thinkingBudget ||
			v.OutputCap < 0 || v.OutputCap > max(0, v.Limit-v.Actual) {
			t.Fatalf("%+v", v)
		}
		for _, n := range []int{v.Actual, v.Limit, v.OverBy, v.RequestedOutput} {
			if n < 0 || n > 2*maxTokens {
				t.Fatalf("%+v", v)
			}
		}
		veto := Classify(Response{Status: status, Body: []byte(body), Err: fmt.Errorf("rate limit")}, Request{})
		if veto.Class != None {
			t.Fatalf("with a veto: %+v", veto)
		}
	})
}
