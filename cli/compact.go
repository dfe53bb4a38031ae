package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"ctxledger.dev/agents"
	"ctxledger.dev/compaction"
	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// messagesFlags are the options of the commands that read and print messages.
type messagesFlags struct {
	messages bool   // print messages
	format   string // of the messages in a file; "": recognised
}

func (m *messagesFlags) define(f *pflag.FlagSet, what string) {
	f.BoolVar(&m.messages, "messages", false, "print "+what+" as messages")
	f.StringVar(&m.format, "format", "", "the `FORMAT` of FILE's messages (default: detected)")
}

// check refuses unknown formats.
func (m *messagesFlags) check() error {
	if m.format != "" && !slices.Contains(transcript.Formats(), transcript.Format(m.format)) {
		return misuse("unknown message format %q: use one of %s; --messages prints messages, --json JSON", m.format,
			transcript.FormatNames())
	}
	return nil
}

// compactFlags are the options of the commands that compact.
type compactFlags struct {
	mode   string
	budget int
	chars  int
	keep   int
	reader string
	output messagesFlags
	author authorFlags
}

// define adds those that every such command has.
func (f *compactFlags) define(fs *pflag.FlagSet) {
	fs.StringVar(&f.mode, "mode", string(compaction.Intent), "a `MODE` listed above (default intent)")
	fs.IntVar(&f.budget, "budget", 0, "at most `TOKENS` for the summary (0: as configured)")
	fs.IntVar(&f.keep, "keep", 0, "keep `N` turns verbatim (0: as configured)")
	fs.StringVar(&f.reader, "reader", "", "compact the view of agent `NAME` in ctxledger.yaml")
	f.author.define(fs)
}

// compactModes explains the modes.
var compactModes = "MODE is " + strings.Join(settings.DescribeModes(func(names []string, says string) string {
	return strings.Join(names, " or ") + " (" + says + ")"
}), ", ") + "; see docs/configuration.md."

func compactCommand() command {
	var f compactFlags
	return command{
		name: "compact", args: "[SESSION|FILE]", rank: everyday,
		short: "Replace the older part of a session with a summary, reversibly",
		long: "Compacts a session, or a file that is imported first: an agent's session file, or a " +
			"conversation as a JSON array of messages. Nothing is lost: `ctxledger restore` undoes it. " +
			"The chat in your agent stays as it is: `ctxledger resume` starts a smaller one from the result.\n\n" +
			compactModes +
			" Mode auto does only what the policy (`context` in ctxledger.yaml) asks for now: nothing, a " +
			"step of edits, which `restore` does not undo, or a compaction. The output says why.",
		example: "ctxledger compact --budget 2000 session.jsonl\nctxledger compact\n" +
			"ctxledger compact --messages > messages.json",
		was: map[string]string{"compact --resume": "resume [SESSION|FILE]", "compact --agent": "compact --reader NAME",
			"compact --dir": "resume --dir DIRECTORY"},
		does: undoable, undo: "`restore`", json: answers(ledger.CompactionPlan{}, ledger.AutoResult{}),
		flags: func(fs *pflag.FlagSet) {
			f.define(fs)
			fs.IntVar(&f.chars, "budget-chars", 0, "at most `N` characters for the summary")
			f.output.define(fs, "the new view")
		},
		check: func(a *action, _ []string) error { return f.check(a) },
		ask:   f.compact,
	}
}

// check refuses options that contradict each other.
func (f *compactFlags) check(a *action) error {
	if f.author.summary != "" && !a.flags.Changed("mode") {
		f.mode = string(compaction.LLM)
	}
	switch {
	case compaction.Mode(f.mode).Refused() != "":
		return misuse("mode %s %s: use intent, or hybrid with a model", f.mode, compaction.Mode(f.mode).Refused())
	case f.mode != modeAuto && !compaction.Mode(f.mode).Offered():
		return misuse("unknown mode %q: use %s or %s", f.mode,
			strings.Join(settings.ModeNames(false), ", "), modeAuto)
	case f.chars > 0 && f.mode == modeAuto:
		return misuse("--budget-chars does not work in mode auto: give --budget")
	case f.chars > 0 && compaction.Mode(f.mode).Asks():
		return misuse("--budget-chars would ask a model repeatedly in mode %s: give --budget", f.mode)
	case f.budget < 0 || f.chars < 0 || f.keep < 0:
		return misuse("--budget, --budget-chars and --keep take 0 (ctxledger decides) or more")
	case f.budget > 0 && f.chars > 0:
		return misuse("--budget and --budget-chars cannot be used together")
	}
	if err := f.output.check(); err != nil {
		return err
	}
	return f.author.check(f.mode)
}

