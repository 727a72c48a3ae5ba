import { printableText } from '@berth/text/printable'

/**
 * Formats a JSON line of the log as text: time, level, component and message, then the other fields as `key=value`, then
 * the error. The stack of an error is on lines of its own. Control and bidi characters are removed.
 */
export function textLine(json: string): string {
  const { time, level, component, msg, err, ...rest } = JSON.parse(json) as Readonly<Record<string, unknown>>
  const head = [time, String(level).toUpperCase().padEnd(5), `${String(component)}:`, msg ?? ''].join(' ')
  const fields = Object.entries(rest).map(([key, value]) => ` ${key}=${fieldText(value)}`)
  return printableText(`${head}${fields.join('')}${errorFieldText(err)}\n`)
}

/** A text without spaces and quotes stays as it is. */
function fieldText(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}

function errorFieldText(err: unknown): string {
  if (err === undefined) return ''
  if (typeof err !== 'object' || err === null) return ` err=${fieldText(err)}`
  const { message, code, hint, stack } = err as Readonly<Record<string, unknown>>
  const named = code === undefined ? '' : ` (${fieldText(code)})`
  const text = ` err=${fieldText(message)}${named}${hint === undefined ? '' : ` hint=${fieldText(hint)}`}`
  return typeof stack === 'string' ? `${text}\n  ${stack.replaceAll('\n', '\n  ')}` : text
}
