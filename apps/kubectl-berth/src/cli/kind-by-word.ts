import type { ResourceRef } from '@berth/k8s-client'

/** By short name: the plural. */
const plurals: ReadonlyMap<string, string> = new Map([
  ['deploy', 'deployments'],
  ['ds', 'daemonsets'],
  ['po', 'pods'],
  ['rs', 'replicasets'],
  ['sts', 'statefulsets'],
  ['svc', 'services'],
])

/**
 * Finds a kind as kubectl users write it: `deployment`, `deployments`, `deploy`. Undefined if it is none of the kinds.
 *
 * @param word - In lower case.
 */
export function kindByWord(word: string, kinds: readonly ResourceRef[]): ResourceRef | undefined {
  const plural = plurals.get(word) ?? word
  return kinds.find((one) => one.plural === plural || one.kind.toLowerCase() === plural)
}
