import type { ResourceList, ResourceRequirements } from '@berth/types'
import { quantityOf } from '../quantity/quantity-json.ts'
import { quantityText } from '../quantity/quantity-text.ts'
import { resourceList } from '../quantity/resource-list.ts'

const MILLI = -3

/** The list with every amount rounded up to milli, as the API server stores it (`SetDefaults_ResourceList`, v1.36). */
export function roundedList(list: ResourceList): ResourceList {
  return resourceList(
    Object.entries(list).map(([name, field]) => [name, quantityText(quantityOf(field).roundUp(MILLI), `${field}`)]),
  )
}

/** {@link roundedList} on requests and limits. */
export function roundedRequirements(resources: ResourceRequirements): ResourceRequirements {
  return {
    ...resources,
    ...(resources.limits && { limits: roundedList(resources.limits) }),
    ...(resources.requests && { requests: roundedList(resources.requests) }),
  }
}
