import type { EventInput } from '@berth/k8s-client'
import type { Logger, Node } from '@berth/types'
import type { Change, Conflict, NodePlan } from '../plan/node-plan.ts'
import type { ZeroFinding } from '../plan/zero-finding.ts'
import type { AdvertiserMetrics } from './advertiser-metrics.ts'
import { describeChange, describeConflict, describeTakeover } from './describe-change.ts'

/** Reasons of the events about changes without drift. A change of the record alone causes no event. */
const EVENT_REASONS: Readonly<Record<Change['kind'], string | undefined>> = {
  set: 'ResourceAdvertised',
  withdraw: 'ResourceWithdrawn',
  clear: 'ResourceCleared',
  record: undefined,
}

/** Reports changes and conflicts of nodes through the log, events on the node, and metrics. */
export interface NodeReporter {
  changed(node: Node, plan: NodePlan): void
  /** Reports each conflict once, and again only after it was resolved in between. */
  conflicts(node: Node, conflicts: readonly Conflict[]): void
  /** Reports that another writer has undone the same write of a resource `repeats` times. */
  contested(node: Node, write: { readonly resourceName: string; readonly repeats: number }): void
  /** Reports what became of a resource that was removed because a device plugin had left it at 0. */
  zeroFinding(nodeName: string, finding: ZeroFinding): void
  deleted(nodeName: string): void
}

/** Creates a reporter over a logger, an event recorder and the advertiser's metrics. */
export function createNodeReporter(options: {
  readonly log: Logger
  readonly metrics: AdvertiserMetrics
  readonly recordEvent: (event: EventInput) => void
}): NodeReporter {
  const { log, metrics, recordEvent } = options
  const reportedByNode = new Map<string, ReadonlySet<string>>()

  const recordNodeEvent = (node: Node, type: 'Normal' | 'Warning', reason: string, note: string): void => {
    const { name, uid } = node.metadata
    recordEvent({
      regarding: {
        apiVersion: 'v1',
        kind: 'Node',
        ...(name !== undefined && { name }),
        ...(uid !== undefined && { uid }),
      },
      type,
      reason,
      action: 'Advertising',
      note,
    })
  }

  return {
    changed(node, plan) {
      if (plan.takesOver)
        log.info({ node: plan.nodeName, change: describeTakeover(plan) }, 'Took over the record of the node')
      for (const change of plan.changes) {
        const isDrift = change.kind === 'set' && change.isDrift
        metrics.wrote(change)
        const text = describeChange(change)
        const fields = { node: plan.nodeName, resourceName: change.resourceName, change: text }
        if (isDrift) log.warn(fields, 'Restored a value that another writer had changed')
        else log.info(fields, 'Updated a resource of the node')
        const reason = isDrift ? 'ResourceDrift' : EVENT_REASONS[change.kind]
        if (reason !== undefined) recordNodeEvent(node, isDrift ? 'Warning' : 'Normal', reason, text)
      }
    },
    conflicts(node, conflicts) {
      const nodeName = node.metadata.name ?? ''
      metrics.conflicts(nodeName, conflicts)
      const reported = reportedByNode.get(nodeName)
      const texts = new Set<string>()
      for (const conflict of conflicts) {
        const text = describeConflict(conflict)
        texts.add(text)
        if (reported?.has(text)) continue
        log.warn({ node: nodeName, reason: text }, 'Did not write a resource as declared')
        recordNodeEvent(node, 'Warning', conflict.kind === 'held' ? 'ResourceHeld' : 'ResourceConflict', text)
      }
      if (texts.size === 0) reportedByNode.delete(nodeName)
      else reportedByNode.set(nodeName, texts)
    },
    contested(node, { resourceName, repeats }) {
      const nodeName = node.metadata.name ?? ''
      log.warn({ node: nodeName, resourceName, repeats }, 'Another writer keeps overwriting an advertised resource')
      recordNodeEvent(
        node,
        'Warning',
        'ResourceContested',
        `another writer keeps overwriting ${resourceName} (${repeats} times); writing it less often`,
      )
    },
    zeroFinding(node, { kind, resourceName }) {
      const fields = { node, resourceName }
      if (kind === 'verified') log.info(fields, 'A resource that a device plugin had left at 0 stays away')
      else if (kind === 'returned') log.warn(fields, 'The kubelet wrote a removed resource again; trying later')
      else log.warn(fields, 'Gave up removing a resource: the kubelet keeps writing it; restart the kubelet')
    },
    deleted(nodeName) {
      reportedByNode.delete(nodeName)
      metrics.conflicts(nodeName, [])
      metrics.advertised(nodeName, new Map())
    },
  }
}
