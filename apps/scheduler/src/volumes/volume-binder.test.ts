import { createClusterState } from '@berth/fit-engine'
import type { Pod } from '@berth/types'
import { expect, test, vi } from 'vitest'
import { createVolumeBinder, type VolumeBinderOptions } from './volume-binder.ts'

const pod: Pod = {
  metadata: { name: 'db', namespace: 'default', uid: 'db' },
  spec: { containers: [], volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
}

test('refuses and counts a pod whose volume is no longer free when it is to be assumed', () => {
  const state = createClusterState()
  state.setNode({ metadata: { name: 'a' } })
  state.objects.set('storageClasses', {
    metadata: { name: 'local' },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  })
  state.objects.set('persistentVolumeClaims', {
    metadata: { name: 'data', namespace: 'default', uid: 'data' },
    spec: { storageClassName: 'local' },
  })
  const onFailed = vi.fn<VolumeBinderOptions['onFailed']>()
  const fence = { mayWrite: () => true, lost: new AbortController().signal }
  const options = { view: { state }, fence, signal: new AbortController().signal, onFailed }
  const binder = createVolumeBinder(options as unknown as VolumeBinderOptions)
  const profile = { volumeBinding: { bindTimeoutMs: 1 } }
  expect(() => binder.reserve(pod, 'a', profile)).toThrow('the volumes for node a changed while extenders were called')
  expect(onFailed.mock.calls).toEqual([['assume']])
})
