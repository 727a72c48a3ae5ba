import type { ExtendedResource, Node, Pod } from '@berth/types'
import { amountsOf, amountText, thousandths } from './amounts.ts'
import { takenBy } from './judge-binding.ts'
import type { Devices } from './judge-devices.ts'

/** What a node should offer, according to the API objects. */
export interface Offers {
  readonly declarations: readonly ExtendedResource[]
  /** Every resource name that was ever declared. */
  readonly declaredNames: ReadonlySet<string>
  /** The pods on the node that have not finished. */
  readonly pods: readonly Pod[]
  readonly devices: Devices
}

/** Returns a sentence for each extended resource of which the node offers another amount than what backs it. */
export function offerFaults(node: Node, offers: Offers): readonly string[] {
  const name = node.metadata.name ?? ''
  const faults: string[] = []
  const expect = (resource: string, capacity: bigint | undefined, allocatable: bigint | undefined): void => {
    const found = [amountsOf(node.status?.capacity).get(resource), amountsOf(node.status?.allocatable).get(resource)]
    if (found[0] === capacity && found[1] === allocatable) return
    faults.push(
      `${resource} on ${name} is ${found.map(text).join('/')} and must be ${text(capacity)}/${text(allocatable)}`,
    )
  }
  const held = takenBy(offers.pods)
  for (const resource of offers.declaredNames) {
    const declared = declaredUnits(name, resource, offers.declarations)
    const units = max(declared ?? 0n, held.get(resource) ?? 0n)
    expect(
      resource,
      units === 0n && declared === undefined ? undefined : units,
      units === 0n && declared === undefined ? undefined : units,
    )
  }
  for (const [resource, ids] of Object.entries(offers.devices)) {
    const health = Object.values(ids)
    expect(resource, thousandths(health.length), thousandths(health.filter(Boolean).length))
  }
  return faults
}

function declaredUnits(node: string, resource: string, declarations: readonly ExtendedResource[]): bigint | undefined {
  const [first] = declarations
    .flatMap(({ spec, metadata }) => (spec === undefined || metadata.deletionTimestamp !== undefined ? [] : [spec]))
    .filter(({ resourceName, nodes }) => resourceName === resource && nodes.names?.includes(node) === true)
    .toSorted((a, b) => (b.precedence ?? 0) - (a.precedence ?? 0))
  return first?.units === undefined ? undefined : thousandths(first.units)
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const text = (amount: bigint | undefined): string => (amount === undefined ? 'absent' : amountText(amount))
