import { isBound } from '@berth/resources'
import type { Oracle } from '../oracle-process.ts'
import type { HistoryCluster } from './history-cluster.ts'
import { BARRIER_NODE } from './wait-for-rest.ts'

/**
 * Returns the pending pods that fit a node by kube-scheduler's own filters, each as `pod: nodes`. Pods with scheduling
 * gates do not count.
 *
 * @param oracle - An oracle for questions of kind `everything`.
 */
export async function podsLeftBehind(cluster: HistoryCluster, oracle: Oracle): Promise<readonly string[]> {
  const nodes = cluster.nodes().filter(({ metadata }) => metadata.name !== BARRIER_NODE)
  // The oracle refuses a question without nodes.
  if (nodes.length === 0) return []
  const pods = cluster.pods()
  const waiting = pods.filter((pod) => !isBound(pod) && (pod.spec.schedulingGates ?? []).length === 0)
  const left: string[] = []
  for (const pod of waiting) {
    const nominatedPods = waiting.filter((other) => other !== pod && (other.status?.nominatedNodeName ?? '') !== '')
    const answer = JSON.parse(await oracle.ask({ nodes, pods, nominatedPods, pod })) as {
      readonly ok?: boolean
      readonly feasible?: readonly string[]
    }
    if (answer.ok !== true) throw new Error(`the oracle cannot judge ${pod.metadata.name}: ${JSON.stringify(answer)}`)
    if ((answer.feasible ?? []).length > 0) left.push(`${pod.metadata.name}: ${answer.feasible?.join(', ')}`)
  }
  return left
}
