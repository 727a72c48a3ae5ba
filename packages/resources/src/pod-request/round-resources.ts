import type { ResourceList, ResourceRequirements } from '@berth/types'
import { quantityOf } from '../quantity/quantity-json.ts'
import { quantityText } from '../quantity/quantity-text.ts'
import { resourceList } from '../quantity/resource-list.ts'

const MILLI = -3

/** Rounds every amount up to milli, as the API server does (`SetDefaults_ResourceList`, v1.36). */
export function roundList(list: ResourceList): ResourceList {
  return resourceList(
    Object.entries(list).map(([name, field]) => [name, quantityText(quantityOf(field).roundUp(MILLI), `${field}`)]),
  )
}

/** Rounds requests and limits with {@link roundList}. */
export function roundRequirements(resources: ResourceRequirements): ResourceRequirements {
  return {
    ...resources,
    ...(resources.limits && { limits: roundList(resources.limits) }),
    ...(resources.requests && { requests: roundList(resources.requests) }),
  }
}
