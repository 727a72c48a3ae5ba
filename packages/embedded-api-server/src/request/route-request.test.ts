import { fakeClock, seededRandom } from '@berth/clock/testing'
import { expect, test } from 'vitest'
import { createApiServer } from '../api-server.ts'

test.for([
  { path: '//', status: 404 },
  { path: '///', status: 404 },
  { path: '//api/v1/nodes', status: 405 },
  { path: '/%', status: 400 },
  { path: '*', status: 400 },
  { path: 'http://[', status: 400 },
])('a request for $path is refused with $status', async ({ path, status }) => {
  const { handle } = createApiServer({ clock: fakeClock(), random: seededRandom(1) })
  const response = await handle({ method: 'PATCH', path, headers: {} })
  expect(response.status).toBe(status)
})
