import type { Pod } from '@berth/types'
import { type ApiObject, objectAt, valueAt } from '@berth/embedded-api-server'
import { allocatableAmounts, resourceShortage } from '@berth/embedded-kubelet'
import { selectsNode, untoleratedTaints } from './node-fit.ts'

/**
 * Returns why a node cannot run a pod, in kube-scheduler's words; undefined when it can. A resource that the node does not
 * offer counts as missing: the kubelet would ignore extended resources that its node does not have.
 *
 * @param others - The active pods of the node.
 */
export function nodeRejection(pod: ApiObject, node: ApiObject, others: readonly ApiObject[]): string | undefined {
  const spec = objectAt(pod, 'spec')
  if (valueAt(node, 'spec', 'unschedulable') === true) return 'node(s) were unschedulable'
  if (untoleratedTaints(spec, node, ['NoSchedule', 'NoExecute']).length > 0) return 'node(s) had untolerated taint(s)'
  if (!selectsNode(spec, node)) return "node(s) didn't match Pod's node affinity/selector"
  const offered = allocatableAmounts(node)
  const requested = asPod(pod).spec.containers.flatMap(({ resources }) => Object.keys(resources?.requests ?? {}))
  const missing = requested.find((name) => !offered.has(name))
  if (missing !== undefined) return `Insufficient ${missing}`
  const shortage = resourceShortage(asPod(pod), others.map(asPod), offered)
  if (shortage === undefined) return undefined
  const name = shortage.reason.replace(/^OutOf/, '')
  return name === 'pods' ? 'Too many pods' : `Insufficient ${name}`
}

/**
 * Returns the message about a pod that no node can run.
 *
 * @param rejections - One reason for each node.
 * @see kubernetes/kubernetes pkg/scheduler/framework/types.go, FitError (v1.36)
 */
export function rejectionMessage(rejections: readonly string[]): string {
  if (rejections.length === 0) return 'no nodes available to schedule pods'
  const counts = [...Map.groupBy(rejections, (reason) => reason)].map(([reason, nodes]) => `${nodes.length} ${reason}`)
  return `0/${rejections.length} nodes are available: ${counts.toSorted().join(', ')}.`
}

const asPod = (pod: ApiObject): Pod => pod as unknown as Pod
