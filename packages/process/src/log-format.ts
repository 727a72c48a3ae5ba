/** Formats of a log: `auto` is text on a terminal and JSON otherwise. */
export const logFormats = ['auto', 'text', 'json'] as const

/** A configured format of a log. */
export type LogFormat = (typeof logFormats)[number]

/**
 * Returns the format of a log on a stream.
 *
 * @param stream - Default: standard output.
 */
export function resolveLogFormat(
  format: LogFormat,
  stream: { readonly isTTY?: boolean } = process.stdout,
): Exclude<LogFormat, 'auto'> {
  return format === 'auto' ? (stream.isTTY === true ? 'text' : 'json') : format
}
