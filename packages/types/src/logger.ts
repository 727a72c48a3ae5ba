/** Fields of a log line. `err` holds an Error; object references are `namespace/name`. */
export type LogFields = Readonly<Record<string, unknown>>

/** The four methods that libraries may log with. Messages are constants; what varies goes into the fields. */
export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** A logger that says nothing; the default of tests. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }
