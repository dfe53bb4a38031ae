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
		searchCommand(), showCommand(), changesCommand(), whyCommand(), diffCommand(), importCommand(), forgetCommand(),
		workspacesCommand(), ledgerCommand(), adoptCommand(), checkCommand(), repairCommand(), backupCommand(),
		restoreBackupCommand(), duCommand(), gcCommand(), retainCommand(), exportCommand(),
		configCommand(), validateCommand(), trustCommand(), presetCommand(), windowCommand(), modelsCommand(),
		graphCommand(), graphCheckCommand(), graphCostCommand(), graphPromptCommand(), graphTreeCommand(),
		tokenCommand(), addTokenCommand(), listTokensCommand(), revokeTokenCommand(),
		daemonCommand(), daemonStatusCommand(), daemonStopCommand(),

		hookCommand(), statusLineCommand(), recoverCommand(), eventsCommand(),
	}
}

// ledgerCommand groups what is done with a ledger as a whole.
func ledgerCommand() command {
	return command{name: "ledger", short: "The ledger as a whole: check, repair, back up, retain, …", does: keeps,
		long:    "Commands for a ledger as a whole. Each workspace has one, and user memory has another.",
		example: "ctxledger ledger check\nctxledger ledger du"}
}
