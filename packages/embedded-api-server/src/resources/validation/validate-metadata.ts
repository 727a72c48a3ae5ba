import type { OwnerReference } from '@berth/types'
import type { ApiObject } from '../../schema/json/api-object.ts'
import type { ResourceKind } from '../kinds/resource-kind.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import {
  dnsLabel,
  dnsSubdomain,
  labelValue,
  pathSegment,
  qualifiedName,
  type NameRule,
} from '../../schema/name-rules.ts'

const MAX_ANNOTATION_BYTES = 256 * 1024

/** Returns the rule for names of a kind. */
export function nameRuleOf(kind: ResourceKind): NameRule {
  if (kind.group === 'rbac.authorization.k8s.io') return pathSegment
  if (kind.storage === '/namespaces') return dnsLabel
  if (kind.storage === '/services') return dnsLabel
  return dnsSubdomain
}

/** Returns the errors of the metadata of an object. `old` is undefined on create. */
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
  if (bytes > MAX_ANNOTATION_BYTES) causes.push(fieldError.tooLong('metadata.annotations', MAX_ANNOTATION_BYTES))
  const controllers = (metadata.ownerReferences ?? []).filter(({ controller }) => controller === true)
  for (const owner of metadata.ownerReferences ?? []) {
    const field = 'metadata.ownerReferences'
    for (const key of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if ((owner[key] ?? '') === '') causes.push(fieldError.invalid(`${field}.${key}`, '', 'must not be empty'))
    }
  }
  const [first, second] = controllers
  if (first !== undefined && second !== undefined) {
    const why = `Only one reference can have Controller set to true. Found "true" in references for ${first.kind}/${first.name} and ${second.kind}/${second.name}`
    causes.push(fieldError.invalid('metadata.ownerReferences', metadata.ownerReferences?.map(goOwnerReference), why))
  }
  causes.push(...validateFinalizers(kind, object))
  if (old !== undefined && metadata.deletionTimestamp !== undefined) {
    const before = new Set(old.metadata.finalizers)
    const added = (metadata.finalizers ?? []).filter((each) => !before.has(each))
    if (added.length > 0) {
      const shown = added.map((each) => JSON.stringify(each)).join(', ')
      const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown}}`
      causes.push(fieldError.forbidden('metadata.finalizers', why))
    }
  }
  return causes
}

// The message shows the fields in the order of upstream's Go struct.
function goOwnerReference({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): object {
  return { apiVersion, kind, name, uid, controller, blockOwnerDeletion }
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['foregroundDeletion', 'orphan', 'kubernetes'])

function validateFinalizers(kind: ResourceKind, { metadata }: ApiObject): readonly StatusCause[] {
  return (metadata.finalizers ?? []).flatMap((finalizer, i) => {
    const problems = qualifiedName(finalizer).map((why) => fieldError.invalid('metadata.finalizers', finalizer, why))
    // Only built-in kinds require finalizers with a domain.
    const allowsPlainNames = kind.custom !== undefined || kind.group === 'apiextensions.k8s.io'
    if (problems.length > 0 || allowsPlainNames) return problems
    if (finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)) return problems
    const why = 'name is neither a standard finalizer name nor is it fully qualified'
    return [fieldError.invalid(`metadata.finalizers[${i}]`, finalizer, why)]
  })
}

/** Returns the errors of a map of labels. */
export function validateLabels(
  labels: Readonly<Record<string, string>> | undefined,
  field: string,
): readonly StatusCause[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...qualifiedName(key).map((why) => fieldError.invalid(field, key, why)),
    ...labelValue(value).map((why) => fieldError.invalid(field, value, why)),
  ])
}
