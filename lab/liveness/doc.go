// Package liveness holds each background task of a ledger's owner inside a system call, one after the other,
// with strace, and looks at what the others see meanwhile.
//
// Start at the table ways in liveness_test.go: a task of the owner without a row fails the test. The rules:
// status names the task that is stuck, other clients save and read, the owner leaves within five seconds and
// leaves no process behind, and what was acknowledged is there for the next one.
package liveness
