package feedback

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode"
)

// TestStanding: to add a case, add a text to its kind. A language has rules and, next to them, what only looks like one.
func TestStanding(t *testing.T) {
	for want, texts := range map[string][]string{
		"standing rule": {
			"Never push to the main branch.", "Fix it. From now on ask me first.",
			"Please always use tabs.", "ok; remember to run the linter",
			"Build it.\nAlways keep amounts in cents.", "Immer Tabs verwenden.",
			"Bitte niemals auf main pushen.", "Pushe nie auf main.", "Ab jetzt fragst du vorher.",
			"Gut so. Künftig zuerst die Tests.", "Merk dir: die Preise sind in Cent.",
			"Denk daran, vorher zu fragen.", "Toujours utiliser des tabulations.",
			"Ne pousse jamais sur main.", "N’utilise jamais de virgule flottante.",
			"S'il te plaît, toujours demander avant.", "À partir de maintenant, demande d'abord.",
			"Dorénavant, des tests.", "Très bien. À l'avenir, pas de dépendance.",
			"Souviens-toi que les prix sont en centimes.", "Siempre usa tabuladores.",
			"Por favor, nunca hagas push a main.", "A partir de ahora pregunta primero.",
			"No uses nunca coma flotante.", "Recuerda que los precios están en céntimos.",
			"De ahora en adelante, pruebas.", "从现在起先问我。", "请记住价格以分为单位。",
			"千万不要推送到主分支。", "好的。以后都用制表符。", "今后请先运行测试。",
			"始终使用制表符。", "今後は先に聞いてください。", "常にタブを使ってください。",
			"絶対にmainへpushしないで。", "決して浮動小数点を使わないこと。", "常にテストを書くこと",
			"了解。価格はセント単位だと覚えておいて。",
		},
		"correction": {"No, use tabs.", "Don't push.", "No, usa tabuladores."},
		"": {
			"The test always fails.", "It never worked before.", "Build the export.",
			"Immer wenn ich klicke, kommt ein Fehler.", "Immer noch rot.",
			"Der Test läuft nie durch.", "Bekomme immer Fehler.", "Toujours pas de réponse.",
			"Toujours le même problème.", "Les tests passent désormais.", "Il ne marche jamais.",
			"Siempre que lo ejecuto, falla.", "El test falla siempre.", "总是报错。", "始终失败。",
			"常に失敗することがある。", "修好以后运行测试。", "いつも失敗する。",
			"テストが常に落ちる。", "これからテストを書く。", "",
		},
	} {
		for _, text := range texts {
			if got := Standing(text); got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		}
	}
}

// TestEveryRuleHasAPart writes texts that the pattern of rules matches, and looks for their parts.
func TestEveryRuleHasAPart(t *testing.T) {
	pattern, err := syntax.Parse(standingRule().String(), syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 41))
	for range 5_000 {
		text := written(r, pattern)
		if standingRule().MatchString(text) && !mayBind(text) {
			t.Fatalf("%q is a rule, and has none of the parts", text)
		}
	}
}

// written returns a text that a pattern matches, but for what it asks of the text around.
func written(r *rand.Rand, p *syntax.Regexp) string {
	var b strings.Builder
	switch p.Op {
	case syntax.OpLiteral:
		for _, c := range p.Rune {
			if p.Flags&syntax.FoldCase != 0 && r.IntN(3) == 0 {
				c = unicode.ToUpper(c)
			}
			b.WriteRune(c)
		}
	case syntax.OpCharClass:
		at := 2 * r.IntN(len(p.Rune)/2)
		b.WriteRune(p.Rune[at] + r.Int32N(p.Rune[at+1]-p.Rune[at]+1))
	case syntax.OpAlternate:
		b.WriteString(written(r, p.Sub[r.IntN(len(p.Sub))]))
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range p.Sub {
			b.WriteString(written(r, sub))
		}
	case syntax.OpQuest, syntax.OpStar, syntax.OpRepeat:
		for range max(p.Min, r.IntN(2)) {
			b.WriteString(written(r, p.Sub[0]))
		}
	}
	return b.String()
}
