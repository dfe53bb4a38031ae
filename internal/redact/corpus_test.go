package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// secretsInCorpus is how many secrets the corpus has; each is once in every context that takes it.
const secretsInCorpus = 1000

// contexts are the places of a secret. Each wraps the line that holds one.
var contexts = []struct {
	name string
	wrap func(p planted) (planted, bool)
}{
	{"plain", func(p planted) (planted, bool) { return p.in("the key is\n", "\nkeep it"), true }},
	{"sentence", func(p planted) (planted, bool) { return p.in("it answered (", ") and ended."), !p.ownLine() }},
	{"json", func(p planted) (planted, bool) {
		return p.mapped(jsonText).in(`{"type":"text","text":"run:\n`, `\n","n":1}`), true
	}},
	{"json in json", func(p planted) (planted, bool) {
		p = p.mapped(jsonText).in(`{"text":"`, `"}`)
		return p.mapped(jsonText).in(`{"content":"`, `"}`), true
	}},
	{"json in json in json", func(p planted) (planted, bool) {
		p = p.mapped(jsonText).in(`{"cmd":"run:\n`, `\n"}`)
		p = p.mapped(jsonText).in(`{"text":"`, `"}`)
		return p.mapped(jsonText).in(`{"content":"`, `"}`), true
	}},
	{"grep", func(p planted) (planted, bool) {
		return p.in("", ": match"), !p.ownLine() || !strings.ContainsAny(p.text, "\n'")
	}},
	{"url", func(p planted) (planted, bool) {
		return p.mapped(url.QueryEscape).in("GET /hook?body=", "&n=1 HTTP/1.1"), true
	}},
	{"url path", func(p planted) (planted, bool) {
		return p.mapped(url.PathEscape).in("https://api.test/v1/", "/x"), !p.ownLine()
	}},
	{"base64", func(p planted) (planted, bool) {
		return p.in("# config\nname=shop\n", "\nport=80\n").base64(base64.StdEncoding).in("data: ", "\n"), true
	}},
	{"base64 url", func(p planted) (planted, bool) {
		return p.in("name=shop\n", "\n").base64(base64.RawURLEncoding).in(`{"data":"`, `"}`), true
	}},
	{"shell", func(p planted) (planted, bool) { return p.in("export SERVICE_VALUE='", "'\n"), !p.ownLine() }},
	{"yaml", func(p planted) (planted, bool) {
		return p.mapped(indented("    ")).in("service:\n  settings: |\n    ", "\n  port: 80\n"), true
	}},
	{"diff", func(p planted) (planted, bool) {
		return p.mapped(indented("+")).in("@@ -1,2 +1,3 @@\n name: shop\n+", "\n port: 80\n"), true
	}},
	{"diff removed", func(p planted) (planted, bool) {
		return p.mapped(indented("-")).in("@@ -1,3 +1,2 @@\n name: shop\n-", "\n port: 80\n"), true
	}},
	{"numbered", func(p planted) (planted, bool) {
		return p.mapped(indented("    13→")).in("    11→# config\n    12→", "\n    14→port: 80\n"), true
	}},
	{"cat -n", func(p planted) (planted, bool) {
		return p.mapped(indented("    13\t")).in("    11\t# config\n    12\t", "\n    14\tport: 80\n"), true
	}},
	{"cat -n in json", func(p planted) (planted, bool) {
		return p.mapped(indented("    13\t")).in("    12\t",
			"\n    14\tport: 80\n").mapped(jsonText).in(`{"content":"`, `"}`), true
	}},
	{"grep -n", func(p planted) (planted, bool) {
		return p.mapped(indented("conf/shop.cfg:13:")).in("conf/shop.cfg:12:", "\n--\n"),
			p.kind != "netrc-password" && p.kind != "terraform-default"
	}},
	{"quotation", func(p planted) (planted, bool) { return p.mapped(indented("> ")).in("> ", "\n> port"), true }},
	{"colours", func(p planted) (planted, bool) {
		return p.broken("\x1b[0m\x1b[31m").in("\x1b[1m", "\x1b[0m\n"), true
	}},
	{"colours in json", func(p planted) (planted, bool) {
		return p.broken("\x1b[32m").mapped(jsonText).in(`{"content":"`, `"}`), true
	}},
	{"zero width", func(p planted) (planted, bool) { return p.broken("\u200b").in("it is ", " now"), !p.ownLine() }},
	{"file name", func(p planted) (planted, bool) { return p.in("/srv/backup/", ".txt"), !p.ownLine() }},
	{"log", func(p planted) (planted, bool) {
		return p.mapped(jsonText).in(`time=2026-11-21T16:00:00Z level=INFO msg="call `, ` failed" n=1`), true
	}},
}

