import { type ClusterState, createClusterState, decide } from '@berth/fit-engine'
import type { Node, Pod } from '@berth/types'
import { mustHold } from '../measurement.ts'
import { amounts, askingPod, type BenchCluster, benchPod, goCluster } from './go-cluster.ts'
import { usedBytes } from './heap.ts'
import { input, sixAndFive } from './profiles.ts'

/** Name of a case and its samples in bytes. */
export type MemorySamples = ReadonlyMap<string, readonly number[]>

const NODES = 5000
const NAMES = 10_000
/** One node is little: so many of it are weighed together. */
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

/** What the state adds to the objects that it is told of: first the nodes, then the pods. */
function weigh({ nodes, pods }: BenchCluster, copies = 1): { readonly nodeBytes: number; readonly podBytes: number } {
  tryOut(nodes, pods)
  const empty = usedBytes()
  const states = Array.from({ length: copies }, () => createClusterState())
  for (const state of states) fill(state, nodes, [])
  const withNodes = usedBytes()
  for (const state of states) fill(state, [], pods)
  const full = usedBytes()
  for (const state of states) {
    mustHold(state.nodeCount === nodes.length && [...state.pods()].length === pods.length, 'everything is there')
  }
  return { nodeBytes: (withNodes - empty) / copies, podBytes: (full - withNodes) / copies }
}

/** What is made once whatever the size must not count. A function of its own, so that nothing of it is held. */
function tryOut(nodes: readonly Node[], pods: readonly Pod[]): void {
  fill(createClusterState(), nodes, pods)
}

function fill(state: ClusterState, nodes: readonly Node[], pods: readonly Pod[]): void {
  for (const node of nodes) state.setNode(node)
  for (const pod of pods) state.setPod(pod)
}

/** Bytes per node and pod where all share a resource, where each node has its own, and where one node has 10,000. */
export function weighClusters(samples: number, progress: (line: string) => void): MemorySamples {
  const found = new Map<string, number[]>()
  const note = (name: string, bytes: number): void => void found.set(name, [...(found.get(name) ?? []), bytes])
  for (let i = 0; i < samples; i++) {
    progress(`memory, ${i + 1} of ${samples}`)
    const shared = weigh(clusterOf(NODES, () => ({ 'example.com/shared': '20' })))
    note('memory a node, all offer one resource', shared.nodeBytes / NODES)
    note('memory a pod, all nodes offer one resource', shared.podBytes / (NODES * PODS_PER_NODE))
    const own = weigh(clusterOf(NODES, (k) => ({ [`example.com/own-${k}`]: '20' })))
    note('memory a node, each of 5,000 offers its own resource', own.nodeBytes / NODES)
    note('memory a pod, each of 5,000 nodes offers its own resource', own.podBytes / (NODES * PODS_PER_NODE))
    const many = weigh(clusterOf(1, manyNames), COPIES)
    note('memory a resource name, one node offers 10,000', many.nodeBytes / NAMES)
  }
  return found
}

/** How much more is in use after many pods were placed, came as bound pods and went again; most of it is noise of the collector. */
export function growOverPods(podCount: number, progress: (line: string) => void): number {
  const { state, nodes } = goCluster(1000)
  const run = (count: number, from: number): void => {
    for (let i = 0; i < count; i++) {
      const pod = { ...askingPod(`grow-${from + i}`) }
      const nodeName = nodes[(i * 7) % nodes.length]?.metadata.name ?? ''
      if (i % 100 === 0) mustHold(decide(sixAndFive, state, pod, input).feasible.length > 0, 'the pod fits')
      state.assume(pod, nodeName)
      const bound = { ...pod, spec: { ...pod.spec, nodeName } }
      state.setPod(bound)
      state.deletePod(bound)
    }
  }
  run(podCount / 10, 0)
  const before = usedBytes()
  progress(`${podCount} pods come and go`)
  run(podCount, podCount)
  const after = usedBytes()
  mustHold([...state.pods()].length === nodes.length * PODS_PER_NODE, 'all pods that came are gone')
  return after - before
}
