import { expect, test } from 'vitest'
import type { LeaderElection } from './leader-election.ts'
import { whileLeading } from './while-leading.ts'

function election(): LeaderElection & { lead(): void; lose(): void } {
  const lost = new AbortController()
  const leading = Promise.withResolvers<void>()
  return {
    whenLeading: (signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')))
        void leading.promise.then(resolve)
      }),
    stillLeader: () => !lost.signal.aborted,
    leadingSinceMs: () => 0,
    tried: Promise.resolve(),
    lost: lost.signal,
    leader: () => 'me',
    lead: () => leading.resolve(),
    lose: () => lost.abort(),
    async [Symbol.asyncDispose]() {},
  }
}

const lostError = (): Error => new Error('another process leads')

/** Works until its signal is aborted. */
const untilStopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve())
  })

test('starts the work with the Lease, and stops it and throws when the Lease is lost', async () => {
  const candidate = election()
  let isWorking = false
  const work = async (signal: AbortSignal): Promise<void> => {
    isWorking = true
    await untilStopped(signal)
    isWorking = false
  }
  const ended = whileLeading(candidate, new AbortController().signal, { work, lostError })
  await Promise.resolve()
  expect(isWorking).toBe(false)
  candidate.lead()
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  expect(isWorking).toBe(true)
  candidate.lose()
  await expect(ended).rejects.toThrow('another process leads')
  expect(isWorking).toBe(false)
})

test('resolves without an error when stopped while waiting for the Lease', async () => {
  const stop = new AbortController()
  const ended = whileLeading(election(), stop.signal, { work: untilStopped, lostError })
  stop.abort()
  await expect(ended).resolves.toBeUndefined()
})
