import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LayeredMap } from '../layered-map.ts'
import { ResourceStore } from './resource-store.ts'
import { RowSet } from './row-set.ts'

const ROWS = 400

const names = ['example.com/a', 'example.com/b', 'example.com/c']
const amount = fc.oneof(fc.nat(3), fc.constantFrom(0, 9007199254740993n, -5))

interface Cell {
  allocatable: bigint
  requested: bigint
}

/** The same content in a naive form: one cell per (name, row). */
class Oracle {
  readonly cells = new Map<string, Cell>()

  at(name: string, row: number): Cell {
    const key = `${name} ${row}`
    const cell = this.cells.get(key) ?? { allocatable: 0n, requested: 0n }
    this.cells.set(key, cell)
    return cell
  }
}

test('a store returns the same amounts for rare and for widely offered resources', () => {
  const step = fc.record({
    name: fc.constantFrom(...names),
    from: fc.nat(ROWS - 1),
    // Long runs make a resource widely offered and then rare again.
    length: fc.oneof(fc.nat(2), fc.nat(ROWS)),
    kind: fc.constantFrom('offer', 'take', 'give back'),
    amount,
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const store = new ResourceStore(ROWS)
      const oracle = new Oracle()
      for (let row = 1; row <= ROWS; row++) store.setRowCount(row)
      const ids = new Map(names.map((name) => [name, store.names.acquire(name)]))
      for (const { name, from, length, kind, amount: units } of steps) {
        const id = ids.get(name) ?? 0
        for (let row = from; row < Math.min(ROWS, from + length); row++) {
          const cell = oracle.at(name, row)
          if (kind === 'offer') {
            store.setAllocatable(name, row, units)
            cell.allocatable = BigInt(units)
          } else if (kind === 'take') {
            store.changeRequested(id, row, units, 1)
            cell.requested = BigInt.asIntN(64, cell.requested + BigInt(units))
          } else {
            store.changeRequested(id, row, units, -1)
            cell.requested = BigInt.asIntN(64, cell.requested - BigInt(units))
          }
        }
      }
      const copy = store.copy()
      for (const id of ids.values()) store.changeRequested(id, 0, 1, 1)
      for (const [name, id] of ids) {
        const room = new Int32Array(copy.maxRowsWithFree(id))
        const found = new Set(room.subarray(0, copy.writeRowsWithFree(id, room)))
        const wrong: number[] = []
        const columns = copy.borrowColumns(id)
        const { allocatable, requested } = columns
        for (let row = 0; row < ROWS; row++) {
          const cell = oracle.at(name, row)
          const isRight =
            BigInt(copy.allocatable(id, row)) === cell.allocatable &&
            BigInt(copy.requested(id, row)) === cell.requested &&
            BigInt(allocatable.get(row)) === cell.allocatable &&
            BigInt(requested.get(row)) === cell.requested &&
            found.has(row) === cell.requested < cell.allocatable
          if (!isRight) wrong.push(row)
        }
        copy.returnColumns(id, columns)
        expect(wrong).toEqual([])
      }
    }),
    { numRuns: 30 },
  )
})

test('a resource that moves to columns and back keeps its amounts, exactly', () => {
  const store = new ResourceStore(ROWS)
  for (let row = 1; row <= ROWS; row++) store.setRowCount(row)
  const name = 'example.com/a'
  const id = store.names.acquire(name)
  for (let row = 0; row < ROWS; row++) store.setAllocatable(name, row, row === 7 ? 9007199254740993n : row + 1)
  expect(store.maxRowsWithFree(id)).toBe(ROWS)
  for (let row = 0; row < ROWS; row++) if (row % 40 !== 7) store.setAllocatable(name, row, 0)
  const room = new Int32Array(store.maxRowsWithFree(id))
  expect([...room.subarray(0, store.writeRowsWithFree(id, room))]).toEqual([
    7, 47, 87, 127, 167, 207, 247, 287, 327, 367,
  ])
  expect([store.allocatable(id, 7), store.allocatable(id, 47), store.allocatable(id, 8)]).toEqual([
    9007199254740993n,
    48,
    0,
  ])
  for (let row = 0; row < ROWS; row++) store.setAllocatable(name, row, 0)
  expect([store.maxRowsWithFree(id), store.names.idOf(name)]).toEqual([0, id])
  store.names.release(id)
  expect(store.names.idOf(name)).toBeUndefined()
})

test('a resource id is reused after its last reference was released', () => {
  const { names: table } = new ResourceStore(1)
  const id = table.acquire('example.com/a')
  expect(table.acquire('example.com/a')).toBe(id)
  table.release(id)
  expect(table.idOf('example.com/a')).toBe(id)
  table.release(id)
  expect(table.idOf('example.com/a')).toBeUndefined()
  expect(table.acquire('example.com/b')).toBe(id)
  expect([table.nameOf(id), table.nameOf(999)]).toEqual(['example.com/b', ''])
})

test('a row set lists its rows in ascending order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(99), fc.boolean())), (changes) => {
      const set = new RowSet(50)
      set.grow(100)
      const oracle = new Set<number>()
      for (const [row, isIn] of changes) {
        set.set(row, isIn)
        if (isIn) oracle.add(row)
        else oracle.delete(row)
      }
      const target = new Int32Array(100)
      const rows = [...target.subarray(0, set.copy().writeTo(target))]
      expect(rows).toEqual([...oracle].sort((a, b) => a - b))
      expect(rows.every((row) => set.has(row))).toBe(true)
    }),
  )
})

test('copies of a layered map behave like copies of a plain map', () => {
  interface Entry {
    readonly value: number
  }
  const step = fc.record({
    kind: fc.constantFrom('set', 'delete', 'copy'),
    at: fc.nat(3),
    from: fc.nat(3000),
    length: fc.oneof(fc.nat(3), fc.nat(3000)),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const pairs = [{ map: new LayeredMap<Entry>(), oracle: new Map<string, Entry>() }]
      steps.forEach(({ kind, at, from, length }, value) => {
        const pair = pairs[at % pairs.length]
        if (pair === undefined) return
        if (kind === 'copy') pairs.push({ map: pair.map.copy(), oracle: new Map(pair.oracle) })
        const keys = Array.from({ length: kind === 'copy' ? 0 : length }, (_, i) => from + i)
        for (const i of keys) {
          if (kind === 'set') {
            pair.map.set(`${i}`, { value })
            pair.oracle.set(`${i}`, { value })
          } else {
            pair.map.delete(`${i}`)
            pair.oracle.delete(`${i}`)
          }
        }
      })
      for (const { map, oracle } of pairs) {
        const sum = (values: Iterable<Entry>) => [...values].reduce((total, { value }) => total + value + 1, 0)
        expect(sum(map.values())).toBe(sum(oracle.values()))
        const keys = Array.from({ length: 6000 }, (_, i) => `${i}`)
        expect(keys.filter((key) => map.get(key)?.value !== oracle.get(key)?.value)).toEqual([])
      }
    }),
    { numRuns: 30 },
  )
})
