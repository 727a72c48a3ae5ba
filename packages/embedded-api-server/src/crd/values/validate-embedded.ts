import { isObject, listAt, own, stringAt, type JsonObject } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { validateLabels } from '../../resources/validation/validate-metadata.ts'
import { schemaUnder, type StructuralSchema } from '../../schema/structural/structural-schema.ts'

/**
 * Returns the errors of embedded API objects: values whose schema has `x-kubernetes-embedded-resource`.
 *
 * @see k8s.io/apiextensions-apiserver pkg/apiserver/schema/objectmeta (v0.36)
 */
export function validateEmbedded(value: unknown, schema: StructuralSchema, path = ''): readonly StatusCause[] {
  if (Array.isArray(value)) {
    const { items } = schema
    return items === undefined ? [] : value.flatMap((item, i) => validateEmbedded(item, items, `${path}[${i}]`))
  }
  if (!isObject(value)) return []
  return [
    ...(schema.isEmbeddedResource && path !== '' ? validateTypeAndMetadata(value, path) : []),
    ...Object.entries(value).flatMap(([key, inner]) => {
      const known = schemaUnder(schema, key)
      return known === undefined ? [] : validateEmbedded(inner, known, path === '' ? key : `${path}.${key}`)
    }),
  ]
}

function validateTypeAndMetadata(value: JsonObject, path: string): readonly StatusCause[] {
  const texts = ['apiVersion', 'kind'].flatMap((key) => {
    if (own(value, key) === undefined) return [fieldError.required(`${path}.${key}`)]
    return stringAt(value, key) === ''
      ? [fieldError.invalid(`${path}.${key}`, own(value, key), 'must not be empty')]
      : []
  })
  const metadata = own(value, 'metadata')
  if (!isObject(metadata)) return texts
  const labels = own(metadata, 'labels')
  const names = listAt(metadata, 'ownerReferences').flatMap((owner, i) =>
    stringAt(owner, 'name') === ''
      ? [fieldError.invalid(`${path}.metadata.ownerReferences[${i}].name`, '', 'must not be empty')]
      : [],
  )
  return [
    ...texts,
    ...(isObject(labels) ? validateLabels(labels as Readonly<Record<string, string>>, `${path}.metadata.labels`) : []),
    ...names,
  ]
}
