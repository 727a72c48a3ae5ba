import type { ApiObject } from '../json/api-object.ts'
import type { ResourceKind } from '../kinds/resource-kind.ts'
import type { StatusCause } from '../refusal/api-refusal.ts'
import { fieldError } from '../refusal/field-error.ts'
import {
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  labelValue,
  pathSegment,
  qualifiedName,
  type NameRule,
} from './name-rules.ts'

const ANNOTATIONS_LIMIT = 256 * 1024

/** The rule for names of a kind. */
export function nameRuleOf(kind: ResourceKind): NameRule {
  if (kind.group === 'rbac.authorization.k8s.io') return pathSegment
  if (kind.storage === '/namespaces') return dnsLabel
  if (kind.storage === '/services') return dns1035Label
  return dnsSubdomain
}

/** What is wrong with the metadata of an object; `old` when it is being updated. */
export function validateMetadata(kind: ResourceKind, object: ApiObject, old?: ApiObject): readonly StatusCause[] {
  const { metadata } = object
  const causes: StatusCause[] = []
  if (old === undefined) {
    const name = metadata.name ?? ''
    if (name === '') causes.push(fieldError.required('metadata.name', 'name or generateName is required'))
    else causes.push(...nameRuleOf(kind)(name).map((why) => fieldError.invalid('metadata.name', name, why)))
  }
  causes.push(...validateLabels(metadata.labels, 'metadata.labels'))
  let bytes = 0
  for (const [key, value] of Object.entries(metadata.annotations ?? {})) {
    bytes += key.length + value.length
    causes.push(...qualifiedName(key.toLowerCase()).map((why) => fieldError.invalid('metadata.annotations', key, why)))
  }
  if (bytes > ANNOTATIONS_LIMIT) causes.push(fieldError.tooLong('metadata.annotations', ANNOTATIONS_LIMIT))
  for (const [i, owner] of (metadata.ownerReferences ?? []).entries()) {
    const field = `metadata.ownerReferences[${i}]`
    for (const key of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if ((owner[key] ?? '') === '') causes.push(fieldError.invalid(`${field}.${key}`, '', 'must not be empty'))
    }
  }
  for (const finalizer of metadata.finalizers ?? []) {
    causes.push(...qualifiedName(finalizer).map((why) => fieldError.invalid('metadata.finalizers', finalizer, why)))
  }
  return causes
}

/** What is wrong with a map of labels. */
export function validateLabels(
  labels: Readonly<Record<string, string>> | undefined,
  field: string,
): readonly StatusCause[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...qualifiedName(key).map((why) => fieldError.invalid(field, key, why)),
    ...labelValue(value).map((why) => fieldError.invalid(field, value, why)),
  ])
}
