package compaction

import (
	"encoding/json"
	"strconv"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/intents"
	"ctxledger.dev/transcript"
)

// play runs a script, one step a line, and returns the last proposal. TEXT may be quoted with Go's escapes, for
// several lines; PATH comes first where a step has one.
//
//	user TEXT                         a request
//	steer TEXT                        the user says something while the agent works
//	loaded TEXT                       the host loads something for the agent
//	earlier TEXT                      a summary that the host made of what came before
//	say TEXT                          the agent speaks
//	read PATH N [NAME…]               a file of N tokens is read
//	hidden SUMMARY                    the host's model summarises all before; the view keeps the messages themselves
//	edit PATH [NAME…] [! ERROR | ! pending]        a line becomes declarations of the names
//	edit PATH OLD => NEW [! ERROR]    one text becomes another; OLD and NEW may be quoted each
//	edits PATH [NAME…] ;; PATH …      several calls in one message
//	write PATH [NAME…] [= TEXT]       a file is written that declares the names, or holds the text
//	delete PATH [! ERROR]             move FROM TO [! ERROR]
//	run COMMAND [=> N OUTCOME]
//	call TOOL => TEXT                 a tool that is no operation answers
//	refuse TOOL TARGET [| WORDS]      the user does not let a call run; "edit" and "write" are tools as well
//	forbid TOOL TARGET                a rule in the user's settings refuses a call
//	giveup TOOL TARGET                a call does not run because another of the same answer failed
//	ask QUESTION => ANSWER            a question tool; several questions are separated by ";;"
//	approve PLAN [=> EDITED PLAN]     the user approves a plan
//	decline PLAN | WORDS              the user turns a plan down
//	todo [x] DONE; [~] DOING; [ ] OPEN             the agent writes its task list
//	delegate TASK => REPORT           another agent works
//	artifact ID TOKENS LABEL          of the newest result
//	compact {OPTIONS}                 plan and accept
//	plan {OPTIONS}                    plan alone
func (k *talk) play(script string) Proposal {
	k.t.Helper()
	var p Proposal
	for line := range strings.Lines(script) {
		verb, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		if text, err := strconv.Unquote(rest); err == nil && rest != "" {
			rest = text
		}
		switch step := steps[verb]; {
		case verb == "" || verb[0] == '#':
		case step != nil:
			step(k, rest)
		case verb == "compact" || verb == "plan":
			var o Options
			if err := json.Unmarshal([]byte(rest), &o); err != nil {
				k.t.Fatalf("%s: %v", line, err)
			}
			var err error
			if p, err = Plan(k.in, o); err != nil {
				k.t.Fatal(err)
			}
			if verb == "compact" {
				k.accept(p)
			}
		default:
			k.t.Fatalf("unknown step %q", line)
		}
	}
	return p
}

// steps are those of a script, by their verbs.
var steps = map[string]func(k *talk, rest string){
	"user":     func(k *talk, rest string) { k.user(rest) },
	"steer":    func(k *talk, rest string) { k.steer(rest) },
	"earlier":  func(k *talk, rest string) { it := k.user(rest); it.Prompt, it.Earlier = false, true },
	"hidden":   stepHidden,
	"loaded":   func(k *talk, rest string) { k.load(rest) },
	"say":      func(k *talk, rest string) { k.say(rest) },
	"read":     stepRead,
	"edit":     stepEdit,
	"edits":    stepEdits,
	"write":    stepWrite,
	"delete":   stepDelete,
	"move":     stepMove,
	"run":      stepRun,
	"call":     stepCall,
	"refuse":   func(k *talk, rest string) { k.unrun(rest, refusedText) },
	"forbid":   func(k *talk, rest string) { k.unrun(rest, func(string) string { return forbiddenText }) },
	"giveup":   func(k *talk, rest string) { k.unrun(rest, func(string) string { return givenUpText }) },
	"ask":      stepAsk,
	"approve":  stepApprove,
	"decline":  stepDecline,
	"todo":     stepTodo,
	"delegate": stepDelegate,
	"artifact": stepArtifact,
}

func stepHidden(k *talk, rest string) {
	it := k.user(rest)
	it.Prompt, it.Earlier = false, true
	hidden := *it
	k.in.Items = k.in.Items[:len(k.in.Items)-1]
	k.in.Earlier = &hidden
}

func stepRead(k *talk, rest string) {
	words := strings.Fields(rest)
	n, _ := strconv.Atoi(words[1])
	k.read(words[0], n, words[2:]...)
}

func stepEdit(k *talk, rest string) {
	what, end, _ := strings.Cut(rest, " ! ")
	path, texts, _ := strings.Cut(what, " ")
	if from, to, ok := strings.Cut(texts, " => "); ok {
		k.change(path, plain(from), plain(to), end)
		return
	}
	if names := strings.Fields(texts); !strings.ContainsAny(texts, "[]") {
		k.edit(path, end, names...)
		return
	}
	k.edit(what, end) // a path that is not what it seems
}

// plain is a text without the quotes around it.
func plain(s string) string {
	if text, err := strconv.Unquote(s); err == nil {
		return text
	}
	return s
}

func stepEdits(k *talk, rest string) {
	it := k.item(transcript.RoleAssistant, 60)
	type made struct{ call, end string }
	var calls []made
	for one := range strings.SplitSeq(rest, " ;; ") {
		what, end, _ := strings.Cut(one, " ! ")
		words := strings.Fields(what)
		call := k.addCall(it, "Edit", intents.OpPatch, words[0])
		k.args(editArgs(words[0], "line "+call, declaring(words[1:], it.first())))
		it.Names = append(it.Names, words[1:]...)
		k.track(Operation{Intent: intents.Intent{Name: "Edit", Op: intents.OpPatch, Target: words[0]}}, call, end)
		calls = append(calls, made{call, end})
	}
	for _, c := range calls {
		k.end(c.call, c.end)
	}
}

