import assert from 'node:assert/strict'
import { SimulatorStartError } from '../../src/simulator-start-error.ts'
import { parseTimeline, type TimelineWrite } from '../../src/timeline/parse-timeline.ts'

export const contract: string = 'The writes of a timeline are in the order of their times, and each can be sent.'
export const refusals: readonly unknown[] = [SimulatorStartError]
export const dictionary: readonly string[] = [
  '"stage":"ResponseComplete"',
  '"verb":"create"',
  '"verb":"patch"',
  '"verb":"delete"',
  '"requestURI":"/api/v1/namespaces/default/pods"',
  '"requestReceivedTimestamp":"2026-01-01T00:00:00Z"',
  '"objectRef":{"resource":"pods"}',
  '"requestObject":',
  '"responseStatus":{"code":201}',
  '"user":{"username":"x"}',
  '"userAgent"',
  '\n',
  '[',
  'preconditions',
  'metadata',
  'generateName',
]

export const parse = (input: Uint8Array): Promise<readonly TimelineWrite[]> =>
  parseTimeline(Buffer.from(input).toString().split('\n'))

export function verify(writes: readonly TimelineWrite[]): void {
  let last = 0
  for (const { afterMs, path, contentType, body } of writes) {
    assert.ok(Number.isFinite(afterMs) && afterMs >= last)
    last = afterMs
    assert.ok(path.startsWith('/'))
    assert.match(contentType, /^application\//)
    assert.ok(body === undefined || JSON.stringify(body) !== undefined)
  }
}
