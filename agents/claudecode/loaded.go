package claudecode

import (
	"encoding/json"
	"slices"
	"strings"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Besides what user and model say, Claude Code writes what it puts into the conversation for the model: attachments, and
// records of the user marked isMeta. It sends them with every request.

// attached fills in what an attachment puts into the conversation: what the model reads of it, where the version wrote that
// down (2.1.328 does, but for images), else the attachment itself, if it is of a kind that is sent.
func (l *line) attached(out *sessionfile.Record) {
	kind := strings.TrimPrefix(out.Note, "attachment ")
	at := l.rendered
	if at.Empty() && (slices.Contains(sent, kind) || slices.Contains(ofState, kind)) {
		at = l.attachment
	}
	load(out, at)
	out.Loaded = out.Loaded && !slices.Contains(ofState, kind)
	switch {
	case kind == "edited_text_file":
		out.Effects = l.told()
	case kind == "file" && out.Loaded:
		out.Attached = l.attachedFile()
	}
}

// told returns the effect of an attachment that gives the agent the new text of a file.
func (l *line) told() (told []sessions.Effect) {
	raw := l.at(l.attachment)
	members(raw, func(key []byte, v transcript.Span) {
		if string(key) == "filename" {
			told = []sessions.Effect{{Path: jsonspan.Text(raw[v.From:v.To], maxPath), Op: sessions.EffectTold}}
		}
	})
	return told
}

// attachedFile returns the file that the user named with @, nil where its text is not in the attachment.
func (l *line) attachedFile() *sessions.Attached {
	var a struct{ Content struct{ File attachedText } }
	raw := l.at(l.attachment)
	if json.Unmarshal(raw, &a) != nil || a.Content.File.FilePath == "" || len(a.Content.File.FilePath) > maxPath {
		return nil
	}
	f := a.Content.File
	return &sessions.Attached{Path: f.FilePath, Partial: f.StartLine > 1 || f.NumLines < f.TotalLines,
		Text: l.within(l.attachment, "content", "file", "content")}
}

// attachedText is what an attachment says of the text of a file.
type attachedText struct {
	FilePath                        string
	StartLine, NumLines, TotalLines int
}

// within returns the span of a member of a span of the line, by the names that lead to it. Empty: there is none.
func (l *line) within(at transcript.Span, names ...string) transcript.Span {
	for _, name := range names {
		var found transcript.Span
		members(l.at(at), func(key []byte, v transcript.Span) {
			if string(key) == name {
				found = transcript.Span{From: at.From + v.From, To: at.From + v.To}
			}
		})
		at = found
	}
	return at
}

// load makes a record one of what Claude Code put into the conversation: at is where that is. The empty span is nothing.
func load(out *sessionfile.Record, at transcript.Span) {
	if at.Empty() {
		return
	}
	out.Message, out.Format, out.Role = at, transcript.Anthropic, transcript.RoleUser
	out.Aside, out.Loaded = true, true
}

// ofState are attachments that say how things stand. Claude Code makes them anew in a session that has none, so that no
// view shows them.
var ofState = []string{"environment", "model", "date", "remote_session_change", "skill_listing",
	"agent_listing_delta", "deferred_tools_delta", "mcp_instructions_delta", "mcp_tool_listing", "output_style",
	"output_style_instructions", "language", "instructions", "context_sections", "coordinator_context",
	"advisor_tool", "sandbox_instructions"}

// sent are the other attachments that are sent (2.1.328, for those of earlier versions, too).
var sent = []string{"file", "directory", "edited_text_file", "compact_file_reference", "pdf_reference",
	"at_mention_reference", "selected_lines_in_ide", "selected_lines_in_diff", "opened_file_in_ide",
	"diagnostics", "mcp_resource", "nested_memory", "relevant_memories", "invoked_skills", "agent_mention",
	"skill_mention", "queued_command", "plan_mode", "plan_mode_reentry", "plan_mode_exit",
	"plan_file_reference", "auto_mode", "auto_mode_exit", "hook_additional_context", "hook_blocking_error",
	"hook_stopped_continuation", "async_hook_response", "task_status", "inlined_image_paths",
	"critical_system_reminder", "date_change", "read_truncation_notice", "ultrathink_effort"}
