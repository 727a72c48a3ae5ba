import type { ApiObject } from '../../schema/json/api-object.ts'
import { badRequest } from '../../schema/status/api-errors.ts'

/** One term of a field selector. */
export interface FieldTerm {
  readonly field: string
  readonly isEqual: boolean
  readonly value: string
}

/** Fields that a kind can be selected by, and how each is read from an object. */
export type SelectableFields = ReadonlyMap<string, (object: ApiObject) => string>

/**
 * Reads the `fieldSelector` parameter: `field=value`, `field==value`, `field!=value`, joined by commas.
 *
 * @throws BERTH_SIMULATOR_REFUSED (400) where the text is no selector or the kind cannot be selected by a field.
 */
export function parseFieldSelector(text: string, fields: SelectableFields): readonly FieldTerm[] {
  return termsOf(text).map((term) => {
    if ('unreadable' in term) throw badRequest(`invalid selector: '${text}'; can't understand '${term.unreadable}'`)
    if (!fields.has(term.field)) {
      throw badRequest(
        fields.size > 2
          ? `field label not supported: ${term.field}`
          : `${JSON.stringify(term.field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
      )
    }
    return term
  })
}

/** The value that a selector wants a field to have; `''` where it wants none, and where it is no selector. */
export function requiredValue(text: string, field: string): string {
  const terms = termsOf(text)
  if (terms.some((term) => 'unreadable' in term)) return ''
  const found = terms.find((term) => 'field' in term && term.field === field && term.isEqual)
  return found !== undefined && 'value' in found ? found.value : ''
}

function termsOf(text: string): readonly (FieldTerm | { readonly unreadable: string })[] {
  return text
    .split(/(?<!\\),/)
    .filter((part) => part !== '')
    .map((part) => {
      const match = /^([^=!]+)(!=|==|=)(.*)$/.exec(part)
      if (match === null) return { unreadable: part }
      const [, field = '', operator, value = ''] = match
      return { field, isEqual: operator !== '!=', value: value.replaceAll(/\\(.)/g, '$1') }
    })
}

/** Whether `object` meets every term. */
export function matchesFields(object: ApiObject, terms: readonly FieldTerm[], fields: SelectableFields): boolean {
  return terms.every(({ field, isEqual, value }) => (fields.get(field)?.(object) === value) === isEqual)
}
