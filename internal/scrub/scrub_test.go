package scrub

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"ctxledger.dev/internal/fault"
)

const stone = "[forgotten]"

func text(t testing.TB, s string) Text {
	t.Helper()
	x, err := New(s, stone)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// quoted returns s as the content of a JSON string, so many times.
func quoted(s string, times int) string {
	for range times {
		raw, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		s = string(raw[1 : len(raw)-1])
	}
	return s
}

func TestATextIsFoundHoweverJSONWritesIt(t *testing.T) {
	const secret = "pa\"ss/wörd\\<x>\n😀1"
	x := text(t, secret)
	for _, s := range []string{
		secret, quoted(secret, 1), quoted(secret, 2), quoted(secret, 3),
		`pa\"ss\/w\u00f6rd\\\u003Cx>\n\uD83D\ude001`,
		`\u0070a\u0022ss/w\u00F6rd\u005C<x>\u000A😀\u0031`,
	} {
		whole := "before " + s + " after"
		if !x.In([]byte(whole)) || !x.Near([]byte(whole)) {
			t.Errorf("not found in %s", whole)
		}
		if got := x.Out(whole); got != "before "+stone+" after" {
			t.Errorf("%s\nbecomes %s", whole, got)
		}
	}
	for _, s := range []string{"", "pass", `pa\"ss/wörd and more`, quoted(secret, 1)[1:], strings.ToUpper(secret)} {
		if x.In([]byte(s)) || x.Out(s) != s {
			t.Errorf("found in %s: %s", s, x.Out(s))
		}
	}
}

func TestOutTakesWhatWasDerivedToo(t *testing.T) {
	key := "-----BEGIN KEY-----\nabcdefghijklmnop\nshort\nqrstuvwxyz012345\n-----END KEY-----"
	for _, test := range []struct{ secret, in, want string }{
		{"hunter2hunter2", "twice hunter2hunter2 and hunter2hunter2", "twice [forgotten] and [forgotten]"},
		{"hunter2hunter2", "cut: hunter2hu…", "cut: [forgotten]…"},
		{"hunter2hunter2", "cut: hunter2hu", "cut: [forgotten]"},
		{"hunter2hunter2", "cut: hunter2", "cut: hunter2"}, // shorter than Least
		{"hunter2hunter2", "hunter2hum and more", "hunter2hum and more"},
		{key, "a line: abcdefghijklmnop.", "a line: [forgotten]."},
		{key, "short", "short"},
		{key, key, stone},
		{"aaaaaaaa", "aaaaaaaaaaaaaaaaaaa", "[forgotten][forgotten]aaa"},
	} {
		if got := text(t, test.secret).Out(test.in); got != test.want {
			t.Errorf("%q: %q, want %q", test.in, got, test.want)
		}
	}
}

func TestNewRefusesWhatNobodyMeans(t *testing.T) {
	for s, code := range map[string]fault.Code{
		"": fault.Invalid, "seven77": fault.Invalid, "eight888": "", "not \xff utf8": fault.Invalid,
		"with \x00 zero": fault.Invalid, strings.Repeat("x", Most): "", strings.Repeat("x", Most+1): fault.TooLarge,
	} {
		if _, err := New(s, stone); fault.CodeOf(err) != code {
			t.Errorf("%.20q: %v", s, err)
		}
	}
	if (Text{}).In([]byte("anything")) || (Text{}).Near([]byte("anything")) || (Text{}).Out("anything") != "anything" {
		t.Error("no text was found")
	}
}

// TestFindSeesEveryPlaceOfAStream puts the text at the seams of what is read at once.
func TestFindSeesEveryPlaceOfAStream(t *testing.T) {
	const secret = `he"llo wörld`
	x := text(t, secret)
	for _, form := range []string{secret, quoted(secret, 1), quoted(secret, 2), quoted(quoted(secret, 1), 2)} {
		for at := chunk - 50; at < chunk+900; at += 41 {
			r := strings.NewReader(strings.Repeat(`\`, at) + form + strings.Repeat("y", 10))
			if found, err := x.Find(t.Context(), iotest.HalfReader(r)); err != nil || !found {
				t.Fatalf("%s at %d: %v, %v", form, at, found, err)
			}
		}
	}
	found, err := x.Find(t.Context(), strings.NewReader(strings.Repeat(`he"llo wörl`, 300_000)))
	if err != nil || found {
		t.Errorf("found where it is not: %v", err)
	}
	broken := errors.New("broken")
	if _, err := x.Find(t.Context(), iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("the reader's error: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Find(ended, io.MultiReader()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("an ended context: %v", err)
	}
}

// FuzzOut: after Out the text is not found any more, and what does not hold it is left alone; JSON
// stays JSON.
func FuzzOut(f *testing.F) {
	f.Add("hunter2hunter2", "a hunter2hunter2 b")
	f.Add("pa\"ss\\wörd", `x pa\"ss\\w\u00f6rd y`)
	f.Add(`\\\\\\\\`, `\\\\\\\\\\\\\\\\\\\`)
	f.Add("aaaaaaaa\nbbbbbbbb", "aaaaaaaa bbbbbbbb")
	f.Fuzz(func(t *testing.T, secret, s string) {
		x, err := New(secret, stone)
		if err != nil || x.In([]byte(stone)) {
			return
		}
		out := x.Out(s)
		if x.Out(out) == out && !x.In([]byte(s)) && !x.Near([]byte(s)) && out != s {
			t.Fatalf("%q became %q", s, out)
		}
		if !strings.Contains(secret, "forgotten") && !strings.ContainsAny(secret, `\[]`) && x.In([]byte(out)) {
			t.Fatalf("%q is left in %q", secret, out)
		}
		if x.In([]byte(quoted(s, 1))) != x.In([]byte(s)) && json.Valid([]byte(`"`+s+`"`)) &&
			!strings.Contains(secret+s, `\`) {
			t.Fatalf("%q: quoting changes whether it is found in %q", secret, s)
		}
	})
}
