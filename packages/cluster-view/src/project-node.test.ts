import type { Node } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { projectNode } from './project-node.ts'

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

  test('throws if an amount is not a quantity', () => {
    expect(() => projectNode({ metadata: { name: 'n' }, status: { allocatable: { cpu: 'all' } } })).toThrow('all')
  })
})
