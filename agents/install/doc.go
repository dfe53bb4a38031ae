// Package install connects coding agents to ctxledger and disconnects them: it finds them, edits their configurations and
// says what works with each.
//
// Start at Hosts, the table of the agents, and at Machine, which looks at one machine. Machine.Connect and
// Machine.Disconnect return a Plan of changes, which nothing has made yet; Machine.Write makes them.
//
// Looking starts no program, and reads nothing of a repository but the configurations named in the table, if these are
// asked about. A plan is written whole or not at all. Only a process that is killed can leave a part: the next plan removes
// its temporary files, and completes the rest or takes it back. What was edited is noted in the state directory with the
// file as it would be without us, so that a file that no other program has changed gets its bytes back. Any other one loses
// what starts our programs: see ours.go for how that is known.
//
// What the programs do once an agent starts them is not known here.
package install
