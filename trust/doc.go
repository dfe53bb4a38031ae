// Package trust decides what a workspace's configuration may have run, connected to and read from the environment.
//
// Start at Check, which returns an Approved for the summarizer of a workspace, and at Confirm, which asks the person
// at the terminal first where that is needed.
//
// # Guarantees
//
// What the user's own configuration names is approved. What a workspace's file names is approved when a person has
// confirmed exactly that on a terminal: the programs with their paths, digests and arguments, the files among these
// arguments, the server, the variable with the key, and the configuration file. A change of any of them asks again.
// An Approved cannot be made elsewhere: its fields are closed, the configuration is read here, and the zero value
// approves nothing. Package llm, which runs programs and opens connections, takes nothing else.
//
// Consents are kept one file a tree, 0600, in the user's state directory, outside every workspace.
//
// The package deliberately runs nothing, connects to nothing, and knows no other way to ask than a terminal.
package trust
