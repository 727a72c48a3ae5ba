/**
 * Formats a wall-clock time as Kubernetes' MicroTime: RFC 3339 in UTC with six fraction digits, which the API server
 * requires.
 *
 * @param ms - Milliseconds since the epoch; fractions give microseconds.
 */
export function microTime(ms: number): string {
  const whole = Math.floor(ms)
  const micros = Math.floor((ms - whole) * 1000)
  return `${new Date(whole).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`
}
