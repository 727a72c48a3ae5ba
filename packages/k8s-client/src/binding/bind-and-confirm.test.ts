import { fakeClock } from '@berth/clock/testing'
import { type Pod, silentLogger } from '@berth/types'
import { expect, test } from 'vitest'
import type { BindOptions, BindOutcome } from '../api-client/api-client.ts'
import { bindAndConfirm } from './bind-and-confirm.ts'

const pod: Pod = { metadata: { name: 'web', namespace: 'team', uid: 'uid-1' }, spec: { containers: [] } }

/** Binds to n1 over a server that answers the bind with this outcome, and may not be read. */
async function bind(outcome: BindOutcome) {
  const clock = fakeClock()
  const stop = new AbortController()
  let reads = 0
  const client = {
    bind: async () => outcome,
    find: async () => {
      reads += 1
      throw new Error('pods is forbidden')
    },
  }
  const options = { client, clock, log: silentLogger, signal: stop.signal, mayWrite: () => true }
  const result = bindAndConfirm(pod, 'n1', options)
  await clock.settle()
  stop.abort()
  await clock.settle()
  return { result: await result, reads }
}

test.for([400, 403, 422, 429])('a bind refused with %i did not happen, and is not read', async (status) => {
  const { result, reads } = await bind({ kind: 'rejected', status, message: 'no' })
  expect(result).toMatchObject({ kind: 'conflict', error: { message: 'bind pod team/web to node n1: no' } })
  expect(reads).toBe(0)
})

test.for([409, 500, 503])('a bind answered with %i may have happened, and is read', async (status) => {
  const { result, reads } = await bind({ kind: 'rejected', status, message: 'no' })
  expect(result.kind).toBe('unknown')
  expect(reads).toBeGreaterThan(0)
})

test('a pod that does not exist is gone', async () => {
  expect(await bind({ kind: 'rejected', status: 404, message: 'no' })).toEqual({ result: { kind: 'gone' }, reads: 0 })
})

test('a bind in flight ends when another replica may bind, and the pod is read', async () => {
  const lost = new AbortController()
  const client = {
    bind: (_pod: Pod, _nodeName: string, { signal }: BindOptions = {}): Promise<BindOutcome> =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve({ kind: 'unknown', cause: signal.reason }))
      }),
    find: <T>() => Promise.resolve({ ...pod, spec: { ...pod.spec, nodeName: 'n1' } } as T),
  }
  const { signal } = new AbortController()
  const options = { client, clock: fakeClock(), log: silentLogger, signal, mayWrite: () => true, lost: lost.signal }
  const result = bindAndConfirm(pod, 'n1', options)
  lost.abort(new Error('the Lease is lost'))
  expect(await result).toEqual({ kind: 'bound' })
})

test('a bind whose Lease is lost is not sent, and the pod is not bound', async () => {
  let binds = 0
  const client = {
    bind: (): Promise<BindOutcome> => {
      binds += 1
      return Promise.resolve({ kind: 'bound' })
    },
    find: <T>() => Promise.resolve(pod as T),
  }
  const { signal } = new AbortController()
  const lost = AbortSignal.abort(new Error('the Lease is lost'))
  const options = { client, clock: fakeClock(), log: silentLogger, signal, mayWrite: () => true, lost }
  expect(await bindAndConfirm(pod, 'n1', options)).toMatchObject({ kind: 'conflict' })
  expect(binds).toBe(0)
})
