import type { Node } from '@berth/types'
import { describe, expect, test } from 'vitest'
import type { Declaration } from './declaration.ts'
import { desiredUnits } from './desired-units.ts'

const node: Node = { metadata: { name: 'node-a' } }

describe('desiredUnits', () => {
  const declare = (
    path: string,
    resourceName: string,
    amount: Declaration['amount'],
    name = 'node-a',
  ): Declaration => ({
    path,
    origin: { kind: 'file' },
    resourceName,
    nodes: { kind: 'names', names: new Set([name]) },
    amount,
  })
  const four = { kind: 'units', units: 4n } as const
  const shape = { step: 1n, rounding: 'down' } as const
  const times = { everyMs: 1, timeoutMs: 1, maxAgeMs: 1 }
  const computed = { kind: 'source', plugin: 'file', args: {}, reading: 'total', shape, ...times } as const

  test('combines the declarations that match the node, reads sources, and reports ambiguous declarations', () => {
    const declarations = [
      declare('resources[0]', 'a.b/static', four),
      declare('resources[1]', 'a.b/elsewhere', four, 'node-b'),
      declare('resources[2]', 'a.b/computed', computed),
      declare('resources[3]', 'a.b/twice', four),
      declare('resources[4]', 'a.b/twice', computed),
    ]
    const desired = desiredUnits(declarations, node, ({ path }, source, nodeName) => ({
      kind: 'unknown',
      reason: `${path} ${source.plugin} ${nodeName}`,
    }))
    expect([...desired]).toEqual([
      ['a.b/static', four],
      ['a.b/computed', { kind: 'unknown', reason: 'resources[2] file node-a' }],
      ['a.b/twice', { kind: 'ambiguous', paths: ['resources[3]', 'resources[4]'] }],
    ])
  })
})
