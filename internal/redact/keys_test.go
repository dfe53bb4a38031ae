package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// shownKeys are the ways in which tools show the lines of a key.
var shownKeys = []struct {
	name string
	show func(lines []string) string
}{
	{"as it is", func(l []string) string { return strings.Join(l, "\n") + "\n" }},
	{"Windows", func(l []string) string { return strings.Join(l, "\r\n") + "\r\n" }},
	{"indented", prefixed("    ")},
	{"quoted", prefixed("> > ")},
	{"added", prefixed("+")},
	{"removed", prefixed("-")},
	{"commented", prefixed("# ")},
	{"cat -n", numbered("%6d\t%s\n")},
	{"nl", numbered("%6d  %s\n")},
	{"grep -n", numbered("%d:%s\n")},
	{"grep -C", numbered("%d-%s\n")},
	{"grep -nH", numbered("deploy/keys/id_rsa:%d:%s\n")},
	{"arrow", numbered("%6d→%s\n")},
	{"git blame", numbered("^1f3a9c0 (Ann Onym 2026-11-22 10:00:00 +0000 %3d) %s\n")},
	{"log", numbered("2026-11-22T10:00:00.%03dZ INFO %s\n")},
	{"JSON", func(l []string) string { return `{"key":"` + jsonText(strings.Join(l, "\n")+"\n") + `","n":1}` }},
	{"JSON, cat -n", func(l []string) string { return `{"key":"` + jsonText(numbered("%6d\t%s\n")(l)) + `","n":1}` }},
	{"JSON in JSON, cat -n", func(l []string) string {
		return `{"a":"` + jsonText(`{"key":"`+jsonText(numbered("%6d\t%s\n")(l))+`"}`) + `"}`
	}},
	{"list of strings", func(l []string) string { return `["` + strings.Join(l, "\",\n\"") + `"]` }},
	{"source code", func(l []string) string { return "key := \"" + strings.Join(l, "\\n\" +\n\t\"") + "\\n\"" }},
	{"colours of a diff",
		func(l []string) string { return "\x1b[32m+" + strings.Join(l, "\x1b[m\n\x1b[32m+") + "\x1b[m\n" }},
}

func prefixed(by string) func([]string) string {
	return func(l []string) string { return by + strings.Join(l, "\n"+by) + "\n" }
}

func numbered(format string) func([]string) string {
	return func(lines []string) string {
		var b strings.Builder
		for i, l := range lines {
			fmt.Fprintf(&b, format, i+1, l)
		}
		return b.String()
	}
}

// cutKeys are the parts of a key that may be all there is.
var cutKeys = []struct {
	name string
	part func(lines []string) []string
}{
	{"whole", func(l []string) []string { return l }},
	{"without its end", func(l []string) []string { return l[:len(l)-1] }},
	{"without its beginning", func(l []string) []string { return l[1:] }},
	{"from its second line", func(l []string) []string { return l[2:] }},
	{"its beginning", func(l []string) []string { return l[:4] }},
	{"its end", func(l []string) []string { return l[len(l)-3:] }},
	{"its middle", func(l []string) []string { return l[3:7] }},
}

func TestAPrivateKeyIsFoundHoweverItIsShownAndCut(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 9))
	for _, shape := range []string{
		pemShape("RSA PRIVATE KEY", 12), pemShape("PRIVATE KEY", 25),
		strings.ReplaceAll(pemShape("OPENSSH PRIVATE KEY", 9), ":64}", ":70}"),
	} {
		lines := strings.Split(plant(t, random, "", shape).text, "\n")
		for _, show := range shownKeys {
			for _, cut := range cutKeys {
				if show.name == "source code" && cut.name == "its middle" {
					continue // threat-model.md names it as a miss
				}
				part := cut.part(lines)
				text := show.show(part)
				masked := New(nil).String(text)
				for _, l := range part {
					if len(l) >= pemWidth && strings.Contains(masked, l[20:40]) {
						t.Errorf("%s, %s, of %s:\n%s\nleaves %s in\n%s", show.name, cut.name, lines[0], text, l, masked)
						break
					}
				}
				checkMasked(t, text)
			}
		}
	}
}

func TestAKeyThatIsCutInALineLeavesNothing(t *testing.T) {
	text := plant(t, rand.New(rand.NewPCG(2, 8)), "", pemShape("RSA PRIVATE KEY", 12)).text
	begin := strings.Index(text, "\n") + 1
	const tells = 20 // bytes of a line
	for n := begin + tells; n < strings.Index(text, dashes+"END"); n++ {
		after := []string{"", "…", "...", `"}`, "\n[cut]\n"}
		if n >= begin+pemWidth+tells { // a name in the first line can look like a key
			after = append(after, " not found", ": no such method\n")
		}
		for _, after := range after {
			masked := New(nil).String(text[:n] + after)
			if strings.Contains(masked, text[begin:begin+4]) {
				t.Errorf("%d bytes and %q leave %q", n, after, masked)
			}
			if (n-begin)%65 >= tells && strings.Contains(masked, text[n-4:n]) {
				t.Errorf("%d bytes and %q leave the end of %q", n, after, masked)
			}
		}
	}
}

func TestWhatLooksLikeAKeyStays(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 7))
	body := strings.TrimSuffix(plant(t, random, "", strings.Repeat("{b64:64}\n", 8)).text, "\n")
	hashes := plant(t, random, "", strings.Repeat("{hex:64}\n", 8)).text
	for _, text := range []string{
		"-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n",
		"-----BEGIN CERTIFICATE-----\n" + body + "\n",
		body + "\n-----END CERTIFICATE-----\n",
		body + "\nabcd\n-----END PUBLIC KEY-----\n",
		hashes,
		strings.Repeat(body+"\n", 40), // an archive: longer than any key
		"-----BEGIN PRIVATE KEY-----\nNotAKeyButAFunctionName2 is what the parser calls next\n",
		"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n",
		body[:64] + "\nis one line\n",
		body[:64] + "\nEverything below is prose.\n",
	} {
		if masked := New(nil).String(text); masked != text {
			t.Errorf("%s\nbecame\n%s", text, masked)
		}
	}
}
