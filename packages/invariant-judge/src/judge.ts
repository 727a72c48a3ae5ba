import type { ObjectMeta, Pod } from '@berth/types'
import { writeOf, type AuditRecord, type Write } from './audit-record.ts'
import { createClusterRecord } from './cluster-record.ts'
import { offerFaults } from './judge-offers.ts'
import { misfitOn, takenBy } from './judge-binding.ts'
import { createNodeHistory } from './node-history.ts'
import { takesRoom } from './pod-needs.ts'
import { createLeaseRecord, type LeaderRule } from './judge-leases.ts'
import { devicesOn, holderFaults, type PodDevices } from './judge-devices.ts'

/** The invariants of docs/faults.md that the judge checks. */
export type Invariant = 'I1' | 'I2' | 'I3' | 'I4' | 'I5'

/** A violated invariant. */
export interface Violation {
  readonly invariant: Invariant
  readonly text: string
}

/** Options of {@link createJudge}. */
export interface JudgeOptions {
  /** Matches the user agents of the schedulers and extenders under test. Only their bindings are judged. */
  readonly binders: RegExp
  /** Matches the user agents of all components under test, which must write nothing at rest. */
  readonly components: RegExp
  /** Matches the schedulerName of the pods that must not be left behind. */
  readonly schedulerName: string
  /**
   * How old the state of a node, or the binding of another client, may be on which a decision was made, milliseconds. The
   * bindings of the components under test have no such tolerance.
   */
  readonly staleMs: number
  /**
   * The ConfigMap, as `namespace/name`, with the devices that exist: its key `devices` has
   * `{"NODE": {"RESOURCE": {"ID": isHealthy}}}` in JSON.
   */
  readonly hardware: string
  /** Default: the writes of replicas are not compared with a Lease. */
  readonly leader?: LeaderRule
}

/** Judges the invariants of one run. */
export interface Judge {
  /**
   * Reads an audit event. They come in the order of their writes, or in the order in which their requests were received: a
   * request that another one caused was received later.
   */
  observe(record: AuditRecord): void
  /** Reads the response of `List` of one node's pod resources API. */
  observePodResources(node: string, response: { readonly podResources: readonly PodDevices[] }): void
  /** Checks what must hold once the faults have ended and everything has settled: I3 and I4. */
  checkSettled(): void
  /**
   * Checks that the kubelets could give devices to every pod that was bound since then: I3. A pod for which the node has no
   * room any more is judged with its binding.
   */
  checkAccepted(sinceMs: number): void
  /**
   * Checks that no component has written since then: I5. Leases and events are not counted.
   *
   * @param maxWrites - Writes that each object may have. Default: 0.
   */
  checkQuiet(sinceMs: number, maxWrites?: number): void
  /** Returns the violations so far, each once. */
  violations(): readonly Violation[]
}

