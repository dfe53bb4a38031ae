package words

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
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
			var got, want []Stem
			Each(c.in, func(w Stem) { got = append(got, w) })
			for _, w := range strings.Fields(c.want) {
				want = append(want, stemOf(stemmed([]byte(w))))
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v of %q", got, want, c.want)
			}
		})
	}
}

func TestAQueryHasItsTellingWordsOnce(t *testing.T) {
	for _, c := range []struct {
		query string
		limit int
		want  string
	}{
		{"Parse the parseConfig, parsing!", 10, "parse parseconfig config"},
		{"b c d", 2, "b c"},
		{"what is the", 10, "what is the"},
		{"?!", 10, ""},
	} {
		var want []Stem
		for _, w := range strings.Fields(c.want) {
			want = append(want, stemOf(stemmed([]byte(w))))
		}
		if got := Query(c.query, c.limit); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", c.query, got, want)
		}
	}
}

// FuzzKeysHaveTheWordsOfTheirText: case and Unicode form change no word of a text, but where a part of
// an identifier with underscores begins.
func FuzzKeysHaveTheWordsOfTheirText(f *testing.F) {
	f.Add("parse Config 数据库 \xff HTTP Server Ⱥ STRASSE Straße")
	f.Fuzz(func(t *testing.T, in string) {
		key, seen := Key(in), map[Stem]bool{}
		Each(in, func(w Stem) { seen[w] = true })
		Each(key, func(w Stem) {
			if !seen[w] && len(key) <= maxWord && utf8.ValidString(in) && !strings.Contains(key, "_") {
				t.Fatalf("a word of %q is not in %q", key, in)
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
			text := strings.Repeat(line, 1000)
			b.SetBytes(int64(len(text)))
			n := 0
			for b.Loop() {
				Each(text, func(Stem) { n++ })
			}
		})
	}
}
