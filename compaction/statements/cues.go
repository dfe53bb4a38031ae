package statements

import (
	"strings"
	"sync"
	"unicode"
)

// cue is what a word or phrase hints at.
type cue int

const (
	cause     cue = iota // why something is as it is
	decision             // what was chosen, and what must or must not be
	rejection            // what was tried or considered and does not work
	finding              // what was found out
	remaining            // what is left to do
	outcome              // how something ended
	cues
)

// worthOf is what a statement gains by a cue, once for each kind.
var worthOf = [cues]float64{cause: 1.2, decision: 1.0, rejection: 1.2, finding: 0.9, remaining: 1.0, outcome: 0.6}

// phrases are the cues of each language, in lower case. A phrase of a script without spaces matches anywhere, the
// others match whole words. A language is a row.
var phrases = map[string][cues]string{
	"English": {
		cause: "because|root cause|the cause|the reason|the issue is|the issue was|the problem is|the problem was|" +
			"the bug|due to|caused by|turns out|that's why|which is why|since|so that|as a result|means that|" +
			"the key|the fix|the catch|the gap",
		decision: "decided|decision|instead|should|must|shouldn't|mustn't|chose|choose|agreed|approach|option|" +
			"recommend|recommended|prefer|better to|rather than|trade-off|tradeoff|so we|keep|we'll|always|never|" +
			"only|required|constraint|in favor of|by design|intentional|intentionally|skip|skipping|leave it|for now|" +
			"simplest|simpler|cleaner|safer|acceptable|good enough|not worth|makes sense|consistent with",
		rejection: "doesn't work|does not work|didn't work|did not work|won't work|rejected|ruled out|not feasible|" +
			"impossible|can't|cannot|reverted|abandoned|dead end|wrong|misleading|not possible|unsafe|too complex|" +
			"overkill|breaks|would break|instead of|no longer|failed because|isn't|is not|wasn't|doesn't|does not|" +
			"didn't|not the|but|tried|attempted|still fails|still failing|not needed|unnecessary|no effect|not supported|" +
			"not worth|would be too",
		finding: "found|discovered|confirmed|actually|however|interesting|notice|noticed|it appears|shows that|" +
			"surprisingly|already|never called|only when|race|edge case|in fact|unlike|bug|confirms|reveals|suggest|" +
			"suggests|indicates|expected|unexpected|there is no|there's no|there are no|mismatch",
		remaining: "remaining|todo|to do|still need|needs to|need to|next|not yet|left to|follow-up|follow up|later|" +
			"pending|missing|open question|blocked|in progress|out of scope|deferred|unfinished",
		outcome: "pass|passes|passed|passing|fail|fails|failed|failing|error|errors|works|fixed|done|complete|" +
			"completed|verified|tested|committed|pushed|merged|created|implemented|all tests",
	},
	"German": {
		cause: "weil|ursache|der grund|das problem|liegt daran|dadurch|deshalb|damit|nämlich|grund dafür",
		decision: "entschieden|entscheidung|stattdessen|sollte|sollten|muss|müssen|darf nicht|lieber|besser|" +
			"empfehle|ansatz|variante|nur|immer|niemals|absichtlich",
		rejection: "funktioniert nicht|geht nicht|verworfen|nicht möglich|falsch|zurückgenommen|scheitert|" +
			"kann nicht|keine|kein|nicht|aber",
		finding:   "gefunden|bestätigt|tatsächlich|allerdings|jedoch|bereits|stellt sich heraus|zeigt sich|fehler",
		remaining: "noch offen|offen|fehlt noch|fehlt|noch zu|als nächstes|später|ausstehend|bleibt|restliche",
		outcome:   "bestanden|fehlgeschlagen|erfolgreich|behoben|fertig|erledigt|läuft|grün|geprüft|schlägt fehl",
	},
	"French": {
		cause:     "parce que|car|la cause|la raison|le problème|à cause de|c'est pourquoi|donc|grâce à",
		decision:  "décidé|décision|plutôt|doit|devrait|il faut|ne doit pas|préfère|approche|toujours|jamais|seulement",
		rejection: "ne fonctionne pas|ne marche pas|rejeté|impossible|abandonné|faux|annulé|mais|n'est pas|ne peut pas",
		finding:   "trouvé|confirmé|en fait|cependant|découvert|déjà|il s'avère|erreur",
		remaining: "reste|restant|à faire|ensuite|prochaine|manque|en attente|plus tard|pas encore",
		outcome:   "réussi|échoué|échoue|corrigé|terminé|passe|passent|vérifié|fonctionne",
	},
	"Spanish": {
		cause:     "porque|la causa|la razón|el problema|debido a|por eso|ya que|resulta que",
		decision:  "decidido|decidimos|decisión|en lugar de|debe|debería|hay que|no debe|prefiero|enfoque|siempre|nunca|solo",
		rejection: "no funciona|rechazado|imposible|descartado|incorrecto|revertido|pero|no es|no puede|no se puede",
		finding:   "encontré|encontrado|confirmado|en realidad|sin embargo|descubierto|error",
		remaining: "falta|faltan|pendiente|restante|por hacer|siguiente|próximo|después|todavía no|aún no",
		outcome:   "pasa|pasan|falla|fallan|falló|corregido|terminado|completado|verificado|funciona",
	},
	"Portuguese": {
		cause:     "porque|a causa|o motivo|a razão|o problema|devido a|por isso|já que",
		decision:  "decidimos|decidido|decisão|em vez de|deve|deveria|precisa|não deve|prefiro|abordagem|sempre|nunca|apenas",
		rejection: "não funciona|rejeitado|impossível|descartado|errado|revertido|mas|não é|não pode",
		finding:   "encontrei|encontrado|confirmado|na verdade|no entanto|descobri|já|erro",
		remaining: "falta|faltam|pendente|restante|a fazer|próximo|depois|ainda não",
		outcome:   "passa|passam|passou|falha|falhou|corrigido|concluído|verificado|funciona",
	},
	"Italian": {
		cause:     "perché|la causa|il motivo|il problema|a causa di|quindi|poiché",
		decision:  "deciso|decisione|invece|deve|dovrebbe|bisogna|non deve|preferisco|approccio|sempre|mai|solo",
		rejection: "non funziona|scartato|impossibile|rifiutato|sbagliato|annullato|ma|non è|non può",
		finding:   "trovato|confermato|in realtà|tuttavia|scoperto|già|errore",
		remaining: "manca|mancano|rimane|da fare|prossimo|in sospeso|dopo|non ancora",
		outcome:   "passa|passano|fallisce|fallito|corretto|completato|verificato|funziona",
	},
	"Russian": {
		cause:     "потому что|причина|проблема|из-за|поэтому|так как",
		decision:  "решили|решение|вместо|должен|должна|нужно|нельзя|лучше|подход|всегда|никогда|только",
		rejection: "не работает|отклонено|невозможно|неверно|откатил|но|не может|нельзя",
		finding:   "нашёл|нашел|найдено|подтверждено|оказалось|однако|уже|ошибка",
		remaining: "осталось|остаётся|сделать|далее|ещё не|позже|следующий",
		outcome:   "проходит|проходят|прошли|упал|падает|исправлено|готово|завершено|проверено|работает",
	},
	"Chinese": {
		cause:     "因为|原因|问题是|由于|导致|所以|因此|根本",
		decision:  "决定|改为|应该|必须|不要|不能|选择|方案|采用|建议|只能|始终",
		rejection: "不行|无法|不可行|放弃|错误|撤销|回滚|但是|但|不支持|不起作用",
		finding:   "发现|确认|实际上|然而|其实|已经|原来",
		remaining: "剩余|剩下|待办|下一步|还需要|尚未|还没有|后续|接下来|缺少",
		outcome:   "通过|失败|完成|修复|成功|验证|报错|已提交",
	},
	"Japanese": {
		cause:     "なぜなら|原因|ため|ので|問題は|理由",
		decision:  "決定|代わりに|べき|必要|ではなく|採用|方針|必ず|選択|推奨",
		rejection: "動作しない|動かない|できない|却下|断念|誤り|取り消|しかし|ではない",
		finding:   "見つか|判明|確認|実際|実は|ただし|すでに",
		remaining: "残り|未完了|次に|まだ|今後|未対応|残って",
		outcome:   "成功|失敗|完了|修正|合格|検証|通過",
	},
	"Korean": {
		cause:     "때문|원인|이유|문제는|따라서|그래서",
		decision:  "결정|대신|해야|필요|선택|방식|권장|항상|절대",
		rejection: "작동하지|안 됩니다|불가능|거부|포기|잘못|되돌|하지만|아니라",
		finding:   "발견|확인|실제로|그러나|사실|이미",
		remaining: "남은|남았|다음|아직|추후|미완료",
		outcome:   "통과|실패|완료|수정|성공|검증",
	},
}

