package observe

const childTask = "CTXLEDGER_TEST_TASK"

func child(string) int { return 2 }
