package cli

// commands returns all commands in the order of the help, a group before what is in it. A new one is a line here and a file
// of its own.
func commands() []command {
	return []command{
		program(),
		statusCommand(), sessionsCommand(), auditCommand(), contextCommand(), assembleCommand(), noteCommand(),
		countCommand(),
		compactCommand(), restoreCommand(), resumeCommand(), handoffCommand(),
		memoryCommand(), recallCommand(), getCommand(), saveCommand(), deleteCommand(),
		restoreMemoryCommand(), blockCommand(), importMemoriesCommand(), exportMemoriesCommand(), candidatesCommand(),
		acceptCommand(), dismissCommand(),
		installCommand(), uninstallCommand(), doctorCommand(), withCommand(), proxyCommand(),

		artifactCommand(), artifactReadCommand(), artifactSaveCommand(), artifactSearchCommand(),
		changesCommand(), whyCommand(), diffCommand(), importCommand(), forgetCommand(),
		ledgerCommand(), ledgersCommand(), adoptCommand(), checkCommand(), repairCommand(), backupCommand(),
		restoreBackupCommand(), duCommand(), gcCommand(), retainCommand(), exportCommand(),
		configCommand(), validateCommand(), trustCommand(), presetCommand(), windowCommand(), modelsCommand(),
		graphCommand(), graphCheckCommand(), graphCostCommand(), graphPromptCommand(), graphTreeCommand(),
		tokenCommand(), addTokenCommand(), listTokensCommand(), revokeTokenCommand(),
		daemonCommand(), daemonStatusCommand(), daemonStopCommand(),

		hookCommand(), recoverCommand(), eventsCommand(),
	}
}

// program is what runs without a command.
func program() command {
	c := statusCommand()
	c.name, c.args, c.rank = "", "", others
	c.short = "Shows what an agent's context costs, keeps it small, and loses nothing"
	c.long = "ctxledger records what happened in a coding agent's sessions: messages, tool calls, file changes, memory and " +
		"artifacts. Every smaller view of a session is derived from that record, and can be undone. Without a command it " +
		"shows the status.\n\n" +
		"SESSION is a session's id, the first few characters of it, or the agent's own id. Without one, the session of " +
		"the agent that runs the command is used, or else the newest here."
	c.example = "ctxledger audit\nctxledger compact\nctxledger restore 3f9c1b2a7d4e"
	return c
}

// ledgerCommand groups what is done with a ledger as a whole.
func ledgerCommand() command {
	return command{name: "ledger", short: "The ledger as a whole: check, repair, back up, retain, …", does: keeps,
		long:    "Commands for a ledger as a whole. Each workspace has one, and user memory has another.",
		example: "ctxledger ledger check\nctxledger ledger du"}
}
