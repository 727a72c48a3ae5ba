import { expect, test } from 'vitest'
import { clockText, timeText } from './time-text.ts'

test('shows the time of day, and the date of another day', () => {
  const now = new Date()
  now.setHours(13, 5, 7, 250)
  expect(timeText(now.getTime())).toMatch(/5.*07.2/)
  expect(timeText(now.getTime())).not.toContain(`${now.getFullYear()}`)
  expect(timeText(new Date(2020, 1, 3, 4, 5, 6).getTime())).toContain('2020')
})

test('a tick of a chart without points has no time', () => {
  expect(clockText(Number.NaN)).toBe('')
  expect(clockText(new Date(2020, 1, 3, 4, 5, 6).getTime())).toMatch(/05.06/)
})
