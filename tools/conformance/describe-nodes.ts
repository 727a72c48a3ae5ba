import type { ClusterState } from '@berth/fit-engine'
import { boundPodRequest, hostPorts, isScalarResourceName, resourceAmounts } from '@berth/resources'
import type { Node } from '@berth/types'

function scalarAmounts(names: Iterable<string>, amountOf: (name: string) => bigint): Record<string, string> {
  return Object.fromEntries([...names].filter(isScalarResourceName).map((name) => [name, `${amountOf(name)}`]))
}

function wrappedSum(values: readonly bigint[]): string {
  return `${BigInt.asIntN(
    64,
    values.reduce((sum, value) => sum + value, 0n),
  )}`
}

/** Returns a number, or a string of digits when a double cannot hold it, as `parseExactJson` reads expected answers. */
function exactNumber(value: bigint): number | string {
  return String(Number(value)) === `${value}` ? Number(value) : `${value}`
}

function describeNode(state: ClusterState, node: Node): unknown {
  const row = state.rowOf(node.metadata.name ?? '') ?? 0
  const pods = state.podsOn(row)
  const bound = pods.map(boundPodRequest)
  const amounts = (amountOf: (name: string) => bigint, scalars: Iterable<string>) => ({
    milliCPU: `${amountOf('cpu')}`,
    memory: `${amountOf('memory')}`,
    ephemeralStorage: `${amountOf('ephemeral-storage')}`,
    scalar: scalarAmounts(scalars, amountOf),
  })
  const allocatable = (name: string): bigint => state.allocatable(row, name)
  const requested = (name: string): bigint => state.requested(row, name)
  const requestedNames = new Set(bound.flatMap(({ scalar }) => [...scalar.keys()]))
  const ports = pods.flatMap((pod) => hostPorts(pod).map(({ ip, protocol, port }) => `${ip} ${protocol} ${port}`))
  return {
    allocatable: {
      ...amounts(allocatable, resourceAmounts(node.status?.allocatable).keys()),
      allowedPodNumber: exactNumber(allocatable('pods')),
    },
    requested: amounts(requested, requestedNames),
    nonZeroMilliCPU: wrappedSum(bound.map(({ nonZeroMilliCpu }) => nonZeroMilliCpu)),
    nonZeroMemory: wrappedSum(bound.map(({ nonZeroMemory }) => nonZeroMemory)),
    pods: Number(requested('pods')),
    usedHostPorts: new Set(ports).size,
  }
}

/** Returns `snapshotOrder` and `nodeInfo`: the order of the nodes, and what the state knows about each. */
export function describeNodes(state: ClusterState, nodes: readonly Node[]): object {
  return {
    snapshotOrder: state.nodeNames(),
    nodeInfo: Object.fromEntries(nodes.map((node) => [node.metadata.name, describeNode(state, node)])),
  }
}
