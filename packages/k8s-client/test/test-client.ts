import { fakeClock, type FakeClock } from '@berth/clock/testing'
import { silentLogger, type Pod } from '@berth/types'
import { connectCluster, type ApiErrorCause, type Cluster } from '../src/index.ts'
import { scriptedHandler, type ScriptedAnswer, type ScriptedHandler, type ScriptedStep } from '../src/testing.ts'

export const pod: Pod = { metadata: { name: 'web', namespace: 'team', uid: 'uid-1' }, spec: { containers: [] } }

/** Creates an error response with a Status. */
export const failed = (
  status: number,
  reason = '',
  headers: Record<string, string> = {},
  message: string = reason,
  causes: readonly ApiErrorCause[] = [],
): ScriptedAnswer => ({
  kind: 'json',
  status,
  body: { kind: 'Status', status: 'Failure', code: status, reason, message, details: { causes } },
  headers,
})
export const ok = (body: unknown, status = 200): ScriptedAnswer => ({ kind: 'json', status, body })
export const step = (answer: ScriptedAnswer, expect?: string, times = 1): ScriptedStep =>
  expect === undefined ? { answer, times } : { answer, expect, times }

export interface TestClient {
  readonly cluster: Cluster
  readonly clock: FakeClock
  readonly server: ScriptedHandler
  /** Advances virtual time until the call ends, by up to ten minutes. */
  readonly settle: <T>(call: Promise<T>) => Promise<T>
}

export function testClient(...steps: readonly ScriptedStep[]): TestClient {
  const clock = fakeClock()
  const server = scriptedHandler(steps)
  const cluster = connectCluster({
    handler: server.handle,
    log: silentLogger,
    clock,
    random: () => 0.5,
    userAgent: 'berth-test/1.0',
    instance: 'berth-test-host',
  })
  const settle = async <T>(call: Promise<T>): Promise<T> => {
    const state = { isDone: false }
    const finish = (): void => void (state.isDone = true)
    void call.then(finish).catch(finish)
    await clock.settle()
    for (let passed = 0; passed < 600_000 && !state.isDone; passed += 100) await clock.advance(100)
    return call
  }
  return { cluster, clock, server, settle }
}
