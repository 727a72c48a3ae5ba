import type { LabelSelector } from '@berth/types'
import {
  type ApiObject,
  type JsonObject,
  labelMatcher,
  listAt,
  own,
  stringAt,
  valueAt,
} from '@berth/embedded-api-server'

type Expression = NonNullable<LabelSelector['matchExpressions']>[number]

/**
 * Returns whether a pod spec's `nodeSelector` and required node affinity allow the node.
 *
 * @see kubernetes/component-helpers scheduling/corev1/nodeaffinity (v1.36)
 */
export function selectsNode(spec: JsonObject, node: ApiObject): boolean {
  const selector = { matchLabels: valueAt(spec, 'nodeSelector') ?? {} } as LabelSelector
  if (!labelMatcher(selector)(node.metadata.labels)) return false
  const required = valueAt(spec, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution')
  if (required === undefined) return true
  return listAt(required, 'nodeSelectorTerms').some((term) => matchesTerm(term, node))
}

// A term without requirements matches nothing.
function matchesTerm(term: unknown, node: ApiObject): boolean {
  const expressions = listAt(term, 'matchExpressions') as readonly Expression[]
  const fields = listAt(term, 'matchFields') as readonly Expression[]
  if (expressions.length + fields.length === 0) return false
  return (
    labelMatcher({ matchExpressions: expressions })(node.metadata.labels) &&
    labelMatcher({ matchExpressions: fields })({ 'metadata.name': node.metadata.name ?? '' })
  )
}

/** Returns whether one of the tolerations covers the taint. */
export function isTolerated(taint: unknown, tolerations: readonly unknown[]): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint))
}

/** Returns whether a toleration covers a taint by key, value and effect. A key or effect that it omits matches all. */
export function tolerates(toleration: unknown, taint: unknown): boolean {
  const effect = stringAt(toleration, 'effect')
  if (effect !== '' && effect !== stringAt(taint, 'effect')) return false
  const key = stringAt(toleration, 'key')
  if (key !== '' && key !== stringAt(taint, 'key')) return false
  const operator = stringAt(toleration, 'operator') || 'Equal'
  if (operator === 'Exists') return true
  return operator === 'Equal' && key !== '' && stringAt(toleration, 'value') === stringAt(taint, 'value')
}

/** Returns the node's taints with one of these effects that the pod spec does not tolerate. */
export function untoleratedTaints(spec: JsonObject, node: ApiObject, effects: readonly string[]): readonly unknown[] {
  const tolerations = listAt(spec, 'tolerations')
  return listAt(node, 'spec', 'taints').filter(
    (taint) => effects.includes(String(own(taint, 'effect'))) && !isTolerated(taint, tolerations),
  )
}