func stepWrite(k *talk, rest string) {
	what, text, given := strings.Cut(rest, " = ")
	words := strings.Fields(what)
	if given {
		k.create(words[0], plain(text), words[1:]...)
		return
	}
	k.write(words[0], words[1:]...)
}

func stepDelete(k *talk, rest string) {
	path, end, _ := strings.Cut(rest, " ! ")
	k.do(Operation{Intent: intents.Intent{Name: "delete", Op: intents.OpDelete, Target: path}}, end)
}

func stepMove(k *talk, rest string) {
	what, end, _ := strings.Cut(rest, " ! ")
	words := strings.Fields(what)
	k.do(Operation{Intent: intents.Intent{Name: "move", Op: intents.OpMove, From: words[0], Target: words[1]}}, end)
}

func stepRun(k *talk, rest string) {
	command, ended, _ := strings.Cut(rest, " => ")
	code, outcome, _ := strings.Cut(ended, " ")
	n, _ := strconv.Atoi(code)
	k.run(plain(command), n, plain(outcome))
}

func stepCall(k *talk, rest string) {
	name, text, _ := strings.Cut(rest, " => ")
	k.answer(k.ask(name, "", ""), 100, false)
	k.messages[k.in.Position].Parts[0].Text = plain(text)
}

// What Claude Code writes for calls that did not run.
const (
	rejectedText = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a " +
		"file edit, the new_string was NOT written to the file). "
	forbiddenText = "Permission to use Bash with command has been denied."
	givenUpText   = "<tool_use_error>Sibling tool call errored</tool_use_error>"
)

func refusedText(words string) string {
	if words == "" {
		return rejectedText + "STOP what you are doing and wait for the user to tell you how to proceed."
	}
	return rejectedText + "To tell you how to proceed, the user said:\n" + words
}

// unrun makes a call that does not run.
func (k *talk) unrun(rest string, says func(words string) string) {
	what, words, _ := strings.Cut(rest, " | ")
	tool, target, _ := strings.Cut(what, " ")
	text := says(words)
	switch op := intents.Classify(tool, nil).Op; op {
	case intents.OpPatch:
		k.change(target, "old", "func Refused() {}", text)
	case intents.OpShell:
		k.doWith(Operation{Intent: intents.Intent{Name: tool, Op: op, Command: target}}, "", text)
	case "":
		call := k.ask(tool, "", target)
		k.end(call, text)
	default:
		k.doWith(Operation{Intent: intents.Intent{Name: tool, Op: op, Target: target}}, "", text)
	}
}

// called makes a call that no operation tracks.
func (k *talk) called(tool string, args any, result string, failed bool) {
	call := k.ask(tool, "", "")
	raw, err := json.Marshal(args)
	if err != nil {
		k.t.Fatal(err)
	}
	k.args(string(raw))
	it := k.answer(call, layout.Count(result), failed)
	k.messages[it.first()].Parts[0].Text = result
}

func stepAsk(k *talk, rest string) {
	type question struct {
		Question string              `json:"question"`
		Options  []map[string]string `json:"options"`
	}
	var asked []question
	var answers []string
	for one := range strings.SplitSeq(rest, " ;; ") {
		text, answer, _ := strings.Cut(one, " => ")
		asked = append(asked, question{Question: text})
		answers = append(answers, `"`+text+`"="`+answer+`"`)
	}
	k.called("AskUserQuestion", map[string]any{"questions": asked}, "User has answered your questions: "+
		strings.Join(answers, ", ")+". You can now continue with the user's answers in mind.", false)
}

func stepApprove(k *talk, rest string) {
	plan, edited, changed := strings.Cut(rest, " => ")
	head := "## Approved Plan:\n"
	if changed {
		head = "## Approved Plan (edited by user):\n"
	} else {
		edited = plan
	}
	k.called("ExitPlanMode", map[string]string{"plan": plan}, "User has approved your plan. You can now start coding. "+
		"Start with updating your todo list if applicable\n\n"+head+edited, false)
}

func stepDecline(k *talk, rest string) {
	plan, words, _ := strings.Cut(rest, " | ")
	k.called("ExitPlanMode", map[string]string{"plan": plan}, refusedText(words), true)
}

func stepTodo(k *talk, rest string) {
	states := map[string]string{"[ ]": "pending", "[~]": "in_progress", "[x]": "completed"}
	var todos []map[string]string
	for one := range strings.SplitSeq(rest, "; ") {
		todos = append(todos, map[string]string{"content": one[4:], "status": states[one[:3]], "activeForm": one[4:]})
	}
	k.called("TodoWrite", map[string]any{"todos": todos}, "Todos have been modified successfully.", false)
}

func stepDelegate(k *talk, rest string) {
	task, report, _ := strings.Cut(rest, " => ")
	k.called("Task", map[string]string{"prompt": task}, plain(report), false)
}

func stepArtifact(k *talk, rest string) {
	words := strings.Fields(rest)
	n, _ := strconv.Atoi(words[1])
	k.in.Artifacts = append(k.in.Artifacts,
		ArtifactRef{ID: words[0], Tokens: n, Label: strings.Join(words[2:], " "), Seq: k.in.Position})
}
