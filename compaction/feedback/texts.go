package feedback

// A text is the beginning of what a host writes into a result for a decision of the user.
type text struct {
	begins string   // how the result begins
	also   []string // one of these has to occur near the beginning as well
	kind   Kind
	words  []string // the user's words stand behind the first of these that occurs
	until  []string // what the host writes behind the user's words
	long   bool     // a result may be long and not marked as failed: content of the tool follows
	byRule bool
}

// The endings that Claude Code appends to the reason of a refusal.
var claudeTails = []string{"\n\nNote: The user's next message may contain", "\n\nIMPORTANT: "}

// planTails are what hosts ask for behind the user's words on a plan.
var planTails = []string{"\n\nPlease update the plan", "\n\nThe plan is stored at", "\n\nRevise the plan",
	"\n\nUpdate the plan", ". Please revise", ". Revise the plan"}

var feedbackTag, feedbackEnd = []string{"<feedback>"}, []string{"</feedback>"}

// texts are the texts of the hosts, as found in 2025 and 2026 in their sources or in sessions that users published.
// To add one, add a row and a case in TestResult. Where one text begins another, the longer one comes first.
var texts = []text{
	// Claude Code, utils/messages.ts and the tools' mapToolResultToToolResultBlockParam.
	{begins: "The user doesn't want to proceed with this tool use.", kind: Refused,
		words: []string{"the user said:\n", "The user said:\n"}, until: claudeTails},
	{begins: "The user doesn't want to take this action right now.", kind: Refused},
	{begins: "Permission for this tool use was denied.", kind: Refused, words: []string{"The user said:\n"},
		until: claudeTails},
	{begins: "The user has declined this action.", kind: Refused, words: []string{"Reason: "}},
	{begins: "The agent proposed a plan that was rejected by the user.", kind: Refused, long: true},
	{begins: "Permission to use ", also: []string{" has been denied."}, kind: Refused, byRule: true},
	{begins: "User declined to answer questions", kind: Refused},
	{begins: "User has approved your plan", kind: Approved, long: true},
	{begins: "User has approved exiting plan mode", kind: Approved},
	// Codex, core/src/tools (events.rs, mcp_tool_call.rs).
	{begins: "exec command rejected by user", kind: Refused},
	{begins: "patch rejected by user", kind: Refused},
	{begins: "user rejected MCP tool call", kind: Refused},
	{begins: "user cancelled MCP tool call", kind: Refused},
	// Gemini CLI and Qwen Code, core/src/scheduler, tools/ask-user.ts, tools/exit-plan-mode.ts.
	{begins: "[Operation Cancelled] Reason: ", kind: Refused,
		also: []string{"Reason: User denied", "Reason: User cancelled", "Reason: User did not", "Reason: Denied"}},
	{begins: "User dismissed ask_user dialog", kind: Refused},
	{begins: "Plan rejected", kind: Refused, words: []string{"User feedback:"}, until: planTails},
	{begins: "Plan approved", kind: Approved},
	// Cline and Roo Code, core/prompts/responses.ts; cline/cline#12673.
	{begins: "The user denied this operation", kind: Refused, words: feedbackTag, until: feedbackEnd, long: true},
	{begins: "The user approved this operation and provided", kind: Approved, words: feedbackTag, until: feedbackEnd,
		long: true},
	{begins: "The user has provided feedback on the results.", kind: Answered, words: feedbackTag, until: feedbackEnd,
		long: true},
	{begins: "The user provided the following feedback:", kind: Answered, words: feedbackTag, until: feedbackEnd},
	{begins: "This tool call was rejected by the user", kind: Refused},
	{begins: "User denied the tool execution", kind: Refused},
	{begins: "Tool \"", also: []string{"\" was denied by user"}, kind: Refused},
	// opencode, permission/index.ts, question/index.ts, tool/plan.ts.
	{begins: "The user rejected permission to use this specific tool call", kind: Refused,
		words: []string{"with the following feedback: "}},
	{begins: "The user has specified a rule which prevents you from using this", kind: Refused, byRule: true},
	{begins: "The user dismissed this question", kind: Refused},
	{begins: "User approved switching to build agent", kind: Approved},
	{begins: "User rejected switching to build", kind: Refused},
	// GitHub Copilot CLI, in exported sessions.
	{begins: "The user rejected this tool call", kind: Refused, words: []string{"User feedback: ", "with feedback: "}},
	{begins: "Plan not approved", kind: Refused, words: []string{"User feedback:"}, until: planTails},
	// goose, agents/tool_execution.rs. Its repetition guard writes the same.
	{begins: "The user has declined to run this tool", kind: Refused},
	// Zed, agent/src/thread.rs. Crush, internal/permission. Antigravity. OpenHands, runtime/base.py.
	{begins: "Permission to run tool denied by user", kind: Refused},
	{begins: "user denied permission", kind: Refused},
	{begins: "User denied permission", kind: Refused},
	{begins: "Action has been rejected by the user", kind: Refused},
	// Letta Code. Tools behind LangChain's human-in-the-loop middleware, and Grok.
	{begins: "request to call tool denied", kind: Refused, words: []string{"User reason: "}},
	{begins: "User rejected the tool call", kind: Refused, words: []string{"with reason: "}},
}

// whole are refusals that make up the result alone, in lower case and without a full stop at the end.
var whole = map[string]bool{
	"rejected by user": true, "denied by user": true, "user rejected": true, "user rejected tool use": true,
	"user denied tool use": true, "cancelled by user": true, "user rejected the tool call": true,
	"tool call rejected by user": true, "rejected by the user": true, "denied by the user": true,
}

// questionTools ask the user, by their plain names: those of Claude Code, Gemini and Copilot, Codex, Cline and Roo,
// opencode, VS Code, pi and Kimi.
var questionTools = map[string]bool{
	"askuserquestion": true, "askuser": true, "requestuserinput": true, "askfollowupquestion": true, "question": true,
	"askquestion": true, "askquestions": true, "askuserquestions": true, "vscodeaskquestions": true,
	"planmoderespond": true, "askhuman": true,
}

// planTools hand a plan to the user for approval.
var planTools = map[string]bool{
	"exitplanmode": true, "planexit": true, "exitplan": true, "submitplan": true, "presentplan": true,
	"approveplan": true, "createplan": true,
}

// answerLeads are what hosts write in front of answers.
var answerLeads = []string{"User has answered your questions:", "User has answered your question:",
	"Your questions have been answered:", "Your question has been answered:", "The user answered:", "User answered:",
	"User selected:", "User responded:", "User response:", "User's response:", "User's answer:", "Answer:"}

// answerTails are what hosts write behind answers.
var answerTails = []string{". You can now continue with", "\nYou can now continue with", ". Read the answers carefully",
	"\n\nNote: The user's next message may contain"}

// noAnswers are what hosts write where there is no answer.
var noAnswers = map[string]bool{
	"": true, "Unanswered": true, "(No answer provided)": true, "(no option selected)": true,
	"No text answer provided.": true, "undefined": true, "null": true, "skipped": true,
}
