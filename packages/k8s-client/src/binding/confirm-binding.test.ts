import { fakeClock } from '@berth/clock/testing'
import { type Pod, silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { API_REQUEST_TIMEOUT_MS, type UnconfirmedBind, confirmBinding } from './confirm-binding.ts'

const pod: Pod = { metadata: { name: 'web', namespace: 'team', uid: 'uid-1' }, spec: { containers: [] } }
const on = (nodeName: string, uid = 'uid-1'): Pod => ({
  metadata: { ...pod.metadata, uid },
  spec: { containers: [], nodeName },
})
const unreadable = new Error('connect ECONNREFUSED')
const answered: UnconfirmedBind = { reason: 'rejected' }
const lost: UnconfirmedBind = { reason: 'socket hang up', mayTakeEffectForMs: API_REQUEST_TIMEOUT_MS }

/** Confirms a binding to n1 over a server that gives these answers in order, the last one for good. */
function confirm(answers: readonly (Pod | Error | undefined)[], bind: UnconfirmedBind) {
  const clock = fakeClock()
  const stop = new AbortController()
  const warnings: object[] = []
  const log = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) }
  let reads = 0
  const client = {
    async find<T>(): Promise<T | undefined> {
      stop.signal.throwIfAborted()
      const answer = answers[Math.min(reads++, answers.length - 1)]
      if (answer instanceof Error) throw answer
      return answer as T | undefined
    },
  }
  const state: { result?: Awaited<ReturnType<typeof confirmBinding>> } = {}
  const run = async (): Promise<void> => {
    state.result = await confirmBinding(pod, 'n1', bind, { client, clock, log, signal: stop.signal })
  }
  const done = run()
  return { clock, stop, state, done, reads: () => reads, warnings }
}

describe('confirmBinding', () => {
  test.for([
    { it: 'is bound to our node, by an earlier call', answers: [on('n1')], bind: answered, kind: 'bound' },
    { it: 'is bound to another node', answers: [on('n2')], bind: answered, kind: 'gone' },
    { it: 'is another pod of that name', answers: [on('n1', 'uid-2')], bind: answered, kind: 'gone' },
    { it: 'is deleted', answers: [undefined], bind: answered, kind: 'gone' },
    { it: 'has no node after an answer', answers: [pod], bind: answered, kind: 'conflict' },
    { it: 'is bound although the response was lost', answers: [on('n1')], bind: lost, kind: 'bound' },
    { it: 'is bound elsewhere after a lost response', answers: [on('n2')], bind: lost, kind: 'gone' },
  ])('a pod that $it: $kind, after one read', async ({ answers, bind, kind }) => {
    const { clock, state, reads } = confirm(answers, bind)
    await clock.settle()
    expect(state.result?.kind).toBe(kind)
    expect(reads()).toBe(1)
  })

  test('waits for a late effect of a bind whose response was lost', async () => {
    const { clock, state } = confirm([pod, pod, pod, on('n1')], lost)
    await clock.advance(5_000)
    expect(state.result).toEqual({ kind: 'bound' })
  })

  test('is unknown when a bind whose response was lost did not take effect within a minute', async () => {
    const { clock, state } = confirm([pod], lost)
    await clock.advance(API_REQUEST_TIMEOUT_MS - 1)
    expect(state.result).toBeUndefined()
    await clock.advance(15_000)
    expect(state.result).toMatchObject({
      kind: 'unknown',
      error: { code: 'BERTH_API_NOT_BOUND', message: 'bind pod team/web to node n1: socket hang up' },
    })
  })

  test('logs the first read that fails, and few of the following ones', async () => {
    const { clock, warnings, stop, done } = confirm([unreadable], answered)
    await clock.settle()
    expect(warnings).toEqual([{ pod: 'team/web', node: 'n1', failures: 1, err: unreadable }])
    await clock.advance(600_000)
    expect(warnings.length).toBeGreaterThan(1)
    expect(warnings.length).toBeLessThan(5)
    stop.abort()
    await clock.settle()
    await done
  })

  test('reads until the API server answers', async () => {
    const { clock, state, reads } = confirm([unreadable, unreadable, unreadable, pod], answered)
    await clock.advance(1_000)
    expect(state.result).toBeUndefined()
    await clock.advance(1_000)
    expect(state.result).toMatchObject({
      kind: 'conflict',
      error: { message: 'bind pod team/web to node n1: rejected' },
    })
    expect(reads()).toBe(4)
  })

  test('is unknown when the caller stops before the pod can be read', async () => {
    const { clock, stop, state, done } = confirm([unreadable], answered)
    await clock.advance(1_000)
    stop.abort(new Error('the caller ends'))
    await done
    expect(state.result).toMatchObject({ kind: 'unknown', error: { message: 'the caller ends' } })
  })
})
