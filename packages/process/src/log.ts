/** Logs on standard output, as JSON or as text. */
export { createLogger } from './log/create-logger.ts'
export type { CreateLoggerOptions, ProcessLogger } from './log/create-logger.ts'
export { logLevels } from './log-level.ts'
export type { LogLevel } from './log-level.ts'
export { resolveLogFormat } from './log-format.ts'
export type { LogFormat } from './log-format.ts'
