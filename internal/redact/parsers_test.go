package redact

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestProgramsTakePasswordsAsTheTableSays(t *testing.T) {
	for _, c := range []struct{ line, secret string }{
		// Issue 14, defect 4.
		{"mysql -pX1yZ9", "X1yZ9"},
		{"curl -u a:X1yZ9 https://shop.test", "X1yZ9"},
		{"sshpass -p X1yZ9 ssh shop.test", "X1yZ9"},
		{"echo X1yZ9 | docker login --password-stdin", "X1yZ9"},
		{`variable "db_password" { default = "X1yZ9" }`, "X1yZ9"},

		{"/usr/bin/mysqldump -u root '-pX1yZ9' shop", "X1yZ9"},
		{"mysql -u root -p'two words 1' shop", "two words 1"},
		{`{"command":"mysql -u root -p\"X1yZ9\" shop","n":1}`, "X1yZ9"},
		{`["sshpass","-p","X1yZ9","ssh"]`, "X1yZ9"},
		{"mariadb \\\n  -u root \\\n  -pX1yZ9", "X1yZ9"},
		{`{"c":"mariadb \\\n  -u root \\\n  -pX1yZ9"}`, "X1yZ9"},
		{"ssh db.test 'mysql -pX1yZ9'", "X1yZ9"},
		{"curl -sSu 'a:X1yZ9' https://shop.test", "X1yZ9"},
		{"curl --user=a:X1yZ9 https://shop.test", "X1yZ9"},
		{"http -a bob:X1yZ9 GET shop.test", "X1yZ9"},
		{"smbclient //h/s -U bob%X1yZ9", "X1yZ9"},
		{"7z x -pX1yZ9 a.7z", "X1yZ9"},
		{"zip -P X1yZ9 a.zip b", "X1yZ9"},
		{"openssl rsa -passin pass:X1yZ9 -in k", "X1yZ9"},
		{"redis-cli -a X1yZ9 ping", "X1yZ9"},
		{"ldapsearch -x -w X1yZ9", "X1yZ9"},
		{"az login -u x -p X1yZ9", "X1yZ9"},
		{"helm repo add x --password X1yZ9", "X1yZ9"},
		{"kubectl create secret generic x --from-literal=k=X1yZ9", "X1yZ9"},
		{"sqlplus scott/X1yZ9@shop", "X1yZ9"},
		{"printf '%s' X1yZ9 | sudo -S ls", "X1yZ9"},
		{`printf "X1yZ9\n" | gpg --passphrase-fd 0 f`, "X1yZ9"},
		{"docker login --password-stdin <<< X1yZ9", "X1yZ9"},
		{`{"c":"docker login --password-stdin \u003c\u003c\u003c X1yZ9"}`, "X1yZ9"},
		{"echo bob:X1yZ9 | chpasswd", "X1yZ9"},
		{"PGPASSWORD=correct psql", "correct"},
		{"Server=db;User=a;Password=correct;Encrypt=true", "correct"},
		{"machine h login u password X1yZ9", "X1yZ9"},
		{"machine h\n  password X1yZ9", "X1yZ9"},
		{"Authorization: token a1b2c3d4e5f6a7b8", "a1b2c3d4e5f6a7b8"},
		{"variable \"x\" {\n  sensitive = true\n  default = \"X1yZ9\"\n}", "X1yZ9"},
		{`{"text":"variable \"api_key\" {\n  default = \"X1yZ9\"\n}"}`, "X1yZ9"},

		{"mysql -u root -p shop", ""}, // it asks
		{"docker run -p 8080:80 shop", ""},
		{"curl -u $USER:$PASS https://shop.test", ""},
		{"curl -u user:password https://shop.test", ""},
		{"docker login -p $TOKEN", ""},
		{"zip -P PASSWORD a.zip", ""},
		{"echo $TOKEN | docker login --password-stdin", ""},
		{"cat token.txt | docker login --password-stdin", ""},
		{"the program mysql -u takes a user", ""},
		{"variable \"region\" {\n  default = \"eu-west-1\"\n}", ""},
		{"variable \"db_password\" {\n  default = \"\"\n}", ""},
	} {
		masked := New(nil).String(c.line)
		if c.secret == "" && masked != c.line {
			t.Errorf("%q became %q", c.line, masked)
		}
		if c.secret != "" && (strings.Contains(masked, c.secret) || strings.Count(masked, maskStart) != 1) {
			t.Errorf("%q became %q", c.line, masked)
		}
		checkMasked(t, c.line)
	}
}

