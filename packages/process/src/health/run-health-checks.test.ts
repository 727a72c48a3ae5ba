import { describe, expect, test } from 'vitest'
import { runHealthChecks } from './run-health-checks.ts'

describe('runHealthChecks', () => {
  test('lists what passed and what failed, with the reason', async () => {
    const report = await runHealthChecks(
      'readyz',
      [
        { name: 'ping', check: () => undefined },
        { name: 'synced', check: async () => 'no list of nodes yet' },
        {
          name: 'broken',
          check: () => {
            throw new Error('boom')
          },
        },
      ],
      1_000,
    )
    expect(report).toEqual({
      isOk: false,
      text: '[+]ping ok\n[-]synced failed: no list of nodes yet\n[-]broken failed: boom\nreadyz check failed\n',
    })
  })

  test('aborts a check that exceeds its deadline and reports it as failed', async () => {
    let isAborted = false
    const check = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => {
        isAborted = true
      })
      return new Promise<undefined>(() => {})
    }
    const { isOk, text } = await runHealthChecks('livez', [{ name: 'stuck', check }], 5)
    expect({ isOk, isAborted }).toEqual({ isOk: false, isAborted: true })
    expect(text).toContain('[-]stuck failed: no answer within 5 ms')
  })
})
