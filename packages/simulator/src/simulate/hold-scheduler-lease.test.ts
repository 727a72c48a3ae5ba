import { createTestServer } from '@berth/embedded-api-server/testing'
import { expect, test } from 'vitest'
import { holdSchedulerLease } from './hold-scheduler-lease.ts'

test('the Lease of kube-scheduler is renewed until the end', async () => {
  const server = createTestServer()
  const readLease = async (): Promise<{ readonly acquireTime: string; readonly renewTime: string }> =>
    (await server.call('GET', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler')).body.spec
  let acquired = ''
  {
    using _ = holdSchedulerLease(server)
    const first = await readLease()
    expect(first).toMatchObject({ holderIdentity: 'simulated-scheduler', leaseDurationSeconds: 15 })
    acquired = first.acquireTime
    server.clock.advance(60_000)
    const later = await readLease()
    expect(Date.parse(later.renewTime) - Date.parse(first.renewTime)).toBe(60_000)
    expect(later.acquireTime).toBe(acquired)
  }
  const last = await readLease()
  server.clock.advance(60_000)
  expect(await readLease()).toEqual(last)
})
