// Package claudecode knows where Claude Code keeps its session files, and decodes their lines.
//
// Adapter is all that others need. The files lie in one directory for each that sessions were started in,
// below the projects directory; those of subagents lie in a directory named like the session's file.
//
// A session is identified by the name of its file if that is a UUID, else by the sessionId in its first
// records. Users and assistants speak in messages of the Anthropic format; every other record, unknown ones
// too, is a note. One message of the provider is spread over several lines that repeat its usage.
//
// The package deliberately opens no session file and keeps no state between lines.
package claudecode
