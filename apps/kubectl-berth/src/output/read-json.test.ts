import { fakeClock } from '@berth/clock/testing'
import type { ApiClient } from '@berth/k8s-client'
import { expect, test } from 'vitest'
import { readJson } from './read-json.ts'

test('a request that is not answered in time fails, and names the flag', async () => {
  const clock = fakeClock()
  const client: Pick<ApiClient, 'raw'> = {
    raw: ({ signal }) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted')))),
  }
  const answer = readJson(client, '/apis', { signal: new AbortController().signal, deadline: { clock, ms: 5_000 } })
  await Promise.all([
    expect(answer).rejects.toMatchObject({
      code: 'BERTH_KUBECTL_TIMEOUT',
      message: 'GET /apis: no answer within 5 s',
      hint: expect.stringContaining('--request-timeout'),
    }),
    clock.advance(5_000),
  ])
})
