import type { EventInput } from '@berth/k8s-client'
import type { Logger, Node } from '@berth/types'
import type { Shortfall } from '../plan/find-shortfalls.ts'
import type { AdvertiserMetrics } from './advertiser-metrics.ts'
import type { Conflict, NodePlan } from '../plan/plan-node.ts'
import { changeSentence, conflictSentence } from './describe-change.ts'

/** Tells people and machines what was done to nodes and what was not: log, events on the node, metrics. */
export interface NodeReporter {
  wrote(node: Node, plan: NodePlan): void
  /** Says each conflict once, and again only after it was gone. */
  conflicts(node: Node, conflicts: readonly Conflict[]): void
  shortfall(node: Node, shortfall: Shortfall): void
  contested(node: Node, repeats: number): void
  gone(nodeName: string): void
}

/** Reports through a logger, an event recorder and the advertiser's metrics. */
export function createNodeReporter(options: {
  readonly log: Logger
  readonly metrics: AdvertiserMetrics
  readonly recordEvent: (event: EventInput) => void
}): NodeReporter {
  const { log, metrics, recordEvent } = options
  const saidByNode = new Map<string, ReadonlySet<string>>()

  const event = (node: Node, type: 'Normal' | 'Warning', reason: string, note: string): void => {
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
    wrote(node, plan) {
      for (const change of plan.changes) {
        const isDrift = change.kind === 'set' && change.isDrift
        metrics.wrote(change)
        const fields = { node: plan.nodeName, resourceName: change.resourceName, change: changeSentence(change) }
        if (isDrift) log.warn(fields, 'Put back what another writer had changed')
        else log.info(fields, 'Changed what the node offers')
        const reason = isDrift ? 'ResourceDrift' : change.kind === 'set' ? 'ResourceAdvertised' : 'ResourceWithdrawn'
        if (change.kind !== 'record') event(node, isDrift ? 'Warning' : 'Normal', reason, changeSentence(change))
      }
    },
    conflicts(node, conflicts) {
      const nodeName = node.metadata.name ?? ''
      metrics.conflicts(nodeName, conflicts)
      const said = saidByNode.get(nodeName)
      const sentences = conflicts.map(conflictSentence)
      for (const sentence of sentences) {
        if (said?.has(sentence)) continue
        log.warn({ node: nodeName, reason: sentence }, 'Did not write what is declared')
        event(node, 'Warning', 'ResourceConflict', sentence)
      }
      saidByNode.set(nodeName, new Set(sentences))
    },
    shortfall(node, { resourceName, units, inUse, pods }) {
      metrics.loweredBelowUse(resourceName)
      const nodeName = node.metadata.name ?? ''
      log.warn({ node: nodeName, resourceName, units, inUse, pods }, 'Lowered below what running pods use')
      const note = `${resourceName} is now ${units} while running pods use ${inUse} (${pods.slice(0, 5).join(', ')}${pods.length > 5 ? ', …' : ''}); the kubelet may refuse them after its next restart`
      event(node, 'Warning', 'ResourceBelowUse', note)
    },
    contested(node, repeats) {
      const nodeName = node.metadata.name ?? ''
      log.warn({ node: nodeName, repeats }, 'Another writer keeps changing what Berth advertises')
      event(
        node,
        'Warning',
        'ResourceContested',
        `another writer keeps undoing what Berth advertises (${repeats} times); writing more slowly`,
      )
    },
    gone(nodeName) {
      saidByNode.delete(nodeName)
      metrics.conflicts(nodeName, [])
      metrics.advertised(nodeName, new Map())
    },
  }
}
