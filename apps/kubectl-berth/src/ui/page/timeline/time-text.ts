/** Points of a timeline are at least half a second apart. */
const TIME: Intl.DateTimeFormatOptions = {
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 1,
}
const DAY: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'short', day: 'numeric' }

/** Returns the time of day, with the date when that is not today. */
export function timeText(timeMs: number): string {
  const date = new Date(timeMs)
  const isToday = date.toDateString() === new Date().toDateString()
  return date.toLocaleString(undefined, isToday ? TIME : { ...DAY, ...TIME })
}
