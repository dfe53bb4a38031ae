package feedback

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"ctxledger.dev/internal/pattern"
)

// standingWords are how a sentence begins that sets a rule for all later work, by language. Each such beginning has one of
// the row's parts in it, in lower case: a text without any need not be matched, which takes many times as long.
var standingWords = []struct{ parts, pattern string }{
	{"always,never,future,going forward,for the rest of,remember,not ever,n't ever", // English
		`(always|never|in (the )?future,|going forward|for the rest of (this|the)|remember (to|that|not)|` +
			`make sure (to|that) (always|never)|do not ever|don't ever)\b`},
	{"immer,nie,künftig,in zukunft,ab sofort,merk,denk,vergiss", // German
		`(immer|nie|niemals|\p{L}+e (nie|niemals)|künftig|zukünftig|in zukunft|ab sofort|merke? dir|` +
			`denke? (immer )?daran|vergiss (nie|nicht))\b`},
	{"toujours,jamais,désormais,avenir,oublie,souv,rappelle,retiens", // French
		`(toujours|jamais|ne \p{L}+ jamais|n[’']\p{L}+ jamais|désormais|à l[’']avenir|n[’']oublie(z)? pas|souviens-toi|` +
			`souvenez-vous|rappelle-toi|retiens que)\b`},
	{"siempre,nunca,futuro,adelante,recuerd,acuérdate", // Spanish
		`(siempre|nunca|no \p{L}+ nunca|en el futuro,|en adelante,|recuerda|recuerde|acuérdate)\b`},
	{"今后,以后,往后,始终,总是,永远,不要,千万,切勿,切记,记住,记得", // Chinese
		`(今后|以后(都|请|不要|别|一律)|往后|始终(使用|用|保持|先|要)|(要|请)总是|永远(不要|别)|绝(对)?不要|千万(不要|别)|切勿|切记|请?记住|请记得)`},
	{"常に,いつも,毎回,決して,絶対に,覚えておいて,忘れないで", // Japanese
		`((常に|いつも|毎回)[^。！？\n]*(こと([。！\n]|$)|ください|下さい)|(決して|絶対に)[^。！？\n]*(ない|ません|禁止)|` +
			`[^。！？\n]*(覚えておいて|忘れないで))`},
}

// fromNowOn are words that set such a rule wherever they are, and their parts.
const (
	fromNowOn = `\b(from now on|ab jetzt|von (jetzt|nun) an|dorénavant|a partir de ahora|de (ahora|hoy) en adelante)\b|` +
		`à partir de (maintenant|ce moment)|从现在(起|开始)|从今(以后|往后)|(今後|これから|以後)は`
	fromNowOnParts = "from now on,ab jetzt,von ,dorénavant,partir de,adelante,从现在,从今,今後,これから,以後"
)

// standingRule recognises a sentence that sets a rule for all later work.
var standingRule = sync.OnceValue(func() *regexp.Regexp {
	begin := make([]string, len(standingWords))
	for i, w := range standingWords {
		begin[i] = w.pattern
	}
	return regexp.MustCompile(`(?im)` + fromNowOn + `|(^\s*([-*•]\s+|\d{1,2}[.)]\s+)?|[.!?;:]\s+|[。！？；：]\s*)` +
		`((please|bitte|s[’']il (te|vous) plaît,?|por favor,?)\s+|请)?(` + strings.Join(begin, "|") + `)`)
})

// standingParts are the parts of all rules.
var standingParts = sync.OnceValue(func() []string {
	all := strings.Split(fromNowOnParts, ",")
	for _, w := range standingWords {
		all = append(all, strings.Split(w.parts, ",")...)
	}
	return all
})

// reported are beginnings that only look like those of rules: they say what happens, or when.
var reported = pattern.Lazy(`(?i)\b(immer (wenn|noch|mehr|wieder|dann)|toujours (pas|le|la|les|un|une|aucune?)\b|jamais vu|` +
	`siempre que)\b`)

// correction recognises a message that takes something back.
var correction = pattern.Lazy(`(?i)^(no[,.! ]|stop\b|don't\b|do not\b|actually\b|instead\b|wrong\b|not (that|like|` +
	`what)\b|revert\b|undo\b|that's (wrong|not)\b)`)

// Standing says why a message of the user binds all later work, "" when it does not. It is a
// guess by the words it starts with, which costs a line when it is wrong.
func Standing(text string) string {
	text = strings.TrimSpace(text)
	switch {
	case binds(text):
		return "standing rule"
	case correction().MatchString(text):
		return "correction"
	default:
		return ""
	}
}

// binds reports whether a text sets a rule for all later work.
func binds(text string) bool {
	return mayBind(text) && standingRule().MatchString(reported().ReplaceAllString(text, "…"))
}

// mayBind reports whether a text has a part of some rule.
func mayBind(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc(standingParts(), func(part string) bool { return strings.Contains(lower, part) })
}