// chosen reports whether one of the options was given that decide what a summary is.
func (f *compactFlags) chosen(a *action) bool {
	return slices.ContainsFunc([]string{"mode", "budget", "budget-chars", "keep", "model", "summary", "reasoning"},
		a.flags.Changed)
}

// compact runs the command.
func (f *compactFlags) compact(ctx context.Context, a *action, args []string) error {
	s, err := sessionOf(ctx, a, strings.Join(args, ""), f.output.format)
	if err != nil {
		return err
	}
	if err := f.knownReader(a); err != nil {
		return err
	}
	if f.mode == modeAuto {
		return compactAuto(ctx, a, s.ID, *f)
	}
	r := f.request(s.ID, compaction.Manual)
	if f.chars > 0 {
		if r.Options.Budget, err = charBudget(ctx, a.ledger, r, f.chars); err != nil {
			return err
		}
	}
	p, err := runCompaction(ctx, a, r, f.author)
	if err != nil {
		return err
	}
	was, err := summaryInEffect(ctx, a, r, p)
	if err != nil {
		return err
	}
	err = printCompaction(ctx, a, s, p, *f)
	switch {
	case was == "" || f.output.messages:
	case f.chosen(a):
		a.hint("your options cannot change the summary that session %s has: first `ctxledger restore %s`", s.ID, was)
	default:
		a.hint("`ctxledger compact --messages %s` prints the view with its summary; `ctxledger restore %s` undoes that",
			s.ID, was)
	}
	return err
}

// whose says whose view it is.
func (f *compactFlags) whose() ledger.Reader { return ledger.Reader{Agent: f.reader} }

// knownReader says if the configuration has nothing of the agent that is named: a view without a policy of its own is made
// for it.
func (f *compactFlags) knownReader(a *action) error {
	c, _, err := a.configured()
	if _, known := c.Agents[agentname.Key(f.reader)]; err == nil && f.reader != "" && !known {
		a.say("no agent %q is in %s: its view has the policy for all", f.reader, config.File)
	}
	return err
}

// request is what is asked of the ledger for a session.
func (f *compactFlags) request(session string, why string) ledger.PlanCompactionRequest {
	return ledger.PlanCompactionRequest{Session: session, Reader: f.whose(), Options: compaction.Options{
		Mode: compaction.Mode(f.mode), Budget: f.budget, Keep: f.keep, Reason: why,
	}}
}

// fileMeans says what a file may be that is named in place of a session.
const fileMeans = "a file is an agent's session file, or a conversation as a JSON array of messages"

// sessionOf returns the session that an argument names. A file it first reads into the ledger.
func sessionOf(ctx context.Context, a *action, what, format string) (s sessions.Session, err error) {
	switch isFile := what != "" && isFile(a, what); {
	case isFile:
		file := what
		if what, err = recordConversation(ctx, a, file, format); err == nil && what == "" {
			var r agents.Report
			r, err = importFile(ctx, a, agents.Source{Path: file}, a.progress(file), 0, 1)
			what, err = r.Session, orMessages(err)
		}
	case format != "":
		err = misuse("--format needs a message file: name one")
	}
	if err != nil {
		return s, err
	}
	if s, err = a.session(ctx, what); what == "" || !fault.Is(err, fault.NotFound) {
		return s, err
	}
	if isDir(a.absolute(what)) {
		return s, fault.New(fault.Invalid, "cli.session", "%.1000q is a directory: name a session or one file", what).
			WithHint("`ctxledger import %s` reads the session files below it", shell.Quote(what))
	}
	return s, fault.New(fault.NotFound, "cli.session", "no session and no file is called %.1000q", what).
		WithHint("`ctxledger sessions` lists the sessions here, `ctxledger workspaces` those elsewhere; %s", fileMeans)
}

// isFile reports whether an argument names a file rather than a session.
func isFile(a *action, name string) bool {
	st, err := os.Stat(a.absolute(name))
	return err == nil && st.Mode().IsRegular()
}

// orMessages says, in an error about a file that is no session file, what else a file may be.
func orMessages(err error) error {
	if fault.Is(err, fault.Invalid) {
		return fault.New(fault.Invalid, "cli.session", "%s", err).
			WithHint("%s", strings.TrimSuffix(fileMeans+"; "+fault.HintOf(err), "; "))
	}
	return err
}

