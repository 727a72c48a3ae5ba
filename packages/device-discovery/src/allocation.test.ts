import { expect, test } from 'vitest'
import { containerPathConflicts, listEnv, nodesInContainer, nodesOnce } from './allocation.ts'

test('gives each node once, at the path of the host', () => {
  expect(nodesInContainer(['/dev/vfio/vfio', '/dev/vfio/2', '/dev/vfio/vfio'], 'rw')).toEqual(
    ['/dev/vfio/2', '/dev/vfio/vfio'].map((path) => ({ hostPath: path, containerPath: path, permissions: 'rw' })),
  )
})

test('names a variable after the resource, and leaves out an empty list', () => {
  expect(listEnv('PCIDEVICE', 'example.com/fast-vf', ['a', 'b'])).toEqual({ PCIDEVICE_EXAMPLE_COM_FAST_VF: 'a,b' })
  expect(listEnv('PCIDEVICE', 'example.com/fast-vf', [])).toEqual({})
})

test('gives a node that several devices have once', () => {
  const node = (path: string) => ({ hostPath: path, containerPath: path, permissions: 'rw' })
  const devices = [{ nodes: [node('/dev/a'), node('/dev/control')] }, { nodes: [node('/dev/control'), node('/dev/b')] }]
  expect(nodesOnce(devices)).toEqual([node('/dev/a'), node('/dev/control'), node('/dev/b')])
})

test('finds nodes with the container path of another node, but not the same node twice', () => {
  const nodes = [
    { path: '/dev/a' },
    { path: '/dev/b', containerPath: '/dev/a' },
    { path: '/dev/a', containerPath: '/dev/a' },
    { path: '/dev/c', containerPath: '/dev/a' },
  ] as const
  const [first, second, , last] = nodes
  expect(containerPathConflicts(nodes)).toEqual(
    [second, last].map((node) => ({ node, earlier: first, containerPath: '/dev/a' })),
  )
})
