package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// some returns a few secrets in a text, for tests that need no particular ones.
func some(t testing.TB, seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for range n {
		k := kinds[r.IntN(len(kinds))]
		c := contexts[r.IntN(len(contexts))]
		p, _ := c.wrap(plant(t, r, k.kind, k.shapes[r.IntN(len(k.shapes))]))
		b.WriteString(p.text)
		b.WriteString([]string{"\n", " and ", "", "\nfunc main() {\n\tfmt.Println(token)\n}\n"}[r.IntN(4)])
	}
	return b.String()
}

func TestEqualSecretsGetEqualMasksUnderOneKeyOnly(t *testing.T) {
	p := plant(t, rand.New(rand.NewPCG(7, 7)), "github-token", "ghp_{an:36}").text
	a, b := New([]byte("a")), New([]byte("b"))
	masked := a.String(p)
	for _, text := range []string{"token=" + p, "see " + p + ".", `{"k":"` + p + `"}`} {
		if got := a.String(text); !strings.Contains(got, masked) || strings.Contains(got, p) {
			t.Errorf("%q became %q without %s", text, got, masked)
		}
	}
	if masked != New([]byte("a")).String(p) {
		t.Error("a second redactor with the same key masks otherwise")
	}
	if masked == b.String(p) {
		t.Error("the mask does not depend on the key")
	}
	if len(masked) != len("[masked:github-token:00000000]") {
		t.Errorf("the mask is %q", masked)
	}
}

// TestAnAskedMaskIsTheOwners: a program that must not have a key masks as the one that has it, and by itself where that does not answer.
func TestAnAskedMaskIsTheOwners(t *testing.T) {
	p := plant(t, rand.New(rand.NewPCG(7, 7)), "github-token", "ghp_{an:36}").text
	owner, own := New([]byte("a")), New([]byte("b"))
	if got := own.Asking(owner.Suffix).String(p); got != owner.String(p) {
		t.Errorf("%s, and its owner's mask is %s", got, owner.String(p))
	}
	if got := own.Asking(func([]byte) string { return "" }).String(p); got != own.String(p) {
		t.Errorf("without an answer: %s", got)
	}
}

func TestTextWithoutSecretsStaysAsItIs(t *testing.T) {
	r := New(nil)
	for _, s := range []string{
		"", "a", "token", "password=", "password: string", "passwordField = newField(x)",
		`"token": 1234567890`, "tokens: 1200 of 8000",
		"secret_name: db-secret-1", "PASSWORD_FILE=/run/secrets/db1",
		"password = os.Getenv(\"DB_PASSWORD1\")", "token := p.next2()",
		"api_key: ${API_KEY_2}", "api_key=<your-key-1>", "password: 'changeme1'", "Authorization: Bearer <token>",
		"https://user@example.com/a:b@c", "http://127.0.0.1:8080/x@y",
		"postgres://user:password@localhost/db", "-----BEGIN PRIVATE KEY-----",
		"AKIAIOSFODNN7EXAMPLE", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
		"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"session 5b3c1e2f-6a4d-4f0e-9c1b-2d3e4f5a6b7c",
		"artifact 0f1e2d3c4b5a", "[masked:github-token:1f3a9c00]", "password=[masked:password:1f3a9c00]",
	} {
		if got := r.String(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestMaskingDoesNotChangeItsInput(t *testing.T) {
	text := []byte(some(t, 5, 50))
	before := bytes.Clone(text)
	if out := New(nil).Bytes(text); bytes.Equal(out, text) {
		t.Error("nothing was masked")
	}
	if !bytes.Equal(text, before) {
		t.Error("the input was changed")
	}
}

// checkMasked checks what holds for every text.
func checkMasked(t *testing.T, text string) {
	t.Helper()
	r := New([]byte("key"))
	masked := r.String(text)
	if again := r.String(masked); again != masked {
		t.Fatalf("masked twice:\n%q\nbecame\n%q\nand then\n%q\nby %v", text, masked, again, r.Find([]byte(masked)))
	}
	if json.Valid([]byte(text)) && !json.Valid([]byte(masked)) {
		t.Fatalf("the JSON\n%s\nbecame\n%s", text, masked)
	}
	if len(masked) > 16*len(text)+64 {
		t.Fatalf("%d bytes became %d", len(text), len(masked))
	}
	at := 0
	for _, s := range r.Find([]byte(text)) {
		if s.Start < at || s.End <= s.Start || s.End > len(text) || s.Kind == "" {
			t.Fatalf("%q: a find %+v after %d", text, s, at)
		}
		at = s.End
	}
}

func TestMaskingIsAFixedPointAndKeepsJSON(t *testing.T) {
	for seed := range uint64(100) {
		text := some(t, seed, 12)
		checkMasked(t, text)
		raw, err := json.Marshal(map[string]any{"a": text, "password": text, "n": []any{1, text}})
		if err != nil {
			t.Fatal(err)
		}
		checkMasked(t, string(raw))
		nested, err := json.Marshal(string(raw))
		if err != nil {
			t.Fatal(err)
		}
		checkMasked(t, string(nested))
	}
}

func TestWhatLiesBetweenStringsOfADocumentIsNoValue(t *testing.T) {
	for _, text := range []string{
		`["password=",12345678,null,"x"]`,
		`{"token": 1234567890e12}`,
		`{"a":"password='","b":{"c1":"d'e12345"}}`,
		`{"a":"{\"token\": 1234567890e12}"}`,
	} {
		if !json.Valid([]byte(text)) {
			t.Fatalf("%s is not JSON", text)
		}
		checkMasked(t, text)
	}
}

func TestSecretsThatOverlapAreMaskedWhole(t *testing.T) {
	text := plant(t, rand.New(rand.NewPCG(3, 3)), "", "key-{hex:32}-us6").text // a mailgun key, a mailchimp key
	if got := New(nil).Find([]byte(text)); len(got) != 2 || got[0].End != got[1].Start || got[1].End != len(text) {
		t.Errorf("%q: %+v", text, got)
	}
	checkMasked(t, text)
}

func FuzzMasking(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(some(f, seed, 3))
		f.Add(jsonText(some(f, seed, 3)))
	}
	for _, k := range kinds {
		p := plant(f, rand.New(rand.NewPCG(1, 2)), k.kind, k.shapes[0])
		f.Add(fmt.Sprintf(`{"a":"%s","b":[1,"x"]}`, jsonText(p.text)))
	}
	// What fuzzing found: a mask inside of an escape, and an escape without its second half.
	f.Add(`{"k":"\u00268Q~` + strings.Repeat("0", 34) + `"}`)
	f.Add("secret='" + strings.Repeat("0", 15) + "\\")
	f.Add(`{"password=":[1,2,3,4,5,6,7,8],"b":"c"}`)
	f.Add(`["\npm_` + strings.Repeat("a", 36) + `"]`)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		checkMasked(t, text)
		checkMasked(t, `{"k":"`+jsonText(text)+`"}`)
	})
}
