import { describe, expect, test } from 'vitest'
import type { Node } from '@berth/types'
import { createZeroJanitor } from './zero-janitor.ts'

const name = 'vendor.io/gone'
const fieldsV1 = { 'f:status': { 'f:capacity': { [`f:${name}`]: {} } } }
const node = (units: string | undefined, manager = 'kubelet'): Node => {
  const list = units === undefined ? {} : { [name]: units }
  const metadata = { name: 'node-a', managedFields: [{ manager, fieldsV1 }] }
  return { metadata, status: { capacity: list, allocatable: list } }
}
const minutes = (count: number): number => count * 60_000

describe('createZeroJanitor', () => {
  test('removes a name after five minutes at 0', () => {
    const janitor = createZeroJanitor()
    expect(janitor.inspect(node('0'), [name], 0)).toMatchObject({ due: new Set(), nextMs: minutes(5) })
    expect(janitor.inspect(node('0'), [name], minutes(4))).toMatchObject({ due: new Set(), nextMs: minutes(1) })
    expect(janitor.inspect(node('0'), [name], minutes(5)).due).toEqual(new Set([name]))
  })

  test.for([
    { it: 'a name that is not in the list', on: node('0'), names: ['vendor.io/other'] },
    { it: 'a value', on: node('1'), names: [name] },
    { it: 'a 0 that another writer wrote', on: node('0', 'hand'), names: [name] },
  ])('leaves $it', ({ on, names }) => {
    const janitor = createZeroJanitor()
    janitor.inspect(on, names, 0)
    expect(janitor.inspect(on, names, minutes(60))).toEqual({ due: new Set(), nextMs: undefined, findings: [] })
  })

  test('waits again after a device plugin came back in between', () => {
    const janitor = createZeroJanitor()
    janitor.inspect(node('0'), [name], 0)
    janitor.inspect(node('4'), [name], minutes(3))
    expect(janitor.inspect(node('0'), [name], minutes(6)).due).toEqual(new Set())
  })

  test('verifies one minute later that the name stayed away', () => {
    const janitor = createZeroJanitor()
    janitor.inspect(node('0'), [name], 0)
    janitor.recordCleared('node-a', [name], minutes(5))
    expect(janitor.inspect(node(undefined), [name], minutes(5) + 1_000)).toMatchObject({ findings: [], nextMs: 59_000 })
    expect(janitor.inspect(node(undefined), [name], minutes(6)).findings).toEqual([
      { kind: 'verified', resourceName: name },
    ])
  })

  test('gives up on a name that the kubelet writes again three times', () => {
    const janitor = createZeroJanitor()
    const kinds: (string | undefined)[] = []
    let now = 0
    janitor.inspect(node('0'), [name], now)
    for (let round = 0; round < 3; round++) {
      now += minutes(5)
      expect(janitor.inspect(node('0'), [name], now).due).toEqual(new Set([name]))
      janitor.recordCleared('node-a', [name], now)
      // The watch has not delivered the write yet.
      expect(janitor.inspect(node('0'), [name], now).findings).toEqual([])
      now += 10_000
      kinds.push(janitor.inspect(node('0'), [name], now).findings[0]?.kind)
    }
    expect(kinds).toEqual(['returned', 'returned', 'gave-up'])
    expect(janitor.inspect(node('0'), [name], now + minutes(60))).toEqual({
      due: new Set(),
      nextMs: undefined,
      findings: [],
    })
  })
})