/** Creates a judge of an empty cluster. */
export function createJudge(options: JudgeOptions): Judge {
  const { binders, components, schedulerName, staleMs, hardware } = options
  const record = createClusterRecord()
  const history = createNodeHistory(staleMs)
  const leases = createLeaseRecord(options.leader)
  /** When another client bound a pod, by uid. */
  const boundByOthersMs = new Map<string, number>()
  /** When a component under test bound a pod, by uid. */
  const boundMs = new Map<string, number>()
  const componentWrites: Write[] = []
  const declaredNames = new Set<string>()
  const found = new Map<string, Violation>()
  const note = (invariant: Invariant, text: string): void => void found.set(`${invariant} ${text}`, { invariant, text })

  const podsOn = (nodeName: string): readonly Pod[] =>
    [...record.pods.values()].filter((pod) => pod.spec.nodeName === nodeName && takesRoom(pod))

  function judgeBinding(write: Write, pod: Pod): void {
    const nodeName = (write.sent as { readonly target: { readonly name: string } }).target.name
    const name = `${pod.metadata.namespace}/${pod.metadata.name}`
    const before = pod.spec.nodeName ?? ''
    if (before !== '') note('I3', `${name} was bound to ${before} and again to ${nodeName}`)
    if (!binders.test(write.userAgent)) {
      boundByOthersMs.set(pod.metadata.uid ?? '', write.atMs)
      return
    }
    boundMs.set(pod.metadata.uid ?? '', write.atMs)
    if ((write.sent as { readonly metadata?: ObjectMeta }).metadata?.uid !== pod.metadata.uid)
      note('I3', `${name} was bound without its uid, so another pod of that name could have been bound`)
    const isKnown = ({ metadata }: Pod): boolean =>
      metadata.uid !== pod.metadata.uid && (boundByOthersMs.get(metadata.uid ?? '') ?? -Infinity) < write.atMs - staleMs
    const taken = takenBy(podsOn(nodeName).filter(isKnown))
    const versions = history.since(nodeName, write.atMs - staleMs)
    const reasons = versions.map((node) => misfitOn(node, pod, taken))
    if (versions.length > 0 && reasons.every((reason) => reason !== undefined)) {
      note('I2', `${name} was bound to ${nodeName} by ${write.userAgent} at ${timeText(write)}: ${reasons.at(-1)}`)
    }
  }

  function timeText({ atMs }: Write): string {
    return new Date(atMs).toISOString().slice(11, 23)
  }

  return {
    observe(event) {
      const write = writeOf(event)
      if (write === undefined) return
      const { target, userAgent, atMs } = write
      const leaseFault = leases.faultOf(write)
      if (leaseFault !== undefined) note('I2', `at ${timeText(write)} ${leaseFault}`)
      const bound = record.apply(write)
      if (bound !== undefined) judgeBinding(write, bound)
      if (target.resource === 'nodes') {
        const name =
          target.name ?? (write.returned as { readonly metadata?: { readonly name?: string } }).metadata?.name
        if (name !== undefined) history.set(name, record.nodes.get(name), atMs)
      }
      for (const { spec } of record.declarations.values()) if (spec !== undefined) declaredNames.add(spec.resourceName)
      const isCounted = components.test(userAgent) && target.resource !== 'leases' && target.resource !== 'events'
      if (isCounted) componentWrites.push(write)
    },
    observePodResources(node, { podResources }) {
      const devices = devicesOn(node, record.configMaps.get(hardware)?.['devices'])
      for (const text of holderFaults(node, podResources, devices)) note('I1', text)
    },
    checkSettled() {
      for (const [name, pod] of record.pods) {
        const isWaiting = (pod.spec.nodeName ?? '') === '' && pod.spec.schedulerName === schedulerName
        if (!isWaiting || pod.metadata.deletionTimestamp !== undefined || !takesRoom(pod)) continue
        for (const [nodeName, node] of record.nodes) {
          if (misfitOn(node, pod, takenBy(podsOn(nodeName))) === undefined)
            note('I3', `${name} is left behind, although it fits on ${nodeName}`)
        }
        const condition = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
        if (condition?.status !== 'False') note('I3', `${name} waits without a reason in its condition PodScheduled`)
      }
      for (const [nodeName, node] of record.nodes) {
        const devices = devicesOn(nodeName, record.configMaps.get(hardware)?.['devices'])
        const offers = {
          declarations: [...record.declarations.values()],
          declaredNames,
          pods: podsOn(nodeName),
          devices,
        }
        for (const text of offerFaults(node, offers)) note('I4', text)
      }
    },
    checkAccepted(sinceMs) {
      for (const [name, { metadata, spec, status }] of record.pods) {
        const isNew = (boundMs.get(metadata.uid ?? '') ?? -Infinity) >= sinceMs
        if (isNew && status?.phase === 'Failed' && status.reason === 'UnexpectedAdmissionError')
          note('I3', `${spec.nodeName} refused ${name}: ${status.reason}: ${status.message ?? ''}`)
      }
    },
    checkQuiet(sinceMs, maxWrites = 0) {
      const recent = componentWrites.filter(({ atMs }) => atMs >= sinceMs)
      const byObject = Map.groupBy(recent, ({ target }) => [target.resource, target.namespace, target.name].join(' '))
      const writes = [...byObject.values()].flatMap((each) => each.slice(maxWrites))
      const [first] = writes
      if (first === undefined) return
      const { resource, name = '', subresource = '' } = first.target
      const what = `${first.verb} ${resource}/${name} ${subresource}`.trim()
      note(
        'I5',
        `${writes.length} writes at rest, the first by ${first.userAgent}: ${what} ${JSON.stringify(first.sent)}`,
      )
    },
    violations: () => [...found.values()],
  }
}
