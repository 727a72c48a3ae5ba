const unitMs: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
])
// Strings instead of regular expression literals, because of µ: the bundler escapes a character outside ASCII in
// strings only, and one such character makes Node keep the whole bundle in memory with two bytes for each character.
const amountAndUnit = `(\\d+(?:\\.\\d+)?)(${[...unitMs.keys()].join('|')})`
const duration = new RegExp(`^(?:${amountAndUnit})+$`)
const amounts = new RegExp(amountAndUnit, 'g')

/**
 * Parses a duration in the notation of Kubernetes: `30s`, `1m30s`, `500ms`, `0`.
 *
 * @returns Milliseconds; undefined when the text is not a duration.
 */
export function parseDurationMs(text: string): number | undefined {
  if (text === '0') return 0
  if (!duration.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(amounts)) {
    total += Number(amount) * (unitMs.get(unit ?? '') ?? 0)
  }
  return total
}

/** Formats milliseconds as Go prints a time.Duration of one second or more: `15m0s`, `1h0m0s`, `2.5s`; shorter ones as `500ms`. */
export function formatDurationMs(ms: number): string {
  if (ms === 0) return '0s'
  if (ms < 1_000) return `${ms}ms`
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60]
  const seconds = `${(ms % 60_000) / 1_000}s`
  if (hours > 0) return `${hours}h${minutes}m${seconds}`
  return minutes > 0 ? `${minutes}m${seconds}` : seconds
}
