// Package agentmatrix runs ctxmcp under real coding agents, each with a scripted model: every tool, used rightly and
// wrongly, and what the model reads of each answer.
//
// Start at calls_test.go, the calls that every agent makes, and hosts_test.go, the agents. What the model of each agent
// read is in testdata/answers; how large it was, in docs/maintainers/answers.md. `make matrix` installs the agents and
// runs the tests, with -update it writes both. carried_test.go records what requests carry of a workspace's files: to
// add a workspace, add a file to carried/testdata/cases.
package agentmatrix
