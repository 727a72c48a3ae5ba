import type { Node } from '@berth/types'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_UNITS } from './declaration.ts'
import type { DesiredUnits } from './desired-units.ts'
import { ADVERTISED_ANNOTATION, readOwnership, writeOwnership } from './ownership.ts'
import { OWNER_ANNOTATION } from './owner.ts'
import { planNode, type PlanOptions } from './plan-node.ts'

type Json = null | string | number | { readonly [key: string]: Json }

/** Applies a JSON merge patch (RFC 7386) as an API server does. */
function mergePatch(target: Json | undefined, patch: Json): Json {
  if (typeof patch !== 'object' || patch === null) return patch
  const result = new Map<string, Json>(typeof target === 'object' && target !== null ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key)
    else result.set(key, mergePatch(result.get(key), value))
  }
  return Object.fromEntries(result)
}

const apply = (node: Node, patch: unknown): Node =>
  mergePatch(JSON.parse(JSON.stringify(node)) as Json, (patch ?? {}) as Json) as unknown as Node

const options: PlanOptions = { owner: 'berth-system/berth-advertiser', nowMs: 0 }
const name = fc.constantFrom('example.com/dongle', 'example.com/seat', 'vendor.io/fpga')
const count = fc.bigInt({ min: 0n, max: MAX_UNITS })
const list = fc.dictionary(name, count.map(String))
const desired = fc
  .dictionary(
    name,
    fc.oneof(
      count.map((units): DesiredUnits => ({ kind: 'units', units })),
      fc.constant<DesiredUnits>({ kind: 'unknown', reason: 'late' }),
    ),
  )
  .map((entries) => new Map(Object.entries(entries)))
const node = fc
  .record({
    capacity: list,
    allocatable: list,
    owned: fc.option(list, { nil: undefined }),
    labels: fc.dictionary(name, fc.string()),
  })
  .map(({ capacity, allocatable, owned, labels }): Node => ({
    metadata: {
      name: 'node-a',
      labels,
      annotations: {
        'other/one': 'x',
        ...(owned && Object.keys(owned).length > 0 && { [ADVERTISED_ANNOTATION]: JSON.stringify(owned) }),
      },
    },
    status: { capacity: { cpu: '2', ...capacity }, allocatable: { cpu: '1900m', ...allocatable } },
  }))
const withoutBerth = ({ metadata, status }: Node): unknown => ({
  annotations: Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => key !== ADVERTISED_ANNOTATION && key !== OWNER_ANNOTATION,
  ),
  capacity: status?.capacity,
  allocatable: status?.allocatable,
})

describe('planNode', () => {
  test('plans no patch after its own patch was applied', () => {
    fc.assert(
      fc.property(node, desired, fc.boolean(), (before, amounts, isAdopting) => {
        const chosen: PlanOptions = { ...options, ...(isAdopting && { adopt: { kind: 'unowned' } }) }
        const after = apply(before, planNode(before, amounts, chosen).patch)
        expect(planNode(after, amounts, chosen).patch).toBeUndefined()
      }),
    )
  })

  test('leaves every resource that it neither owns nor adopts unchanged', () => {
    fc.assert(
      fc.property(node, desired, (before, amounts) => {
        const owned = readOwnership(before.metadata.annotations?.[ADVERTISED_ANNOTATION])
        const after = apply(before, planNode(before, amounts, options).patch)
        for (const map of ['capacity', 'allocatable'] as const) {
          for (const [key, value] of Object.entries(before.status?.[map] ?? {})) {
            if (owned.kind === 'read' && owned.units.has(key)) continue
            expect(after.status?.[map]?.[key]).toBe(value)
          }
        }
      }),
    )
  })

  test('restores the original node when everything is withdrawn', () => {
    const untouched = node.filter(({ metadata }) => metadata.annotations?.[ADVERTISED_ANNOTATION] === undefined)
    fc.assert(
      fc.property(untouched, fc.array(desired, { maxLength: 4 }), (before, configurations) => {
        let current = before
        for (const amounts of configurations) {
          current = apply(current, planNode(current, amounts, options).patch)
        }
        const after = apply(current, planNode(current, new Map(), options).patch)
        expect(withoutBerth(after)).toEqual(withoutBerth(before))
        expect(after.metadata.annotations?.[ADVERTISED_ANNOTATION]).toBeUndefined()
        expect(after.metadata.annotations?.[OWNER_ANNOTATION]).toBeUndefined()
      }),
    )
  })
})

describe('ownership', () => {
  test('reads back what it wrote', () => {
    fc.assert(
      fc.property(fc.dictionary(name, count), (entries) => {
        const units = new Map(Object.entries(entries))
        expect(readOwnership(writeOwnership(units) ?? undefined)).toEqual({ kind: 'read', units })
      }),
    )
  })

  test('never throws for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(['read', 'unreadable']).toContain(readOwnership(text).kind)
      }),
    )
  })
})
