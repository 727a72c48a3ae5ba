/** The start of a program, its signals and its end. */
export { shutdownSignal } from './shutdown/shutdown-signal.ts'
export { untilAborted } from './shutdown/until-aborted.ts'
export { runMain } from './shutdown/run-main.ts'
export type { RunMainOptions } from './shutdown/run-main.ts'
export type { ExitRequest } from './exit-request.ts'
