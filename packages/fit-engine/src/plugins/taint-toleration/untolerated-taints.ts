import type { Node, Pod, Taint } from '@berth/types'
import { keepsPodsOff, tolerationMatcher } from '../../selectors/tolerations.ts'

/** Returns the taints of the node that keep the pod off. */
export function untoleratedTaints({ spec }: Pod, node: Node): readonly Taint[] {
  const isTolerated = tolerationMatcher(spec.tolerations)
  return (node.spec?.taints ?? []).filter((taint) => keepsPodsOff(taint) && !isTolerated(taint))
}

/** Returns whether the control plane sets the taint, and would set it again, while the node has a condition. */
export function isConditionTaint({ key }: Taint): boolean {
  return key.startsWith('node.kubernetes.io/') || key.startsWith('node.cloudprovider.kubernetes.io/')
}

/** Formats a taint as `kubectl taint` takes it: `key=value:effect`. */
export function taintText({ key, value = '', effect }: Taint): string {
  return `${key}${value === '' ? '' : `=${value}`}:${effect}`
}
