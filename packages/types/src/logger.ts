/** Fields of a log line. `err` holds an Error; object references are `namespace/name`. */
export type LogFields = Readonly<Record<string, unknown>>

/** The logging interface of libraries. Messages are constants, and variable parts go into the fields. */
export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** A logger that discards everything, the default in tests. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }
