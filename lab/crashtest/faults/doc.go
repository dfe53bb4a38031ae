// Package faults makes system calls of a ledger's owner fail, one after the other, and fills its disk.
//
// Start at Inject, which runs a program under strace and lets the n-th call of a kind fail. The
// program says, line by line, which steps were acknowledged and which failed in which way.
//
// The rules: a call that fails is reported with a code and never acknowledged; whatever was
// acknowledged before or afterwards is there when the ledger is opened again; and once the fault is
// over the same process, or after a lost write the next one, continues to work.
//
// strace counts the calls of each thread by itself, so that one run may meet several faults. The
// rules hold for those as well.
package faults
