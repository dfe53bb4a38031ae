package words_test

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"ctxledger.dev/internal/words"
)

func TestKeyIsOneForSpellingsOfAWord(t *testing.T) {
	for _, c := range []struct{ name, key, same string }{ // the spellings in same are separated by spaces
		{"ascii", "api", "API Api api"},
		{"composed or not", "café", "café cafe\u0301 CAFÉ CAFE\u0301"},
		{"full width", "api", "ＡＰＩ ａｐｉ"},
		{"ligatures", "office", "oﬃce OFFICE of\ufb01ce"},
		{"sharp s", "strasse", "Straße STRASSE STRAẞE"},
		{"final sigma", "οδυσσευσ", "ΟΔΥΣΣΕΥΣ οδυσσευς"},
		{"iota subscript", "αι", "ᾼ ᾳ α\u0345"},
		{"superscripts and letters in circles", "m2a", "m²ⓐ M2Ⓐ"},
		{"kelvin and long s", "ks", "\u212aſ KS"},
		{"half-width kana", "データ", "ﾃﾞｰﾀ データ テ\u3099ータ"},
		{"jamo", "한", "\u1112\u1161\u11ab 한"},
		{"two marks in either order", "ậ", "a\u0323\u0302 a\u0302\u0323 Ậ"},
		{"cherokee", "ꭰ", "ꭰ Ꭰ"},
		{"Turkish, with a dot", "i\u0307", "İ I\u0307 i\u0307"},
		{"Turkish, without one", "ı", "ı"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for s := range strings.FieldsSeq(c.same) {
				if got := words.Key(s); got != c.key {
					t.Errorf("Key(%+q) = %+q, want %+q", s, got, c.key)
				}
			}
		})
	}
}

func TestKeyTellsWordsApart(t *testing.T) {
	for _, c := range [][2]string{{"cafe", "café"}, {"I", "ı"}, {"i", "İ"}, {"tests", "test"}, {"а", "a"}} {
		if words.Key(c[0]) == words.Key(c[1]) {
			t.Errorf("%q and %q have one key", c[0], c[1])
		}
	}
}

// TestKeyOfEachCharacter holds a key against what Unicode says of it: it is its own key, and that of all forms and cases.
func TestKeyOfEachCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if 0xd800 <= r && r < 0xe000 {
			continue
		}
		s := "a" + string(r) + "a"
		key := words.Key(s)
		if key == s && norm.NFD.IsNormalString(s) && norm.NFKD.IsNormalString(s) && unicode.SimpleFold(r) == r {
			continue // it has one form
		}
		for _, same := range []string{key, norm.NFC.String(s), norm.NFD.String(s), norm.NFKC.String(s),
			norm.NFKD.String(s), "A" + string(unicode.SimpleFold(r)) + "A"} {
			if got := words.Key(same); got != key {
				t.Errorf("Key(%+q) = %+q, but Key(%+q) = %+q", s, key, same, got)
			}
		}
	}
}

func FuzzKey(f *testing.F) {
	f.Add("Straße ＡＰＩ cafe\u0301 \xff İ")
	f.Add("a" + strings.Repeat("\u0301", 40) + "ΐ")
	f.Fuzz(func(t *testing.T, s string) {
		key := words.Key(s)
		if again := words.Key(key); again != key {
			t.Fatalf("Key(%+q) = %+q, whose key is %+q", s, key, again)
		}
	})
}

func TestFormsAreThoseWithOtherBytes(t *testing.T) {
	for text, want := range map[string]string{"plain": "", "café": "NFD", "cafe\u0301": "NFC NFKC", "ＡＰＩ": "NFKC"} {
		var got []string
		for _, f := range words.Forms(text) {
			got = append(got, f.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%+q has %q, want %q", text, got, want)
		}
	}
}
