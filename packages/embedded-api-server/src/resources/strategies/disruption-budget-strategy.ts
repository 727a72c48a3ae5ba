import { objectAt } from '../../schema/json/json-object.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import type { Strategy } from '../kinds/strategy.ts'

/** Write rules of PodDisruptionBudgets: they may set `minAvailable` or `maxUnavailable`, not both. */
export const disruptionBudgetStrategy: Strategy = {
  validate(budget) {
    const { selector, minAvailable, maxUnavailable, unhealthyPodEvictionPolicy } = objectAt(budget, 'spec')
    if (minAvailable === undefined || maxUnavailable === undefined) return []
    // The message shows upstream's Go struct.
    const spec = {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
    }
    return [fieldError.invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set')]
  },
}
