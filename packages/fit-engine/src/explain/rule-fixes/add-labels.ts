import type { AddLabelFix } from '../explanation.ts'
import { cheapestVerified, feasibleAfter, type FixSearch, nodeOf, rejectedOnlyBy } from '../fix-search.ts'
import { missingLabels } from './missing-labels.ts'

/** Cost of one label. A label can let other pods onto the node, too. */
const LABEL_COST = 20

const labelFilters: ReadonlySet<string> = new Set(['NodeAffinity'])

/**
 * Proposes to give some node the labels that the pod requires. Skips a node that lacks a label which Kubernetes or a
 * cloud sets.
 */
export function addLabels(search: FixSearch): AddLabelFix | undefined {
  const attempts = rejectedOnlyBy(search, labelFilters).flatMap((explanation) => {
    const { node } = explanation
    const given = nodeOf(search, explanation)
    const labels = missingLabels(search.pod, given) ?? {}
    const keys = Object.keys(labels)
    if (keys.length === 0 || keys.some(isSetBySystem)) return []
    const cost = LABEL_COST * keys.length
    const verify = (): AddLabelFix | undefined => {
      const metadata = { ...given.metadata, labels: { ...given.metadata.labels, ...labels } }
      if (!feasibleAfter(search, { node: { ...given, metadata } }).includes(node)) return undefined
      const list = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
      const sentence = `Label node ${node} with ${list.join(' and ')}.`
      return { kind: 'add-label', node, labels, cost, sentence, verified: true }
    }
    return { cost, node, verify }
  })
  return cheapestVerified(attempts)
}

/**
 * Returns whether Kubernetes or a cloud sets the label, such as the node's zone: a user must not set it to another
 * value.
 */
function isSetBySystem(key: string): boolean {
  const domain = key.includes('/') ? (key.split('/')[0] ?? '') : ''
  return /(^|\.)(kubernetes|k8s)\.io$/.test(domain)
}