// charBudget finds a budget in tokens whose summary has at most so many characters, and not many fewer.
func charBudget(ctx context.Context, api ledger.Shrinker, r ledger.PlanCompactionRequest, most int) (int, error) {
	const (
		perToken = 3  // characters: what a token of a summary has at least, as a rule
		enough   = 97 // percent of the characters
	)
	why, fits := "", 0
	tooMuch := max(most/perToken, 1) + 1
	for budget := tooMuch - 1; budget > fits && budget < tooMuch; {
		r.Options.Budget = budget
		p, err := ledger.Compact(ctx, api, r, "", true)
		if err != nil {
			return 0, err
		}
		if p.Outcome == compaction.DoesNotFit {
			why = p.Why
			break
		}
		got := utf8.RuneCountInString(strings.TrimRight(p.Summary.Text, "\n")) + 1 // with the end of its last line
		switch {
		case p.Outcome != compaction.Compacted || got <= most && got >= most*enough/100:
			return budget, nil
		case got <= most:
			fits = budget
		default:
			tooMuch = budget
			why = fmt.Sprintf("the shortest one found has %s", chars.Commas(got))
		}
		if budget = max(budget*most/got, 1); budget <= fits || budget >= tooMuch {
			budget = (fits + tooMuch) / 2
		}
	}
	if fits > 0 {
		return fits, nil
	}
	return 0, fault.New(fault.TooLarge, "cli.compact", "no summary of this session fits into %s characters: %s",
		chars.Commas(most), why).
		WithHint("allow more with --budget-chars")
}

// summaryInEffect returns the id of the summary because of which nothing was compacted; "": there is none.
func summaryInEffect(ctx context.Context, a *action, r ledger.PlanCompactionRequest, p ledger.CompactionPlan,
) (string, error) {
	if p.Outcome != compaction.NothingToDo {
		return "", nil
	}
	view, err := ledger.Messages(ctx, a.ledger, ledger.ViewRequest{Session: r.Session, Reader: r.Reader})
	return view.Summary, err
}

// printCompaction prints the answer, and then says what was done: on a terminal that stays in sight.
func printCompaction(ctx context.Context, a *action, s sessions.Session, p ledger.CompactionPlan, f compactFlags,
) error {
	if p.Outcome != compaction.Compacted && p.Outcome != compaction.NothingToDo {
		sayRun(a, p.Summary.Run)
		e := fault.New(fault.Conflict, "cli.compact", "session %s was not compacted: %s", p.Session, p.Why)
		if p.Outcome == compaction.DoesNotFit && f.budget > 0 {
			return e.WithHint("allow more with --budget")
		}
		return e
	}
	var err error
	switch {
	case f.output.messages:
		err = printMessages(ctx, a, p.Session, f.whose())
	case a.json:
		err = a.answerJSON(p)
	case p.Outcome == compaction.Compacted:
		err = printSummary(a, p.Summary)
	}
	if p.Outcome == compaction.NothingToDo {
		a.say("session %s was not compacted: %s", p.Session, p.Why)
		return err
	}
	a.say("%s; summary %s replaces %s of session %s", p.Summary.Became(), p.Summary.ID,
		layout.TurnRange(p.Summary.TurnFrom, p.Summary.TurnTo), p.Session)
	sayRun(a, p.Summary.Run)
	a.hint("`ctxledger restore %s` undoes it", p.Summary.ID)
	if _, no := agents.WriterFor(s.Host); no == nil {
		a.hint("your chat is unchanged; `ctxledger resume %s` starts a smaller one", s.ID)
	}
	return err
}

// receiptLines is how many lines of a terminal stay for what is said after a summary.
const receiptLines = 6

// printSummary prints the text of a summary, on a terminal only so much that what is said after it stays in sight.
func printSummary(a *action, s ledger.Summary) error {
	_, rows := screen(a.Out)
	return a.writeMasked([]byte(beginning(s.Text, rows, a.self.in("`ctxledger diff --json "+s.ID+"`"))))
}

// beginning returns as much of a text as leaves room on a screen with so many lines for a receipt, and how to get the rest;
// 0: all of it.
func beginning(text string, rows int, whole string) string {
	lines := strings.SplitAfter(strings.TrimRight(text, "\n")+"\n", "\n")
	lines = lines[:len(lines)-1]
	if shown := max(rows-receiptLines, 1); rows > 0 && len(lines) > shown {
		lines = append(lines[:shown:shown], fmt.Sprintf("… %s; %s has the whole text\n",
			chars.Plural(len(lines)-shown, "more line"), whole))
	}
	return strings.Join(lines, "")
}