// in returns the text with others around it.
func (p planted) in(before, after string) planted {
	p.text = before + p.text + after
	p.start, p.end = p.start+len(before), p.end+len(before)
	return p
}

// mapped returns the text escaped piece by piece.
func (p planted) mapped(escape func(string) string) planted {
	before, secret, after := escape(p.text[:p.start]), escape(p.text[p.start:p.end]), escape(p.text[p.end:])
	return planted{p.kind, before + secret + after, len(before), len(before) + len(secret)}
}

// broken returns the text with something invisible in the middle of the secret.
func (p planted) broken(by string) planted {
	middle := (p.start + p.end) / 2
	return planted{p.kind, p.text[:middle] + by + p.text[middle:], p.start, p.end + len(by)}
}

// base64 returns the text encoded. The secret is then in all characters that hold a bit of it.
func (p planted) base64(e *base64.Encoding) planted {
	return planted{p.kind, e.EncodeToString([]byte(p.text)), p.start * 4 / 3, (p.end*4 + 2) / 3}
}

// ownLine reports whether the line is one that does not belong into a sentence, a path or quotes.
func (p planted) ownLine() bool { return p.start > 0 || strings.ContainsAny(p.text, "\n '") }

func jsonText(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw[1 : len(raw)-1])
}

func indented(by string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, "\n", "\n"+by) }
}

// corpus returns the secrets in all their contexts.
func corpus(t testing.TB, seed uint64) map[string][]planted {
	r := rand.New(rand.NewPCG(seed, 0))
	all := map[string][]planted{}
	for i := range secretsInCorpus {
		k := kinds[i%len(kinds)]
		p := plant(t, r, k.kind, k.shapes[i/len(kinds)%len(k.shapes)])
		for _, c := range contexts {
			if wrapped, ok := c.wrap(p); ok {
				all[c.name] = append(all[c.name], wrapped)
			}
		}
	}
	return all
}

// covered reports whether every byte of the secret is masked.
func (p planted) covered(found []Secret) bool {
	at := p.start
	for _, s := range found {
		if s.Start <= at && s.End > at {
			at = s.End
		}
	}
	return at >= p.end
}

// recall counts.
type recall struct{ found, all int }

func (r recall) String() string {
	return fmt.Sprintf("%5d of %5d  %6.2f%%", r.found, r.all, 100*float64(r.found)/float64(max(r.all, 1)))
}

func TestRecallOfWholeTexts(t *testing.T) {
	const seed = 3
	t.Logf("seed %d", seed)
	redactor := New([]byte("key"))
	fixed := map[string]bool{}
	for _, k := range kinds {
		fixed[k.kind] = k.fixed
	}
	perKind, perContext, missed := map[string]recall{}, map[string]recall{}, map[string]int{}
	var total recall
	for context, list := range corpus(t, seed) {
		for _, p := range list {
			found := p.covered(redactor.Find([]byte(p.text)))
			perKind[p.kind] = perKind[p.kind].plus(found)
			perContext[context] = perContext[context].plus(found)
			total = total.plus(found)
			if !found {
				if missed[p.kind+context]++; missed[p.kind+context] == 1 {
					t.Logf("missed: %s in %s: %.300q", p.kind, context, p.text)
				}
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(perKind)) {
		r := perKind[kind]
		t.Logf("%-28s %v", kind, r)
		if fixed[kind] && r.found < r.all {
			t.Errorf("%s has a fixed prefix and must always be found: %v", kind, r)
		}
	}
	for _, c := range contexts {
		t.Logf("in %-25s %v", c.name, perContext[c.name])
	}
	t.Logf("%-28s %v", "total", total)
	if total.found*100 < total.all*99 {
		t.Errorf("recall is under 99%%: %v", total)
	}
}

func (r recall) plus(found bool) recall {
	if r.all++; found {
		r.found++
	}
	return r
}
