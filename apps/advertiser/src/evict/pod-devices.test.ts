import type { ContainerStatus, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { evictionExemption } from './eviction-exemption.ts'
import { holdsDevices, reportsHealth, unhealthyDevices } from './pod-devices.ts'
import { trimPod } from './trim-pod.ts'

const DONGLE = 'example.com/dongle'
const resources = new Set([DONGLE])

const status = (name: string, health?: string, resource = DONGLE): ContainerStatus => ({
  name,
  allocatedResourcesStatus: [
    { name: resource, resources: [{ resourceID: 'a', ...(health !== undefined && { health }) }] },
  ],
})

function podWith(own: Partial<Omit<Pod, 'kind'>> = {}, statuses: readonly ContainerStatus[] = []): Pod {
  const limits = { [DONGLE]: '1' }
  return {
    metadata: { name: 'p', namespace: 'default', uid: 'u', ...own.metadata },
    spec: { containers: [{ name: 'main', resources: { limits } }], ...own.spec },
    status: { phase: 'Running', containerStatuses: statuses, ...own.status },
  }
}

describe('unhealthyDevices', () => {
  test.for([
    { health: 'Unhealthy', found: ['a'] },
    { health: 'Healthy', found: [] },
    { health: 'Unknown', found: [] },
    { health: undefined, found: [] },
  ])('a device that is $health counts: $found', ({ health, found }) => {
    expect(unhealthyDevices(podWith({}, [status('main', health)]), resources).map(({ id }) => id)).toEqual(found)
  })

  test('ignores other resources, pods that end or have ended, and init containers that have ended', () => {
    const bad = [status('main', 'Unhealthy')]
    expect(unhealthyDevices(podWith({}, [status('main', 'Unhealthy', 'example.com/seat')]), resources)).toEqual([])
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    expect(unhealthyDevices(podWith({ metadata: { deletionTimestamp } }, bad), resources)).toEqual([])
    expect(unhealthyDevices(podWith({ status: { phase: 'Failed', containerStatuses: bad } }), resources)).toEqual([])
    const init = { initContainerStatuses: [status('init', 'Unhealthy')], phase: 'Running' }
    const spec = { containers: [{ name: 'main' }], initContainers: [{ name: 'init' }] }
    expect(unhealthyDevices(podWith({ spec, status: init }), resources)).toEqual([])
    const sidecar = { ...spec, initContainers: [{ name: 'init', restartPolicy: 'Always' }] }
    expect(unhealthyDevices(podWith({ spec: sidecar, status: init }), resources)).toEqual([
      { resourceName: DONGLE, id: 'a' },
    ])
  })

  test('lists a device that two containers hold once, and is the same for a trimmed pod', () => {
    const spec = { containers: [{ name: 'main' }, { name: 'second' }] }
    const pod = podWith({ spec }, [status('main', 'Unhealthy'), status('second', 'Unhealthy')])
    expect(unhealthyDevices(pod, resources)).toHaveLength(1)
    expect(unhealthyDevices(trimPod(pod), resources)).toEqual(unhealthyDevices(pod, resources))
  })
})

test('a running pod that requests a device holds one, and its status may lack the health', () => {
  const silent = trimPod(podWith({}, [{ name: 'main' }]))
  expect([holdsDevices(silent, resources), reportsHealth(silent, resources)]).toEqual([true, false])
  expect(reportsHealth(podWith({}, [status('main', 'Healthy')]), resources)).toBe(true)
  expect(holdsDevices(podWith({ status: { phase: 'Pending' } }), resources)).toBe(false)
  const zero = { containers: [{ name: 'main', resources: { limits: { [DONGLE]: 0 } } }] }
  expect(holdsDevices(podWith({ spec: zero }), resources)).toBe(false)
})

describe('evictionExemption', () => {
  const owner = (kind: string, controller = true) => [{ apiVersion: 'v1', kind, name: 'o', uid: 'o', controller }]
  test.for([
    { it: 'a bare pod', metadata: {}, reason: /no controller/ },
    {
      it: 'a pod whose owner is not its controller',
      metadata: { ownerReferences: owner('X', false) },
      reason: /no cont/,
    },
    { it: 'a pod of a DaemonSet', metadata: { ownerReferences: owner('DaemonSet') }, reason: /DaemonSet/ },
    { it: 'a pod that its node owns', metadata: { ownerReferences: owner('Node') }, reason: /static/ },
    {
      it: 'the mirror of a static pod',
      metadata: { ownerReferences: owner('ReplicaSet'), annotations: { 'kubernetes.io/config.mirror': 'x' } },
      reason: /static/,
    },
  ])('exempts $it, also when the pod is trimmed', ({ metadata, reason }) => {
    expect(evictionExemption(podWith({ metadata }))).toMatch(reason)
    expect(evictionExemption(trimPod(podWith({ metadata })))).toMatch(reason)
  })

  test.for(['ReplicaSet', 'StatefulSet', 'Job', 'Other'])('does not exempt a pod of a %s', (kind) => {
    expect(evictionExemption(trimPod(podWith({ metadata: { ownerReferences: owner(kind) } })))).toBeUndefined()
  })
})
