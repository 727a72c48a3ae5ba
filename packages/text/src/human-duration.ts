/**
 * Formats a duration as kubectl prints ages: `45s`, `3m12s`, `5h2m`, `3d`, `2y10d`.
 *
 * @see k8s.io/apimachinery pkg/util/duration HumanDuration (v0.36)
 */
export function humanDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 60 * 2) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return joinUnits(minutes, 'm', seconds % 60, 's')
  if (minutes < 60 * 3) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return joinUnits(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (hours < 24 * 8) return joinUnits(days, 'd', hours % 24, 'h')
  if (days < 365 * 2) return `${days}d`
  const years = Math.floor(days / 365)
  return years < 8 ? joinUnits(years, 'y', days % 365, 'd') : `${years}y`
}

function joinUnits(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`
}

/** Formats the time since a timestamp, or returns `<unknown>`. */
export function ageOf(timestamp: string | null | undefined, nowMs: number): string {
  const start = Date.parse(timestamp ?? '')
  return Number.isNaN(start) ? '<unknown>' : humanDuration(nowMs - start)
}
