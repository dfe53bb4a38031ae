package main

import model "ctxledger.dev/lab/scriptedmodel"

// chapter is one request of the user and what the model does about it; the last step is its
// answer.
type chapter struct {
	prompt string
	steps  model.Script
}

// args is the input of a call.
type args = map[string]any

// The functions below build the calls of the agent's tools. Paths are relative to the project.

func read(path string) model.Call {
	return model.Call{Tool: "Read", Input: args{"file_path": "{{dir}}/" + path}}
}

func readPart(path string, offset, limit int) model.Call {
	return model.Call{Tool: "Read", Input: args{"file_path": "{{dir}}/" + path, "offset": offset, "limit": limit}}
}

func bash(command, description string) model.Call {
	return model.Call{Tool: "Bash", Input: args{"command": command, "description": description}}
}

func edit(path, old, new string) model.Call {
	return model.Call{Tool: "Edit", Input: args{"file_path": "{{dir}}/" + path, "old_string": old, "new_string": new}}
}

func editAll(path, old, new string) model.Call {
	return model.Call{Tool: "Edit",
		Input: args{"file_path": "{{dir}}/" + path, "old_string": old, "new_string": new, "replace_all": true}}
}

func write(path, content string) model.Call {
	return model.Call{Tool: "Write", Input: args{"file_path": "{{dir}}/" + path, "content": content}}
}

// grep prints matching lines with their numbers, all of them.
func grep(pattern, path string) model.Call {
	return model.Call{Tool: "Grep", Input: args{"pattern": pattern, "path": "{{dir}}/" + path, "output_mode": "content",
		"-n": true, "head_limit": 0}}
}

func grepFiles(pattern string) model.Call {
	return model.Call{Tool: "Grep",
		Input: args{"pattern": pattern, "path": "{{dir}}", "output_mode": "files_with_matches"}}
}

func glob(pattern string) model.Call {
	return model.Call{Tool: "Glob", Input: args{"pattern": pattern, "path": "{{dir}}"}}
}

func plan(subject, description string) model.Call {
	return model.Call{Tool: "TaskCreate",
		Input: args{"subject": subject, "description": description, "activeForm": subject}}
}

func mark(task, status string) model.Call {
	return model.Call{Tool: "TaskUpdate", Input: args{"taskId": task, "status": status}}
}

// do is a step of calls made in parallel; text may be empty.
func do(text string, calls ...model.Call) model.Step { return model.Do(text, calls...) }

// think is a step with reasoning before its text and calls.
func think(reasoning, text string, calls ...model.Call) model.Step {
	return model.Step{Think: reasoning, Text: text, Calls: calls}
}
