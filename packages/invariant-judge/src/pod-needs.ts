import type { Node, Pod } from '@berth/types'
import { addAmounts, amountsOf, type Amounts } from './amounts.ts'

/** Returns what a pod takes from its node, with one of `pods`: the sum of its containers, or its largest init container. */
export function podNeeds({ spec }: Pod): Amounts {
  const total = new Map<string, bigint>([['pods', 1_000n]])
  for (const { resources } of spec.containers) addAmounts(total, amountsOf(resources?.requests ?? resources?.limits))
  for (const { resources } of spec.initContainers ?? []) {
    for (const [name, amount] of amountsOf(resources?.requests ?? resources?.limits)) {
      if (amount > (total.get(name) ?? 0n)) total.set(name, amount)
    }
  }
  return total
}

/** Returns whether the pod still takes room: it has not finished. */
export function takesRoom({ status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed'
}

/** Returns why a node does not accept the pod, whatever room it has; undefined if it does. */
export function refusalOf(node: Node, { spec }: Pod): string | undefined {
  const { labels = {} } = node.metadata
  const wrong = Object.entries(spec.nodeSelector ?? {}).find(([key, value]) => labels[key] !== value)
  if (wrong !== undefined) return `its label ${wrong[0]} is not ${wrong[1]}`
  if (node.spec?.unschedulable === true) return 'it is unschedulable'
  const tolerates = (taint: { readonly key: string; readonly value?: string | undefined; readonly effect: string }) =>
    (spec.tolerations ?? []).some(
      ({ key, operator = 'Equal', value = '', effect = '' }) =>
        (effect === '' || effect === taint.effect) &&
        (key === undefined || key === '' ? operator === 'Exists' : key === taint.key) &&
        (operator === 'Exists' || value === (taint.value ?? '')),
    )
  const taint = (node.spec?.taints ?? []).find((each) => each.effect !== 'PreferNoSchedule' && !tolerates(each))
  return taint && `the taint ${taint.key} is not tolerated`
}
