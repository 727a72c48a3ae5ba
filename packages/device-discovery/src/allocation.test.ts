import { expect, test } from 'vitest'
import { listEnv, nodesInContainer } from './allocation.ts'

test('gives each node once, at the path of the host', () => {
  expect(nodesInContainer(['/dev/vfio/vfio', '/dev/vfio/2', '/dev/vfio/vfio'], 'rw')).toEqual(
    ['/dev/vfio/2', '/dev/vfio/vfio'].map((path) => ({ hostPath: path, containerPath: path, permissions: 'rw' })),
  )
})

test('names a variable after the resource, and leaves out an empty list', () => {
  expect(listEnv('PCIDEVICE', 'example.com/fast-vf', ['a', 'b'])).toEqual({ PCIDEVICE_EXAMPLE_COM_FAST_VF: 'a,b' })
  expect(listEnv('PCIDEVICE', 'example.com/fast-vf', [])).toEqual({})
})