// printMessages prints the view as a JSON array, each message with its exact bytes, or what of it the user allows to be
// sent.
func printMessages(ctx context.Context, a *action, session string, of ledger.Reader) error {
	near, err := ledger.WithinLimits(ctx, a.ledger, session, of)
	if err != nil {
		return err
	}
	for _, limit := range near {
		a.say("%s", limit)
	}
	next, err := ledger.Request(ctx, a.ledger, ledger.ViewRequest{Session: session, Reader: of}, "")
	if err != nil {
		return err
	}
	if next.Trimmed != nil {
		a.say("a trimmed copy, since the view is larger than the settings allow: %s", next.Trimmed.Words())
	}
	return printArray(a, next.Messages)
}

// printArray prints messages as a JSON array, each with its exact bytes.
func printArray(a *action, messages [][]byte) (err error) {
	w := a.raw()
	sep := "["
	for _, m := range messages {
		if _, err := fmt.Fprintf(w, "%s\n%s", sep, m); err != nil {
			return fault.Wrap(fault.Unavailable, "cli.compact", err)
		}
		sep = ","
	}
	if len(messages) == 0 {
		_, err = fmt.Fprintln(w, "[]")
	} else {
		_, err = fmt.Fprintln(w, "\n]")
	}
	if err == nil {
		err = w.Close()
	}
	return fault.Wrap(fault.Unavailable, "cli.compact", err)
}

// modeAuto is the mode of compact that does what the policy asks for, and no more.
const modeAuto = "auto"

// compactAuto does what the policy asks for now, and says why, or why not.
func compactAuto(ctx context.Context, a *action, session string, f compactFlags) error {
	out, err := ledger.Auto(ctx, a.ledger, ledger.AutoRequest{
		EditViewRequest: ledger.EditViewRequest{Session: session, Reader: f.whose()},
		Options:         compaction.Options{Budget: f.budget, Keep: f.keep, Reasoning: f.author.reasoning},
	}, func(context.Context) (ledger.Author, string, error) { return openAuthor(a, "") })
	if err != nil {
		return err
	}
	switch {
	case f.output.messages:
		err = printMessages(ctx, a, session, f.whose())
	case a.json:
		err = a.answerJSON(out)
	case out.Action == ledger.AutoCompacted:
		err = printSummary(a, out.Compaction.Summary)
	}
	sayAuto(a, out)
	return err
}

// sayAuto says what was done, why, and what did not go as configured.
func sayAuto(a *action, out ledger.AutoResult) {
	if out.Fallback != "" {
		a.say("%s", out.Fallback)
	}
	if out.Compaction != nil {
		sayRun(a, out.Compaction.Summary.Run)
	}
	what := string(out.Action)
	if sizes := out.Sizes(); sizes != "" {
		what += ", " + sizes
	}
	a.say("session %s: %s: %s", out.Edited.Session, what, out.Why)
	switch out.Action {
	case ledger.AutoCompacted:
		a.hint("`ctxledger restore %s` undoes it", out.Compaction.Summary.ID)
	case ledger.AutoEdited:
		a.hint("edits are not undone, and nothing is lost: `ctxledger artifact read %s` prints the originals",
			out.Edited.Session)
	}
	if out.Edited.Warn {
		a.say("an agent in session %s is close to its compaction limit", out.Edited.Session)
	}
}

// conversationHost is the host of sessions whose messages came from a file.
const conversationHost = "file"

// recordConversation records the messages of a file that is one JSON array of them, or a request that holds
// one, and returns their session; "" for a file that is something else, such as an agent's session file.
func recordConversation(ctx context.Context, a *action, file, format string) (string, error) {
	array, err := readConversation(a.absolute(file))
	if err != nil {
		return "", err
	}
	if _, err := transcript.Split("", array); err != nil {
		if format != "" || bytes.HasPrefix(array, []byte("[")) {
			return "", inFile(file, err)
		}
		return "", nil
	}
	done, _, err := ledger.HandIn(ctx, a.ledger,
		ledger.AppendMessagesRequest{Host: conversationHost, Format: transcript.Format(format)}, array)
	return done.Session, inFile(file, err)
}

// inFile names the file in which something is wrong with the messages.
func inFile(file string, err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Code != fault.Invalid {
		return err
	}
	named := *e
	named.Message, named.Hint = file+": "+e.Message, cmp.Or(e.Hint, fileMeans)
	return &named
}

// readConversation reads a file that may be a conversation; nothing of one that is too long for that.
func readConversation(path string) ([]byte, error) {
	f, _, err := safefs.OpenFile(path)
	if err != nil {
		return nil, fault.Wrap(fault.NotFound, "cli.compact", err)
	}
	defer f.Close() // opened for reading
	array, err := io.ReadAll(io.LimitReader(f, limits.MCPMessage+1))
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "cli.compact", err)
	}
	array = bytes.TrimSpace(array)
	if len(array) > limits.MCPMessage {
		return nil, nil
	}
	return array, nil
}
