/** Command lines: one parser and one help for all programs. */
export type { ArgumentDefinition, CommandDefinition, Example, FlagDefinition } from './command/command-definition.ts'
export { commandHelp } from './command/command-help.ts'
export { commandLineOrExit, exitAs } from './command/command-line-or-exit.ts'
export { parseCommandLine, type CommandLine, type ParsedCommandLine } from './command/parse-command-line.ts'
export { readCommandLine, refuseCommandLine, type ReadCommandLine } from './command/read-command-line.ts'
export { renderHelp, type HelpEntry, type HelpPage } from './command/render-help.ts'
export type { ExitRequest } from './exit-request.ts'
