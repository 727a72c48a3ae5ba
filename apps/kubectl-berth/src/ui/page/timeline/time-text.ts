/** Points of a timeline are at least half a second apart. */
const TIME: Intl.DateTimeFormatOptions = {
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 1,
}
const DAY: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'short', day: 'numeric' }
/** Creating a format takes longer than using it a hundred times. */
const timeFormat = new Intl.DateTimeFormat(undefined, TIME)
const clockFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const dayFormat = new Intl.DateTimeFormat(undefined, { ...DAY, ...TIME })

/** Returns the time of day, with the date when that is not today. */
export function timeText(timeMs: number): string {
  const isToday = new Date(timeMs).toDateString() === new Date().toDateString()
  return (isToday ? timeFormat : dayFormat).format(timeMs)
}

/** Returns the time of day without its fraction. Empty for a number that is no time: a chart without points has such ticks. */
export function clockText(timeMs: number): string {
  return Number.isFinite(timeMs) ? clockFormat.format(timeMs) : ''
}
