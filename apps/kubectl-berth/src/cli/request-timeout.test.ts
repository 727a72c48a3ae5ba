import { describe, expect, test } from 'vitest'
import { parseRequestTimeout } from './request-timeout.ts'

describe('--request-timeout', () => {
  test.for([
    { text: undefined, timeoutMs: 30_000 },
    { text: '5s', timeoutMs: 5_000 },
    { text: '1m30s', timeoutMs: 90_000 },
    { text: '7', timeoutMs: 7_000 },
    { text: '0', timeoutMs: 2 ** 31 - 1 },
  ])('$text is $timeoutMs ms', async ({ text, timeoutMs }) => {
    expect(await parseRequestTimeout(text)).toBe(timeoutMs)
  })

  test.for(['soon', '-1s', '5 s', '9999h'])('%s is refused', async (text) => {
    await expect(parseRequestTimeout(text)).rejects.toMatchObject({ code: 'BERTH_KUBECTL_USAGE' })
  })
})
