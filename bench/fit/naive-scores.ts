import type { Node, Pod, ResourceList } from '@berth/types'

const BINARY: ReadonlyMap<string, bigint> = new Map([
  ['Ki', 1n << 10n],
  ['Mi', 1n << 20n],
  ['Gi', 1n << 30n],
])
const MAX_SCORE = 100
/** TaintToleration has weight 3, and a node without taints has the full score. */
const TAINT_SCORE = 300

/** Parses the few kinds of amounts that the benchmarks use, in thousandths. */
export function milliUnits(text: string): bigint {
  const match = /^(\d+)(m|[KMG]i)?$/.exec(text)
  if (match === null) throw new RangeError(`parse amount: "${text}" is not a form that the benchmarks use`)
  const [, digits = '0', suffix = ''] = match
  return suffix === 'm' ? BigInt(digits) : BigInt(digits) * 1000n * (BINARY.get(suffix) ?? 1n)
}

function units(list: ResourceList | undefined, name: string): bigint {
  const text = list !== undefined && Object.hasOwn(list, name) ? String(list[name]) : '0'
  return name === 'cpu' ? milliUnits(text) : milliUnits(text) / 1000n
}

function requestOf(pod: Pod, name: string): bigint {
  return pod.spec.containers.reduce((sum, { resources }) => sum + units(resources?.requests, name), 0n)
}

/** The feasible nodes by name, with the sum of the five scores of the Go benchmark. */
export type NaiveScores = ReadonlyMap<string, number>

/**
 * Computes the six filters and five scores naively, for clusters without taints, affinity, ports and images where every
 * pod requests cpu and memory. Shares only types with the engine.
 */
export function naiveScores(nodes: readonly Node[], pods: readonly Pod[], pod: Pod): NaiveScores {
  const names = ['cpu', 'memory', ...Object.keys(pod.spec.containers[0]?.resources?.requests ?? {})]
  const byNode = Map.groupBy(pods, ({ spec }) => spec.nodeName ?? '')
  const answer = new Map<string, number>()
  for (const { metadata, status } of nodes) {
    const here = byNode.get(metadata.name ?? '') ?? []
    const allocatable = (name: string): bigint => units(status?.allocatable, name)
    const used = (name: string): bigint => here.reduce((sum, other) => sum + requestOf(other, name), 0n)
    const fits =
      BigInt(here.length) < allocatable('pods') &&
      names.every((name) => requestOf(pod, name) <= allocatable(name) - used(name))
    if (fits) answer.set(metadata.name ?? '', scoreOf(pod, allocatable, used))
  }
  return answer
}

function scoreOf(pod: Pod, has: (name: string) => bigint, used: (name: string) => bigint): number {
  const free = (name: string): bigint =>
    (BigInt(MAX_SCORE) * (has(name) - used(name) - requestOf(pod, name))) / has(name)
  const least = (free('cpu') + free('memory')) / 2n
  const share = (name: string, extra: bigint): number => Number(used(name) + extra) / Number(has(name))
  const balance = (cpu: number, memory: number): number => Math.trunc((1 - Math.abs(cpu - memory) / 2) * MAX_SCORE)
  const before = balance(share('cpu', 0n), share('memory', 0n))
  const after = balance(share('cpu', requestOf(pod, 'cpu')), share('memory', requestOf(pod, 'memory')))
  return TAINT_SCORE + Number(least) + 50 + Math.trunc((50 + after - before) / 2)
}
