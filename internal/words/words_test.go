package words_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ctxledger.dev/internal/words"
)

func TestEachSplitsTextIntoWords(t *testing.T) {
	cases := []struct{ name, in, want string }{
		{"plain", "The quick, brown fox.", "the quick brown fox"},
		{"camel case keeps the whole", "parseConfig", "parseconfig parse config"},
		{"acronym", "newHTTPServer", "newhttpserver new http server"},
		{"only upper case", "HTTP", "http"},
		{"snake case keeps the whole", "max_line_len", "max_line_len max line len"},
		{"underscores around", "__init__ _", "init"},
		{"doubled underscore", "a__b", "a__b a b"},
		{"digits stay with their word", "sha256 utf8Decode", "sha256 utf8decode utf8 decode"},
		{"path", "src/api/users.go:12", "src api users go 12"},
		{"accents", "Größe Ärger", "grösse ärger"},
		{"either form", "cafe\u0301 café", "café café"},
		{"full width", "ＡＰＩ ｐａｒｓｅＣｏｎｆｉｇ＿２", "api parseconfig_2 parse config 2"},
		{"ligature", "ﬁnd", "find"},
		{"half-width kana", "ﾃﾞｰﾀﾍﾞｰｽ", "デ ー タベ ー ス"},
		{"jamo", "\u1112\u1161\u11ab글", "한글"},
		{"han pairs", "数据库", "数据 据库"},
		{"single han", "go 的 x", "go 的 x"},
		{"mixed scripts", "import数据base", "import 数据 base"},
		{"kana", "テスト", "テス スト"},
		{"invalid bytes end a word", "ab\xffcd", "ab cd"},
		{"overlong run is no word", strings.Repeat("A", 300) + " ok", "ok"},
		{"nothing", " .,!", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			words.Each([]byte(c.in), func(w []byte) { got = append(got, string(w)) })
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %q, want %q", strings.Join(got, " "), c.want)
			}
		})
	}
}

func TestTermsAreDistinctAndCapped(t *testing.T) {
	got := words.Terms("Parse the parseConfig, parse!", 10)
	if !slices.Equal(got, []string{"parse", "the", "parseconfig", "config"}) {
		t.Errorf("got %q", got)
	}
	if got := words.Terms("a b c d", 2); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q", got)
	}
}

func FuzzEachEmitsLowerCaseWords(f *testing.F) {
	f.Add([]byte("parseConfig 数据库 \xff HTTP_Server Ⱥ"))
	f.Fuzz(func(t *testing.T, in []byte) {
		words.Each(in, func(w []byte) {
			if len(w) == 0 || !utf8.Valid(w) {
				t.Fatalf("word %q of %q", w, in)
			}
			if !bytes.Equal(bytes.ToLower(w), bytes.ToLower(bytes.ToLower(w))) || bytes.ContainsAny(w, "ABCXYZ .") {
				t.Fatalf("word %q of %q", w, in)
			}
		})
	})
}

func BenchmarkEach(b *testing.B) {
	for name, line := range map[string]string{
		"code":    "func (s *Store) PutBlob(ctx context.Context, r io.Reader) error { return nil }\n",
		"german":  "Die größte Änderung: Straßennamen werden über den Schlüssel verglichen, nicht über Bytes.\n",
		"chinese": "数据库连接被拒绝，请检查配置文件中的端口 5432 和用户名。\n",
		"unmixed": "Der Cafe\u0301-Besitzer im Su\u0308den nutzt die ＡＰＩ fu\u0308r o\ufb03ziele Stra\u00dfen.\n",
	} {
		b.Run(name, func(b *testing.B) {
			text := []byte(strings.Repeat(line, 1000))
			b.SetBytes(int64(len(text)))
			n := 0
			for b.Loop() {
				words.Each(text, func([]byte) { n++ })
			}
		})
	}
}
