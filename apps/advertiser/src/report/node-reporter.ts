import type { EventInput } from '@berth/k8s-client'
import type { Logger, Node } from '@berth/types'
import type { Shortfall } from '../plan/find-shortfalls.ts'
import type { Conflict, NodePlan } from '../plan/plan-node.ts'
import type { AdvertiserMetrics } from './advertiser-metrics.ts'
import { describeChange, describeConflict } from './describe-change.ts'

/** Reports changes and conflicts of nodes through the log, events on the node, and metrics. */
export interface NodeReporter {
  changed(node: Node, plan: NodePlan): void
  /** Reports each conflict once, and again only after it was resolved in between. */
  conflicts(node: Node, conflicts: readonly Conflict[]): void
  shortfall(node: Node, shortfall: Shortfall): void
  /** Reports that another writer has undone the same write `repeats` times. */
  contested(node: Node, repeats: number): void
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
      for (const change of plan.changes) {
        const isDrift = change.kind === 'set' && change.isDrift
        metrics.wrote(change)
        const text = describeChange(change)
        const fields = { node: plan.nodeName, resourceName: change.resourceName, change: text }
        if (isDrift) log.warn(fields, 'Restored a value that another writer had changed')
        else log.info(fields, 'Updated a resource of the node')
        const reason = isDrift ? 'ResourceDrift' : change.kind === 'set' ? 'ResourceAdvertised' : 'ResourceWithdrawn'
        if (change.kind !== 'record') recordNodeEvent(node, isDrift ? 'Warning' : 'Normal', reason, text)
      }
    },
    conflicts(node, conflicts) {
      const nodeName = node.metadata.name ?? ''
      metrics.conflicts(nodeName, conflicts)
      const reported = reportedByNode.get(nodeName)
      const texts = conflicts.map(describeConflict)
      for (const text of texts) {
        if (reported?.has(text)) continue
        log.warn({ node: nodeName, reason: text }, 'Did not write a declared resource')
        recordNodeEvent(node, 'Warning', 'ResourceConflict', text)
      }
      reportedByNode.set(nodeName, new Set(texts))
    },
    shortfall(node, { resourceName, units, inUse, pods }) {
      metrics.loweredBelowUse(resourceName)
      const nodeName = node.metadata.name ?? ''
      log.warn({ node: nodeName, resourceName, units, inUse, pods }, 'Lowered a resource below what running pods use')
      const note = `${resourceName} is now ${units} while running pods use ${inUse} (${pods.slice(0, 5).join(', ')}${pods.length > 5 ? ', …' : ''}); the kubelet may refuse them after its next restart`
      recordNodeEvent(node, 'Warning', 'ResourceBelowUse', note)
    },
    contested(node, repeats) {
      const nodeName = node.metadata.name ?? ''
      log.warn({ node: nodeName, repeats }, 'Another writer keeps overwriting the advertised resources')
      recordNodeEvent(
        node,
        'Warning',
        'ResourceContested',
        `another writer keeps overwriting the advertised resources (${repeats} times); writing less often`,
      )
    },
    deleted(nodeName) {
      reportedByNode.delete(nodeName)
      metrics.conflicts(nodeName, [])
      metrics.advertised(nodeName, new Map())
    },
  }
}
