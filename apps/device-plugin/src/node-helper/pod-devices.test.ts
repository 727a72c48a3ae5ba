import type { ContainerDevices } from '@berth/kubelet-api'
import { expect, test } from 'vitest'
import { toPodDevices } from './pod-devices.ts'

const devices = (resourceName: string, id: string, node?: number): ContainerDevices => ({
  resourceName,
  deviceIds: [id],
  topology: node === undefined ? undefined : { nodes: [{ ID: node }] },
})

test('merges the entries of a device with several NUMA nodes, and sorts the ids', () => {
  const container = {
    name: 'main',
    devices: [devices('e.x/gpu', 'b', 0), devices('e.x/gpu', 'b', 1), devices('e.x/gpu', 'a'), devices('e.x/nic', 'n')],
    cpuIds: [],
    memory: [],
    dynamicResources: [],
  }
  const idle = { ...container, name: 'idle', devices: [] }
  const list = { podResources: [{ name: 'p', namespace: 'default', containers: [container, idle] }] }
  const who = { namespace: 'default', pod: 'p', container: 'main' }
  expect(toPodDevices(list)).toEqual([
    { ...who, resourceName: 'e.x/gpu', ids: ['a', 'b'] },
    { ...who, resourceName: 'e.x/nic', ids: ['n'] },
  ])
})
