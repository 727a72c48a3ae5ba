import type { KubernetesObject } from '@berth/types'

/** The fields in which objects tell which pods they select. */
interface Selecting extends KubernetesObject {
  readonly spec?: {
    readonly selector?: {
      readonly matchLabels?: Readonly<Record<string, string>>
      readonly matchExpressions?: readonly unknown[]
    }
  }
  /** Kinds with a scale subresource keep its selector in their status, most in one of these fields. */
  readonly status?: { readonly selector?: unknown; readonly labelSelector?: unknown }
}

/**
 * Returns the labels of the pods that an object selects, by its own selector or the one in its status. Undefined when it has
 * none, or one that does not consist of labels alone.
 */
export function podLabelsOf(object: KubernetesObject): Readonly<Record<string, string>> | undefined {
  const { spec, status } = object as Selecting
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {}
  if (matchExpressions.length === 0 && Object.keys(matchLabels).length > 0) return matchLabels
  const text = [status?.selector, status?.labelSelector].find((one) => typeof one === 'string' && one !== '')
  return typeof text === 'string' ? parseLabels(text) : undefined
}

/** Parses `app=web,tier=front`; undefined for a selector with other operators. */
export function parseLabels(selector: string): Readonly<Record<string, string>> | undefined {
  const pairs = selector.split(',').map((part) => part.split('='))
  const isPlain = pairs.every(([key = '', value, ...rest]) => key !== '' && value !== undefined && rest.length === 0)
  return isPlain ? Object.fromEntries(pairs) : undefined
}
