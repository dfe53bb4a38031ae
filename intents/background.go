package intents

import (
	"strings"

	"ctxledger.dev/internal/pattern"
)

// Task is a call that goes on in the background after its result.
type Task struct {
	ID     string // the host's
	Output string // the file that gets its output; "": the result does not say
}

// What Claude Code (2.1.328) writes as the result of a subagent, and on a line of that of a command, that goes on in the
// background, and where the output of both is.
var (
	launchedAgent = pattern.Lazy(`^(?:Async agent launched|Cloud agent launched|The agent has not finished\.)[\s\S]{0,1000}?\n` +
		`(?:agentId|taskId): ([\w-]+)`)
	launchedCommand = pattern.Lazy(`(?m)^Command (?:running in background with ID: |was manually backgrounded by user with ID: |` +
		`[^\n]{0,80}moved to the background \(ID: )([\w-]+)(?:[.)][^\n]*)?(?:\n+Output is being written to: [^\n]*)?\s*\z`)
	outputFile = pattern.Lazy(`(?m)(?:Output is being written to: |^output_file: )([^\n]+?)(?:\.(?: |$)|$)`)
)

// launchedAt is how much of the end of a result is searched for such a line, in bytes.
const launchedAt = 4 << 10

// LaunchedAgent returns the task that a call of a subagent became, if its result says that it goes on in the background.
func LaunchedAgent(result string) (Task, bool) {
	return taskIn(result, launchedAgent().FindStringSubmatch(result))
}

// LaunchedCommand is LaunchedAgent for a call that runs a command. The host says so at the end: such a line before that is
// what the command printed, as one that searches a log does.
func LaunchedCommand(result string) (Task, bool) {
	result = result[max(0, len(result)-launchedAt):]
	return taskIn(result, launchedCommand().FindStringSubmatch(result))
}

// taskIn returns the task of which a result tells, by the match of its id.
func taskIn(result string, m []string) (t Task, ok bool) {
	if m == nil {
		return Task{}, false
	}
	t.ID = m[1]
	if file := outputFile().FindStringSubmatch(result); file != nil {
		t.Output = file[1]
	}
	return t, true
}

// Notice is what a host says later of a call that went on in the background.
type Notice struct {
	CallID  string // "": the host says only the task
	Task    string // its id
	Status  string // in the host's words; "": it tells of something on the way
	Summary string // how it ended, in a sentence
	Report  string // what a subagent says; "": nothing
}

// notification matches the beginning of a notice: hosts put it into a reminder of theirs when they hand it on.
var notification = pattern.Lazy(`^\s*(?:<system-reminder>\n(?:(?:[^<\n][^\n]*)?\n){0,20})?<task-notification>`)

// NoticeIn reads a text that a host says in the user's place; ok is false if it is no notice. A text that only contains
// one, such as what a user quotes, is none.
func NoticeIn(text string) (n Notice, ok bool) {
	at := notification().FindStringIndex(text)
	if at == nil {
		return Notice{}, false
	}
	text = text[at[1]:]
	head, report, _ := strings.Cut(text, "<result>") // behind that, the words are those of an agent
	if end := strings.LastIndex(report, "</result>"); end >= 0 {
		n.Report = strings.TrimSpace(unescaped.Replace(report[:end]))
	}
	n.CallID, n.Task = field(head, "tool-use-id"), field(head, "task-id")
	n.Status, n.Summary = field(head, "status"), field(head, "summary")
	return n, n.Task != "" || n.CallID != ""
}

// stopping are the tools that stop a call in the background, by their plain names.
var stopping = map[string]bool{"taskstop": true, "killshell": true, "killbash": true}

// Stops reports whether a tool stops calls in the background.
func Stops(tool string) bool { return stopping[PlainName(tool)] }

// stopped matches how results of such tools say that they did.
var stopped = pattern.Lazy(`^(?:\{"message":")?Successfully (?:stopped|killed) (?:task:|background command|shell:) ([\w-]+)`)

// StoppedBy reads the result of a call that Stops another one: of a command that the agent stops, Claude Code tells nothing
// else. ok is false if it did not.
func StoppedBy(result string) (n Notice, ok bool) {
	m := stopped().FindStringSubmatch(result)
	if m == nil {
		return Notice{}, false
	}
	return Notice{Task: m[1], Status: "stopped", Summary: "stopped by the agent"}, true
}

// unescaped undoes the escapes of a notice.
var unescaped = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&#39;", "'", "&amp;", "&")

// field returns the text of an element.
func field(text, tag string) string {
	_, rest, _ := strings.Cut(text, "<"+tag+">")
	value, _, ok := strings.Cut(rest, "</"+tag+">")
	if !ok {
		return ""
	}
	return strings.TrimSpace(unescaped.Replace(value))
}

// Ended reports whether the call has ended. An agent that waits for background work of its own reports, too.
func (n Notice) Ended() bool {
	switch n.Status {
	case "", "running", "pending", "paused", "blocked":
		return false
	}
	return !strings.HasSuffix(n.Summary, "is waiting on its own background work")
}

// Failed reports whether the call ended otherwise than with success.
func (n Notice) Failed() bool {
	return n.Ended() && (n.Status != "completed" || n.exitCode() != "" && n.exitCode() != "0")
}

// exited matches the end of a summary: "… completed (exit code 0)", "… failed with exit code 2".
var exited = pattern.Lazy(`\bexit code (-?\d{1,6})\)?\.?$`)

func (n Notice) exitCode() string {
	if m := exited().FindStringSubmatch(n.Summary); m != nil {
		return m[1]
	}
	return ""
}

// Text returns what a notice says as the result of the call, in the form of a result that comes at once.
func (n Notice) Text() string {
	text := strings.TrimSpace(n.Summary + "\n" + n.Report)
	if code := n.exitCode(); code != "" {
		text = "Exit code " + code + "\n" + text
	}
	return text
}
