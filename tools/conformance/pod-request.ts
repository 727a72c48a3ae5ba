import {
  applyApiServerDefaults,
  balancedScoreRequests,
  boundPodRequest,
  fitScoreRequests,
  hostPorts,
  isEmptyRequest,
  podLimits,
  podRequest,
  podRequestList,
  quantityMap,
  type PodResources,
  type QuantityMap,
  type ScoreRequests,
} from '@berth/resources'
import type { Container, Pod } from '@berth/types'
import type { VectorKind } from './vector-kind.ts'

/** The input of a `podrequest` vector. */
interface PodRequestQuestion {
  readonly pod: Pod
  readonly applyDefaults?: boolean
}

function mapValues<T, R>(map: ReadonlyMap<string, T>, show: (value: T) => R): Readonly<Record<string, R>> {
  return Object.fromEntries([...map].map(([name, value]) => [name, show(value)]))
}

const describeList = (list: QuantityMap): unknown =>
  mapValues(list, (quantity) => ({
    value: `${quantity.value()}`,
    milli: `${quantity.milliValue()}`,
    canonical: quantity.canonical(),
  }))

const describeResources = ({ milliCpu, memory, ephemeralStorage, scalar }: PodResources): unknown => ({
  milliCPU: `${milliCpu}`,
  memory: `${memory}`,
  ephemeralStorage: `${ephemeralStorage}`,
  scalar: mapValues(scalar, String),
})

function describeBound(pod: Pod): unknown {
  const bound = boundPodRequest(pod)
  return {
    requests: describeList(podRequestList(pod, { useStatus: true })),
    resource: describeResources(bound),
    nonZeroMilliCPU: `${bound.nonZeroMilliCpu}`,
    nonZeroMemory: `${bound.nonZeroMemory}`,
  }
}

function describeScoring(pod: Pod): unknown {
  const names = new Set(['cpu', 'memory', 'ephemeral-storage', ...podRequestList(pod).keys()])
  const amounts = (requests: ScoreRequests): unknown =>
    Object.fromEntries([...names].map((name) => [name, `${requests.get(name) ?? 0n}`]))
  const balanced = balancedScoreRequests(pod)
  const isSkipped = [...names].every((name) => (balanced.get(name) ?? 0n) === 0n)
  return {
    NodeResourcesFit: { skip: false, requests: amounts(fitScoreRequests(pod)) },
    NodeResourcesBalancedAllocation: { skip: isSkipped, requests: isSkipped ? null : amounts(balanced) },
  }
}

function describeDefaults({ spec }: Pod): unknown {
  const requests = (containers: readonly Container[] = []): unknown =>
    Object.fromEntries(containers.map(({ name, resources }) => [name, describeList(quantityMap(resources?.requests))]))
  return {
    containers: requests(spec.containers),
    initContainers: requests(spec.initContainers),
    ...(spec.resources && {
      podRequests: describeList(quantityMap(spec.resources.requests)),
      podLimits: describeList(quantityMap(spec.resources.limits)),
    }),
  }
}

function answer(input: unknown): unknown {
  const question = input as PodRequestQuestion
  const pod = question.applyDefaults ? applyApiServerDefaults(question.pod) : question.pod
  const candidate = podRequest(pod)
  return {
    ok: true,
    requests: describeList(podRequestList(pod)),
    limits: describeList(podLimits(pod)),
    preFilter: {
      status: { code: 'Success', reasons: [] },
      resource: describeResources(candidate),
      empty: isEmptyRequest(candidate),
    },
    bound: describeBound(pod),
    scoring: describeScoring(pod),
    hostPorts: hostPorts(pod),
    ...(question.applyDefaults && { defaulted: describeDefaults(pod) }),
  }
}

/** Effective requests and limits of pods. */
export const podRequestKind: VectorKind = { answer }
