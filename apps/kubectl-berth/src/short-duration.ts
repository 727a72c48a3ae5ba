const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400
const YEAR = 365 * DAY

/**
 * A duration as kubectl writes ages (`duration.HumanDuration` of apimachinery v1.36): `90s`, `6m30s`, `7d23h`.
 *
 * @param ms - Negative durations up to two seconds are clock skew and count as 0.
 */
export function shortDuration(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  if (!Number.isFinite(seconds) || seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 2 * MINUTE) return `${seconds}s`
  if (seconds < 10 * MINUTE) return pair(seconds, MINUTE, 'm', 1, 's')
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`
  if (seconds < 8 * HOUR) return pair(seconds, HOUR, 'h', MINUTE, 'm')
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`
  if (seconds < 8 * DAY) return pair(seconds, DAY, 'd', HOUR, 'h')
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`
  if (seconds < 8 * YEAR) return pair(seconds, YEAR, 'y', DAY, 'd')
  return `${Math.floor(seconds / YEAR)}y`
}

function pair(seconds: number, big: number, bigUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((seconds % big) / small)
  return `${Math.floor(seconds / big)}${bigUnit}${rest === 0 ? '' : `${rest}${smallUnit}`}`
}
