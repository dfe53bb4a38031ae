package statements

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestAnnouncements: what says only what the agent does next, in several languages, and what says more.
func TestAnnouncements(t *testing.T) {
	for text, want := range map[string]bool{
		"Let me check the tests.":                                       true,
		"Now let me also look at the parser:":                           true,
		"Okay, great. I'll run the tests now.":                          true,
		"Now I will fix the cache.":                                     true,
		"First, let's see what the log says.":                           true,
		"I'll keep the old name, because the API must not change.":      false,
		"The cache is cleared too early.":                               false,
		"Let me know which one you prefer.":                             true, // cheap to lose: it says nothing
		"Ich werde jetzt die Tests ausführen.":                          true,
		"Jetzt schaue ich mir den Import an.":                           true,
		"Die Ursache ist der Cache.":                                    false,
		"Je vais vérifier les tests.":                                   true,
		"La cause est le cache.":                                        false,
		"Voy a revisar las pruebas.":                                    true,
		"Ahora reviso el código.":                                       true,
		"La prueba falla porque el archivo no existe.":                  false,
		"Vou verificar os testes.":                                      true,
		"Vediamo i test.":                                               true,
		"Теперь посмотрю тесты.":                                        true,
		"Причина в кэше.":                                               false,
		"让我看看测试。":                                                       true,
		"好的，接下来我看日志。":                                                   true,
		"我发现缓存每次都被清空。":                                                  false,
		"次にテストを確認します。":                                                  true,
		"原因はキャッシュです。":                                                   false,
		"이제 테스트를 확인하겠습니다.":                                              true,
		"원인은 캐시입니다.":                                                    false,
		"Let me check the tests.\n\nThe cache is cleared too early.":    false,
		"Let me check the tests.\n\nNow I run them.":                    true,
		"Now the packages, from the bottom up.":                         true,
		"Now the tests pass.":                                           false,
		"Next I found the leak.":                                        false,
		"Let me look, " + strings.Repeat("and look again, ", 10) + "ok": false, // too long to say nothing
	} {
		if got := Announces(text); got != want {
			t.Errorf("%q announces: %t, want %t", text, got, want)
		}
	}
}

// TestCues: the kinds of cues that a sentence has, by their first letters.
func TestCues(t *testing.T) {
	letters := [cues]string{cause: "c", decision: "d", rejection: "r", finding: "f", remaining: "l", outcome: "o"}
	for text, want := range map[string]string{
		"It is slow because the cache is empty.":         "c",
		"We decided to use cents.":                       "d",
		"Rounding once doesn't work.":                    "r",
		"I found the leak.":                              "f",
		"The changelog is still missing.":                "l",
		"All tests pass.":                                "o",
		"A plain sentence about the weather.":            "",
		"The sincerity of it.":                           "", // no word of ours
		"Langsam, weil der Cache leer ist.":              "c",
		"Der Ansatz wurde verworfen.":                    "dr",
		"La cause est simple.":                           "c",
		"Hay que usar centavos.":                         "d",
		"Não funciona assim.":                            "ro",
		"Manca il changelog.":                            "l",
		"Тесты проходят.":                                "o",
		"因为缓存为空。":                                        "c",
		"決定しました。":                                        "d",
		"테스트를 통과했습니다.":                                   "o",
		"THE ROOT CAUSE IS THE CACHE":                    "c",
		"It’s the catch: it doesn’t work":                "cr",
		"The fix: a lock, instead of a copy of the list": "cdr",
	} {
		got := ""
		for c, is := range cuesOf(text, wordsOf(text)) {
			if is {
				got += letters[c]
			}
		}
		if got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

// TestEachPhraseIsFoundInASentence: a phrase that no text can match is dead weight.
func TestEachPhraseIsFoundInASentence(t *testing.T) {
	for language, lists := range phrases {
		for c, list := range lists {
			for phrase := range strings.SplitSeq(list, "|") {
				text := "Xx " + phrase + " yy"
				if !cuesOf(text, wordsOf(text))[c] {
					t.Errorf("%s: %q is never found", language, phrase)
				}
			}
		}
	}
	for _, phrase := range strings.Split(announcing, "|") {
		if text := phrase + " zz"; !announces(text, wordsOf(text), [cues]bool{}) {
			t.Errorf("%q announces nothing", phrase)
		}
	}
	for _, phrase := range strings.Split(referring, "|") {
		if !refersBack(phrase + " zz") {
			t.Errorf("%q refers to nothing", phrase)
		}
	}
}

func TestSentencesThatNeedTheOneBefore(t *testing.T) {
	for text, want := range map[string]bool{
		"This makes it slow.": true, "That's why.": false, "But it works.": true, "**However**, it fails.": true,
		"In that case we stop.": true, "Deshalb ist es langsam.": true, "Donc il faut attendre.": true,
		"Это исправлено.": true, "所以很慢。": true, "しかし遅い。": true, "그래서 느립니다.": true,
		"The cache is slow.": false, "Thistle is a plant.": false, "": false, "***": false,
	} {
		if got := refersBack(text); got != want {
			t.Errorf("%q refers back: %t, want %t", text, got, want)
		}
	}
}

// TestTheFirstWordsTellAnAnnouncement: whatever follows them, and however many fillers come before them.
func TestTheFirstWordsTellAnAnnouncement(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 1))
	parts := slices.Concat(strings.Split(announcing, "|"), strings.Split(fillers, "|"),
		strings.Split("the cache|of|v1.2|it's|two-phase|because|fixed|缓存|テスト|테스트|, |. |**", "|"))
	announced := 0
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(20) {
			b.WriteString(parts[r.IntN(len(parts))])
			b.WriteString([]string{" ", " ", ", ", ""}[r.IntN(4)])
		}
		text := b.String()
		words := wordsOf(text)
		want := len(text) <= maxAnnouncement && opensLikeAnnouncement(text, words) &&
			announces(text, words, cuesOf(text, words))
		if got := isAnnouncement(text); got != want {
			t.Fatalf("%q is announced: %t, want %t", text, got, want)
		}
		if n := r.IntN(8); !slices.Equal(firstWords(text, n), words[:min(n, len(words))]) {
			t.Fatalf("the first %d words of %q are %q, not those of %q", n, text, firstWords(text, n), words)
		}
		if want {
			announced++
		}
	}
	if announced < 1000 {
		t.Errorf("only %d announcements: the test shows little", announced)
	}
}
