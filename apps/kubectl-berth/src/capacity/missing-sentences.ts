import { evaluatedWithout } from '../output/evaluated-without.ts'

/**
 * Says what is missing from the numbers, and which permission would complete them.
 *
 * @param forbidden - Plurals that this user may not list, as of a snapshot.
 * @param namespace - The namespace whose pods were read instead of all.
 */
export function missingSentences(forbidden: readonly string[], namespace: string): readonly string[] {
  const others = forbidden.filter((plural) => !/^(?:nodes|pods)\b/.test(plural))
  return [
    ...(forbidden.includes('nodes')
      ? [
          'This user may not list nodes, so only what pods request is shown. Grant the verb list on nodes to see the rest.',
        ]
      : []),
    ...(forbidden.includes('pods (other namespaces)')
      ? [`Only pods of namespace ${namespace} are counted: this user may not list pods of other namespaces.`]
      : []),
    ...(forbidden.includes('pods') ? ['No pods are counted: this user may not list pods.'] : []),
    ...evaluatedWithout(others),
  ]
}
