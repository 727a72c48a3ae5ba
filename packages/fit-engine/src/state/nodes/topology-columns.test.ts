import type { Node } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { NodeRows, readNodeTraits } from './node-rows.ts'
import { EMPTY_DOMAIN, NO_DOMAIN, rowsInAll, TopologyColumns } from './topology-columns.ts'

function rowsWith(...labels: readonly Record<string, string>[]): NodeRows {
  const rows = new NodeRows(64)
  labels.forEach((each, i) => put(rows, `n${i}`, each))
  return rows
}

function put(rows: NodeRows, name: string, labels: Record<string, string>): void {
  const made: Node = { metadata: { name, labels } }
  rows.setNode(rows.obtain(name), made, readNodeTraits(made))
}

describe('topology columns', () => {
  test('number the values of a key and distinguish an absent value from an empty one', () => {
    const columns = new TopologyColumns()
    columns.refresh(rowsWith({ zone: 'a' }, { zone: 'b' }, { zone: 'a' }, {}, { zone: '' }), 1)
    const [first, second, third, absent, empty] = columns.column('zone').domains
    expect(first).toBe(third)
    expect(first).not.toBe(second)
    expect([absent, empty]).toEqual([NO_DOMAIN, EMPTY_DOMAIN])
  })

  test('update every column after a node changed, and only then', () => {
    const rows = rowsWith({ zone: 'a', rack: '1' })
    const columns = new TopologyColumns()
    columns.refresh(rows, 1)
    const [zone, rack] = [columns.column('zone'), columns.column('rack')]
    put(rows, 'n0', { zone: 'b' })
    columns.refresh(rows, 1)
    expect(rack.domains[0]).not.toBe(NO_DOMAIN)
    const before = zone.domains[0]
    columns.refresh(rows, 2)
    expect(zone.domains[0]).not.toBe(before)
    expect(rack.domains[0]).toBe(NO_DOMAIN)
  })

  test('keep the most recently used keys', () => {
    const columns = new TopologyColumns()
    columns.refresh(rowsWith({ zone: 'a' }), 1)
    const zone = columns.column('zone')
    for (let i = 0; i < 10; i++) columns.column(`a${i}`)
    expect(columns.column('zone')).toBe(zone)
    for (let i = 0; i < 16; i++) columns.column(`b${i}`)
    expect(columns.column('zone')).not.toBe(zone)
  })

  test('drop a column after many values were added and removed', () => {
    const rows = rowsWith({ host: 'h' })
    const columns = new TopologyColumns()
    columns.refresh(rows, 0)
    const old = columns.column('host')
    for (let i = 1; i <= 100; i++) {
      put(rows, 'n0', { host: `h${i}` })
      columns.refresh(rows, i)
    }
    const renewed = columns.column('host')
    expect(renewed).not.toBe(old)
    expect(renewed.size).toBeLessThan(100)
    expect(renewed.domains[0]).toBeGreaterThan(EMPTY_DOMAIN)
  })

  test('tell which rows have all keys', () => {
    const rows = rowsWith({ zone: 'a', rack: '1' }, { zone: 'a' }, { zone: 'a', rack: '2' })
    const columns = new TopologyColumns()
    columns.refresh(rows, 1)
    const both = [columns.column('zone'), columns.column('rack')]
    expect([...rowsInAll(both, Int32Array.of(0, 1, 2))]).toEqual([1, 0, 1])
    expect([...rowsInAll(both, Int32Array.of(2))]).toEqual([0, 0, 1])
  })
})
