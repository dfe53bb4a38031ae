package config

import (
	"fmt"
	"os"
	"path/filepath"
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
		`unknown setting "tax"]` {
		t.Errorf("problems %s", got)
	}
	for _, w := range []struct{ name, want string }{
		{"claude-internal-7-fast", "family claude window 500000 output 64000 price 5 0.5 6.25 25"},
		{"my-gpt", "encoding o200k_base window 200000 output 0 price    "},
		{"gpt-5-codex", "encoding o200k_base window 300000 output 128000 price 1.25 0.125  10"},
		{"llama-3.1-8b", "family llama3 with ranks window 131072 output 0 price    "},
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
	if m.Ranks != nil {
		how += " with ranks"
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
		{"models:\n  m:\n    window: -1\n", "ctxledger.yaml:3:13: window is -1: it cannot be negative"},
		{"models:\n  m: {window: 10, output: 20}\n", `ctxledger.yaml:2:3: model "m": output: 20 tokens are more than the ` +
			`window of 10`},
		{"models:\n  m: {window: 1, Window: 2}\n", "ctxledger.yaml:2:18: Window was set in line 2 already"},
		{"models:\n  m: {family: lama}\n", `ctxledger.yaml:2:15: unknown family "lama": use one of claude, `},
		{"models:\n  m: {encoding: o200k}\n", `ctxledger.yaml:2:17: unknown encoding "o200k": use o200k_base`},
		{"models:\n  m: {encoding: o200k_base, family: claude}\n", "ctxledger.yaml:2:7: model \"m\": encoding: give only one of"},
		{"models:\n  m: {ranks: a.model}\n", "ctxledger.yaml:2:7: model \"m\": ranks: a rank file needs the family"},
		{"models:\n  m: {family: claude, ranks: a.model}\n", "one of deepseek3, llama3, qwen2"},
		{"models:\n  m: {family: llama3, ranks: /etc/passwd}\n", "ctxledger.yaml:2:30: model \"m\": ranks: give a path inside " +
			"the workspace"},
		{"models:\n  m: {family: llama3, ranks: ../a}\n", "ranks: give a path inside the workspace"},
		{"models:\n  m: {family: llama3, ranks: \"\"}\n", "ranks: give a path inside the workspace"},
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

func TestRankFilesAreReadWhenTheyAreNeeded(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, File), []byte("models:\n  m: {family: llama3, ranks: sub/ranks}\n"))
	if err := os.Mkdir(filepath.Join(root, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "sub", "ranks")
	const secret = "top secret"
	for _, c := range []struct {
		name string
		make func() error
		code fault.Code
		want string
	}{
		{"none", func() error { return nil }, fault.NotFound, "there is no such file in the workspace"},
		{"a directory", func() error { return os.Mkdir(path, 0o700) }, fault.Invalid, "not a regular file"},
		{"a link out", func() error {
			write(t, filepath.Join(outside, "ranks"), []byte(secret))
			return os.Symlink(filepath.Join(outside, "ranks"), path)
		}, fault.Invalid, "not a regular file inside the workspace"},
		{"something else", func() error {
			return os.WriteFile(path, []byte(secret), 0o600)
		}, fault.Invalid, "neither a list of ranks nor a tokenizer.json"},
		{"too large", func() error {
			write(t, path, nil)
			return os.Truncate(path, tokens.MaxRanks+1)
		}, fault.TooLarge, "67108865 bytes, more than the limit of 67108864"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.make(); err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(path)
			config, _ := Load(alone(t), root, "")
			counter, err := config.Models.Exact("m")
			if fault.CodeOf(err) != c.code || !strings.HasPrefix(err.Error(), "rank file sub/ranks: ") ||
				!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) {
				t.Errorf("error %v (%s)", err, fault.CodeOf(err))
			}
			if counter.Exact() || config.Models.For("m").Of(100).Upper != 130 {
				t.Error("the estimate of the family is not what is left")
			}
		})
	}
}
