package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
)

func TestModels(t *testing.T) {
	c, problems, err := parse(".", []byte(`
Models:
  claude-internal-7: {family: claude, window: 500000, output: 64000, price: {input: 5, cached_read: 0.5, cached_write: 6.25, output: 25}}
  my-gpt: {encoding: o200k_base, window: 200_000, colour: blue}
  gpt-5:
    Window: 300000
    price: {tax: 1}
  llama-3.1: {family: llama3, ranks: models/llama3/tokenizer.model, window: 131072}
  later:
`))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(problems); got != `[ctxledger.yaml:4:51: unknown setting "colour" ctxledger.yaml:7:13: `+
		`unknown setting "tax" ctxledger.yaml:8:31: ranks has no effect: rank files are no longer read; its tokens are `+
		`estimated (≈)]` {
		t.Errorf("problems %s", got)
	}
	for _, w := range []struct{ name, want string }{
		{"claude-internal-7-fast", "family claude window 500000 output 64000 price 5 0.5 6.25 25"},
		{"my-gpt", "encoding o200k_base window 200000 output 0 price    "},
		{"gpt-5-codex", "encoding o200k_base window 300000 output 128000 price 1.25 0.125  10"},
		{"llama-3.1-8b", "family llama3 window 131072 output 0 price    "},
		{"later", "family  window 0 output 0 price    "},
		{"gpt-4o", "encoding o200k_base window 128000 output 16384 price 2.5 1.25  10"},
	} {
		m, ok := c.Models.Lookup(w.name)
		if got := describe(m); got != w.want || !ok {
			t.Errorf("%s: %s, want %s", w.name, got, w.want)
		}
	}
}

func describe(m tokens.Model) string {
	how := "family " + m.Family.String()
	if m.Encoding != nil {
		how = "encoding " + m.Encoding.String()
	}
	p := m.Price
	return fmt.Sprintf("%s window %d output %d price %s %s %s %s", how, m.Window, m.Output, p.Input, p.CachedRead,
		p.CachedWrite, p.Output)
}

func TestModelsThatMakeNoSense(t *testing.T) {
	for _, c := range []struct{ text, wrong string }{
		{"models: 1\n", "ctxledger.yaml:1:9: a mapping is expected"},
		{"models: [a]\n", "ctxledger.yaml:1:9: a mapping is expected"},
		{"models:\n  m: 7\n", "ctxledger.yaml:2:6: a mapping is expected"},
		{"models:\n  m: {window: big}\n", "ctxledger.yaml:2:15: window: "},
		{"models:\n  m:\n    window: -1\n", "ctxledger.yaml:3:13: window is -1: it must not be negative"},
		{"models:\n  m: {window: 10, output: 20}\n", `ctxledger.yaml:2:3: model "m": output: 20 tokens are more than the ` +
			`window of 10`},
		{"models:\n  m: {window: 1, Window: 2}\n", "ctxledger.yaml:2:18: Window was already set on line 2"},
		{"models:\n  m: {family: lama}\n", `ctxledger.yaml:2:15: unknown family "lama": use one of claude, `},
		{"models:\n  m: {encoding: o200k}\n", `ctxledger.yaml:2:17: unknown encoding "o200k": use o200k_base`},
		{"models:\n  m: {encoding: o200k_base, family: claude}\n", "ctxledger.yaml:2:7: model \"m\": encoding: give only one of"},
		{"models:\n  m: {price: {input: cheap}}\n", "ctxledger.yaml:2:22: input: \"cheap\" is not a price"},
		{"models:\n  m: {price: {input: -5}}\n", "ctxledger.yaml:2:22: input: \"-5\" is not a price"},
		{"models:\n  m: {price: 5}\n", "ctxledger.yaml:2:14: a mapping is expected"},
		{"models:\n  m: {}\n  x/M: {}\n", "name: the same as that of model"},
		{"models:\n  " + strings.Repeat("x", 300) + ": {}\n", "name: it has 300 bytes, more than the limit of 200"},
		{"models:\n" + many(1001), "1001 models are more than the limit of 1000"},
	} {
		got, _, err := parse(".", []byte(c.text))
		if fault.CodeOf(err) != fault.Invalid && fault.CodeOf(err) != fault.TooLarge ||
			!strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%.60q: %v, want %s", c.text, err, c.wrong)
		}
		if !reflect.DeepEqual(bare(got), bare(Default())) {
			t.Errorf("%.60q: settings beside an error", c.text)
		}
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  m%d: {}\n", i)
	}
	return b.String()
}
