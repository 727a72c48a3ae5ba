import { BerthError } from '@berth/types'
import type { LogFields, Logger } from '@berth/types'
import { pino, stdSerializers } from 'pino'
import type { LogLevel } from '../log-level.ts'

/** What `createLogger` takes. */
export interface CreateLoggerOptions {
  /** Name of the program, in every line. */
  readonly component: string
  readonly level: LogLevel
  /** Gets whole lines. Default: standard output, written synchronously so that the last line before an exit is not lost. */
  readonly destination?: { write(line: string): void }
}

/** A logger that can be narrowed to a part of the program. */
export interface ProcessLogger extends Logger {
  /** The same logger with fields that every line gets, such as the name of a plugin. */
  child(fields: LogFields): ProcessLogger
}

/**
 * Logs JSON lines: `time` (RFC 3339), `level`, `component`, `msg` and the fields. An `err` that is a BerthError is
 * written with code and hint and, unless the level is debug, without its stack: it explains itself.
 */
export function createLogger({ component, level, destination }: CreateLoggerOptions): ProcessLogger {
  const options = {
    level,
    base: { component },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: level === 'debug' ? stdSerializers.err : errorFields },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

function errorFields(error: unknown): unknown {
  if (!(error instanceof BerthError)) return error instanceof Error ? stdSerializers.err(error) : error
  const { name, message, code, hint, cause } = error
  return {
    type: name,
    message,
    code,
    ...(hint !== undefined && { hint }),
    ...(cause !== undefined && { cause: cause instanceof Error ? cause.message : cause }),
  }
}