// announcing are the first words of sentences that say only what the agent does next.
const announcing = "let me|let's|i'll|i will|i'm going to|now i|now let|next i|first i|i need to|i should check|" +
	"let us|now the|ich werde|ich schaue|lass mich|schauen wir|jetzt|je vais|" +
	"laissez-moi|laisse-moi|regardons|voy a|déjame|vamos a|ahora|vou|deixe-me|vamos|agora|fammi|vediamo|ora|adesso|" +
	"давайте|теперь|сейчас|посмотрим|让我|我来|我将|现在我|接下来我|先看|では|それでは|まず|次に|이제|먼저|확인해"

// fillers are skipped before the first words of an announcement.
const fillers = "ok|okay|great|perfect|good|now|first|next|then|right|excellent|alright|so|and|gut|gute|super|bon|" +
	"parfait|bien|perfecto|ótimo|perfeito|bene|perfetto|хорошо|отлично|好的|好|はい|좋습니다"

// referring are the first words of sentences that say little without the one before.
const referring = "this|that|these|those|it|so|but|however|therefore|which|thus|hence|also|instead|otherwise|then|" +
	"because|they|both|neither|either|in that case|das|dies|diese|deshalb|daher|also|aber|sonst|er|sie|es|cela|ce|" +
	"donc|mais|ils|elles|esto|eso|por|pero|entonces|isso|isto|mas|então|questo|quindi|ma|это|поэтому|но|они|" +
	"这|因此|所以|但|これ|それ|そのため|しかし|이는|이것|그래서|하지만"

// language matches the phrases of one language or list.
type language struct {
	words   map[string][]phrase // spaced scripts, by the first word
	anytime []anywhere          // scripts without spaces
}

type phrase struct {
	rest []string
	cue  cue
}

type anywhere struct {
	text string
	cue  cue
}

func (l *language) learn(list string, c cue) {
	for p := range strings.SplitSeq(list, "|") {
		if unspaced(p) {
			l.anytime = append(l.anytime, anywhere{p, c})
			continue
		}
		w := strings.Fields(p)
		l.words[w[0]] = append(l.words[w[0]], phrase{w[1:], c})
	}
}

func listOf(list string) func() *language {
	return sync.OnceValue(func() *language {
		l := &language{words: map[string][]phrase{}}
		l.learn(list, 0)
		return l
	})
}

var (
	allCues = sync.OnceValue(func() *language {
		l := &language{words: map[string][]phrase{}}
		for _, of := range phrases {
			for c, list := range of {
				l.learn(list, cue(c))
			}
		}
		return l
	})
	announcements = listOf(announcing)
	filling       = listOf(fillers)
	references    = listOf(referring)
)

// unspacedFrom is where the scripts without spaces begin: most texts need no closer look.
const unspacedFrom = 0x1100

// unspaced reports whether a phrase is of a script that puts no spaces between words, or glues endings to them.
func unspaced(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r >= unspacedFrom && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	})
}

// cuesOf returns which kinds of cues a statement has. words are its words in lower case.
func cuesOf(text string, words []string) (found [cues]bool) {
	l := allCues()
	for i, w := range words {
		for _, p := range l.words[w] {
			if !found[p.cue] && follows(words[i+1:], p.rest) {
				found[p.cue] = true
			}
		}
	}
	if unspaced(text) {
		for _, a := range l.anytime {
			if !found[a.cue] && strings.Contains(text, a.text) {
				found[a.cue] = true
			}
		}
	}
	return found
}

func follows(words, rest []string) bool {
	if len(words) < len(rest) {
		return false
	}
	for i, w := range rest {
		if words[i] != w {
			return false
		}
	}
	return true
}

// begin reports whether a text begins with a phrase of the list, and after how many words.
func (l *language) begin(text string, words []string) (int, bool) {
	if len(words) == 0 {
		return 0, false
	}
	for _, p := range l.words[words[0]] {
		if follows(words[1:], p.rest) {
			return 1 + len(p.rest), true
		}
	}
	for _, a := range l.anytime {
		if strings.HasPrefix(text, a.text) {
			return 0, true
		}
	}
	return 0, false
}

// refersBack reports whether a sentence begins with a word that refers to what was said before it.
func refersBack(text string) bool {
	text = strings.TrimLeft(text, "*_\"' ")
	_, yes := references().begin(text, firstWords(text[:min(len(text), 60)], opening))
	return yes
}

// Announces reports whether a message says nothing but what the agent does next.
func Announces(text string) bool {
	for _, p := range split(text) {
		if !isAnnouncement(p.text) {
			return false
		}
	}
	return true
}

func isAnnouncement(statement string) bool {
	if len(statement) > maxAnnouncement {
		return false
	}
	if !opensLikeAnnouncement(statement, firstWords(statement, opening)) {
		return false
	}
	words := wordsOf(statement)
	return announces(statement, words, cuesOf(statement, words))
}

// opening is how many words tell how a statement opens: like an announcement, with fillers of one word and a phrase, or
// with a reference.
const opening = 12

// maxAnnouncement is how long an announcement is at most, in bytes: a longer one also says why.
const maxAnnouncement = 150

// announces reports whether a statement only says what the agent does next.
func announces(text string, words []string, found [cues]bool) bool {
	switch {
	case len(text) > maxAnnouncement || found[cause] || found[rejection]:
		return false
	case found[finding] || found[outcome]: // "Now the tests pass."
		return opensBehindFillers(text, words)
	}
	return opensLikeAnnouncement(text, words)
}

// opensLikeAnnouncement looks at the first words of a statement: fillers may stand before them, or be a part of them.
func opensLikeAnnouncement(text string, words []string) bool {
	_, yes := announcements().begin(strings.TrimLeft(text, "*_ "), words)
	return yes || opensBehindFillers(text, words)
}

func opensBehindFillers(text string, words []string) bool {
	text = strings.TrimLeft(text, "*_ ")
	for range 3 {
		n, yes := filling().begin(text, words)
		switch {
		case yes && n == 0:
			text = filling().cut(text)
		case yes && n == len(words):
			return true // "Okay, great."
		case yes:
			words = words[n:]
			continue
		}
		break
	}
	_, yes := announcements().begin(text, words)
	return yes
}

// cut returns a text without the phrase of a script without spaces that it begins with, and the mark behind it.
func (l *language) cut(text string) string {
	for _, a := range l.anytime {
		if rest, ok := strings.CutPrefix(text, a.text); ok {
			return strings.TrimLeft(rest, "，,、。！! ")
		}
	}
	return text
}
