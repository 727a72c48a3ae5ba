import { escapeUnprintable } from '@berth/text/printable'
import { BerthError } from '@berth/types'
import type { LogFields, Logger } from '@berth/types'
import { pino, stdSerializers } from 'pino'
import type { LogLevel } from '../log-level.ts'

/** Options of {@link createLogger}. */
export interface CreateLoggerOptions {
  /** Name of the program, added to each line. */
  readonly component: string
  readonly level: LogLevel
  /** Receives whole lines. Default: standard output, synchronously, so that the last line before an exit is not lost. */
  readonly destination?: { write(line: string): void }
}

/** A logger that can add fields for a part of the program. */
export interface ProcessLogger extends Logger {
  /** Returns a logger that adds fields to each line, such as the name of a plugin. */
  child(fields: LogFields): ProcessLogger
}

/**
 * Logs JSON lines: `time` (RFC 3339), `level`, `component`, `msg` and the fields. An `err` that is a BerthError is
 * written with code and hint and, unless the level is debug, without its stack: it explains itself. Control and bidi
 * characters are escaped.
 */
export function createLogger({ component, level, destination }: CreateLoggerOptions): ProcessLogger {
  const options = {
    level,
    base: { component },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: escapeUnprintable },
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
