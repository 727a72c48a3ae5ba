import { expect, test } from 'vitest'
import { isLoopbackAddress, refuseRemoteCaller } from './local-pages.ts'

test.for([
  { address: '127.0.0.1', isLocal: true },
  { address: '::ffff:127.0.0.1', isLocal: true },
  { address: '::1', isLocal: true },
  { address: '10.0.0.127', isLocal: false },
  { address: '::ffff:10.0.0.1', isLocal: false },
  { address: 'fe80::1', isLocal: false },
  { address: '', isLocal: false },
])('a caller from $address may read debugging pages: $isLocal', ({ address, isLocal }) => {
  const isLoopback = isLoopbackAddress(address)
  const refusal = { status: 403, reason: 'only this host may read the page: use kubectl port-forward' }
  for (const path of ['/configz', '/debug/queue', '/debug/explain']) {
    expect(refuseRemoteCaller({ path, isLoopback })).toEqual(isLocal ? undefined : refusal)
  }
  expect(refuseRemoteCaller({ path: '/metrics', isLoopback })).toBeUndefined()
})
