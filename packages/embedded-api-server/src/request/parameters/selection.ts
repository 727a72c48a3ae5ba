import type { ApiObject } from '../../schema/json/api-object.ts'
import { selectableFields } from '../../resources/kinds/selectable-fields.ts'
import { matchesFields, parseFieldSelector } from '../../resources/selectors/field-selector.ts'
import { parseLabelSelector } from '../../resources/selectors/label-selector.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'

/** The objects of a kind that a list, watch or deletion selects. */
export interface Selection {
  readonly includes: (object: ApiObject) => boolean
  /** Set when the field selector limits pods to one node. */
  readonly nodeName?: string
}

/** Returns the selection by namespace, name, labelSelector and fieldSelector of a request. */
export function selectionOf(request: ResourceRequest): Selection {
  const { namespace, name, query, kind } = request
  const matchesLabels = parseLabelSelector(query.get('labelSelector') ?? '')
  const fields = kind.custom?.selectableFields ?? selectableFields(kind.storage)
  const terms = parseFieldSelector(query.get('fieldSelector') ?? '', fields)
  const nodeTerm =
    kind.storage === '/pods' ? terms.find(({ field, isEqual }) => field === 'spec.nodeName' && isEqual) : undefined
  const labelSelector = query.get('labelSelector') ?? ''
  return {
    includes: (object) =>
      (namespace === '' || object.metadata.namespace === namespace) &&
      (name === '' || object.metadata.name === name) &&
      (labelSelector === '' || matchesLabels(object.metadata.labels)) &&
      (terms.length === 0 || matchesFields(object, terms, fields)),
    ...(nodeTerm === undefined ? {} : { nodeName: nodeTerm.value }),
  }
}
