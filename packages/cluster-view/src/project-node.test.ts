import type { Node } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { projectNode } from './project-node.ts'
import { createSharedValues } from './shared-values.ts'

const metadata = {
  name: 'web',
  namespace: 'team',
  uid: 'u',
  labels: { app: 'web' },
  annotations: { small: 'kept', large: 'x'.repeat(1_025), ['__proto__']: 'foreign' },
  managedFields: [{}],
}

describe('projectNode', () => {
  test('drops managed fields, keeps images and unknown fields', () => {
    const node = { metadata, spec: { future: 1 }, status: { images: [{ names: ['i'] }] } } as unknown as Node
    const projected = projectNode(node)
    expect(projected).toMatchObject({ spec: { future: 1 }, status: { images: [{ names: ['i'] }] } })
    expect(projected.metadata).not.toHaveProperty('managedFields')
  })

  test('keeps amounts and images that are equal on many nodes once, and no kind', () => {
    const node = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      status: {
        capacity: { cpu: '4' },
        allocatable: { cpu: '3' },
        images: [{ names: ['i'], sizeBytes: 1 }],
        extra: name,
      },
    })
    const shared = createSharedValues()
    const [a, b] = [projectNode(node('a'), shared), projectNode(node('b'), shared)]
    const { apiVersion: _, kind: _kind, ...rest } = node('b')
    expect(b).toEqual(rest)
    expect(b.status?.capacity).toBe(a.status?.capacity)
    expect(b.status?.allocatable).toBe(a.status?.allocatable)
    expect(b.status?.images?.[0]).toBe(a.status?.images?.[0])
  })

  test('throws if an amount is not a quantity', () => {
    expect(() => projectNode({ metadata: { name: 'n' }, status: { allocatable: { cpu: 'all' } } })).toThrow('all')
  })
})
