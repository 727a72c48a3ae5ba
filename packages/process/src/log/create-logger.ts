import { escapeUnprintable } from '@berth/text/printable'
import { BerthError } from '@berth/types'
import type { LogFields, Logger } from '@berth/types'
import { pino, stdSerializers } from 'pino'
import { resolveLogFormat, type LogFormat } from '../log-format.ts'
import type { LogLevel } from '../log-level.ts'
import { createLineWriter } from './line-writer.ts'
import { textLine } from './text-line.ts'

/** Options of {@link createLogger}. */
export interface CreateLoggerOptions {
  /** Name of the program, added to each line. */
  readonly component: string
  readonly level: LogLevel
  /** Default: JSON. `auto` is text if the destination is a terminal. */
  readonly format?: LogFormat
  /** Receives whole lines. Default: standard output, see {@link createLineWriter}. */
  readonly destination?: { write(line: string): void; readonly isTTY?: boolean }
}

/** A logger that can add fields for a part of the program. */
export interface ProcessLogger extends Logger {
  /** Returns a logger that adds fields to each line, such as the name of a plugin. */
  child(fields: LogFields): ProcessLogger
}

const STDOUT = 1

/**
 * Logs lines of JSON or text with `time` (RFC 3339), `level`, `component`, `msg` and the fields. An `err` that is a BerthError is
 * written with code and hint and, unless the level is debug, without its stack: it explains itself. Control and bidi
 * characters are escaped in JSON, and removed from text.
 */
export function createLogger({ component, level, format = 'json', destination }: CreateLoggerOptions): ProcessLogger {
  const options = {
    level,
    base: { component },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: escapeUnprintable },
    serializers: { err: level === 'debug' ? stdSerializers.err : errorFields },
  }
  const target = destination ?? createLineWriter(STDOUT)
  if (resolveLogFormat(format, destination) === 'json') return pino(options, target)
  return pino(options, { write: (line: string) => target.write(textLine(line)) })
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
