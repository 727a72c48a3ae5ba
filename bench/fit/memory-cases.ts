import { type ClusterState, createClusterState, decide } from '@berth/fit-engine'
import type { Node, Pod } from '@berth/types'
import { assertCorrect } from '../measurement.ts'
import { amounts, candidatePod, type BenchCluster, benchPod, goCluster } from './go-cluster.ts'
import { usedBytes } from './used-bytes.ts'
import { input, basicProfile } from './profiles.ts'

/** Samples in bytes, by case name. */
export type MemorySamples = ReadonlyMap<string, readonly number[]>

const NODES = 5000
const NAMES = 10_000
/** A state with one node is too small to measure, so this many are measured together. */
const COPIES = 10
const PODS_PER_NODE = 10

function clusterOf(nodeCount: number, offers: (i: number) => Readonly<Record<string, string>>): BenchCluster {
  const nodes: Node[] = []
  const pods: Pod[] = []
  for (let i = 0; i < nodeCount; i++) {
    const name = `node-${i}`
    const [own = ''] = Object.keys(offers(i))
    nodes.push({
      metadata: { name },
      status: { allocatable: { ...amounts('64', '256Gi'), pods: '250', ...offers(i) } },
    })
    for (let j = 0; j < PODS_PER_NODE; j++)
      pods.push(benchPod(`e-${i}-${j}`, { ...amounts('500m', '1Gi'), [own]: '1' }, name))
  }
  return { nodes, pods, state: createClusterState() }
}

const manyNames = (): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: NAMES }, (_, k) => [`example.com/r${k}`, '20']))

/** Measures the memory that the state needs in addition to the objects: for the nodes, then for the pods. */
function measureMemory(
  { nodes, pods }: BenchCluster,
  copies = 1,
): { readonly nodeBytes: number; readonly podBytes: number } {
  warmUp(nodes, pods)
  const empty = usedBytes()
  const states = Array.from({ length: copies }, () => createClusterState())
  for (const state of states) fill(state, nodes, [])
  const withNodes = usedBytes()
  for (const state of states) fill(state, [], pods)
  const full = usedBytes()
  for (const state of states) {
    assertCorrect(
      state.nodeCount === nodes.length && [...state.pods()].length === pods.length,
      'the state has every node and pod',
    )
  }
  return { nodeBytes: (withNodes - empty) / copies, podBytes: (full - withNodes) / copies }
}

/** Allocates what is allocated only once, whatever the size. A separate function, so that its objects can be collected. */
function warmUp(nodes: readonly Node[], pods: readonly Pod[]): void {
  fill(createClusterState(), nodes, pods)
}

function fill(state: ClusterState, nodes: readonly Node[], pods: readonly Pod[]): void {
  for (const node of nodes) state.setNode(node)
  for (const pod of pods) state.setPod(pod)
}

/** Measures bytes per node and pod: with one shared resource, with one resource per node, and with 10,000 on one node. */
export function measureClusterMemory(samples: number, progress: (line: string) => void): MemorySamples {
  const found = new Map<string, number[]>()
  const note = (name: string, bytes: number): void => void found.set(name, [...(found.get(name) ?? []), bytes])
  for (let i = 0; i < samples; i++) {
    progress(`memory, ${i + 1} of ${samples}`)
    const shared = measureMemory(clusterOf(NODES, () => ({ 'example.com/shared': '20' })))
    note('memory a node, all offer one resource', shared.nodeBytes / NODES)
    note('memory a pod, all nodes offer one resource', shared.podBytes / (NODES * PODS_PER_NODE))
    const own = measureMemory(clusterOf(NODES, (k) => ({ [`example.com/own-${k}`]: '20' })))
    note('memory a node, each of 5,000 offers its own resource', own.nodeBytes / NODES)
    note('memory a pod, each of 5,000 nodes offers its own resource', own.podBytes / (NODES * PODS_PER_NODE))
    const many = measureMemory(clusterOf(1, manyNames), COPIES)
    note('memory a resource name, one node offers 10,000', many.nodeBytes / NAMES)
  }
  return found
}

/** Measures how much memory use grows while many pods are assumed, bound and deleted. Most of it is collector noise. */
export function measureHeapGrowth(podCount: number, progress: (line: string) => void): number {
  const { state, nodes } = goCluster(1000)
  const run = (count: number, from: number): void => {
    for (let i = 0; i < count; i++) {
      const pod = { ...candidatePod(`grow-${from + i}`) }
      const nodeName = nodes[(i * 7) % nodes.length]?.metadata.name ?? ''
      if (i % 100 === 0) assertCorrect(decide(basicProfile, state, pod, input).feasible.length > 0, 'the pod fits')
      state.assume(pod, nodeName)
      const bound = { ...pod, spec: { ...pod.spec, nodeName } }
      state.setPod(bound)
      state.deletePod(bound)
    }
  }
  run(podCount / 10, 0)
  const before = usedBytes()
  progress(`adding and deleting ${podCount} pods`)
  run(podCount, podCount)
  const after = usedBytes()
  assertCorrect([...state.pods()].length === nodes.length * PODS_PER_NODE, 'every added pod is deleted')
  return after - before
}
