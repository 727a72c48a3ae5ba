/** JSON logs on standard output. */
export { createLogger } from './log/create-logger.ts'
export type { CreateLoggerOptions, ProcessLogger } from './log/create-logger.ts'
export { logLevels } from './log-level.ts'
export type { LogLevel } from './log-level.ts'