func TestEveryRowOfProgramsIsUsed(t *testing.T) {
	for _, a := range arguments() {
		for program := range strings.SplitSeq(a.programs, ",") {
			for name := range strings.FieldsSeq(a.options) {
				sign := " "
				if a.form&apart == 0 {
					sign = map[bool]string{true: "="}[strings.HasPrefix(name, "--")]
				}
				before := "x" + a.after
				if a.after == "" || a.after == "pass:" {
					before = a.after
				}
				line := strings.TrimSpace(program) + " a " + name + sign + before + "X1yZ9"
				if masked := New(nil).String(line); strings.Contains(masked, "X1yZ9") {
					t.Errorf("%q became %q", line, masked)
				}
			}
		}
	}
}

func TestInvisibleThingsHideNothing(t *testing.T) {
	token := plant(t, rand.New(rand.NewPCG(7, 7)), "", "ghp_{an:36}").text
	mask := New(nil).String(token)
	for _, by := range []string{
		"\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\ufe0f", "\U000e0041", "\U000e0130", "\u202e", "\u180b",
		"\u3164", "\u115f", "\uffa0", "\u034f", `\u115f`, `\u3164`, `\uFFA0`, "\x1b[0m", "\x1b[1;31m", "\x1b[38;5;12m",
		"\x1b(B", "\x1b]8;;https://shop.test\a",
		`\u200b`, `\\u200b`, `\ufeff`, `\u001b[31m`, `\\u001b[31m`,
		`\x1b[0m`, `\033[1m`, `\e[0m`, "%E2%80%8B", "\u200b\x1b[0m\u200b",
	} {
		for _, at := range []int{1, 3, 4, 20, len(token) - 1} {
			text := "it is " + token[:at] + by + token[at:] + " now"
			if got := New(nil).String(text); got != "it is "+mask+" now" {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
	for _, text := range []string{
		"\x1b[31mred\x1b[0m", "a\u200bb", `"\u200b\u001b[0m"`, "\x1b", "\\", "\\u00", "\\u200",
	} {
		if got := New(nil).String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// FuzzVisible: what is visible of a text is a part of it in its order, and what was left out has no width.
func FuzzVisible(f *testing.F) {
	f.Add([]byte("gh\u200bp_\x1b[31mx\x1b[0m"))
	f.Add([]byte(`a\\u001b[0mb\u200dc`))
	f.Fuzz(func(t *testing.T, text []byte) {
		plain, at := visible(text)
		if at == nil {
			return
		}
		next := 0
		for i, from := range at {
			if from < next || text[from] != plain[i] {
				t.Fatalf("%q at %d: byte %d is from %d", text, next, i, from)
			}
			next = from + 1
		}
		if len(at) != len(plain) || len(plain) >= len(text) {
			t.Fatalf("%d bytes of %d, with %d places", len(plain), len(text), len(at))
		}
	})
}

// FuzzCommands: a password found in a command is within one string of a document.
func FuzzCommands(f *testing.F) {
	for _, line := range []string{
		"mysql -uroot -p'X1yZ9' shop", `["sshpass", "-p", "X1yZ9"]`, "curl \\\n -u a:X1yZ9",
		"echo X1yZ9 | sudo -S x", `{"a":"kinit <<< X1yZ9"}`,
		"variable \"token\" { default = \"X1yZ9\" }",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if len(line) > 1<<14 {
			return
		}
		for _, s := range New(nil).Find([]byte(line)) {
			switch s.Kind {
			case "password-argument", "piped-password", "terraform-default":
				if p := line[s.Start:s.End]; strings.ContainsAny(p, "\"\n") && !strings.Contains(p, `\`) {
					t.Fatalf("%q in %q", p, line)
				}
			}
		}
		checkMasked(t, line)
		checkMasked(t, `{"k":"`+jsonText(line)+`"}`)
	})
}

// FuzzLines: the lines of a text are the same from its beginning and from its end, and cover it.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\\nc\\\\nd\r\n"))
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKC\n-----END"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for at := 0; at < len(text); {
			l := lineAt(text, at)
			if l.from != at || l.to < l.from || l.next < l.to || l.next <= at {
				t.Fatalf("%q from %d: %+v", text, at, l)
			}
			if bytes.IndexByte(text[l.from:l.to], '\n') >= 0 {
				t.Fatalf("%q from %d: %+v has a line break", text, at, l)
			}
			before := lineBefore(text, l.next, 0)
			if before.to > l.next || before.from > before.to || l.next > l.to && before.from == l.next {
				t.Fatalf("%q before %d: %+v, not %+v", text, l.next, before, l)
			}
			at = l.next
		}
	})
}
