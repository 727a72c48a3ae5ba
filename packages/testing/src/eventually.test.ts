import { describe, expect, test } from 'vitest'
import { eventually } from './eventually.ts'

const options = { what: 'the pod', timeoutMs: 50, intervalMs: 1, signal: new AbortController().signal }

describe('eventually', () => {
  test('answers with the first defined answer', async () => {
    let looks = 0
    const look = async (): Promise<number | undefined> => (++looks === 3 ? looks : undefined)
    await expect(eventually(look, { ...options, timeoutMs: 60_000 })).resolves.toBe(3)
  })

  test('says what it waited for, and the last error', async () => {
    const look = (): Promise<undefined> => Promise.reject(new Error('404'))
    await expect(eventually(look, options)).rejects.toThrow('timed out after 0.05 s waiting for the pod: 404')
  })

  test('ends with the reason of the signal', async () => {
    const signal = AbortSignal.abort(new Error('the scheduler ended by itself'))
    await expect(eventually(async () => undefined, { ...options, signal })).rejects.toThrow('ended by itself')
  })
})
